"""Recording a meeting: which devices, how loud, how long, and what is worth remembering."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from engine.audio.devices import InputDevice, Kind
from engine.audio.record import State, Status
from gui import theme
from gui.clock import clock
from gui.recording import Recording
from gui.widgets.basics import Badge, Card, Choice, Column, IconButton, Label, button, row
from gui.widgets.level_meter import LevelMeter
from gui.widgets.live_view import LiveView


class RecordPage(Column):
    """Chooses devices and follows the recording."""

    def __init__(self, recording: Recording, config_dir: Path) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Record a meeting"))
        self._recording = recording
        self._consent_path = config_dir / "consent-reminded"
        self._devices: list[InputDevice] = []
        self._choices: dict[Kind, Choice] = {}
        self._meters: dict[Kind, LevelMeter] = {}
        self._states: dict[Kind, Badge] = {}
        self._build()
        self._connect()

    def take_title(self) -> str:
        """What the recorded meeting is to be called, "" for its date; the field is cleared."""
        title = self._title.text().strip()
        self._title.clear()
        return title

    def chosen(self) -> list[InputDevice]:
        """The devices to record, the microphone first."""
        ids = [choice.currentData() for choice in self._choices.values()]
        return [device for device in self._devices if device.id in ids]

    def toggle(self) -> None:
        """Start, or stop what runs."""
        if self._recording.is_running:
            self._recording.stop()
        elif not self._consent_path.exists():
            self._consent.show()
            self.ensureWidgetVisible(self._consent)
        elif self.chosen():
            self._recording.start(self.chosen())
            self._show_running(True)

    def showEvent(self, event: QShowEvent) -> None:
        """Look for devices and show their levels."""
        super().showEvent(event)
        if not self._recording.is_running:
            self._recording.list_devices()

    def hideEvent(self, event: QHideEvent) -> None:
        """A microphone that nobody looks at is not kept open."""
        super().hideEvent(event)
        self._recording.listen([])

    def _build(self) -> None:
        unit = theme.space(self)
        self.add(Label(self.tr("Record a meeting"), "title"))
        text = self.tr(
            "Microphone and computer sound are kept as separate tracks and written to disk from "
            "the first second. Whatever happens, what was recorded stays."
        )
        self.add(Label(text, "muted", wraps=True))
        self.add(self._consent_card())
        self._title = QLineEdit()
        self._title.setPlaceholderText(self.tr("Title of the meeting"))
        self._title.setAccessibleName(self.tr("Title of the meeting"))
        self.add(self._title)
        card = Card()
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * unit)
        grid.setVerticalSpacing(2 * unit)
        for line, (kind, name) in enumerate(
            ((Kind.MICROPHONE, self.tr("Microphone")), (Kind.SYSTEM, self.tr("Computer sound")))
        ):
            self._add_device(grid, line, kind, name)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 2)
        card.column.addLayout(grid)
        self._again = button(self.tr("Look for devices again"), self._recording.list_devices)
        card.column.addLayout(row(self._again, None))
        self.add(card)
        self._clock = Label(clock(0), "title")
        self._clock.setFont(theme.scaled(self._clock.font(), 1.6))
        self._state = Badge(self.tr("Not recording"))
        self._go = IconButton(
            "record", self.tr("Start recording"), role="primary", text=self.tr("Start recording")
        )
        self._pause = button(self.tr("Pause"), self._recording.toggle_pause)
        self._pause.hide()
        stage = Card()
        stage.column.addLayout(row(self._clock, self._state, None, self._pause, self._go))
        self.add(stage)
        self._note = QLineEdit()
        self._note.setPlaceholderText(self.tr("Note or bookmark at this moment, then Return"))
        self._note.setAccessibleName(self.tr("Note at this moment"))
        self._note.setEnabled(False)
        self.add(self._note)
        self._notes = Label("", "muted", wraps=True)
        self.add(self._notes)
        self.live = LiveView()
        self.add(self.live)

    def _consent_card(self) -> QWidget:
        self._consent = Card("banner")
        self._consent.setProperty("tone", "warning")
        words = self.tr(
            "Tell everybody that you record, and ask whether they agree. In many places the law "
            "demands it."
        )
        self._consent.column.addWidget(Label(words, wraps=True))
        understood = button(self.tr("I will – start recording"), self._on_consent, role="primary")
        self._consent.column.addLayout(row(understood, None))
        self._consent.hide()
        return self._consent

    def _add_device(self, grid: QGridLayout, line: int, kind: Kind, name: str) -> None:
        choice = Choice()
        choice.setAccessibleName(name)
        meter = LevelMeter(self.tr("Level of {name}").format(name=name))
        state = Badge()
        state.hide()
        for column, widget in enumerate((Label(name), choice, meter, state)):
            grid.addWidget(widget, line, column)
        choice.activated.connect(self._on_chosen)
        self._choices[kind], self._meters[kind], self._states[kind] = choice, meter, state

    def _connect(self) -> None:
        self._recording.devices_found.connect(self._on_devices)
        self._recording.status_changed.connect(self._on_status)
        self._recording.started.connect(lambda: self._show_running(True))
        self._recording.failed.connect(lambda _message, _hint: self._show_running(False))
        self._recording.finished.connect(lambda _take, _path: self._show_running(False))
        self._go.clicked.connect(self.toggle)
        self._note.returnPressed.connect(self._on_note)

    def _on_devices(self, found: list[InputDevice]) -> None:
        self._devices = found
        for kind, choice in self._choices.items():
            before = choice.currentText()
            choice.clear()
            fitting = [device for device in found if device.kind == kind]
            for device in fitting:
                choice.addItem(device.name, device.id)
            if kind == Kind.SYSTEM or not fitting:
                choice.addItem(self.tr("None"), "")
            # Numbers change when devices do, names stay.
            at = choice.findText(before)
            choice.setCurrentIndex(max(0, at))
        self._go.setEnabled(bool(self.chosen()))
        self._on_chosen()

    def _on_chosen(self, _index: int = 0) -> None:
        self._go.setEnabled(bool(self.chosen()))
        if self.isVisible():
            self._recording.listen(self.chosen())

    def _on_status(self, status: Status) -> None:
        by_name = {track.name: track for track in status.tracks}
        for kind, choice in self._choices.items():
            track = by_name.get(choice.currentText())
            meter, state = self._meters[kind], self._states[kind]
            if track is None:
                meter.set_level(-90, -90)
                continue
            meter.set_level(track.level_db, track.peak_db)
            text, tone = "", ""
            if not track.is_alive:
                text, tone = self.tr("waiting for sound"), "warning"
            elif track.is_silent:
                text, tone = self.tr("nothing is heard"), "warning"
            if state.text() != text:
                state.show_state(text, tone)
                state.setVisible(bool(text))
        if self._recording.is_running:
            self._show_state(status)

    def _show_state(self, status: Status) -> None:
        texts = {
            State.WAITING: (self.tr("Waiting for sound"), "warning"),
            State.RECORDING: (self.tr("Recording"), "danger"),
            State.PAUSED: (self.tr("Paused"), "warning"),
        }
        text, tone = texts.get(status.state, (self.tr("Stopped"), ""))
        if self._state.text() != text:
            self._state.show_state(text, tone)
            is_paused = status.state == State.PAUSED
            self._pause.setText(self.tr("Go on") if is_paused else self.tr("Pause"))
        self._clock.setText(clock(status.elapsed))

    def _show_running(self, is_running: bool) -> None:
        words = self.tr("Stop recording") if is_running else self.tr("Start recording")
        self._go.show_icon("stop" if is_running else "record", words)
        self._go.setText(words)
        self._pause.setVisible(is_running)
        self._note.setEnabled(is_running)
        self._again.setEnabled(not is_running)
        for choice in self._choices.values():
            choice.setEnabled(not is_running)
        if not is_running:
            self._state.show_state(self.tr("Not recording"))
            self._clock.setText(clock(0))
            self._notes.setText("")
            self.live.hide()

    def _on_consent(self) -> None:
        self._consent_path.parent.mkdir(parents=True, exist_ok=True)
        self._consent_path.touch()
        self._consent.hide()
        self.toggle()

    def _on_note(self) -> None:
        text = self._note.text().strip()
        at = self._recording.note(text or self.tr("Bookmark"))
        self._note.clear()
        line = f"{clock(at)}  {text or self.tr('Bookmark')}"
        self._notes.setText("\n".join(filter(None, [self._notes.text(), line])))
