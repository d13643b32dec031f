"""A recording on disk: one WAV file a track and a journal, readable after any crash.

Sound is appended from the first second and brought to the disk twice a second; the header's
sizes are brought up to date then too, but a reader of ours trusts the size of the file instead. The
journal is one JSON object a line: start, pauses, losses, notes, stop, taken.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from engine import sealed
from engine.errors import AudioError

JOURNAL = "journal.jsonl"
JOINED = "recording.wav"
_HEADER_BYTES = 44
_CHUNK_SAMPLES = 1 << 16
_MAX_BYTES = 0xFFFFFFFF
_GROWS_WITHIN_SECONDS = 5
# A sealed file keeps what it holds back in memory; more often would make it long to read.
_PASSES_ON_PER_SECOND = 4
_LARGEST_PID = 0x7FFFFFFF
Pcm = npt.NDArray[np.int16]


def header(rate_hz: int, n_channels: int, n_bytes: int) -> bytes:
    """A WAV header for 16-bit samples."""
    frame = 2 * n_channels
    riff = min(_MAX_BYTES, n_bytes + _HEADER_BYTES - 8)
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        riff,
        b"WAVE",
        b"fmt ",
        16,
        1,
        n_channels,
        rate_hz,
        rate_hz * frame,
        frame,
        16,
        b"data",
        min(_MAX_BYTES, n_bytes),
    )


class TrackFile:
    """Appends samples of one track.

    Raises:
        OSError: From every method, when the disk is full or gone.
    """

    def __init__(self, path: Path, rate_hz: int) -> None:
        self.path = path
        self.rate_hz = rate_hz
        self.n_samples = 0
        self._n_held = 0
        # Unbuffered: what is written has left this process; when sealed, several times a second.
        self._file: BinaryIO = sealed.open_file(path, "wb", buffering=0)
        self._file.write(header(rate_hz, 1, 0))
        self._file.flush()  # The header, which is written again, is a record of its own.

    def append(self, samples: Pcm) -> None:
        """Write (n,) int16 samples at the end."""
        raw = memoryview(samples.astype("<i2", copy=False).tobytes())
        written = 0
        while written < len(raw):
            # A full disk can take a part; the rest then raises.
            written += self._file.write(raw[written:])
        self.n_samples += len(samples)
        self._n_held += len(samples)
        if self._n_held * _PASSES_ON_PER_SECOND >= self.rate_hz:
            self._pass_on()

    def sync(self) -> None:
        """Bring header and samples to the disk."""
        self._file.seek(0)
        self._file.write(header(self.rate_hz, 1, 2 * self.n_samples))
        self._file.seek(0, os.SEEK_END)
        self._pass_on()
        os.fsync(self._file.fileno())

    def _pass_on(self) -> None:
        """Let a kill of this process take nothing of what came so far."""
        self._file.flush()
        self._n_held = 0

    def close(self) -> None:
        """End the file, as far as the disk lets it."""
        try:
            self.sync()
        except OSError:
            pass  # The samples written before are there; readers trust the size of the file.
        finally:
            self._file.close()


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user or the recorder noted, at a recorded second."""

    at: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Take:
    """A recording as it lies on disk.

    Attributes:
        folder: Its folder.
        started: Seconds since the epoch.
        tracks: Track files, the microphone first.
        notes: Bookmarks, pauses and losses.
        is_finished: It was stopped in order.
        is_taken: It was handed to the library.
        pid: The process that recorded it.
    """

    folder: Path
    started: float
    tracks: tuple[Path, ...]
    notes: tuple[Note, ...]
    is_finished: bool
    is_taken: bool
    pid: int

    @property
    def duration(self) -> float:
        """Seconds of the longest track."""
        return max((seconds(path) for path in self.tracks), default=0.0)


