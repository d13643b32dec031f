"""Who answers whom, as a circle of people with arcs between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.types import Speaker
from gui import theme


class GraphView(QWidget):
    """Draws speakers (size: time spoken) and replies (width: how many)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._speakers: Sequence[Speaker] = ()
        self._replies: Mapping[tuple[int, int], int] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Who answers whom"))

    def show_replies(
        self, speakers: Sequence[Speaker], replies: Mapping[tuple[int, int], int]
    ) -> None:
        """Show counts by (who answers, who was answered), both speaker ids."""
        self._speakers, self._replies = speakers, replies
        names = {speaker.id: speaker.name for speaker in speakers}
        parts = [
            self.tr("{a} answers {b} {n} times").format(
                a=names.get(a, "?"), b=names.get(b, "?"), n=count
            )
            for (a, b), count in sorted(replies.items(), key=lambda pair: -pair[1])
        ]
        self.setAccessibleDescription("; ".join(parts))
        self.update()

    def sizeHint(self) -> QSize:
        """Nearly square."""
        return QSize(theme.space(self, 60), theme.space(self, 76))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw arcs first, people over them."""
        if not self._speakers:
            return
        look = theme.colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places = self._places()
        most = max(self._replies.values(), default=1)
        for (answerer, answered), count in self._replies.items():
            if answerer in places and answered in places and answerer != answered:
                ink = look.speaker(self._colour(answerer))
                self._arc(painter, places[answerer], places[answered], count / most, ink)
        total = sum(speaker.seconds for speaker in self._speakers) or 1.0
        for speaker in self._speakers:
            share = speaker.seconds / total
            self._person(painter, speaker, places[speaker.id], share, look)

    def _places(self) -> dict[int, QPointF]:
        unit = theme.space(self)
        centre = QPointF(self.width() / 2, self.height() / 2)
        radius = min(self.width() - 32 * unit, self.height() - 24 * unit) / 2
        n_speakers = len(self._speakers)
        result = {}
        for i, speaker in enumerate(self._speakers):
            angle = 2 * math.pi * i / n_speakers - math.pi / 2
            offset = QPointF(math.cos(angle) * radius * 1.15, math.sin(angle) * radius)
            result[speaker.id] = centre + (offset if n_speakers > 1 else QPointF())
        return result

    def _colour(self, speaker_id: int) -> int:
        return next((s.colour for s in self._speakers if s.id == speaker_id), 0)

    def _arc(
        self, painter: QPainter, start: QPointF, end: QPointF, strength: float, ink: QColor
    ) -> None:
        ink.setAlphaF(0.25 + 0.55 * strength)
        along = end - start
        distance = math.hypot(along.x(), along.y()) or 1.0
        normal = QPointF(-along.y(), along.x()) / distance
        bend = (start + end) / 2 + normal * distance * 0.16
        # The arrow ends short of the person, whose circle would hide it.
        gap = theme.space(self, 7)
        back = bend - end
        scale = gap / (math.hypot(back.x(), back.y()) or 1.0)
        tip = end + back * scale
        path = QPainterPath(start)
        path.quadTo(bend, tip)
        width = 1.0 + 5.0 * strength
        painter.setPen(QPen(ink, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        ahead = QPointF(end - bend)
        unit = ahead / (math.hypot(ahead.x(), ahead.y()) or 1.0)
        side = QPointF(-unit.y(), unit.x())
        size = 5.0 + 2.0 * width
        head = QPainterPath(tip + unit * size * 0.6)
        head.lineTo(tip - unit * size * 0.5 + side * size * 0.5)
        head.lineTo(tip - unit * size * 0.5 - side * size * 0.5)
        head.closeSubpath()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPath(head)

    def _person(
        self, painter: QPainter, speaker: Speaker, place: QPointF, share: float, look: theme.Colours
    ) -> None:
        unit = theme.space(self)
        radius = unit * (3 + 4 * math.sqrt(share))
        painter.setPen(QPen(QColor(look.surface), 3))
        painter.setBrush(look.speaker(speaker.colour))
        painter.drawEllipse(place, radius, radius)
        width = 34.0 * unit
        above = place.y() < self.height() / 2 - 1
        top = place.y() - radius - 6 * unit if above else place.y() + radius + unit
        area = QRectF(place.x() - width / 2, top, width, 5 * unit)
        painter.setPen(QColor(look.text))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), speaker.name)
