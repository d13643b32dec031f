"""Names and terms over the time of a meeting: one line each, a dot for every mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import theme

_SHOWN = 14


class EntityTimeline(QWidget):
    """Plain values in, a chosen moment out.

    Signals:
        moment_chosen(float): A dot was clicked.
    """

    moment_chosen = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[str, Sequence[float]]] = []
        self._duration = 1.0
        self._spots: list[tuple[QRectF, float]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("What is named when"))

    def show_entities(self, moments: Mapping[str, Sequence[float]], duration: float) -> None:
        """Show the entities named most often."""
        ranked = sorted(moments.items(), key=lambda pair: -len(pair[1]))
        self._rows = [(name, times) for name, times in ranked if times][:_SHOWN]
        self._duration = max(duration, 0.1)
        names = "; ".join(f"{name}: {len(times)}" for name, times in self._rows)
        self.setAccessibleDescription(names)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """A line for each entity."""
        return QSize(theme.space(self, 60), theme.space(self, 6) * max(1, len(self._rows)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, lines and dots."""
        look = theme.colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        unit, height = theme.space(self), theme.space(self, 6)
        metrics = QFontMetricsF(self.font())
        left = self.width() * 0.34
        self._spots = []
        for i, (name, times) in enumerate(self._rows):
            middle = (i + 0.5) * height
            area = QRectF(0, i * height, left - 2 * unit, height)
            painter.setPen(QColor(look.text))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), text)
            painter.fillRect(
                QRectF(left, middle - 0.5, self.width() - left, 1), QColor(look.border)
            )
            painter.setPen(Qt.PenStyle.NoPen)
            dot = QColor(look.accent)
            dot.setAlphaF(0.8)
            painter.setBrush(dot)
            for moment in times:
                x = left + moment / self._duration * (self.width() - left - 2 * unit) + unit
                painter.drawEllipse(QPointF(x, middle), unit, unit)
                self._spots.append((QRectF(x - unit, middle - unit, 2 * unit, 2 * unit), moment))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the dot that was clicked."""
        for spot, moment in self._spots:
            if spot.contains(event.position()):
                self.moment_chosen.emit(moment)
                return
