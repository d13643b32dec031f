"""The recorder in the window: polls its state, and never waits for a device or a disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from engine.audio import devices, take
from engine.audio.devices import InputDevice
from engine.audio.record import Opener, Recorder, State, Status
from engine.audio.take import Take
from engine.errors import AudioError
from gui.reader import Reader

_POLL_MS = 60


class Recording(QObject):
    """One recording at a time, or a live level while none runs.

    Signals:
        devices_found(list): Of ``InputDevice``.
        status_changed(Status): Several times a second.
        noticed(str, str): Kind and text of something the user should know.
        started(): Samples are on their way.
        finished(Take, Path): Stopped in order; the file to be heard.
        failed(str, str): Message and hint; nothing is recorded.
        recovered(list): Takes of (Take, Path) an earlier session left behind.
    """

    devices_found = Signal(list)
    status_changed = Signal(object)
    noticed = Signal(str, str)
    started = Signal()
    finished = Signal(object, object)
    failed = Signal(str, str)
    recovered = Signal(list)

    def __init__(
        self, reader: Reader, library_dir: Path, opener: Opener = devices.open_stream
    ) -> None:
        super().__init__()
        self._reader = reader
        self._opener = opener
        self.folder = library_dir / "recordings"
        self._recorder: Recorder | None = None
        self._preview: Recorder | None = None
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._on_poll)

    @property
    def is_running(self) -> bool:
        """A recording is made (also while it is paused)."""
        return self._recorder is not None

    def track_paths(self) -> tuple[Path, ...]:
        """The files of the running recording, which grow."""
        return self._recorder.track_paths() if self._recorder is not None else ()

    def list_devices(self) -> None:
        """Look for devices in the background."""
        self._reader.read(lambda _store: _inputs(), self._on_devices)

    def listen(self, chosen: Sequence[InputDevice]) -> None:
        """Show the level of devices without recording them; an empty list ends it."""
        if self.is_running:
            return
        old, self._preview = self._preview, None
        recorder = Recorder(list(chosen), None, opener=self._opener) if chosen else None
        self._reader.read(lambda _store: _swap(old, recorder), self._on_listening)

    def start(self, chosen: Sequence[InputDevice]) -> None:
        """Open the devices in the background and record them."""
        if self.is_running:
            return
        old, self._preview = self._preview, None
        self._recorder = recorder = Recorder(list(chosen), self.folder, opener=self._opener)
        self._reader.read(lambda _store: _swap(old, recorder), self._on_started)

    def toggle_pause(self) -> None:
        """Pause or go on."""
        if self._recorder is None:
            return
        if self._recorder.status().state == State.PAUSED:
            self._recorder.resume()
        else:
            self._recorder.pause()

    def note(self, text: str, kind: str = "bookmark") -> float:
        """Keep a bookmark or a note at this moment."""
        return self._recorder.note(text, kind) if self._recorder else 0.0

    def stop(self) -> None:
        """End the recording and put its tracks together in the background."""
        recorder, self._recorder = self._recorder, None
        self._timer.stop()
        if recorder is not None:
            self._reader.read(lambda _store: _finished(recorder), self._on_finished)

    def recover(self) -> None:
        """Look for recordings an earlier session did not hand over."""
        folder = self.folder
        self._reader.read(lambda _store: _left_behind(folder), self._on_recovered)

    def close(self) -> None:
        """End whatever runs; what was recorded is on the disk and recovered at the next start."""
        self._timer.stop()
        for recorder in (self._recorder, self._preview):
            if recorder is not None:
                recorder.stop()
        self._recorder = self._preview = None

    def _on_devices(self, found: list[InputDevice] | AudioError) -> None:
        if isinstance(found, AudioError):
            self.devices_found.emit([])
            self.failed.emit(found.message, found.hint)
        else:
            self.devices_found.emit(found)

    def _on_listening(self, outcome: Recorder | AudioError | None) -> None:
        if isinstance(outcome, Recorder):
            self._preview = outcome
            self._timer.start()
        elif not self.is_running:
            self._timer.stop()

    def _on_started(self, outcome: Recorder | AudioError | None) -> None:
        if isinstance(outcome, AudioError):
            self._recorder = None
            self.failed.emit(outcome.message, outcome.hint)
            return
        self._timer.start()
        self.started.emit()

    def _on_poll(self) -> None:
        recorder = self._recorder or self._preview
        if recorder is None:
            return
        status: Status = recorder.status()
        self.status_changed.emit(status)
        for notice in recorder.take_notices():
            if self.is_running:
                self.noticed.emit(notice.kind, notice.text)
        if status.state == State.FAILED and self.is_running:
            self.failed.emit(status.problem, self.tr("What was recorded until then is kept."))
            self.stop()

    def _on_finished(self, outcome: tuple[Take, Path] | AudioError) -> None:
        if isinstance(outcome, AudioError):
            self.failed.emit(outcome.message, outcome.hint)
        else:
            self.finished.emit(*outcome)

    def _on_recovered(self, found: list[tuple[Take, Path]]) -> None:
        if found:
            self.recovered.emit(found)


def _inputs() -> list[InputDevice] | AudioError:
    try:
        return devices.inputs()
    except AudioError as error:
        return error


def _swap(old: Recorder | None, new: Recorder | None) -> Recorder | AudioError | None:
    """End one recorder and start another; devices can take their time for both."""
    if old is not None:
        old.stop()
    if new is None:
        return None
    try:
        new.start()
    except AudioError as error:
        return error
    return new


def _finished(recorder: Recorder) -> tuple[Take, Path] | AudioError:
    folder = recorder.stop()
    found = take.read_take(folder) if folder is not None else None
    if found is None:
        return AudioError("The recording holds no sound.")
    try:
        return found, take.joined(found)
    except AudioError as error:
        return error


def _left_behind(folder: Path) -> list[tuple[Take, Path]]:
    """Takes with sound in them; empty ones are of no use to anybody."""
    found = []
    for left in take.unfinished(folder):
        try:
            found.append((left, take.joined(left)))
        except AudioError:
            continue
    return found
