"""Recording: capture threads only copy, one writer thread does everything else.

What is shown as recorded follows from samples that were written, never from a device's word. A
device that vanishes or falls silent is noticed, marked in the journal and opened again; the time
it was away is filled with silence so that the tracks stay together. No Qt and no engine here:
the recorder lives in the process of the window and survives a crash of the others.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.audio import take
from engine.audio.devices import InputDevice, Kind, Stream, find, open_stream
from engine.audio.track import Track, TrackStatus
from engine.errors import AudioError, EngineError

RATE_HZ = 16_000
_TICK_SECONDS = 0.1
_SYNC_SECONDS = 0.5
_LEAST_FREE_BYTES = 50_000_000
_SUSPEND_SECONDS = 5.0
Opener = Callable[[InputDevice, int, Callable[..., None]], Stream]


class State(StrEnum):
    """What the recorder does, by what was written."""

    WAITING = "waiting"
    RECORDING = "recording"
    PAUSED = "paused"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """A moment of the recorder.

    Attributes:
        state: ``waiting`` until the first sample of any track is written.
        elapsed: Recorded seconds.
        tracks: One for each device.
        problem: Why it failed, or "".
    """

    state: State
    elapsed: float
    tracks: tuple[TrackStatus, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know.

    Attributes:
        kind: ``lost``, ``found``, ``silent``, ``waiting``, ``dropped``, ``suspended``, ``failed``.
        text: One line.
    """

    kind: str
    text: str


