"""The library as an item model, newest meeting first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from engine.types import Meeting
from gui.clock import day, length

Index = QModelIndex | QPersistentModelIndex
MEETING_ROLE = Qt.ItemDataRole.UserRole + 1
SUMMARY_ROLE = Qt.ItemDataRole.UserRole + 2


class MeetingsModel(QAbstractListModel):
    """Meetings whose title or tags contain the filter text."""

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Meeting] = []
        self._shown: list[Meeting] = []
        self._filter = ""

    @property
    def meetings(self) -> tuple[Meeting, ...]:
        """All of them, whatever is filtered."""
        return tuple(self._all)

    def set_meetings(self, meetings: Sequence[Meeting]) -> None:
        """Show another state of the library."""
        self._all = sorted(meetings, key=lambda m: m.created, reverse=True)
        self._refilter()

    def set_filter(self, text: str) -> None:
        """Show only meetings that match."""
        self._filter = text.casefold().strip()
        self._refilter()

    def row_of(self, meeting_id: str) -> int:
        """Row of a meeting, -1 when it is not shown."""
        return next((i for i, m in enumerate(self._shown) if m.id == meeting_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Number of meetings shown."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title, one line of facts, or the meeting itself."""
        if not index.isValid():
            return None
        meeting = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return meeting.title
        if role == MEETING_ROLE:
            return meeting
        if role == SUMMARY_ROLE:
            return self._summary(meeting)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{meeting.title}, {self._summary(meeting)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return meeting.source_name
        return None

    def _summary(self, meeting: Meeting) -> str:
        parts = [day(meeting.created), length(meeting.duration)]
        if meeting.n_speakers:
            parts.append(self.tr("{n} speakers").format(n=meeting.n_speakers))
        if not meeting.is_complete:
            parts.append(self.tr("unfinished"))
        parts += [f"#{tag}" for tag in meeting.tags]
        return " · ".join(parts)

    def _refilter(self) -> None:
        shown = [m for m in self._all if self._filter in f"{m.title} {' '.join(m.tags)}".casefold()]
        if shown == self._shown:
            return
        self.beginResetModel()
        self._shown = shown
        self.endResetModel()
