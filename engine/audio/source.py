"""Reading any container as blocks of samples, at the rate and with the channels it has.

Nothing here mixes or resamples; ``engine.audio.decode`` does. FFmpeg is given an open file, not a
name, so that the content alone decides and no name can be taken for a pattern or an address.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import sealed
from engine.errors import AudioError
from engine.types import FloatArray

if TYPE_CHECKING:
    from av.container import InputContainer

BLOCK_SECONDS = 2.0
# A playlist names other files and addresses; nothing but the given file may ever be opened.
PLAYLISTS = {"hls", "dash", "concat", "sdp", "rtsp", "imf"}
FULL_SCALE = {"u8": 128.0, "s16": 32768.0, "s32": 2147483648.0, "s64": 9223372036854775808.0}


@dataclass(frozen=True, slots=True)
class Block:
    """Decoded samples.

    Attributes:
        rate_hz: Samples per second.
        samples: (channels, n) float32, nominally in [-1, 1].
        position: How far the source is, in seconds.
    """

    rate_hz: int
    samples: FloatArray
    position: float


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """Open a media file by its content.

    Raises:
        AudioError: Not there, not readable, empty, cut beyond use, or without any sound.
    """
    import av

    try:
        size = sealed.size(path)
        file = sealed.open_file(path, "rb")
    except OSError as error:
        raise AudioError(f"{path.name} cannot be read.", error.strerror or str(error)) from error
    with file:
        if size == 0:
            raise AudioError(f"{path.name} is empty.", "The recording has no content; try again.")
        options = {"protocol_whitelist": "none", "ignore_length": str(int(_is_length_wrong(path)))}
        try:
            container = av.open(file, "r", options=options)
        except (av.FFmpegError, ValueError) as error:
            raise _unreadable(path, file.name) from error
        with container:
            if set(container.format.name.split(",")) & PLAYLISTS:
                raise AudioError(f"{path.name} is a playlist, not a recording.")
            if not container.streams.audio:
                raise AudioError(f"{path.name} has no sound track.", "Choose a file with sound.")
            yield container


def blocks(container: InputContainer, track: int) -> Iterator[Block]:
    """Decode one audio track in pieces of about ``BLOCK_SECONDS``.

    Damaged packets are skipped and a cut file ends where its content ends, so whatever can be
    heard is returned. A block is closed early where the rate or the channel count changes.

    Args:
        container: From ``opened``.
        track: Index among the audio streams.

    Yields:
        Blocks in order.
    """
    import av

    stream = container.streams.audio[track]
    held: list[FloatArray] = []
    rate, channels, n_held, position = 0, 0, 0, 0.0
    try:
        for packet in container.demux(stream):
            for frame in _frames(packet):
                samples = _as_float(frame)
                position = frame.time if frame.time is not None else position
                if held and (frame.sample_rate != rate or samples.shape[0] != channels):
                    yield Block(rate, np.concatenate(held, axis=1), position)
                    held, n_held = [], 0
                rate, channels = frame.sample_rate, samples.shape[0]
                held.append(samples)
                n_held += samples.shape[1]
                if n_held >= rate * BLOCK_SECONDS:
                    yield Block(rate, np.concatenate(held, axis=1), position)
                    held, n_held = [], 0
    except (av.FFmpegError, OSError):
        pass  # The demuxer met the cut end of the file: keep what was decoded.
    if held:
        yield Block(rate, np.concatenate(held, axis=1), position)


def loudest_track(path: Path) -> tuple[int, int]:
    """Find the audio track that carries sound.

    Screen recorders and conference systems write several tracks, often a silent one first. The
    first track wins unless a later one is at least 6 dB louder in its loud moments.

    Returns:
        (index among the audio tracks, number of audio tracks).
    """
    with opened(path) as container:
        n_tracks = len(container.streams.audio)
    if n_tracks == 1:
        return 0, 1
    levels = []
    for track in range(n_tracks):
        with opened(path) as container:
            energies = [
                float(np.mean(np.square(part)))
                for block in blocks(container, track)
                for part in np.array_split(block.samples, 8, axis=1)
                if part.size
            ]
        levels.append(float(np.quantile(energies, 0.9)) if energies else 0.0)
    best = int(np.argmax(levels))
    return (best if levels[best] > 4 * levels[0] else 0), n_tracks


def _frames(packet: Any) -> list[Any]:
    """The frames of a packet, none when it is damaged."""
    import av

    try:
        return list(packet.decode())
    except (av.FFmpegError, ValueError):
        return []


def _as_float(frame: Any) -> FloatArray:
    """(channels, n) float32 of a frame of any sample format."""
    name = frame.format.name
    kind = name.removesuffix("p")
    samples = frame.to_ndarray()
    n_channels = len(frame.layout.channels) or 1
    if not name.endswith("p"):
        n_channels = max(1, samples.size // max(1, frame.samples))
        samples = samples.reshape(-1, n_channels).T
    if kind in FULL_SCALE:
        offset = 128.0 if kind == "u8" else 0.0
        samples = (samples.astype(np.float32) - offset) / np.float32(FULL_SCALE[kind])
    else:
        samples = samples.astype(np.float32)
        # Broken float files hold NaN or infinity, which would silence or blow up everything after.
        samples = np.nan_to_num(samples, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.ascontiguousarray(samples, dtype=np.float32)


def missing_share(path: Path) -> float:
    """How much of a WAV file is missing by its own header, 0 to 1; 0 for other files.

    FFmpeg corrects such a header silently, so that a cut file looks whole.
    """
    found = _wav_data(path)
    if found is None or found[1] in (0, 0xFFFFFFFF):
        return 0.0
    start, length = found
    return max(0.0, 1 - (sealed.size(path) - start) / length)


def _is_length_wrong(path: Path) -> bool:
    """A WAV whose data chunk claims less than the file holds: a streamed or wrapped header."""
    found = _wav_data(path)
    if found is None:
        return False
    start, length = found
    if length in (0, 0xFFFFFFFF):
        return True
    size = sealed.size(path)
    return start + length < size - 8 and not _is_chunk(path, start + length, size)


def _wav_data(path: Path) -> tuple[int, int] | None:
    """Where the samples of a WAV file begin and how many bytes the header promises."""
    with sealed.open_file(path, "rb") as file:
        head = file.read(12)
        if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
            return None
        while len(chunk := file.read(8)) == 8:
            name, length = struct.unpack("<4sI", chunk)
            start = file.tell()
            if name == b"data":
                return start, length
            file.seek(start + length + (length & 1))
    return None


def _is_chunk(path: Path, offset: int, size: int) -> bool:
    """Whether a plausible RIFF chunk begins at ``offset`` (or after the pad byte)."""
    with sealed.open_file(path, "rb") as file:
        for start in (offset, offset + 1):
            file.seek(start)
            header = file.read(8)
            if len(header) == 8:
                name, length = struct.unpack("<4sI", header)
                if all(32 <= byte < 127 for byte in name) and start + 8 + length <= size + 1:
                    return True
    return False


def _unreadable(path: Path, name: str) -> AudioError:
    """The clearest message for a file that no demuxer accepts."""
    with sealed.open_file(path, "rb") as file:
        head = file.read(64)
    if head[4:8] in (b"ftyp", b"mdat", b"free", b"wide"):
        return AudioError(
            f"{path.name} is incomplete: its index at the end is missing.",
            "Copy or export the recording again; the cut part holds the table of contents.",
        )
    if head[:4] in (b"RIFF", b"RF64") or head[:3] == b"ID3" or head[:4] in (b"OggS", b"fLaC"):
        return AudioError(f"{path.name} contains no sound.", "The file ends after its header.")
    return AudioError(f"{path.name} is not a recording this app can read.")
