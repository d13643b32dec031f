"""The one place where errors and notices are shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui import theme
from gui.widgets.basics import IconButton, Label, button


class Banner(QFrame):
    """A line over the content with what is wrong and what to do.

    Signals:
        details_requested(str): Show the technical part.
    """

    details_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details = ""
        self.setProperty("role", "banner")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._message = Label(wraps=True)
        self._hint = Label("", "muted", wraps=True)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = button(self.tr("Details"), self._on_details)
        close = IconButton("close", self.tr("Dismiss this message"), size=1)
        close.clicked.connect(self.hide)
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self._message)
        texts.addWidget(self._hint)
        unit = theme.space(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3 * unit, unit, unit, unit)
        layout.addLayout(texts, 1)
        layout.addWidget(self._more)
        layout.addWidget(close)
        self.hide()

    def show_message(
        self, message: str, hint: str = "", *, tone: str = "", details: str = ""
    ) -> None:
        """Say something; ``tone`` is "" for an error, ``warning`` or ``good``."""
        self._details = details
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self._message.setText(message)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._more.setVisible(bool(details))
        self.setAccessibleName(f"{message} {hint}".strip())
        self.show()

    def text(self) -> str:
        """What is shown, "" when nothing is."""
        return self._message.text() if not self.isHidden() else ""

    def _on_details(self) -> None:
        self.details_requested.emit(self._details)
