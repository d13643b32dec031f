"""From a finished or recovered recording to a meeting with its bookmarks."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.audio.take import Take, read_take
from engine.messages import AnalyseOptions, Edit
from engine.types import Meeting
from gui.clock import length
from gui.engine_client import EngineClient
from gui.jobs import JobQueue

_KEPT = ("bookmark", "note")


class Takes(QObject):
    """Queues recordings and removes them once they are safe in the library.

    Signals:
        told(str, str): A recording was recovered.
        bookmarked(): Bookmarks were added to a meeting.
    """

    told = Signal(str, str)

    def __init__(self, queue: JobQueue, clerk: EngineClient, library_dir: Path) -> None:
        super().__init__()
        self._queue = queue
        self._clerk = clerk
        self._library_dir = library_dir
        queue.task_done.connect(self._on_done)

    def hear(self, take: Take, path: Path, title: str = "") -> None:
        """Put a recording into the queue."""
        if any(Path(task.path) == path for task in self._queue.tasks):
            return
        moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(take.started))
        name = title or self.tr("Recording {moment}").format(moment=moment)
        self._queue.add(str(path), AnalyseOptions(title=name))

    def hear_recovered(self, found: list[tuple[Take, Path]]) -> None:
        """Queue what an earlier session left behind and say so."""
        for take, path in found:
            known = any(Path(task.path) == path for task in self._queue.tasks)
            self.hear(take, path)
            if not known:
                text = self.tr("A recording of {length} was recovered.")
                self.told.emit(
                    text.format(length=length(take.duration)),
                    self.tr("It was not finished in order; all that was written is there."),
                )

    def _on_done(self, path: str, meeting: Meeting) -> None:
        """The library has the sound now: add the bookmarks, then let the take go."""
        folder = Path(path).parent
        if folder.parent != self._library_dir / "recordings":
            return
        take = read_take(folder)
        if take is None:
            return
        for note in take.notes:
            if note.kind in _KEPT:
                self._clerk.submit(
                    Edit(
                        "",
                        str(self._library_dir),
                        meeting.id,
                        "add_bookmark",
                        {"at": note.at, "text": note.text},
                    )
                )
        shutil.rmtree(folder, ignore_errors=True)
