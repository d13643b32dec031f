"""What the middle shows while no meeting is open."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui import theme
from gui.widgets.basics import IconButton, Label, row


class WelcomePage(QWidget):
    """An invitation: record, add, drop."""

    def __init__(self, record: QAction, add: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = theme.space(self)
        centre = Qt.AlignmentFlag.AlignHCenter
        title = Label(
            self.tr("Every word of your meetings, one click from the sound"), "title", wraps=True
        )
        text = Label(
            self.tr(
                "Record a meeting, or drop recordings anywhere on this window. Earwitness writes "
                "down who said what, and answers questions with the moments they rest on. "
                "Everything stays on this computer."
            ),
            "muted",
            wraps=True,
        )
        for label in (title, text):
            label.setAlignment(centre)
            label.setFixedWidth(self.fontMetrics().horizontalAdvance("m") * 34)
        record_button = IconButton("microphone", record.text(), role="primary", text=record.text())
        add_button = IconButton("plus", add.text(), role="", text=add.text())
        record_button.follow_action(record)
        add_button.follow_action(add)
        layout = QVBoxLayout(self)
        layout.setSpacing(4 * unit)
        layout.setContentsMargins(6 * unit, 6 * unit, 6 * unit, 6 * unit)
        layout.addStretch(2)
        layout.addLayout(row(None, title, None))
        layout.addLayout(row(None, text, None))
        layout.addLayout(row(None, record_button, add_button, None, spacing=2 * unit))
        layout.addStretch(3)
