"""Any recording becomes one timeline: 16 kHz mono FLAC that recogniser, player and seek share.

Memory is bounded whatever the length: samples pass through in blocks of two seconds. Files are
written under temporary names and renamed when whole.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile as sf

from engine import sealed
from engine.audio.channels import ChannelStatistics, Mix
from engine.audio.source import Block, blocks, loudest_track, missing_share, opened
from engine.errors import AudioError
from engine.progress import Report
from engine.types import FloatArray

SAMPLE_RATE = 16_000
PEAKS_PER_SECOND = 50
_PEAK_SAMPLES = SAMPLE_RATE // PEAKS_PER_SECOND
_MIX_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Timeline:
    """A decoded recording.

    Attributes:
        path: ``audio.flac``, 16 kHz mono 16-bit.
        duration: Seconds, counted from the samples and not from any header.
        n_channels: Of the source.
        channel_paths: One FLAC per channel where channels carry different voices, else empty.
        notes: What the user should know: a cut file, a silent channel, a chosen track.
    """

    path: Path
    duration: float
    n_channels: int
    channel_paths: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def decode(source: Path, media_dir: Path, channels: str, report: Report) -> Timeline:
    """Turn any media file into the timeline of a meeting.

    Writes ``audio.flac``, ``peaks.npy`` (float16 (n, 2): minimum and maximum of each 20 ms) and,
    where channels carry different voices, ``channel-<n>.flac``. Of several audio tracks the one
    with sound is taken.

    Args:
        source: The file as the user has it; never written to.
        media_dir: Existing folder for the results.
        channels: ``auto``, ``mix`` or ``speakers``.
        report: Called about once per two seconds of audio.

    Returns:
        The timeline, at least one sample long.

    Raises:
        AudioError: No sound, not a recording, or no room on the disk.
        Cancelled: Nothing is left behind.
    """
    notes: list[str] = []
    track, n_tracks = loudest_track(source)
    if n_tracks > 1:
        notes.append(f"The file has {n_tracks} sound tracks; track {track + 1} is used.")
    raw_paths: list[Path] = []
    try:
        statistics, n_channels, raw_paths, expected = _unpack(
            (source, track), media_dir, channels, report.part(0, 0.8)
        )
        n_samples = sealed.size(raw_paths[0]) // 2 if raw_paths else 0
        if not n_samples:
            raise AudioError(f"{source.name} contains no sound.", "It ends after its header.")
        duration = n_samples / SAMPLE_RATE
        expected = max(expected, duration / max(1e-3, 1 - missing_share(source)))
        if expected - duration > max(1.0, 0.02 * expected):
            notes.append(f"The file is cut: {duration:.0f} of {expected:.0f} seconds were kept.")
        mix = statistics.decide(channels)
        if mix.note:
            notes.append(mix.note)
        path = media_dir / "audio.flac"
        _write_mix(raw_paths, mix, path, report.part(0.8, 1.0))
        channel_paths = _write_channels(raw_paths, mix.voices, media_dir)
    except OSError as error:
        raise _disk_error(error, media_dir) from error
    finally:
        for raw in media_dir.glob("*.part"):
            with suppress(OSError):
                raw.unlink()
    return Timeline(path, duration, n_channels, channel_paths, tuple(notes))


def read(path: Path, start: float = 0.0, end: float | None = None) -> FloatArray:
    """Read a stretch of a timeline.

    Args:
        path: A FLAC written by ``decode``.
        start: Seconds; before the beginning means the beginning.
        end: Seconds, None for the end of the file; beyond the end means the end.

    Returns:
        (samples,) float32 in [-1, 1], 16 kHz.

    Raises:
        AudioError: The file is gone or damaged.
    """
    try:
        with _sound(path) as file:
            first = min(max(0, round(start * SAMPLE_RATE)), file.frames)
            last = file.frames if end is None else min(round(end * SAMPLE_RATE), file.frames)
            file.seek(first)
            samples: FloatArray = file.read(max(0, last - first), dtype="float32")
            return samples
    except (sf.LibsndfileError, OSError) as error:
        raise AudioError(f"The sound of this meeting cannot be read: {path.name}.") from error


def chunks(path: Path, seconds: float) -> Iterator[tuple[float, FloatArray]]:
    """Read a timeline piece by piece.

    Args:
        path: A FLAC written by ``decode``.
        seconds: Length of a piece.

    Yields:
        (start in seconds, (samples,) float32), in order; the last piece may be shorter.

    Raises:
        AudioError: The file is gone or damaged.
    """
    n = max(1, round(seconds * SAMPLE_RATE))
    try:
        with _sound(path) as file:
            position = 0
            while len(samples := file.read(n, dtype="float32")):
                yield position / SAMPLE_RATE, samples
                position += len(samples)
    except (sf.LibsndfileError, OSError) as error:
        raise AudioError(f"The sound of this meeting cannot be read: {path.name}.") from error


def duration_of(path: Path) -> float:
    """Length of a timeline in seconds.

    Raises:
        AudioError: The file is gone or damaged.
    """
    try:
        return _frames(path) / SAMPLE_RATE
    except (sf.LibsndfileError, OSError) as error:
        raise AudioError(f"The sound of this meeting cannot be read: {path.name}.") from error


@contextmanager
def _sound(path: Path) -> Iterator[sf.SoundFile]:
    """Open a timeline; a sealed one is closed with it."""
    source = sealed.for_sound(path)
    try:
        with sf.SoundFile(source) as file:
            yield file
    finally:
        if not isinstance(source, str):
            source.close()


@contextmanager
def _new_flac(path: Path) -> Iterator[sf.SoundFile]:
    """Write a mono timeline."""
    target = sealed.new_sound(path)
    try:
        with sf.SoundFile(target, "w", SAMPLE_RATE, 1, "PCM_16", format="FLAC") as file:
            yield file
    finally:
        if not isinstance(target, str):
            target.close()


def _frames(path: Path) -> int:
    with _sound(path) as file:
        return int(file.frames)


class _Resampler:
    """Streams blocks of any rate into 16 kHz with a fixed number of channels."""

    def __init__(self, n_channels: int) -> None:
        self._n_channels = n_channels
        self._rate_hz = 0
        self._stream: object | None = None

    def push(self, block: Block) -> FloatArray:
        """Return (channels, n) float32 at 16 kHz; what the filter still holds comes later."""
        import soxr

        samples = block.samples
        if samples.shape[0] != self._n_channels:
            # The layout changed in the middle of the file: spread its mean over our channels.
            samples = np.repeat(samples.mean(axis=0, keepdims=True), self._n_channels, axis=0)
        head = self.flush() if block.rate_hz != self._rate_hz else None
        if block.rate_hz != self._rate_hz:
            self._rate_hz = block.rate_hz
            self._stream = (
                soxr.ResampleStream(block.rate_hz, SAMPLE_RATE, self._n_channels, dtype="float32")
                if block.rate_hz != SAMPLE_RATE
                else None
            )
        out = self._run(samples, is_last=False)
        return out if head is None or not head.size else np.concatenate([head, out], axis=1)

    def flush(self) -> FloatArray:
        """Return what the filter still holds."""
        return self._run(np.zeros((self._n_channels, 0), dtype=np.float32), is_last=True)

    def _run(self, samples: FloatArray, *, is_last: bool) -> FloatArray:
        if self._stream is None:
            return samples
        frames = np.ascontiguousarray(samples.T)
        out: FloatArray = self._stream.resample_chunk(frames, last=is_last)  # type: ignore[attr-defined]
        if is_last:
            self._stream, self._rate_hz = None, 0
        return out.reshape(-1, self._n_channels).T


def _unpack(
    source: tuple[Path, int], media_dir: Path, mode: str, report: Report
) -> tuple[ChannelStatistics, int, list[Path], float]:
    """Decode to one raw 16-bit file per channel; return statistics and the promised duration."""
    path, track = source
    statistics = ChannelStatistics(1)
    raw_paths: list[Path] = []
    resampler: _Resampler | None = None
    with opened(path) as container:
        stream = container.streams.audio[track]
        expected = _promised_duration(container.duration, stream)
        files = []
        try:
            for block in blocks(container, track):
                if resampler is None:
                    n_channels = block.samples.shape[0]
                    statistics = ChannelStatistics(n_channels)
                    resampler = _Resampler(n_channels)
                    raw_paths = [media_dir / f"raw-{c}.part" for c in range(n_channels)]
                    files = [sealed.open_file(raw, "wb") for raw in raw_paths]
                samples = resampler.push(block)
                statistics.add(samples)
                _append(files, samples)
                report("decode", block.position, max(expected, block.position))
            if resampler is not None:
                _append(files, resampler.flush())
        finally:
            for file in files:
                file.close()
    return statistics, statistics.n_channels, raw_paths, expected


def _promised_duration(container_duration: int | None, stream: object) -> float:
    """What the headers say in seconds, 0 when they say nothing usable."""
    own = getattr(stream, "duration", None)
    base = getattr(stream, "time_base", None)
    if own and base:
        return float(own * base)
    return container_duration / 1_000_000 if container_duration else 0.0


def _append(files: list, samples: FloatArray) -> None:  # type: ignore[type-arg]
    """Write (channels, n) floats as 16-bit samples."""
    whole = (np.clip(samples, -1.0, 1.0) * 32767).round().astype("<i2")
    for file, row in zip(files, whole, strict=True):
        file.write(row.tobytes())


def _raw_pieces(raw_paths: list[Path]) -> Iterator[FloatArray]:
    """Yield (channels, n) float32 of the raw files, half a minute at a time."""
    files = [sealed.open_file(path, "rb") for path in raw_paths]
    try:
        while pieces := [file.read(2 * SAMPLE_RATE * _MIX_SECONDS) for file in files]:
            if not pieces[0]:
                return
            yield np.stack([np.frombuffer(p, "<i2").astype(np.float32) / 32768 for p in pieces])
    finally:
        for file in files:
            file.close()


def _write_mix(raw_paths: list[Path], mix: Mix, path: Path, report: Report) -> None:
    """Write the timeline and its peaks."""
    used = [c for c, weight in enumerate(mix.weights) if weight]
    total = sealed.size(raw_paths[0]) / 2 / SAMPLE_RATE
    peaks: list[FloatArray] = []
    part = path.with_suffix(".flac.part")
    with _new_flac(part) as out:
        for samples in _raw_pieces([raw_paths[c] for c in used]):
            mono = np.clip(mix.weights[used] @ samples, -1.0, 1.0)
            out.write(mono)
            peaks.append(_peaks(mono))
            report("decode", out.frames / SAMPLE_RATE, total)
    part.replace(path)
    part = path.with_name("peaks.npy.part")
    with sealed.open_file(part, "wb") as file:
        np.save(file, np.concatenate(peaks).astype(np.float16))
    part.replace(path.with_name("peaks.npy"))


def _write_channels(
    raw_paths: list[Path], voices: tuple[int, ...], media_dir: Path
) -> tuple[Path, ...]:
    """Write one FLAC per voice channel and remove those of an earlier run."""
    for stale in media_dir.glob("channel-*.flac"):
        stale.unlink()
    written = []
    for channel in voices:
        path = media_dir / f"channel-{channel}.flac"
        part = path.with_suffix(".flac.part")
        with _new_flac(part) as out:
            for samples in _raw_pieces([raw_paths[channel]]):
                out.write(samples[0])
        part.replace(path)
        written.append(path)
    return tuple(written)


def _peaks(mono: FloatArray) -> FloatArray:
    """(n, 2) minimum and maximum per 20 ms."""
    n = -(-len(mono) // _PEAK_SAMPLES)
    padded = np.pad(mono, (0, n * _PEAK_SAMPLES - len(mono)), mode="edge")
    rows = padded.reshape(n, _PEAK_SAMPLES)
    return np.stack([rows.min(axis=1), rows.max(axis=1)], axis=1)


def _disk_error(error: OSError, media_dir: Path) -> AudioError:
    """Say what is wrong with the place we write to."""
    if error.errno == errno.ENOSPC:
        return AudioError("The disk is full.", f"Make room in {media_dir} and try again.")
    return AudioError(f"The sound cannot be written to {media_dir}.", str(error))
