"""What the window shows while files hang over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui import theme


class DropVeil(QWidget):
    """Covers its parent with an invitation to let go."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self) -> None:
        """Show it over the whole parent."""
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the veil."""
        look = theme.colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(look.window)
        ground.setAlphaF(0.9)
        painter.fillRect(self.rect(), ground)
        margin = theme.space(self, 8)
        frame = QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)
        painter.setPen(QPen(QColor(look.accent), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(frame, margin / 2, margin / 2)
        painter.setFont(theme.scaled(self.font(), 1.5))
        painter.setPen(QColor(look.text))
        text = self.tr("Drop recordings, folders or transcripts here")
        painter.drawText(frame, int(Qt.AlignmentFlag.AlignCenter), text)
