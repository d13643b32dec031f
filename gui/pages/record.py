"""Recording a meeting."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.widgets.basics import Label


class RecordPage(QWidget):
    """Devices, levels, clock and notes."""

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.addWidget(Label(self.tr("Record a meeting"), "title"))
        layout.addStretch()
