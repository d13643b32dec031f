"""Buttons under the waveform: play, move, speed, follow, zoom."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui import theme
from gui.clock import clock
from gui.player import SPEEDS
from gui.widgets.basics import Choice, IconButton, Label


class Transport(QWidget):
    """Shows where the player is and asks it to do things.

    Signals:
        play_toggled(): Play or pause.
        moved(float): Move by so many seconds.
        speed_chosen(float): 1 is as recorded.
        follow_toggled(bool): The transcript follows what is heard.
        zoom_requested(float): Above 1 is closer, 0 shows all.
    """

    play_toggled = Signal()
    moved = Signal(float)
    speed_chosen = Signal(float)
    follow_toggled = Signal(bool)
    zoom_requested = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._duration = 0.0
        self._play = IconButton("play", self.tr("Play"), role="round", size=1.4)
        back = IconButton("back", self.tr("Back 5 seconds"))
        forward = IconButton("forward", self.tr("Forward 5 seconds"))
        self._time = Label(clock(0))
        self._time.setAccessibleName(self.tr("Position"))
        self._total = Label("", "muted")
        self._speed = Choice()
        self._speed.setAccessibleName(self.tr("Speed"))
        self._speed.setToolTip(self.tr("Speed; the pitch stays as it is"))
        for speed in SPEEDS:
            self._speed.addItem(f"{speed:g}×", speed)
        self._speed.setCurrentIndex(SPEEDS.index(1.0))
        self._follow = IconButton("follow", self.tr("Follow what is heard"))
        self._follow.setCheckable(True)
        self._follow.setChecked(True)
        closer = IconButton("zoom-in", self.tr("Zoom in"))
        wider = IconButton("zoom-out", self.tr("Zoom out"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.space(self))
        for widget in (back, self._play, forward):
            layout.addWidget(widget)
        layout.addSpacing(theme.space(self, 2))
        layout.addWidget(self._time)
        layout.addWidget(self._total)
        layout.addStretch()
        for other in (self._speed, self._follow, wider, closer):
            layout.addWidget(other)
        self._play.clicked.connect(self.play_toggled)
        back.clicked.connect(lambda: self.moved.emit(-5.0))
        forward.clicked.connect(lambda: self.moved.emit(5.0))
        self._speed.activated.connect(self._on_speed)
        self._follow.toggled.connect(self.follow_toggled)
        closer.clicked.connect(lambda: self.zoom_requested.emit(1.6))
        wider.clicked.connect(lambda: self.zoom_requested.emit(1 / 1.6))
        # The digits of a running clock must not push their neighbours about.
        width = QFontMetricsF(self._time.font()).horizontalAdvance("00:00:00")
        self._time.setMinimumWidth(round(width * 0.7))
        self._time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    @property
    def follows(self) -> bool:
        """The transcript is to follow what is heard."""
        return self._follow.isChecked()

    def set_follow(self, is_on: bool) -> None:
        """Turn following on or off."""
        self._follow.setChecked(is_on)

    def set_duration(self, duration: float, *, has_sound: bool) -> None:
        """Show the length of a meeting; without sound there is nothing to play."""
        self._duration = duration
        self._total.setText(f"/ {clock(duration)}")
        self.setEnabled(has_sound)

    def set_position(self, position: float) -> None:
        """Show where the player is."""
        text = clock(position)
        if text != self._time.text():
            self._time.setText(text)

    def set_playing(self, is_playing: bool) -> None:
        """Show what the round button does now."""
        icon, name = ("pause", self.tr("Pause")) if is_playing else ("play", self.tr("Play"))
        self._play.show_icon(icon, name)

    def step_speed(self, steps: int) -> None:
        """Choose the next faster or slower speed."""
        index = min(max(0, self._speed.currentIndex() + steps), len(SPEEDS) - 1)
        self._speed.setCurrentIndex(index)
        self._on_speed(index)

    def _on_speed(self, index: int) -> None:
        self.speed_chosen.emit(SPEEDS[index])
