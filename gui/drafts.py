"""What the user has begun to write or chosen on the way, kept over a restart or a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from gui import kept

_DELAY_MS = 800


class Drafts(QObject):
    """Values by meeting and place; written a moment after the last change.

    Args:
        path: The file that keeps them.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        found = kept.read(path)
        self._values: dict[str, dict[str, Any]] = {}
        if isinstance(found, dict):
            self._values = {key: v for key, v in found.items() if isinstance(v, dict)}
        self._timer = QTimer(self, interval=_DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._save)

    def get(self, meeting_id: str, place: str) -> Any:
        """What is kept there, None for nothing; "" is the library as a whole."""
        return self._values.get(meeting_id, {}).get(place)

    def keep(self, meeting_id: str, place: str, value: object) -> None:
        """Keep a value; an empty one is forgotten."""
        values = self._values.setdefault(meeting_id, {})
        if value:
            values[place] = value
        else:
            values.pop(place, None)
        if not values:
            del self._values[meeting_id]
        self._timer.start()

    def forget(self, meeting_id: str) -> None:
        """Forget a meeting, because it is being deleted."""
        if self._values.pop(meeting_id, None) is not None:
            self._save()

    def close(self) -> None:
        """Write what is not written yet."""
        if self._timer.isActive():
            self._save()

    def _save(self) -> None:
        self._timer.stop()
        kept.write(self._path, self._values)
