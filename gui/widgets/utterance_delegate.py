"""Editing an utterance in its place."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui import theme
from gui.widgets.transcript_view import TranscriptView

Index = QModelIndex | QPersistentModelIndex


class UtteranceDelegate(QStyledItemDelegate):
    """Puts a text field over the text; Return keeps, Escape drops.

    Signals:
        typed(int, str): Row and text so far, while somebody writes.
    """

    typed = Signal(int, str)

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view
        self._draft = ""

    def begin_with(self, text: str) -> None:
        """Begin the next edit with this text instead of the present one."""
        self._draft = text

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:  # noqa: N802
        """A text field of several lines."""
        editor = QPlainTextEdit(parent)
        editor.setAccessibleName(self.tr("Text of this utterance"))
        editor.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:  # noqa: N802
        """Begin with the present text, or with what was left half-written."""
        field = cast(QPlainTextEdit, editor)
        field.setPlainText(self._draft or index.data(Qt.ItemDataRole.EditRole))
        field.moveCursor(QTextCursor.MoveOperation.End)
        self._draft, row = "", index.row()
        field.textChanged.connect(lambda: self.typed.emit(row, field.toPlainText()))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:  # noqa: N802
        """Keep the new text."""
        text = " ".join(cast(QPlainTextEdit, editor).toPlainText().split())
        model.setData(index, text)

    def updateEditorGeometry(  # noqa: N802
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Cover the text and a little around it."""
        margin = theme.space(self._view, 2)
        area = self._view.text_rect(index.row()).adjusted(-margin, -margin, 2 * margin, margin)
        least = self._view.fontMetrics().height() * 3
        area.setHeight(max(least, area.height() + margin))
        editor.setGeometry(area)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:  # noqa: N802
        """Return ends the edit instead of breaking the line."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if is_return and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                field = cast(QWidget, editor)
                self.commitData.emit(field)
                self.closeEditor.emit(field, QAbstractItemDelegate.EndEditHint.NoHint)
                return True
        return super().eventFilter(editor, event)
