"""The transcript as an item model: one row per utterance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from engine.types import Utterance
from gui.clock import clock

Index = QModelIndex | QPersistentModelIndex
UTTERANCE_ROLE = Qt.ItemDataRole.UserRole + 1
COLOUR_ROLE = Qt.ItemDataRole.UserRole + 2


class UtterancesModel(QAbstractListModel):
    """Utterances of the open meeting.

    Signals:
        text_edited(int, str): The user changed a text; already shown.
    """

    text_edited = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.utterances: list[Utterance] = []
        self._colours: dict[int, int] = {}

    def set_content(self, utterances: Sequence[Utterance], colours: dict[int, int]) -> None:
        """Show another transcript."""
        self.beginResetModel()
        self.utterances = list(utterances)
        self._colours = dict(colours)
        self.endResetModel()

    def update_content(self, utterances: Sequence[Utterance], colours: dict[int, int]) -> None:
        """Show a newer state of the same transcript, touching only rows that changed."""
        if len(utterances) != len(self.utterances):
            self.set_content(utterances, colours)
            return
        old, self.utterances = self.utterances, list(utterances)
        changed = [i for i, (a, b) in enumerate(zip(old, self.utterances, strict=True)) if a != b]
        if colours != self._colours and old:
            changed = [0, len(old) - 1]
        self._colours = dict(colours)
        if changed:
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Number of utterances."""
        return 0 if parent.isValid() else len(self.utterances)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, the utterance itself, its colour number, or what a screen reader says."""
        if not index.isValid():
            return None
        utterance = self.utterances[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return utterance.text
        if role == UTTERANCE_ROLE:
            return utterance
        if role == COLOUR_ROLE:
            return self.colour(index.row())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{utterance.speaker}, {clock(utterance.start)}: {utterance.text}"
        return None

    def colour(self, row: int) -> int | None:
        """Colour number of a row's speaker."""
        speaker_id = self.utterances[row].speaker_id
        return self._colours.get(speaker_id) if speaker_id is not None else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every utterance can be chosen and edited."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Take an edited text: shown at once, stored by whoever listens."""
        text = str(value).strip()
        row = index.row()
        if role != Qt.ItemDataRole.EditRole or not text or text == self.utterances[row].text:
            return False
        self.utterances[row] = replace(self.utterances[row], text=text, is_edited=True)
        self.dataChanged.emit(index, index)
        self.text_edited.emit(row, text)
        return True
