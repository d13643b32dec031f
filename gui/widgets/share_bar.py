"""A share of a whole as a bar in a speaker's colour."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import theme


class ShareBar(QWidget):
    """Shows ``share`` (0 to 1) of its width filled."""

    def __init__(self, share: float, colour: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share = share
        self._colour = colour
        self.setAccessibleName(f"{share:.0%}")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Half a line high."""
        return QSize(theme.space(self, 20), theme.space(self, 1.6))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw ground and bar."""
        look = theme.colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        radius = self.height() / 2
        painter.setBrush(QColor(look.hover))
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
        width = max(self.height(), self.width() * self._share)
        painter.setBrush(look.speaker(self._colour))
        painter.drawRoundedRect(QRectF(0, 0, width, self.height()), radius, radius)
