"""Paints a track and its marks; remembers where the marks are, for the mouse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from gui.clock import clock
from gui.theme import Colours
from gui.tracks import Columns, Mark, Track

_BAR = 2.0
_PITCH = 3.0
_TICKS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)


class WaveformPainter:
    """Draws from top to bottom: topics and pins, bars, lanes, times."""

    def __init__(self) -> None:
        self._spots: list[tuple[QRectF, Mark]] = []
        self._view = (0.0, 1.0)
        self._area = QRectF()

    def mark_at(self, point: QPointF) -> Mark | None:
        """The mark under a point; pins lie over everything else."""
        found = [mark for spot, mark in self._spots if spot.contains(point)]
        return found[-1] if found else None

    def paint(
        self,
        painter: QPainter,
        area: QRectF,
        track: Track,
        view: tuple[float, float],
        marks: Sequence[Mark],
        look: Colours,
    ) -> None:
        """Draw ``view`` seconds of a track into ``area``."""
        self._spots = []
        self._view, self._area = view, area
        line = QFontMetricsF(painter.font()).height()
        n_lanes = len(track.lane_colours)
        lane_height = max(3.0, line * 0.32)
        top = area.top() + line * 2.7
        foot = area.bottom() - line * 1.25
        lanes_top = foot - n_lanes * lane_height * 1.5
        columns = track.columns(*view, max(1, int(area.width() / _PITCH)))
        body = QRectF(area.left(), top, area.width(), max(line, lanes_top - top - line * 0.3))
        self._paint_spans(painter, body, marks, look)
        self._paint_bars(painter, body, columns, look)
        if n_lanes:
            size = lane_height
            self._paint_lanes(painter, lanes_top, size, columns, track.lane_colours, look)
        self._paint_times(painter, QRectF(area.left(), foot, area.width(), line * 1.2), look)
        strip = QRectF(area.left(), area.top(), area.width(), line)
        self._paint_labels(painter, strip.translated(0, line * 1.35), marks, look)
        self._paint_pins(painter, strip, marks, look)

    def _x(self, position: float) -> float:
        start, end = self._view
        return self._area.left() + (position - start) / (end - start) * self._area.width()

    def _span(self, mark: Mark, body: QRectF) -> QRectF | None:
        if mark.end < self._view[0] or mark.start > self._view[1]:
            return None
        left, right = self._x(mark.start), self._x(mark.end)
        return QRectF(left, body.top(), max(2.0, right - left), body.height())

    def _paint_bars(self, painter: QPainter, body: QRectF, columns: Columns, look: Colours) -> None:
        middle, half = body.center().y(), body.height() / 2
        xs = body.left() + np.arange(len(columns.low)) * _PITCH + _BAR / 2
        # A gentle curve keeps quiet voices visible beside loud ones.
        highs = np.sqrt(np.clip(columns.high, 0, 1)) * half
        lows = np.sqrt(np.clip(-columns.low, 0, 1)) * half
        for colour in sorted(set(columns.speaker.tolist())):  # np.unique would import numpy.ma
            chosen = np.flatnonzero(columns.speaker == colour)
            lines = [
                QLineF(xs[i], middle - max(0.6, highs[i]), xs[i], middle + max(0.6, lows[i]))
                for i in chosen
            ]
            ink = QColor(look.wave) if colour < 0 else look.speaker(int(colour))
            pen = QPen(ink, _BAR)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLines(lines)

    def _paint_lanes(
        self,
        painter: QPainter,
        top: float,
        height: float,
        columns: Columns,
        colours: Sequence[int],
        look: Colours,
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        left = self._area.left()
        for lane, colour in enumerate(colours):
            y = top + lane * height * 1.5
            faint = QColor(look.hover)
            painter.fillRect(
                QRectF(left, y + height * 0.4, self._area.width(), height * 0.2), faint
            )
            painter.setBrush(look.speaker(colour))
            padded = np.concatenate([[False], columns.lanes[lane], [False]]).astype(np.int8)
            steps = np.diff(padded)
            for first, last in zip(
                np.flatnonzero(steps > 0), np.flatnonzero(steps < 0), strict=True
            ):
                width = (last - first) * _PITCH - 1
                painter.drawRoundedRect(QRectF(left + first * _PITCH, y, width, height), 1.5, 1.5)
        overlaps = np.flatnonzero(columns.is_overlap)
        ink = QColor(look.danger)
        for i in overlaps:
            painter.fillRect(QRectF(left + i * _PITCH, top - height * 0.9, _PITCH, 2), ink)

    def _paint_spans(
        self, painter: QPainter, body: QRectF, marks: Sequence[Mark], look: Colours
    ) -> None:
        """Grounds behind the bars: cited moments, gaps without words, sounds."""
        inks = {
            "citation": (QColor(look.accent_soft), Qt.BrushStyle.SolidPattern),
            "gap": (QColor(look.warning), Qt.BrushStyle.BDiagPattern),
            "event": (QColor(look.good_soft), Qt.BrushStyle.SolidPattern),
        }
        painter.setPen(Qt.PenStyle.NoPen)
        for mark in marks:
            span = self._span(mark, body)
            if span is None or mark.kind not in inks:
                continue
            painter.setBrush(QBrush(*inks[mark.kind]))
            painter.drawRoundedRect(span, 2, 2)
            self._spots.append((span, mark)) if mark.kind != "citation" else None

    def _paint_times(self, painter: QPainter, area: QRectF, look: Colours) -> None:
        start, end = self._view
        metrics = QFontMetricsF(painter.font())
        least = metrics.horizontalAdvance("0:00:00") * 1.8
        per_second = area.width() / (end - start)
        step = next((tick for tick in _TICKS if tick * per_second >= least), 7200)
        painter.setPen(QColor(look.muted))
        tick = -(-start // step) * step
        while tick <= end:
            x = self._x(tick)
            text = clock(tick)
            width = metrics.horizontalAdvance(text)
            x = min(max(area.left(), x - width / 2), area.right() - width)
            painter.drawText(QPointF(x, area.bottom() - metrics.descent()), text)
            tick += step

    def _visible(self, marks: Sequence[Mark], *kinds: str) -> list[Mark]:
        start, end = self._view
        chosen = [m for m in marks if m.kind in kinds and m.end >= start and m.start <= end]
        return sorted(chosen, key=lambda mark: mark.start)

    def _paint_labels(
        self, painter: QPainter, area: QRectF, marks: Sequence[Mark], look: Colours
    ) -> None:
        """Names of topics and sounds, left out where they would overlap."""
        metrics = QFontMetricsF(painter.font())
        free_from = area.left()
        for mark in self._visible(marks, "topic", "event"):
            x = max(area.left(), self._x(mark.start))
            if x < free_from or not mark.label:
                continue
            is_topic = mark.kind == "topic"
            room = max(self._x(mark.end) - x - 8, area.width() / 6)
            text = metrics.elidedText(mark.label, Qt.TextElideMode.ElideRight, room)
            width = metrics.horizontalAdvance(text)
            painter.setPen(QColor(look.muted if is_topic else look.good))
            painter.drawText(QPointF(x + 5 * is_topic, area.bottom() - metrics.descent()), text)
            if is_topic:
                painter.fillRect(QRectF(x, area.top(), 1.5, area.height()), QColor(look.wave))
            self._spots.append((QRectF(x, area.top(), width + 8, area.height()), mark))
            free_from = x + width + 14

    def _paint_pins(
        self, painter: QPainter, area: QRectF, marks: Sequence[Mark], look: Colours
    ) -> None:
        for mark in self._visible(marks, "bookmark"):
            self._flag(painter, self._x(mark.start), area, mark, look)
        for mark in self._visible(marks, "citation"):
            self._pin(painter, self._x(mark.start), area, str(mark.number), mark, look)

    def _pin(
        self, painter: QPainter, x: float, area: QRectF, text: str, mark: Mark, look: Colours
    ) -> None:
        radius = area.height() * 0.6
        spot = QRectF(x - radius, area.top(), 2 * radius, 2 * radius)
        spot.moveLeft(min(max(self._area.left(), spot.left()), self._area.right() - 2 * radius))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.accent))
        painter.drawEllipse(spot)
        stem = QPainterPath(QPointF(x - radius * 0.45, spot.bottom() - radius * 0.25))
        stem.lineTo(x + radius * 0.45, spot.bottom() - radius * 0.25)
        stem.lineTo(x, spot.bottom() + radius * 0.5)
        painter.drawPath(stem)
        painter.setPen(QColor(look.on_accent))
        painter.drawText(spot, int(Qt.AlignmentFlag.AlignCenter), text)
        self._spots.append((spot, mark))

    def _flag(self, painter: QPainter, x: float, area: QRectF, mark: Mark, look: Colours) -> None:
        size = area.height()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.warning))
        painter.drawRect(QRectF(x - 0.75, area.top(), 1.5, size * 1.4))
        flag = QPainterPath(QPointF(x, area.top()))
        flag.lineTo(x + size * 0.7, area.top() + size * 0.3)
        flag.lineTo(x, area.top() + size * 0.6)
        painter.drawPath(flag)
        self._spots.append((QRectF(x - 2, area.top(), size, size), mark))
