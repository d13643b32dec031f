"""Finding and replacing in a transcript."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from engine.types import Utterance
from gui import theme
from gui.widgets.basics import IconButton, Label, button


class FindBar(QFrame):
    """Looks for text in utterances, without regard to case.

    Signals:
        query_changed(): Other matches are to be shown.
        row_chosen(int): Go to this row.
        replace_requested(str, str): Replace everywhere.
    """

    query_changed = Signal()
    row_chosen = Signal(int)
    replace_requested = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source: Sequence[Utterance] = ()
        self._texts: list[str] = []
        self._rows: list[int] = []
        self._at = -1
        self._query = ""
        self._find = QLineEdit()
        self._find.setPlaceholderText(self.tr("Find in this transcript"))
        self._find.setAccessibleName(self.tr("Find in this transcript"))
        self._replace = QLineEdit()
        self._replace.setPlaceholderText(self.tr("Replace with"))
        self._replace.setAccessibleName(self.tr("Replace with"))
        self._count = Label("", "muted")
        before = IconButton("up", self.tr("Previous match"))
        after = IconButton("down", self.tr("Next match"))
        close = IconButton("close", self.tr("Close"))
        self._replace_all = button(self.tr("Replace all"), self._on_replace)
        layout = QHBoxLayout(self)
        unit = theme.space(self)
        layout.setContentsMargins(4 * unit, unit, 2 * unit, unit)
        layout.setSpacing(unit)
        layout.addWidget(self._find, 3)
        for widget in (self._count, before, after):
            layout.addWidget(widget)
        layout.addWidget(self._replace, 2)
        layout.addWidget(self._replace_all)
        layout.addWidget(close)
        self._find.textChanged.connect(self._on_text)
        self._find.returnPressed.connect(lambda: self.step(1))
        before.clicked.connect(lambda: self.step(-1))
        after.clicked.connect(lambda: self.step(1))
        close.clicked.connect(self.end)

    def begin(self) -> None:
        """Show the bar and let the user type."""
        self.show()
        self._find.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._find.selectAll()
        self._on_text(self._find.text())

    def end(self) -> None:
        """Hide the bar and its matches."""
        self.hide()
        self._query = ""
        self.query_changed.emit()

    def set_texts(self, utterances: Sequence[Utterance]) -> None:
        """Look in other texts; they are prepared when somebody looks."""
        self._source, self._texts = utterances, []
        if self._query:
            self._on_text(self._find.text())

    def matches(self, row: int) -> tuple[tuple[int, int], ...]:
        """(start, length) of every match in a row."""
        if not self._query or row >= len(self._texts):
            return ()
        text, found, at = self._texts[row], [], 0
        while (at := text.find(self._query, at)) >= 0:
            found.append((at, len(self._query)))
            at += len(self._query)
        return tuple(found)

    def step(self, direction: int) -> None:
        """Go to the next or previous match."""
        if not self._rows:
            return
        self._at = (self._at + direction) % len(self._rows)
        self._show_count()
        self.row_chosen.emit(self._rows[self._at])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        else:
            super().keyPressEvent(event)

    def _on_text(self, text: str) -> None:
        self._query = text.casefold()
        if self._query and not self._texts:
            self._texts = [utterance.text.casefold() for utterance in self._source]
        self._rows = [i for i, t in enumerate(self._texts) if self._query and self._query in t]
        self._at = -1
        self._show_count()
        self.query_changed.emit()

    def _show_count(self) -> None:
        total = len(self._rows)
        place = f"{self._at + 1}/{total}" if self._at >= 0 else str(total)
        self._count.setText(place if self._query else "")
        self._replace_all.setEnabled(total > 0)

    def _on_replace(self) -> None:
        self.replace_requested.emit(self._find.text(), self._replace.text())
