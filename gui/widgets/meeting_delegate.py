"""How a meeting looks in the library list."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui import theme
from gui.item_models.meetings import SUMMARY_ROLE

Index = QModelIndex | QPersistentModelIndex


class MeetingDelegate(QStyledItemDelegate):
    """Two lines: title and facts."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room for both lines."""
        line = QFontMetricsF(option.font).height()
        return QSize(round(8 * line), round(3.1 * line))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one meeting."""
        widget = option.widget
        look = theme.colours(widget)
        state, font = option.state, option.font
        unit = theme.space(widget)
        area = QRectF(option.rect).adjusted(unit, unit / 3, -unit, -unit / 3)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent_soft if is_selected else look.hover))
            painter.drawRoundedRect(area, 2 * unit, 2 * unit)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(look.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 2 * unit, 2 * unit)
        inner = area.adjusted(2.5 * unit, unit * 1.2, -2 * unit, -unit * 1.2)
        self._text(painter, inner, index, font, look)
        painter.restore()

    def _text(
        self, painter: QPainter, area: QRectF, index: Index, font: QFont, look: theme.Colours
    ) -> None:
        bold = theme.scaled(font, 1.0, weight=QFont.Weight.DemiBold)
        small = theme.scaled(font, 0.88)
        elide = Qt.TextElideMode.ElideRight
        for place, text, colour, face in (
            (Qt.AlignmentFlag.AlignTop, index.data(), look.text, bold),
            (Qt.AlignmentFlag.AlignBottom, index.data(SUMMARY_ROLE), look.muted, small),
        ):
            painter.setFont(face)
            painter.setPen(QColor(colour))
            shown = QFontMetricsF(face).elidedText(text or "", elide, area.width())
            painter.drawText(area, int(place | Qt.AlignmentFlag.AlignLeft), shown)
