"""An unmissable line on every page while something is recorded."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from engine.audio.record import State, Status
from gui import theme
from gui.clock import clock
from gui.widgets.basics import IconButton, Label, button
from gui.widgets.level_meter import LevelMeter


class RecordingStrip(QFrame):
    """State, clock, level, pause and stop.

    Signals:
        pause_toggled(), stop_requested(), opened(): The buttons.
    """

    pause_toggled = Signal()
    stop_requested = Signal()
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "recording")
        self._text = Label("", "danger")
        self._clock = Label("", "heading")
        self._meter = LevelMeter(self.tr("Level of the recording"))
        self._pause = IconButton("pause", self.tr("Pause the recording"))
        stop = IconButton("stop", self.tr("Stop recording"), role="", text=self.tr("Stop"))
        show = button(self.tr("Show"), self.opened.emit)
        show.setAccessibleName(self.tr("Show the recording page"))
        unit = theme.space(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3 * unit, unit, 2 * unit, unit)
        layout.setSpacing(2 * unit)
        for widget in (self._text, self._clock):
            layout.addWidget(widget)
        layout.addWidget(self._meter, 1)
        for other in (show, self._pause, stop):
            layout.addWidget(other)
        self._pause.clicked.connect(self.pause_toggled)
        stop.clicked.connect(self.stop_requested)
        self.hide()

    def show_status(self, status: Status) -> None:
        """Show a moment of the recorder."""
        texts = {
            State.WAITING: self.tr("● Waiting for sound"),
            State.RECORDING: self.tr("● Recording"),
            State.PAUSED: self.tr("❚❚ Paused"),
        }
        text = texts.get(status.state, "")
        self.setVisible(bool(text))
        if text != self._text.text():
            self._text.setText(text)
            is_paused = status.state == State.PAUSED
            name = self.tr("Go on recording") if is_paused else self.tr("Pause the recording")
            self._pause.show_icon("record" if is_paused else "pause", name)
        self._clock.setText(clock(status.elapsed))
        loudest = max(status.tracks, key=lambda t: t.peak_db, default=None)
        if loudest is not None:
            self._meter.set_level(loudest.level_db, loudest.peak_db)
