"""How loud a device is right now."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import theme

_FLOOR_DB = -60.0
_HOT_DB = -6.0
_CLIP_DB = -0.5


class LevelMeter(QWidget):
    """A bar from -60 dB to full scale; green, then amber, then red."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = self._peak = _FLOOR_DB
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_level(self, level_db: float, peak_db: float) -> None:
        """Show a level and its peak; the peak falls slowly so that it can be read."""
        self._level = level_db
        self._peak = max(peak_db, self._peak - 1.2)
        self.setAccessibleDescription(f"{peak_db:.0f} dB")
        self.update()

    def sizeHint(self) -> QSize:
        """Half a line high."""
        return QSize(theme.space(self, 30), theme.space(self, 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground, the level and the peak."""
        look = theme.colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        radius = self.height() / 2
        painter.setBrush(QColor(look.hover))
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
        colour = look.good
        if self._peak > _HOT_DB:
            colour = look.danger if self._peak > _CLIP_DB else look.warning
        painter.setBrush(QColor(colour))
        width = self._x(self._level)
        if width > 1:
            painter.drawRoundedRect(
                QRectF(0, 0, max(width, self.height()), self.height()), radius, radius
            )
        peak = self._x(self._peak)
        if peak > self.height():
            painter.drawRect(QRectF(peak - 3, 0, 3, self.height()))

    def _x(self, level_db: float) -> float:
        share = (level_db - _FLOOR_DB) / -_FLOOR_DB
        return min(max(0.0, share), 1.0) * self.width()
