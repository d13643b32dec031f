"""The sound of a meeting at a glance: who speaks when, how loud, and what happens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from gui import theme
from gui.clock import clock
from gui.tracks import Mark, Track
from gui.widgets.waveform_painter import WaveformPainter

_MIN_VIEW_SECONDS = 2.0
_NUDGE_SECONDS = 5.0
_SCROLL_STEPS = 10_000


class Waveform(QWidget):
    """Plain values in, signals out.

    Signals:
        seek_requested(float): A click or key asks for a position in seconds.
        mark_clicked(Mark): A pin, event or gap was clicked.
    """

    seek_requested = Signal(float)
    mark_clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._track: Track | None = None
        self._marks: list[Mark] = []
        self._position = 0.0
        self._start = 0.0
        self._end = 1.0
        self._picture: QPixmap | None = None
        self._painter = WaveformPainter()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Waveform"))
        self.setAccessibleDescription(
            self.tr("Left and right move by five seconds, plus and minus zoom.")
        )
        self._bar = QScrollBar(Qt.Orientation.Horizontal, self)
        self._bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bar.hide()
        self._bar.valueChanged.connect(self._on_bar_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addStretch()
        layout.addWidget(self._bar)

    @property
    def view(self) -> tuple[float, float]:
        """The seconds shown."""
        return self._start, self._end

    def set_track(self, track: Track | None, *, keep_view: bool = False) -> None:
        """Show another meeting, or the same one after an edit."""
        self._track = track
        if not keep_view or track is None:
            self._start, self._end = 0.0, max(0.1, track.duration if track else 1.0)
        self._changed()
        self.updateGeometry()

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show pins, events, gaps and topics."""
        self._marks = list(marks)
        self._changed()

    def set_position(self, position: float) -> None:
        """Move the playhead; a zoomed view turns its page when it runs out."""
        old = self._x(self._position)
        self._position = position
        if not self._start <= position <= self._end:
            width = self._end - self._start
            self._show(position - width * 0.1, position + width * 0.9)
        else:
            height = self.height()
            self.update(int(old) - 3, 0, 7, height)
            self.update(int(self._x(position)) - 3, 0, 7, height)

    def zoom(self, factor: float, around: float | None = None) -> None:
        """Show less (factor above 1) or more around a time, the playhead by default."""
        if self._track is None:
            return
        centre = self._position if around is None else around
        if not self._start <= centre <= self._end:
            centre = (self._start + self._end) / 2
        width = (self._end - self._start) / factor
        width = min(max(width, _MIN_VIEW_SECONDS), self._track.duration)
        share = (centre - self._start) / (self._end - self._start)
        self._show(centre - share * width, centre + (1 - share) * width)

    def show_all(self) -> None:
        """Show the whole meeting."""
        if self._track is not None:
            self._show(0.0, self._track.duration)

    def sizeHint(self) -> QSize:
        """About nine lines of text high, more with many speakers."""
        lanes = len(self._track.lane_colours) if self._track else 0
        line = QFontMetricsF(self.font()).height()
        return QSize(round(30 * line), round((6.6 + 0.45 * lanes) * line))

    def minimumSizeHint(self) -> QSize:
        """The height is kept, the width may shrink."""
        return QSize(theme.space(self, 40), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the kept picture and the playhead over it."""
        painter = QPainter(self)
        if self._track is None:
            return
        if self._picture is None:
            self._picture = self._drawn()
        painter.drawPixmap(0, 0, self._picture)
        look = theme.colours(self)
        x = self._x(self._position)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(x - 0.75, 0, 1.5, self._inner_height()), QColor(look.text))
        painter.setBrush(QColor(look.text))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(x, self._inner_height() - 3), 3, 3)
        if self.hasFocus():
            painter.setPen(QColor(look.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw anew at the new size."""
        super().resizeEvent(event)
        self._changed()

    def changeEvent(self, event: QEvent) -> None:
        """Draw anew in another theme or font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._changed()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a mark chooses it, elsewhere it seeks."""
        if event.button() != Qt.MouseButton.LeftButton or self._track is None:
            return
        mark = self._painter.mark_at(event.position())
        if mark is not None:
            self.mark_clicked.emit(mark)
        else:
            self.seek_requested.emit(self._time(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging scrubs."""
        if event.buttons() & Qt.MouseButton.LeftButton and self._track is not None:
            self.seek_requested.emit(self._time(event.position().x()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ctrl and wheel zoom about the pointer; sideways or Shift moves along."""
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = 1.25 if delta.y() > 0 else 0.8
            self.zoom(factor, self._time(event.position().x()))
        elif delta.x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            step = -(delta.x() or delta.y()) / 1200 * (self._end - self._start)
            self._show(self._start + step, self._end + step)
        else:
            event.ignore()
            return
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move and zoom by keyboard."""
        key = event.key()
        if key == Qt.Key.Key_Left:
            self.seek_requested.emit(max(0.0, self._position - _NUDGE_SECONDS))
        elif key == Qt.Key.Key_Right:
            self.seek_requested.emit(self._position + _NUDGE_SECONDS)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.5)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / 1.5)
        elif key == Qt.Key.Key_Home:
            self.seek_requested.emit(0.0)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Tell what lies under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            mark = self._painter.mark_at(QPointF(event.pos()))
            text = clock(self._time(event.pos().x()))
            if mark is not None:
                text = f"{mark.label}\n{clock(mark.start)} – {clock(mark.end)}"
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _inner_height(self) -> float:
        return self.height() - (self._bar.height() if self._bar.isVisible() else 0)

    def _x(self, position: float) -> float:
        return (position - self._start) / (self._end - self._start) * self.width()

    def _time(self, x: float) -> float:
        duration = self._track.duration if self._track else 0.0
        position = self._start + x / max(1, self.width()) * (self._end - self._start)
        return min(max(0.0, position), duration)

    def _show(self, start: float, end: float) -> None:
        assert self._track is not None
        width = min(end - start, self._track.duration)
        start = min(max(0.0, start), self._track.duration - width)
        self._start, self._end = start, start + max(width, 0.1)
        room = self._track.duration - width
        self._bar.blockSignals(True)
        self._bar.setVisible(room > 0.01)
        # A page many times the range says the same as one a thousand times it.
        page = _SCROLL_STEPS * min(1000.0, width / max(room, 0.01))
        self._bar.setPageStep(round(page))
        self._bar.setRange(0, _SCROLL_STEPS)
        self._bar.setValue(round(_SCROLL_STEPS * min(1.0, start / max(room, 0.01))))
        self._bar.blockSignals(False)
        self._changed()

    def _on_bar_moved(self, value: int) -> None:
        if self._track is None:
            return
        width = self._end - self._start
        start = value / _SCROLL_STEPS * (self._track.duration - width)
        self._start, self._end = start, start + width
        self._changed()

    def _changed(self) -> None:
        self._picture = None
        self.update()

    def _drawn(self) -> QPixmap:
        """The picture without the playhead, at the screen's own resolution."""
        assert self._track is not None
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.scaled(self.font(), 0.82))
        area = QRectF(0, 0, self.width(), self._inner_height())
        look = theme.colours(self)
        self._painter.paint(painter, area, self._track, (self._start, self._end), self._marks, look)
        painter.end()
        return picture