class Journal:
    """Appends facts about a recording; each line is on the disk before the call returns."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL

    def write(self, event: str, **facts: object) -> None:
        """Add a line.

        Raises:
            OSError: The disk is full or gone.
        """
        line = json.dumps({"event": event, "wall": time.time(), **facts}, ensure_ascii=False)
        with sealed.open_file(self._path, "ab") as file:
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())


def read_take(folder: Path) -> Take | None:
    """Read a recording's journal; None when the folder holds none.

    What a damaged line says is left out or guessed, so that the sound is found all the same.
    """
    facts = list(_lines(folder / JOURNAL))
    start = next((fact for fact in facts if fact["event"] == "start"), None)
    if start is None:
        return None
    noted = ("note", "bookmark", "pause", "lost", "found", "dropped", "suspended", "silent")
    notes = [
        Note(at, fact["event"], str(fact.get("text", "")))
        for fact in facts
        if fact["event"] in noted and (at := _number(fact.get("at", 0.0))) is not None
    ]
    events = {str(fact["event"]) for fact in facts}
    pid = _number(start.get("pid")) or 0
    return Take(
        folder,
        _number(start.get("wall")) or 0.0,
        _tracks(folder, start.get("tracks")),
        tuple(notes),
        "stop" in events,
        "taken" in events,
        int(pid) if abs(pid) <= _LARGEST_PID else 0,
    )


def _number(value: object) -> float | None:
    """A finite number of a journal, None for anything else."""
    try:
        found = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _tracks(folder: Path, names: object) -> tuple[Path, ...]:
    """The files of a recording: those its journal names, as long as they lie in its folder.

    Tracks are written to when they are mended, so a name must not lead elsewhere.
    """
    given = names if isinstance(names, list) else []
    own = [name for name in given if isinstance(name, str) and Path(name).name == name]
    paths = [folder / name for name in own] or [
        path for path in sorted(folder.glob("*.wav")) if path.name != JOINED
    ]
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def takes(recordings_dir: Path) -> list[Take]:
    """All recordings of a folder, oldest first."""
    if not recordings_dir.is_dir():
        return []
    found = [read_take(folder) for folder in sorted(recordings_dir.iterdir()) if folder.is_dir()]
    return [take for take in found if take is not None]


def unfinished(recordings_dir: Path) -> list[Take]:
    """Recordings that were never handed over and that nobody is making now."""
    waiting = [take for take in takes(recordings_dir) if not take.is_taken]
    return [take for take in waiting if take.is_finished or not is_growing(take)]


def is_growing(take: Take) -> bool:
    """Whether another process is making the recording at this moment."""
    if take.pid == os.getpid() or take.pid <= 0:
        return False
    if sys.platform == "win32":
        # Asking for a process by signal 0 would end it there; a live recording grows instead.
        newest = max((path.stat().st_mtime for path in take.tracks), default=0.0)
        return time.time() - newest < _GROWS_WITHIN_SECONDS
    try:
        os.kill(take.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def joined(take: Take) -> Path:
    """One file of a recording: its only track, or the tracks as channels.

    Raises:
        AudioError: There is no sound in it, or the disk is full.
    """
    tracks = [path for path in take.tracks if seconds(path) > 0]
    if not tracks:
        raise AudioError("The recording holds no sound.", "Check the device and its permission.")
    try:
        for path in tracks:
            mend(path)
        if len(tracks) == 1:
            return tracks[0]
        return _interleaved(tracks, take.folder / JOINED)
    except OSError as error:
        raise AudioError("The recording cannot be put together.", str(error)) from error


def seconds(path: Path) -> float:
    """Length of a track by the size of its file."""
    rate_hz, n_bytes = _measure(path)
    return n_bytes / 2 / rate_hz


def mend(path: Path) -> None:
    """Write the true sizes into the header of a track that was cut off."""
    rate_hz, n_bytes = _measure(path)
    with sealed.open_file(path, "r+b") as file:
        file.write(header(rate_hz, 1, n_bytes - n_bytes % 2))
        if n_bytes % 2:
            file.truncate(_HEADER_BYTES + n_bytes - 1)


def _measure(path: Path) -> tuple[int, int]:
    """Rate and bytes of samples; an unreadable header counts as our usual one."""
    with sealed.open_file(path, "rb") as file:
        head = file.read(_HEADER_BYTES)
        n_bytes = file.seek(0, os.SEEK_END)
    rate_hz = struct.unpack_from("<I", head, 24)[0] if len(head) == _HEADER_BYTES else 0
    return rate_hz or 16_000, max(0, n_bytes - _HEADER_BYTES)


def _interleaved(tracks: Sequence[Path], target: Path) -> Path:
    """Put mono tracks side by side; shorter ones end in silence."""
    rate_hz = _measure(tracks[0])[0]
    files = [sealed.open_file(path, "rb") for path in tracks]
    partial = target.with_suffix(".part")
    try:
        with sealed.open_file(partial, "wb") as out:
            out.write(header(rate_hz, len(tracks), 0))
            n_bytes = 0
            for file in files:
                file.seek(_HEADER_BYTES)
            while True:
                pieces = [np.frombuffer(file.read(2 * _CHUNK_SAMPLES), "<i2") for file in files]
                longest = max(len(piece) for piece in pieces)
                if longest == 0:
                    break
                padded = [np.pad(piece, (0, longest - len(piece))) for piece in pieces]
                raw = np.stack(padded, 1).astype("<i2").tobytes()
                out.write(raw)
                n_bytes += len(raw)
            out.seek(0)
            out.write(header(rate_hz, len(tracks), n_bytes))
    finally:
        for file in files:
            file.close()
    partial.replace(target)
    return target


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Whole lines of a journal; the last one may have been cut."""
    try:
        text = sealed.read_text(path)
    except OSError:
        return
    for line in text.splitlines():
        try:
            fact = json.loads(line)
        except ValueError:
            continue
        if isinstance(fact, dict) and "event" in fact:
            yield fact
