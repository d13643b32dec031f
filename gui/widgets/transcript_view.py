"""The transcript: a list that lays out only what is seen, however long the meeting.

Rows have guessed heights until they come into view; what is on screen stays where it is while
the guesses around it are corrected.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gui import theme
from gui.item_models.utterances import UtterancesModel
from gui.widgets.utterance_row import Metrics, RowMarks, UtteranceRow

_CACHED_ROWS = 160
Index = QModelIndex | QPersistentModelIndex
Move = QAbstractItemView.CursorAction
Hint = QAbstractItemView.ScrollHint


class TranscriptView(QAbstractItemView):
    """Shows an ``UtterancesModel``.

    Signals:
        clicked_at(int, int): Row and character that was clicked, -1 for the time beside the text.
        name_clicked(int): The speaker's name above a row was clicked.
        play_requested(int): Row to play, by keyboard.
        menu_requested(int, int, QPoint): Row, character (or -1) and global position.
        user_scrolled(): The user moved the view.
    """

    clicked_at = Signal(int, int)
    name_clicked = Signal(int)
    play_requested = Signal(int)
    menu_requested = Signal(int, int, QPoint)
    user_scrolled = Signal()

    def __init__(self, marks: Callable[[int], RowMarks], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks = marks
        self._rows: OrderedDict[int, UtteranceRow] = OrderedDict()
        self._heights: npt.NDArray[np.float64] = np.zeros(0)
        self._tops: npt.NDArray[np.float64] = np.zeros(1)
        self._is_exact: npt.NDArray[np.bool_] = np.zeros(0, bool)
        self._metrics = Metrics(self.font(), 400)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.verticalScrollBar().actionTriggered.connect(self._on_scroll_action)

    def transcript(self) -> UtterancesModel:
        """The model, as what it is."""
        model = self.model()
        assert isinstance(model, UtterancesModel)
        return model

    def setModel(self, model: QAbstractItemModel | None) -> None:  # noqa: N802
        """Show a model and follow its changes."""
        super().setModel(model)
        self._rebuild()

    def reset(self) -> None:
        """The model was filled anew."""
        super().reset()
        self._rebuild()
        self.verticalScrollBar().setValue(0)

    def dataChanged(self, first: Index, last: Index, roles: object = ()) -> None:  # noqa: N802
        """Some rows changed: lay them out again when they are seen."""
        super().dataChanged(first, last)
        if last.row() - first.row() > _CACHED_ROWS:
            self._rebuild()
            return
        for row in range(first.row(), min(last.row() + 2, len(self._heights))):
            self._rows.pop(row, None)
            self._is_exact[row] = False
        self._settle()
        self.viewport().update()

    def has_header(self, row: int) -> bool:
        """The row begins another speaker's turn."""
        return bool(self.transcript().is_turn[row])

    def is_visible(self, row: int) -> bool:
        """The whole row, or as much as fits, is on screen."""
        if not 0 <= row < len(self._heights):
            return False
        top = self._tops[row] - self.verticalOffset()
        return bool(top >= 0 and top + self._heights[row] <= self.viewport().height())

    def text_rect(self, row: int) -> QRect:
        """Where the text of a row is, in the viewport."""
        rect = self.visualRect(self.model().index(row, 0))
        return self._row(row).text_rect().translated(rect.topLeft()).toAlignedRect()

    # Geometry: what QAbstractItemView asks of its children.

    def visualRect(self, index: Index) -> QRect:  # noqa: N802
        """Where a row is, in the viewport."""
        row = index.row()
        if not index.isValid() or row >= len(self._heights):
            return QRect()
        top = round(self._tops[row]) - self.verticalOffset()
        return QRect(0, top, self.viewport().width(), round(self._heights[row]))

    def indexAt(self, point: QPoint) -> QModelIndex:  # noqa: N802
        """The row under a point of the viewport."""
        row = self._row_at(point.y() + self.verticalOffset())
        return self.model().index(row, 0) if row >= 0 else QModelIndex()

    def scrollTo(self, index: Index, hint: Hint = Hint.EnsureVisible) -> None:  # noqa: N802
        """Bring a row into view."""
        row, bar = index.row(), self.verticalScrollBar()
        if not index.isValid() or row >= len(self._heights):
            return
        if hint == Hint.EnsureVisible and self.is_visible(row):
            return
        above = 0.0
        if hint in (Hint.PositionAtCenter, Hint.EnsureVisible):
            above = max(0.0, (self.viewport().height() - self._row(row).height) / 3)
        self._measure(row)
        self._update_tops()
        bar.setValue(round(self._tops[row] - above))
        self._settle()
        bar.setValue(round(self._tops[row] - above))
        self.viewport().update()

    def moveCursor(self, action: Move, modifiers: Qt.KeyboardModifier) -> QModelIndex:  # noqa: N802
        """Where a movement key leads."""
        row, last = max(0, self.currentIndex().row()), len(self._heights) - 1
        page = max(1, self._row_at(self.verticalOffset() + self.viewport().height()) - row)
        steps = {Move.MoveUp: -1, Move.MoveDown: 1, Move.MovePrevious: -1, Move.MoveNext: 1}
        steps |= {Move.MovePageUp: -page, Move.MovePageDown: page}
        if action == Move.MoveHome:
            row = 0
        elif action == Move.MoveEnd:
            row = last
        else:
            row += steps.get(action, 0)
        return self.model().index(min(max(0, row), last), 0)

    def horizontalOffset(self) -> int:  # noqa: N802
        """Nothing scrolls sideways."""
        return 0

    def verticalOffset(self) -> int:  # noqa: N802
        """How far the view is scrolled, in pixels."""
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: Index) -> bool:  # noqa: N802
        """No row is hidden."""
        return False

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:  # noqa: N802
        """Choose the rows a rectangle touches."""
        first = self.indexAt(rect.topLeft())
        last = self.indexAt(rect.bottomRight())
        self.selectionModel().select(QItemSelection(first, last), command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:  # noqa: N802
        """Where selected rows are; the whole viewport is close enough."""
        return QRegion(self.viewport().rect())

    def updateGeometries(self) -> None:  # noqa: N802
        """Fit the scroll bar to the height of all rows."""
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        bar.setRange(0, max(0, round(self._tops[-1]) - height + round(self._metrics.line)))
        bar.setPageStep(height)
        bar.setSingleStep(round(self._metrics.line))
        super().updateGeometries()

    # Painting and input.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows on screen."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme.colours(self)
        offset = self.verticalOffset()
        row = self._row_at(offset + event.rect().top())
        model = self.transcript()
        while 0 <= row < len(self._heights):
            top = self._tops[row] - offset
            if top > event.rect().bottom():
                break
            rect = QRectF(0, round(top), self.viewport().width(), round(self._heights[row]))
            colour = look.speaker(model.colour(row))
            self._row(row).paint(painter, rect, look, colour, self._marks(row))
            row += 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the row at the top there while lines break anew."""
        super().resizeEvent(event)
        if self.viewport().width() != self._metrics.width:
            self._rebuild()
        else:
            self.updateGeometries()
            self._settle()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other heights."""
        super().changeEvent(event)
        is_about_font = event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange)
        if is_about_font and self.font() != self._metrics.font:
            self._rebuild()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802
        """After a scroll, correct the guessed heights that came into view."""
        self._settle()
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A plain click plays; with a modifier it selects."""
        super().mouseReleaseEvent(event)
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.button() != Qt.MouseButton.LeftButton or not is_plain:
            return
        row, point = self._hit(event.position())
        if row < 0:
            return
        if self._row(row).is_on_name(point):
            self.name_clicked.emit(row)
        elif self._row(row).is_in_gutter(point):
            self.clicked_at.emit(row, -1)
        elif (character := self._row(row).character_at(point)) >= 0:
            self.clicked_at.emit(row, character)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click edits."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self.edit(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that words, times and names can be clicked."""
        super().mouseMoveEvent(event)
        row, point = self._hit(event.position())
        is_live = row >= 0 and (
            self._row(row).is_in_gutter(point)
            or self._row(row).is_on_name(point)
            or self._row(row).character_at(point) >= 0
        )
        shape = Qt.CursorShape.PointingHandCursor if is_live else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return plays the current row."""
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and self.state() != QAbstractItemView.State.EditingState:
            if self.currentIndex().isValid():
                self.play_requested.emit(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of a row."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            row, point = self._hit(QPointF(event.pos()))
            if row >= 0:
                self.setCurrentIndex(self.model().index(row, 0))
                character = self._row(row).character_at(point)
                self.menu_requested.emit(row, character, event.globalPos())
        elif (row := self.currentIndex().row()) >= 0:
            corner = self.text_rect(row).bottomLeft()
            self.menu_requested.emit(row, -1, self.viewport().mapToGlobal(corner))

    def _on_scroll_action(self, _action: int) -> None:
        self.user_scrolled.emit()

    def wheelEvent(self, event: object) -> None:
        """Scrolling by hand ends following."""
        super().wheelEvent(event)  # type: ignore[arg-type]
        self.user_scrolled.emit()

    # Heights.

    def _hit(self, point: QPointF) -> tuple[int, QPointF]:
        """Row under a point and the point within it; -1 for none."""
        row = self._row_at(int(point.y()) + self.verticalOffset())
        if row < 0:
            return -1, point
        return row, point - QPointF(0, round(self._tops[row]) - self.verticalOffset())

    def _row_at(self, y: float) -> int:
        """Row at a height of the whole list, -1 below the last."""
        if not len(self._heights) or y >= self._tops[-1]:
            return -1
        return max(0, int(np.searchsorted(self._tops, y, side="right")) - 1)

    def _row(self, row: int) -> UtteranceRow:
        """The laid-out row, from the cache or made now."""
        known = self._rows.get(row)
        if known is None:
            utterance = self.transcript().utterances[row]
            known = UtteranceRow(utterance, self._metrics, self.has_header(row))
            self._rows[row] = known
            while len(self._rows) > _CACHED_ROWS:
                self._rows.popitem(last=False)
        return known

    def _rebuild(self) -> None:
        """Guess all heights for the present width, keeping the top row in place."""
        if self.model() is None:
            return
        anchor = self._row_at(self.verticalOffset())
        self._metrics = Metrics(self.font(), self.viewport().width())
        self._rows.clear()
        model = self.transcript()
        self._heights = _estimates(self._metrics, model.lengths, model.is_turn)
        self._is_exact = np.zeros(len(self._heights), bool)
        self._update_tops()
        if 0 < anchor < len(self._heights):
            self.verticalScrollBar().setValue(round(self._tops[anchor]))
        self._settle()
        self.viewport().update()

    def _measure(self, row: int) -> bool:
        """Replace a guessed height by the true one; True when it differed."""
        if self._is_exact[row]:
            return False
        self._is_exact[row] = True
        height = self._row(row).height
        differs = bool(height != self._heights[row])
        self._heights[row] = height
        return differs

    def _settle(self) -> None:
        """Make every height on screen exact without moving the row at the top."""
        if not len(self._heights):
            return
        bar = self.verticalScrollBar()
        row = self._row_at(bar.value())
        if row < 0:
            return
        into = bar.value() - self._tops[row]
        first, has_changed, filled = row, False, -into
        while row < len(self._heights) and filled < self.viewport().height():
            has_changed |= self._measure(row)
            filled += self._heights[row]
            row += 1
        if has_changed:
            self._update_tops()
            bar.blockSignals(True)
            bar.setValue(round(self._tops[first] + into))
            bar.blockSignals(False)

    def _update_tops(self) -> None:
        self._tops = np.concatenate([[0.0], np.cumsum(np.round(self._heights))])
        self.updateGeometries()


def _estimates(
    metrics: Metrics, lengths: npt.NDArray[np.float64], headers: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Guessed heights of all rows at once, (rows,) in pixels."""
    per_line = max(1, int(metrics.text_width / metrics.char_width))
    n_lines = np.maximum(1, np.ceil(lengths / per_line))
    plain = n_lines * metrics.line + metrics.padding(False)
    return np.where(
        headers, plain - metrics.padding(False) + metrics.padding(True) + metrics.header, plain
    )
