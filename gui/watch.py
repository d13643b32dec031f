"""The watch folder: recordings that appear in it are taken in by themselves, each once.

A file is ready when two looks in a row find the same size and time, so that one that is still
being copied is left alone. What was there when the folder was chosen is not new. What has been
seen is kept beside the library, so that a restart takes nothing twice and misses nothing.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui import kept
from gui.library_actions import RECORDINGS

_SECONDS = 3.0
_JOIN_SECONDS = 3.0

Mark = tuple[int, int]
"""Size in bytes and time of the last change in ns."""


class Watcher:
    """Looks into one folder and tells what is new and complete; knows nothing of Qt.

    Args:
        folder: Where recordings appear; folders inside it are not looked into.
        memory: A JSON file with what was seen before.
    """

    def __init__(self, folder: Path, memory: Path) -> None:
        self._folder = folder
        self._memory = memory
        self._last: dict[str, Mark] = {}
        self._seen = _remembered(memory).get(str(folder))

    def look(self) -> list[Path]:
        """The files that became ready since the last look, by name.

        Raises:
            OSError: The folder cannot be read.
        """
        present = self._present()
        if self._seen is None:
            # What lies here already was put here for another reason.
            self._seen = dict(present)
            self._keep()
        ready = [
            name
            for name, mark in sorted(present.items())
            if mark[0] > 0 and self._last.get(name) == mark and self._seen.get(name) != mark
        ]
        self._last = present
        if ready:
            self._seen |= {name: present[name] for name in ready}
            self._keep()
        return [self._folder / name for name in ready]

    def _present(self) -> dict[str, Mark]:
        found = {}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                is_hidden = entry.name.startswith(".")
                if is_hidden or Path(entry.name).suffix.lower() not in RECORDINGS:
                    continue
                try:
                    if entry.is_file():
                        about = entry.stat()
                        found[entry.name] = (about.st_size, about.st_mtime_ns)
                except OSError:
                    continue  # It went away between being listed and being looked at.
        return found

    def _keep(self) -> None:
        kept.write(self._memory, _remembered(self._memory) | {str(self._folder): self._seen or {}})


class WatchFolder(QObject):
    """Looks every few seconds in a thread of its own; a slow network folder delays nobody.

    Signals:
        found(str): A new recording, complete.
        failed(str): The folder cannot be read; said once until it can be again.
    """

    found = Signal(str)
    failed = Signal(str)

    def __init__(self, library_dir: Path, seconds: float = _SECONDS) -> None:
        super().__init__()
        self._memory = library_dir / "watched.json"
        self._seconds = seconds
        self._folder = ""
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def set_folder(self, folder: str) -> None:
        """Watch another folder, or none for ""."""
        if folder == self._folder:
            return
        self.close()
        self._folder = folder
        if folder:
            self._stop = threading.Event()
            watcher = Watcher(Path(folder).expanduser(), self._memory)
            self._thread = threading.Thread(
                target=self._run,
                args=(watcher, folder, self._stop),
                name="watch-folder",
                daemon=True,
            )
            self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._folder = ""
        if self._stop is not None and self._thread is not None:
            self._stop.set()
            self._thread.join(_JOIN_SECONDS)
        self._stop = self._thread = None

    def _run(self, watcher: Watcher, folder: str, stop: threading.Event) -> None:
        has_failed = False
        while not stop.is_set():
            try:
                ready = watcher.look()
            except OSError:
                ready = []
                if not has_failed:
                    self.failed.emit(folder)
                has_failed = True
            else:
                has_failed = False
            for path in ready:
                self.found.emit(str(path))
            stop.wait(self._seconds)


def _remembered(path: Path) -> dict[str, dict[str, Mark]]:
    """What earlier sessions saw, by folder; an unreadable file is as good as none."""
    try:
        return {
            folder: {name: (int(size), int(time)) for name, (size, time) in marks.items()}
            for folder, marks in (kept.read(path) or {}).items()
        }
    except (ValueError, TypeError, AttributeError):
        return {}
