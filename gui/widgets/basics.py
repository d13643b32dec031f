"""Small parts that every page uses: labels, buttons and badges in the window's look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui import icons, theme
from gui.clock import clock

_AT_ONCE = 12
_FACTORS = {"title": 1.5, "heading": 1.12, "small": 0.9}


class Label(QLabel):
    """Text in one of the window's sizes; wraps and can be selected when it is long.

    Args:
        text: What it says.
        role: ``title``, ``heading``, ``muted``, ``small``, ``danger`` or "" for plain text.
        wraps: Break lines.
    """

    def __init__(self, text: str = "", role: str = "", *, wraps: bool = False) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        if role:
            self.setProperty("role", role)
        factor = _FACTORS.get(role, 1.0)
        weight = QFont.Weight.DemiBold if role in ("title", "heading") else None
        self.setFont(theme.scaled(self.font(), factor, weight=weight))
        if wraps:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            self.setMinimumWidth(1)


class Badge(QLabel):
    """A word on a coloured ground: ``good``, ``warning``, ``danger``, ``accent`` or plain."""

    def __init__(self, text: str = "", tone: str = "") -> None:
        super().__init__(text)
        self.setProperty("role", "badge")
        self.setFont(theme.scaled(self.font(), 0.88))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.show_state(text, tone)

    def show_state(self, text: str, tone: str = "") -> None:
        """Say something else in another tone."""
        self.setText(text)
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)


class IconButton(QToolButton):
    """A button with one of our icons, and perhaps words, that follows the theme."""

    def __init__(
        self, icon: str, name: str, *, role: str = "quiet", text: str = "", size: float = 1.25
    ) -> None:
        super().__init__()
        self._icon_name = icon
        self._size = size
        self._shown: tuple[str, str, int] | None = None
        self.setProperty("role", role)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if text:
            self.setText(text)
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._refresh()

    def show_icon(self, icon: str, name: str) -> None:
        """Mean something else."""
        self._icon_name = icon
        self.setAccessibleName(name)
        self.setToolTip(name)
        self._refresh()

    def follow_action(self, action: QAction) -> None:
        """Do what a menu entry does and be enabled and checked like it."""
        self.setEnabled(action.isEnabled())
        self.setCheckable(action.isCheckable())
        self.setChecked(action.isChecked())
        self.clicked.connect(action.trigger)
        action.enabledChanged.connect(self.setEnabled)
        if action.isCheckable():
            action.toggled.connect(self.setChecked)
        keys = action.shortcut().toString()
        if keys:
            self.setToolTip(f"{self.toolTip()} ({keys})")

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icon in the colours of another theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._refresh()

    def _refresh(self) -> None:
        look = theme.colours(self)
        by_role = {"primary": look.on_accent, "round": look.on_accent, "record": look.danger}
        colour = by_role.get(self.property("role"), look.text)
        side = round(self.fontMetrics().height() * self._size)
        shown = (self._icon_name, colour, side)
        if shown == self._shown:
            return  # the style changes often while a window is put together
        self._shown = shown
        self.setIcon(icons.icon(self._icon_name, colour))
        self.setIconSize(QSize(side, side))


class Choice(QComboBox):
    """A drop-down list with our own arrow, which a style sheet would take away."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumContentsLength(6)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the arrow over the styled box."""
        super().paintEvent(event)
        side = round(self.fontMetrics().height() * 0.9)
        right = self.width() - round(side * 1.4)
        area = QRect(right, (self.height() - side) // 2, side, side)
        direction = self.layoutDirection()
        look = theme.colours(self)
        icon = icons.icon("chevron-down", look.muted)
        # Ended here: a painter that lives on until it is collected disturbs the next one.
        painter = QPainter(self)
        icon.paint(painter, QStyle.visualRect(direction, self.rect(), area))
        painter.end()


class Card(QFrame):
    """A surface with a border on which belonging things stand in a column."""

    def __init__(self, role: str = "card", *, steps: float = 3) -> None:
        super().__init__()
        self.setProperty("role", role)
        self.column = QVBoxLayout(self)
        margin = theme.space(self, steps)
        self.column.setContentsMargins(margin, margin, margin, margin)
        self.column.setSpacing(theme.space(self, 2))


class Column(QScrollArea):
    """A column of widgets that scrolls, from the top."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = QWidget()
        self._inner.setProperty("role", "column")
        self.column = QVBoxLayout(self._inner)
        margin = theme.space(self, 4)
        self.column.setContentsMargins(margin, margin, margin, margin)
        self.column.setSpacing(theme.space(self, 3))
        self.column.addStretch()
        self.setWidget(self._inner)
        self._inner.installEventFilter(self)
        self._coming: Iterator[QWidget] = iter(())
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._take_some)

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest widget: nothing may be cut off, as there is no way to the side."""
        hint = super().minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        return hint.expandedTo(QSize(self._inner.minimumSizeHint().width() + bar, 0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Ask for more room when what is inside does."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def add(self, widget: QWidget) -> None:
        """Put a widget at the end."""
        self.column.insertWidget(self.column.count() - 1, widget)

    def fill(self, widgets: Iterator[QWidget]) -> None:
        """Put widgets at the end while they are made, a few in each turn of the event loop.

        A long list would hold up the window if it were made in one go.
        """
        self._coming = widgets
        self._take_some()

    @property
    def is_filling(self) -> bool:
        """Whether widgets are still to come."""
        return self._timer.isActive()

    def _take_some(self) -> None:
        n_made = 0
        # Each has its place before the next is made: what is shown without one is a window.
        for widget in islice(self._coming, _AT_ONCE):
            self.add(widget)
            n_made += 1
        if n_made == _AT_ONCE:
            self._timer.start()

    def clear(self) -> None:
        """Remove all widgets, and make no more of those to come."""
        self._coming = iter(())
        while self.column.count() > 1:
            item = self.column.takeAt(0)
            widget = item.widget() if item else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def button(text: str, slot: Callable[[], object] | None = None, *, role: str = "") -> QPushButton:
    """A push button in the window's look."""
    result = QPushButton(text)
    result.setAutoDefault(False)
    if role:
        result.setProperty("role", role)
    if slot is not None:
        result.clicked.connect(lambda _checked=False: slot())
    return result


def moment_chip(start: float, play: Callable[[], object]) -> QPushButton:
    """A chip with the time of a moment, in seconds, that plays it."""
    chip = button(f"▶ {clock(start)}", play, role="chip")
    name = QCoreApplication.translate("basics", "Play at {time}")
    chip.setAccessibleName(name.format(time=clock(start)))
    return chip


def row(*widgets: QWidget | None, spacing: int = 6) -> QHBoxLayout:
    """Widgets side by side; None is a stretch."""
    layout = QHBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for widget in widgets:
        if widget is None:
            layout.addStretch()
        else:
            layout.addWidget(widget)
    return layout
