"""Dressing all widgets for another palette, a few of them in each turn of the event loop."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

_TURN_SECONDS = 0.015


class Dressing(QObject):
    """Makes every widget look up its rules of the style sheet again.

    The sheet names roles of the palette, but each widget keeps the colours it once found there. A
    window shows its old colours until all that is visible has the new ones.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._windows: list[QWidget] = []
        self._waiting: list[QWidget] = []
        self._n_hidden = 0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._dress_some)

    @property
    def is_running(self) -> bool:
        """Whether widgets still wait, visible or not."""
        return self._timer.isActive()

    def begin(self) -> None:
        """Dress all there are; to begin anew before the end is fine."""
        for window in QApplication.topLevelWidgets():
            if window.isVisible() and window.updatesEnabled():
                window.setUpdatesEnabled(False)
                self._windows.append(window)
        # What was never shown has not looked anything up yet.
        known = Qt.WidgetAttribute.WA_WState_Polished
        widgets = [widget for widget in QApplication.allWidgets() if widget.testAttribute(known)]
        self._waiting = sorted(widgets, key=QWidget.isVisible)  # taken from the end
        self._n_hidden = sum(not widget.isVisible() for widget in widgets)
        self._timer.start()

    def _dress_some(self) -> None:
        if self._windows and len(self._waiting) <= self._n_hidden:
            self._show_windows()  # a turn of its own: to paint a window anew takes a while
            return
        until = time.perf_counter() + _TURN_SECONDS
        while self._waiting:
            widget = self._waiting.pop()
            if isValid(widget):
                widget.style().polish(widget)
            if time.perf_counter() > until:
                break
        if not self._waiting and not self._windows:
            self._timer.stop()

    def _show_windows(self) -> None:
        for window in self._windows:
            if isValid(window):
                window.setUpdatesEnabled(True)
        self._windows.clear()
