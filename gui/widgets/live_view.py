"""Shows lines of a transcript while they are still being heard."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QTextBrowser, QWidget

from engine.types import LiveUtterance
from gui import theme
from gui.clock import clock

_SHOWN_LINES = 80


class LiveView(QTextBrowser):
    """The last lines; unfinished ones are muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[LiveUtterance, ...] = ()
        self.setAccessibleName(self.tr("Live transcript"))
        self.setMinimumHeight(theme.space(self, 40))
        self.hide()

    def show_lines(self, lines: Sequence[LiveUtterance]) -> None:
        """Replace what is shown and keep the end in view."""
        self._lines = tuple(lines)
        look = theme.colours(self)
        speakers = list(dict.fromkeys(line.speaker for line in lines if line.speaker))
        parts = []
        for line in lines[-_SHOWN_LINES:]:
            number = speakers.index(line.speaker) if line.speaker else None
            ink = look.speaker(number).name()
            text = look.text if line.is_final else look.muted
            parts.append(
                f"<p style='margin:4px 0'><span style='color:{look.muted}'>{clock(line.start)}"
                f"</span> <b style='color:{ink}'>{escape(line.speaker)}</b> "
                f"<span style='color:{text}'>{escape(line.text)}</span></p>"
            )
        self.setHtml("".join(parts))
        self.setVisible(bool(lines))
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def changeEvent(self, event: QEvent) -> None:
        """Write in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._lines:
            self.show_lines(self._lines)

    def explain(self, text: str) -> None:
        """Say why there are no lines."""
        self._lines = ()
        self.setPlainText(text)
        self.show()
