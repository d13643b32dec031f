"""The queue of recordings to hear: one at a time, in an order the user may change.

Waiting and failed entries are kept in ``queue.json`` of the library, so that a restart loses
none; a job that was running is simply first in line again and resumes after its last stage.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.messages import Analyse, AnalyseOptions, Failed, ImportTranscript
from engine.progress import Progress
from engine.types import Meeting
from gui import kept
from gui.engine_client import EngineClient, Job

TRANSCRIPTS = frozenset({".json", ".vtt", ".srt"})


class State(StrEnum):
    """Where an entry of the queue stands."""

    WAITING = "waiting"
    RUNNING = "running"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Task:
    """One recording or transcript to take in.

    Attributes:
        path: The file, "" when only ``meeting_id`` is to be finished.
        meeting_id: An existing meeting to resume, "" for a new one.
        error: Message and hint of the last failure.
    """

    path: str
    meeting_id: str = ""
    options: AnalyseOptions = field(default_factory=AnalyseOptions)
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: State = State.WAITING
    error: str = ""
    progress: Progress | None = None

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self.options.title or Path(self.path).name or self.meeting_id


class JobQueue(QObject):
    """Feeds the analysis engine from a persistent list of tasks.

    Signals:
        changed(): Order, states or progress changed.
        meeting_ready(Meeting): One was finished.
        task_done(str, Meeting): The same, with the path it came from.
        task_failed(Task, Failed): One failed; the others go on.
    """

    changed = Signal()
    meeting_ready = Signal(object)
    task_failed = Signal(object, object)
    task_done = Signal(str, object)

    def __init__(
        self, client: EngineClient, library_dir: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._library_dir = library_dir
        self._file = library_dir / "queue.json"
        self._job: Job | None = None
        self._running_id = ""
        self._is_paused = False
        self.tasks: list[Task] = _loaded(self._file)

    @property
    def is_paused(self) -> bool:
        """Nothing new is started."""
        return self._is_paused

    @property
    def running(self) -> Task | None:
        """The task the engine works on."""
        return next((task for task in self.tasks if task.id == self._running_id), None)

    def start(self) -> None:
        """Begin with what an earlier session left over."""
        self._next()

    def add(self, path: str, options: AnalyseOptions | None = None, meeting_id: str = "") -> Task:
        """Put a file at the end of the queue."""
        task = Task(path, meeting_id, options or AnalyseOptions())
        self.tasks.append(task)
        self._save()
        self._next()
        return task

    def add_once(self, path: str) -> None:
        """Put a file at the end unless it is in the queue already."""
        if all(task.path != path for task in self.tasks):
            self.add(path)

    def cancel(self, task_id: str) -> None:
        """Stop a running task or drop a waiting or failed one."""
        if task_id == self._running_id and self._job is not None:
            self._client.cancel(self._job)
            return
        self._drop(task_id)

    def retry(self, task_id: str) -> None:
        """Try a failed task again."""
        self._update(task_id, state=State.WAITING, error="")
        self._next()

    def move(self, task_id: str, offset: int) -> None:
        """Let a task wait shorter (negative) or longer."""
        position = next((i for i, task in enumerate(self.tasks) if task.id == task_id), None)
        if position is None:
            return
        task = self.tasks.pop(position)
        self.tasks.insert(max(0, min(len(self.tasks), position + offset)), task)
        self._save()

    def set_paused(self, is_paused: bool) -> None:
        """Stop after the running task's present stage and start nothing new, or go on."""
        self._is_paused = is_paused
        if is_paused and self._job is not None:
            self._client.cancel(self._job)
        self.changed.emit()
        self._next()

    def _next(self) -> None:
        if self._job is not None or self._is_paused:
            return
        task = next((task for task in self.tasks if task.state == State.WAITING), None)
        if task is None:
            return
        self._running_id = task.id
        self._update(task.id, state=State.RUNNING, progress=None)
        self._job = self._client.submit(self._request(task))
        self._job.progressed.connect(self._on_progressed)
        self._job.finished.connect(self._on_finished)
        self._job.failed.connect(self._on_failed)
        self._job.stopped.connect(self._on_stopped)

    def _request(self, task: Task) -> Analyse | ImportTranscript:
        library = str(self._library_dir)
        if Path(task.path).suffix.lower() in TRANSCRIPTS:
            return ImportTranscript("", library, task.path, title=task.options.title)
        return Analyse("", library, task.path, task.options, task.meeting_id)

    def _on_progressed(self, progress: Progress) -> None:
        self._update(self._running_id, is_saved=False, progress=progress)

    def _on_finished(self, meeting: Meeting) -> None:
        path = self.running.path if self.running else ""
        self._end(self._running_id, is_done=True)
        self.meeting_ready.emit(meeting)
        self.task_done.emit(path, meeting)
        self._next()

    def _on_failed(self, failure: Failed) -> None:
        task = self.running
        text = f"{failure.message} {failure.hint}".strip()
        self._update(self._running_id, state=State.FAILED, error=text)
        self._end(self._running_id, is_done=False)
        if task is not None:
            self.task_failed.emit(task, failure)
        self._next()

    def _on_stopped(self) -> None:
        if self._is_paused:
            self._update(self._running_id, state=State.WAITING, progress=None)
        self._end(self._running_id, is_done=not self._is_paused)
        self._next()

    def _end(self, task_id: str, *, is_done: bool) -> None:
        self._job = None
        self._running_id = ""
        if is_done:
            self._drop(task_id)
        self.changed.emit()

    def _drop(self, task_id: str) -> None:
        self.tasks = [task for task in self.tasks if task.id != task_id]
        self._save()

    def _update(self, task_id: str, *, is_saved: bool = True, **changes: object) -> None:
        self.tasks = [
            replace(task, **changes) if task.id == task_id else task  # type: ignore[arg-type]
            for task in self.tasks
        ]
        if is_saved:
            self._save()
        else:
            self.changed.emit()

    def _save(self) -> None:
        entries = [
            {
                "path": task.path,
                "meeting_id": task.meeting_id,
                "options": asdict(task.options),
                "error": task.error,
            }
            for task in self.tasks
        ]
        kept.write(self._file, entries)
        self.changed.emit()


def _loaded(path: Path) -> list[Task]:
    """The tasks an earlier session left; a list that is none is as good as an empty one."""
    try:
        return [
            Task(
                entry["path"],
                entry["meeting_id"],
                AnalyseOptions(**entry["options"]),
                state=State.FAILED if entry["error"] else State.WAITING,
                error=entry["error"],
            )
            for entry in kept.read(path) or []
        ]
    except (KeyError, TypeError):
        return []
