"""How one utterance looks: layout, painting and hit-testing of a row of the transcript."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from engine.types import Utterance
from gui.clock import clock
from gui.theme import Colours, scaled

_MAX_TEXT_EM = 54


@dataclass(frozen=True, slots=True)
class RowMarks:
    """What is to be emphasised in a row.

    Attributes:
        is_playing: It is the one heard now.
        is_current: It has the keyboard.
        is_cited: An answer rests on it.
        word: (start, length) of the word heard now, in characters.
        matches: (start, length) of found text.
        unsure: (start, length) of words the recogniser doubts.
    """

    is_playing: bool = False
    is_current: bool = False
    is_cited: bool = False
    word: tuple[int, int] | None = None
    matches: tuple[tuple[int, int], ...] = ()
    unsure: tuple[tuple[int, int], ...] = ()


class Metrics:
    """Lengths shared by all rows at one font and width."""

    def __init__(self, font: QFont, width: int) -> None:
        self.font = font
        self.name_font = scaled(font, 1.0, weight=QFont.Weight.DemiBold)
        self.small_font = scaled(font, 0.88)
        metrics = QFontMetricsF(font)
        self.line = metrics.height() * 1.32
        self.unit = metrics.height() / 4
        self.gutter = QFontMetricsF(self.small_font).horizontalAdvance("0:00:00") + 4 * self.unit
        em = metrics.horizontalAdvance("M")
        self.text_width = max(8 * em, min(width - self.gutter - 4 * self.unit, _MAX_TEXT_EM * em))
        self.header = metrics.height() * 1.5
        self.char_width = metrics.averageCharWidth() * 1.02
        self.width = width

    def padding(self, has_header: bool) -> float:
        """Blank space above and below the text of a row, together."""
        return self.unit * (3.8 if has_header else 1.6)

    def estimate(self, n_characters: int, has_header: bool) -> float:
        """Height of a row that was not laid out yet."""
        per_line = max(1.0, self.text_width / self.char_width)
        n_lines = max(1, -(-n_characters // int(per_line)))
        return n_lines * self.line + self.padding(has_header) + self.header * has_header


class UtteranceRow:
    """One utterance, laid out for a width."""

    def __init__(self, utterance: Utterance, metrics: Metrics, has_header: bool) -> None:
        self.utterance = utterance
        self._metrics = metrics
        self.has_header = has_header
        self._layout = QTextLayout(utterance.text, metrics.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self._layout.setTextOption(option)
        self._layout.beginLayout()
        y = 0.0
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(metrics.text_width)
            line.setPosition(QPointF(0, y))
            y += metrics.line
        self._layout.endLayout()
        self.height = round(max(y, metrics.line) + self._top + metrics.padding(has_header) / 2)

    @property
    def _top(self) -> float:
        """Where the text begins."""
        above = self._metrics.padding(self.has_header) / 2
        return above + (self._metrics.header if self.has_header else 0.0)

    def text_origin(self) -> QPointF:
        """Where the first line begins, within the row."""
        return QPointF(self._metrics.gutter, self._top)

    def text_rect(self) -> QRectF:
        """The rectangle of the text, within the row."""
        metrics = self._metrics
        n_lines = self._layout.lineCount()
        return QRectF(self.text_origin().x(), self._top, metrics.text_width, n_lines * metrics.line)

    def is_in_gutter(self, point: QPointF) -> bool:
        """The point lies on the time beside the text."""
        return point.x() < self._metrics.gutter - self._metrics.unit

    def is_on_name(self, point: QPointF) -> bool:
        """The point lies on the speaker's name."""
        end = QFontMetricsF(self._metrics.name_font).horizontalAdvance(self.utterance.speaker)
        left = self._metrics.gutter
        return self.has_header and point.y() < self._top and left <= point.x() <= left + end

    def character_at(self, point: QPointF) -> int:
        """Offset of the character under a point of the row, -1 outside the text."""
        local = point - self.text_origin()
        number = int(local.y() // self._metrics.line)
        if not 0 <= number < self._layout.lineCount() or local.y() < 0:
            return -1
        line = self._layout.lineAt(number)
        if not 0 <= local.x() <= line.naturalTextWidth() + self._metrics.unit:
            return -1
        cursor = line.xToCursor(local.x())
        return cursor[0] if isinstance(cursor, tuple) else int(cursor)

    def paint(
        self, painter: QPainter, rect: QRectF, look: Colours, colour: QColor, marks: RowMarks
    ) -> None:
        """Draw the row into ``rect`` of a viewport."""
        metrics = self._metrics
        self._paint_ground(painter, rect, look, marks)
        origin = rect.topLeft() + self.text_origin()
        if self.has_header:
            self._paint_header(painter, rect, look, colour)
        painter.setFont(metrics.small_font)
        painter.setPen(QColor(look.accent if marks.is_playing else look.muted))
        time_rect = QRectF(rect.left(), origin.y(), metrics.gutter - 4 * metrics.unit, metrics.line)
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        painter.drawText(time_rect, int(align), clock(self.utterance.start))
        bar = QRectF(origin.x() - 2.2 * metrics.unit, origin.y(), metrics.unit * 0.6, 0)
        bar.setHeight(self.text_rect().height() - metrics.line * 0.24)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.setOpacity(1.0 if marks.is_playing or marks.is_cited else 0.45)
        painter.drawRoundedRect(bar, bar.width() / 2, bar.width() / 2)
        painter.setOpacity(1.0)
        painter.setPen(QColor(look.text))
        self._layout.draw(painter, origin, self._formats(look, marks))

    def _paint_ground(
        self, painter: QPainter, rect: QRectF, look: Colours, marks: RowMarks
    ) -> None:
        if not (marks.is_playing or marks.is_current or marks.is_cited):
            return
        unit = self._metrics.unit
        # The leading of the last line lies below its letters and would make the ground lopsided.
        area = self.text_rect().translated(rect.topLeft())
        area.adjust(0, -unit * 0.7, 2 * unit, unit * 0.7 - self._metrics.line * 0.24)
        area.setLeft(rect.left() + unit)
        if marks.is_playing or marks.is_cited:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent_soft if marks.is_playing else look.warning_soft))
            painter.drawRoundedRect(area, 2 * unit, 2 * unit)
        if marks.is_current:
            painter.setPen(QColor(look.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 2 * unit, 2 * unit)

    def _paint_header(self, painter: QPainter, rect: QRectF, look: Colours, colour: QColor) -> None:
        metrics = self._metrics
        left = rect.left() + metrics.gutter
        top = rect.top() + metrics.padding(True) / 2
        area = QRectF(left, top, metrics.text_width, metrics.header)
        align = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(metrics.name_font)
        painter.setPen(colour)
        painter.drawText(area, align, self.utterance.speaker or "?")

    def _formats(self, look: Colours, marks: RowMarks) -> list[QTextLayout.FormatRange]:
        ranges = []
        for start, count in marks.unsure:
            form = QTextCharFormat()
            form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            form.setUnderlineColor(QColor(look.warning))
            ranges.append(_range(start, count, form))
        for start, count in marks.matches:
            form = QTextCharFormat()
            form.setBackground(QColor(look.warning))
            form.setForeground(QColor(look.surface))
            ranges.append(_range(start, count, form))
        if marks.word is not None:
            form = QTextCharFormat()
            form.setBackground(QColor(look.accent))
            form.setForeground(QColor(look.on_accent))
            ranges.append(_range(*marks.word, form))
        return ranges


def _range(start: int, count: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    result = QTextLayout.FormatRange()
    result.start, result.length, result.format = start, count, form
    return result
