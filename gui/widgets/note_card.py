"""One note of the minutes: read, played, and corrected where it stands."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from engine.types import Note
from gui import theme
from gui.widgets.basics import Badge, Card, IconButton, Label, button, moment_chip, row
from gui.widgets.flow_layout import FlowLayout


class NoteCard(Card):
    """Shows a note; a button turns its text into a field.

    Signals:
        play_requested(float, object): The moment it rests on.
        changed(Note, dict): What the user made of it, by column.
        removed(Note): It is to go.
        edit_ended(): The field is closed again, kept or not.
    """

    play_requested = Signal(float, object)
    changed = Signal(object, dict)
    removed = Signal(object)
    edit_ended = Signal()

    def __init__(self, note: Note) -> None:
        super().__init__(steps=2.5)
        self.note = note
        self._fields: dict[str, QPlainTextEdit | QLineEdit] = {}
        self._editor: QWidget | None = None
        self._shown = QWidget()
        self.column.addWidget(self._shown)
        self._build()

    @property
    def is_editing(self) -> bool:
        """The user is writing in it."""
        return self._editor is not None

    def edit(self) -> None:
        """Open the fields, the text first."""
        if self._editor is not None:
            return
        self._editor = self._make_editor()
        self.column.addWidget(self._editor)
        self._shown.hide()
        self._fields["text"].setFocus(Qt.FocusReason.OtherFocusReason)

    def keep(self) -> None:
        """Tell what was changed and close the fields."""
        values = {name: _text(field) for name, field in self._fields.items()}
        changes = {name: v for name, v in values.items() if v != getattr(self.note, name)}
        self._close()
        if values["text"] and changes:
            self.changed.emit(self.note, changes)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Return keeps (with Shift it breaks the line), Escape drops."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if is_return and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.keep()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._close()
                return True
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        unit = theme.space(self)
        note = self.note
        edit = IconButton("edit", self.tr("Edit: {text}").format(text=note.text), size=1)
        edit.clicked.connect(self.edit)
        remove = IconButton("trash", self.tr("Remove: {text}").format(text=note.text), size=1)
        remove.clicked.connect(lambda: self.removed.emit(note))
        facts = QWidget()
        flow = FlowLayout(facts, unit)
        if note.owner:
            flow.addWidget(Badge(note.owner, "accent"))
        if note.due:
            flow.addWidget(Badge(note.due, "warning"))
        if note.end > 0 or note.start > 0:
            flow.addWidget(self._moment())
        layout = QVBoxLayout(self._shown)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * unit)
        layout.addWidget(Label(note.text, wraps=True))
        line = row(facts, edit, remove, spacing=unit)
        line.setStretch(0, 1)
        layout.addLayout(line)

    def _moment(self) -> QWidget:
        note = self.note
        stop = note.end if note.end > note.start else None
        return moment_chip(note.start, lambda: self.play_requested.emit(note.start, stop))

    def _make_editor(self) -> QWidget:
        editor = QWidget()
        layout = QVBoxLayout(editor)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.space(self, 2))
        text = QPlainTextEdit(self.note.text)
        text.setAccessibleName(self.tr("Text"))
        text.setTabChangesFocus(True)
        text.setFixedHeight(text.fontMetrics().height() * 5)
        self._fields = {"text": text}
        layout.addWidget(text)
        if self.note.kind == "action":
            for name, words in (("owner", self.tr("Who")), ("due", self.tr("By when"))):
                field = QLineEdit(getattr(self.note, name))
                field.setPlaceholderText(words)
                field.setAccessibleName(words)
                self._fields[name] = field
                layout.addWidget(field)
        for each in self._fields.values():
            each.installEventFilter(self)
        keep = button(self.tr("Keep"), self.keep, role="primary")
        drop = button(self.tr("Cancel"), self._close)
        layout.addLayout(row(None, drop, keep, spacing=theme.space(self, 2)))
        return editor

    def _close(self) -> None:
        if self._editor is None:
            return
        self._editor.hide()
        self._editor.deleteLater()
        self._editor = None
        self._fields = {}
        self._shown.show()
        self.edit_ended.emit()


def _text(field: QPlainTextEdit | QLineEdit) -> str:
    words = field.toPlainText() if isinstance(field, QPlainTextEdit) else field.text()
    return " ".join(words.split())
