"""The transcript that grows while a meeting is recorded, from an engine of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from engine.messages import Failed, Listen
from engine.types import LiveUtterance
from gui.engine_client import EngineClient, Job
from gui.recording import Recording


class LiveTranscript(QObject):
    """Listens along as long as a recording runs; the full analysis replaces it later.

    Signals:
        lines_changed(list): Every ``LiveUtterance`` so far, in order.
        unavailable(str): Why there is none.
    """

    lines_changed = Signal(list)
    unavailable = Signal(str)

    def __init__(self, recording: Recording, listener: EngineClient) -> None:
        super().__init__()
        self.language = ""
        self._recording = recording
        self._listener = listener
        self._job: Job | None = None
        self._lines: dict[int, LiveUtterance] = {}
        recording.started.connect(self._on_started)
        recording.finished.connect(self._on_ended)
        recording.failed.connect(self._on_ended)

    def _on_started(self) -> None:
        self._lines.clear()
        self.lines_changed.emit([])
        paths = tuple(str(path) for path in self._recording.track_paths())
        if not paths:
            return
        self._job = self._listener.submit(Listen("", paths, self.language))
        self._job.partial.connect(self._on_line)
        self._job.failed.connect(self._on_failed)

    def _on_ended(self, *_what: object) -> None:
        job, self._job = self._job, None
        if job is not None:
            self._listener.cancel(job)

    def _on_line(self, line: object) -> None:
        if not isinstance(line, LiveUtterance):
            return
        if line.text:
            self._lines[line.key] = line
        else:
            self._lines.pop(line.key, None)
        self.lines_changed.emit(sorted(self._lines.values(), key=lambda u: (u.start, u.key)))

    def _on_failed(self, failure: Failed) -> None:
        self._job = None
        self.unavailable.emit(f"{failure.message} {failure.hint}".strip())
