"""The transcript as an item model: one row per utterance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
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
from gui.content import Transcript

Index = QModelIndex | QPersistentModelIndex
_EMPTY = Transcript([], np.zeros(0), np.zeros(0), np.zeros(0, bool))
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
        self.lengths = _EMPTY.lengths
        self.is_turn = _EMPTY.is_turn
        self._colours: dict[int, int] = {}

    def set_content(self, transcript: Transcript, colours: dict[int, int]) -> None:
        """Show another transcript."""
        self.beginResetModel()
        self._take(transcript, colours)
        self.endResetModel()

    def clear(self) -> None:
        """Show nothing."""
        self.set_content(_EMPTY, {})

    def update_content(self, transcript: Transcript, colours: dict[int, int]) -> None:
        """Show a newer state of the same transcript, touching only rows that changed."""
        changed = transcript.changed
        if changed is not None and changed[1] < 0:
            if len(transcript.utterances) != len(self.utterances):
                self.set_content(transcript, colours)
                return
            changed = (0, len(self.utterances) - 1)
        self._take(transcript, colours)
        if changed is not None and self.utterances:
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[1]))

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

    def _take(self, transcript: Transcript, colours: dict[int, int]) -> None:
        # An edit changes a row of our own copy only.
        self.utterances = list(transcript.utterances)
        self.lengths, self.is_turn = transcript.lengths, transcript.is_turn
        self._colours = colours

    def colour(self, row: int) -> int | None:
        """Colour number of a row's speaker."""
        speaker_id = self.utterances[row].speaker_id
        return self._colours.get(speaker_id) if speaker_id is not None else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every utterance can be chosen and edited."""
        usual = super().flags(index)
        return usual | Qt.ItemFlag.ItemIsEditable if index.isValid() else usual

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
