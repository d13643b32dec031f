"""Marks from 1 to 5 for an answer, one row for each thing that is judged."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QWidget

from gui import theme
from gui.widgets.basics import Label

MARKS = (1, 2, 3, 4, 5)


class Rating(QWidget):
    """Three rows of five buttons; every choice is told at once.

    Signals:
        marked(dict): All marks given so far, by their names in the engine.
    """

    marked = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
        self._groups: dict[str, QButtonGroup] = {}
        unit = theme.space(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(unit)
        self._grid.setVerticalSpacing(unit)
        self._add("correct", self.tr("Correct"))
        self._add("grounded", self.tr("Borne out by its moments"))
        self._add("coherent", self.tr("Clear"))

    def marks(self) -> dict[str, int]:
        """The marks given so far."""
        return {
            name: group.checkedId() for name, group in self._groups.items() if group.checkedId() > 0
        }

    def show_marks(self, marks: dict[str, int]) -> None:
        """Show what was chosen earlier."""
        for name, group in self._groups.items():
            chosen = group.button(marks.get(name, 0))
            if chosen is not None:
                chosen.setChecked(True)

    def _add(self, name: str, words: str) -> None:
        # The words stand above their marks: beside them, longer languages would be cut off.
        line = self._grid.rowCount()
        self._grid.addWidget(Label(words, "small", wraps=True), line, 0, 1, len(MARKS))
        group = QButtonGroup(self)
        for mark in MARKS:
            choice = QPushButton(str(mark))
            choice.setProperty("role", "mark")
            choice.setCheckable(True)
            choice.setAutoDefault(False)
            choice.setAccessibleName(self.tr("{what}: {mark} of 5").format(what=words, mark=mark))
            group.addButton(choice, mark)
            self._grid.addWidget(choice, line + 1, mark - 1)
        group.idClicked.connect(self._on_clicked)
        self._groups[name] = group

    def _on_clicked(self, _mark: int) -> None:
        self.marked.emit(self.marks())