class Recorder:
    """Records devices side by side until ``stop``.

    Call everything from one thread. With ``folder`` None nothing is written: a live level.

    Args:
        devices: The microphone first.
        folder: Where the takes are, each in a folder of its own.
        opener: Opens a device; tests hand in their own.
        free_bytes: Room left on a disk; tests hand in their own.
    """

    def __init__(
        self,
        devices: Sequence[InputDevice],
        folder: Path | None,
        *,
        opener: Opener = open_stream,
        free_bytes: Callable[[Path], int] | None = None,
    ) -> None:
        self._folder: Path | None = None
        self._recordings_dir = folder
        self._free_bytes = free_bytes or (lambda path: shutil.disk_usage(path).free)
        self._tracks = [Track(device, opener, RATE_HZ) for device in devices]
        self._journal: take.Journal | None = None
        # Both deques pass values between the caller's thread and the writer's.
        self._notices: deque[Notice] = deque()
        self._facts: deque[tuple[str, dict[str, object]]] = deque()
        self._state = State.WAITING
        self._problem = ""
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._synced = 0.0
        self._clocks = (time.monotonic(), time.time())

    @property
    def folder(self) -> Path | None:
        """The folder of this take, None for a live level."""
        return self._folder

    def track_paths(self) -> tuple[Path, ...]:
        """The files that grow, the microphone's first."""
        return tuple(track.path for track in self._tracks if track.path is not None)

    def start(self) -> None:
        """Open the devices and begin.

        Raises:
            AudioError: No device can be opened, or there is no room on the disk.
        """
        if self._recordings_dir is not None:
            self._prepare(self._recordings_dir)
        opened, problem = 0, None
        for track in self._tracks:
            try:
                track.open()
                opened += 1
            except EngineError as error:
                # One of two devices is enough to go on with; the user is told.
                problem = error
                self._notify("lost", error.message, track)
        if not opened:
            self._discard()
            raise problem or AudioError("There is no device to record.")
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Leave out what comes from this moment on."""
        if self._state in (State.RECORDING, State.WAITING):
            for track in self._tracks:
                track.pause(time.monotonic())
            self._state = State.PAUSED
            self._write("pause", at=self._elapsed())

    def resume(self) -> None:
        """Go on."""
        if self._state == State.PAUSED:
            for track in self._tracks:
                track.resume(time.monotonic())
            self._state = State.RECORDING
            self._write("resume", at=self._elapsed())

    def note(self, text: str, kind: str = "bookmark") -> float:
        """Keep a bookmark or note at this moment; returns its recorded second."""
        at = self._elapsed()
        self._write(kind, at=at, text=text)
        return at

    def status(self) -> Status:
        """What is going on now."""
        now = time.monotonic()
        tracks = tuple(track.status(now) for track in self._tracks)
        return Status(self._state, self._elapsed(), tracks, self._problem)

    def take_notices(self) -> list[Notice]:
        """What happened since the last call."""
        notices = []
        while self._notices:
            notices.append(self._notices.popleft())
        return notices

    def stop(self) -> Path | None:
        """End in order; the folder of the take, or None for a live level."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._state != State.FAILED:
            self._state = State.STOPPED
        self._write("stop", at=self._elapsed())
        self._write_facts()
        return self._folder

    def _prepare(self, recordings_dir: Path) -> None:
        """Make the folder of the take and its files."""
        try:
            recordings_dir.mkdir(parents=True, exist_ok=True)
            if self._free_bytes(recordings_dir) < 2 * _LEAST_FREE_BYTES:
                raise AudioError("The disk is nearly full.", "Make room before recording.")
            folder = _new_folder(recordings_dir)
            names = []
            for number, track in enumerate(self._tracks):
                kind = track.device.kind.value
                name = f"{kind}.wav" if f"{kind}.wav" not in names else f"{kind}-{number}.wav"
                track.write_to(take.TrackFile(folder / name, RATE_HZ))
                names.append(name)
            self._folder = folder
            self._journal = take.Journal(folder)
            devices = [track.device.name for track in self._tracks]
            pid = os.getpid()
            self._journal.write("start", tracks=names, devices=devices, rate_hz=RATE_HZ, pid=pid)
        except OSError as error:
            raise AudioError("The recording cannot be written.", str(error)) from error

    def _discard(self) -> None:
        """Nothing was recorded: leave no trace."""
        for track in self._tracks:
            track.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self) -> None:
        """The writer thread."""
        while not self._end.wait(_TICK_SECONDS):
            if not self._tick():
                break
        for track in self._tracks:
            track.abort()
        # What the devices delivered before they were stopped still belongs to the recording.
        if self._state != State.FAILED:
            self._tick(is_last=True)
        for track in self._tracks:
            track.close()

    def _tick(self, *, is_last: bool = False) -> bool:
        """Write what came, look after the devices; False when it cannot go on."""
        now = time.monotonic()
        try:
            for track in self._tracks:
                track.drain()
            self._write_facts()
            self._keep_safe(now)
        except OSError as error:
            self._fail("The recording cannot be written any further.", error)
            return False
        if self._state == State.WAITING and any(track.n_samples for track in self._tracks):
            self._state = State.RECORDING
        if is_last:
            return False
        self._watch_clock()
        for track in self._tracks:
            for kind, text in track.look_after(now):
                self._notify(kind, text, track)
        return True

    def _keep_safe(self, now: float) -> None:
        """Once in a while: bring everything to the disk and see what room is left."""
        if self._folder is None or now - self._synced < _SYNC_SECONDS:
            return
        self._synced = now
        for track in self._tracks:
            track.sync()
        if self._free_bytes(self._folder) < _LEAST_FREE_BYTES:
            raise OSError("The disk is full.")

    def _watch_clock(self) -> None:
        """Notice a suspended machine: the wall clock went on, ours did not."""
        monotonic, wall = time.monotonic(), time.time()
        lost = (wall - self._clocks[1]) - (monotonic - self._clocks[0])
        self._clocks = (monotonic, wall)
        if lost > _SUSPEND_SECONDS:
            self._notify("suspended", f"The computer slept for {lost:.0f} s.", None)

    def _fail(self, message: str, error: OSError) -> None:
        self._problem = f"{message} {error.strerror or error}"
        self._state = State.FAILED
        self._notify("failed", self._problem, None)

    def _notify(self, kind: str, text: str, track: Track | None) -> None:
        self._notices.append(Notice(kind, text))
        device = track.device.name if track else ""
        self._write(kind, at=self._elapsed(), text=text, device=device)

    def _elapsed(self) -> float:
        return max((track.n_samples for track in self._tracks), default=0) / RATE_HZ

    def _write(self, event: str, **facts: object) -> None:
        """Have a fact written by the writer thread, so that no caller waits for the disk."""
        if self._journal is not None:
            self._facts.append((event, facts))

    def _write_facts(self) -> None:
        """Journal what happened; on a full disk the sound itself matters more."""
        while self._facts and self._journal is not None:
            event, facts = self._facts.popleft()
            try:
                self._journal.write(event, **facts)
            except OSError:
                self._problem = self._problem or "The journal of the recording cannot be written."


def _new_folder(recordings_dir: Path) -> Path:
    stamp = time.strftime("%Y-%m-%d %H.%M.%S")
    for suffix in ("", *(f" {n}" for n in range(2, 100))):
        folder = recordings_dir / f"{stamp}{suffix}"
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise OSError("No name is free for the recording.")


def record_to_file(folder: Path, device: str = "", seconds: float = 0.0) -> Path | None:
    """Record from the command line until the time is up or Ctrl-C.

    Args:
        folder: Where takes are kept.
        device: Name or part of it, "" for the default microphone.
        seconds: 0 to go on until Ctrl-C.

    Returns:
        The file, or None when nothing was recorded.

    Raises:
        AudioError: The device is not there or cannot be opened.
    """
    recorder = Recorder([find(device, Kind.MICROPHONE)], folder)
    recorder.start()
    try:
        while recorder.status().state not in (State.FAILED, State.STOPPED):
            if seconds and recorder.status().elapsed >= seconds:
                break
            time.sleep(0.05)
    except KeyboardInterrupt:
        pass
    recorded = recorder.stop()
    found = take.read_take(recorded) if recorded is not None else None
    if found is None or found.duration == 0:
        return None
    return take.joined(found)
