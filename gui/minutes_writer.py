"""Minutes that write themselves: enrichment after each analysis, whenever the engine is free.

Hearing comes first: while recordings wait, nothing is written, and what is being written stops
after its last finished step and goes on later. What is still to do survives a restart.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.messages import Enrich
from engine.progress import Progress
from engine.types import Meeting
from gui import kept
from gui.engine_client import EngineClient, Job
from gui.jobs import JobQueue, State


class MinutesWriter(QObject):
    """Has the meetings enriched, one after the other.

    Signals:
        written(str): A step of this meeting is done.
        progressed(str, object): How far the meeting is, None at the end.
    """

    written = Signal(str)
    progressed = Signal(str, object)

    def __init__(self, client: EngineClient, queue: JobQueue, library_dir: Path) -> None:
        super().__init__()
        self._client = client
        self._queue = queue
        self._library_dir = library_dir
        self._file = library_dir / "minutes.json"
        self._job: Job | None = None
        self.waiting: list[str] = _loaded(self._file)
        self.is_automatic = True
        queue.task_done.connect(self._on_heard)
        queue.changed.connect(self._go_on)

    def start(self) -> None:
        """Begin with what an earlier session left over."""
        self._go_on()

    def forget(self, meeting_id: str) -> None:
        """Leave a meeting alone, because it is being deleted."""
        if self._job is not None and self._id_of(self._job) == meeting_id:
            self._client.cancel(self._job)
        self.waiting = [key for key in self.waiting if key != meeting_id]
        self._save()

    def _on_heard(self, _path: str, meeting: Meeting) -> None:
        if self.is_automatic and meeting.id not in self.waiting:
            self.waiting.append(meeting.id)
            self._save()
            self._go_on()

    def _go_on(self) -> None:
        is_hearing = self._queue.is_paused or any(
            task.state is not State.FAILED for task in self._queue.tasks
        )
        if is_hearing:
            if self._job is not None:
                self._client.cancel(self._job)
            return
        if self._job is None and self.waiting:
            self._job = self._client.submit(Enrich("", str(self._library_dir), self.waiting[0]))
            self._job.partial.connect(self._on_step)
            self._job.progressed.connect(self._on_progressed)
            self._job.finished.connect(self._on_finished)
            self._job.failed.connect(self._on_failed)
            self._job.stopped.connect(self._on_stopped)

    def _on_step(self, _step: str) -> None:
        self.written.emit(self._own_id())

    def _on_progressed(self, progress: Progress) -> None:
        self.progressed.emit(self._own_id(), progress)

    def _on_finished(self, _steps: object) -> None:
        meeting_id = self._own_id()
        self._end(is_done=True)
        self.written.emit(meeting_id)

    def _on_failed(self, _failure: object) -> None:
        # Said in the one place for errors; trying again at once would only repeat it.
        self._end(is_done=True)

    def _on_stopped(self) -> None:
        self._end(is_done=False)

    def _end(self, *, is_done: bool) -> None:
        meeting_id = self._own_id()
        self._job = None
        self.progressed.emit(meeting_id, None)
        if is_done:
            self.waiting = [key for key in self.waiting if key != meeting_id]
            self._save()
        self._go_on()

    def _own_id(self) -> str:
        return "" if self._job is None else self._id_of(self._job)

    def _id_of(self, job: Job) -> str:
        return str(getattr(job.request, "meeting_id", ""))

    def _save(self) -> None:
        kept.write(self._file, self.waiting)


def _loaded(path: Path) -> list[str]:
    """What an earlier session left."""
    found = kept.read(path)
    return [str(key) for key in found] if isinstance(found, list) else []
