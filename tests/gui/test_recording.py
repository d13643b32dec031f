"""Recording in the window, with devices a test feeds (field reports E)."""

import numpy as np
import pytest
import soundfile

from engine.audio.devices import InputDevice, Kind
from engine.audio.record import State
from engine.errors import AudioError
from engine.messages import Analyse, Edit, Finished
from engine.types import Meeting

MIC = InputDevice("Desk microphone", "1", Kind.MICROPHONE, is_default=True)
OTHER = InputDevice("Headset", "2", Kind.MICROPHONE)
SYSTEM = InputDevice("Monitor of Speakers", "3", Kind.SYSTEM)


class FakeStream:
    def __init__(self, on_block):
        self.on_block = on_block
        self.samplerate = 16_000
        self.active = False

    def start(self):
        self.active = True

    def abort(self):
        self.active = False

    def close(self):
        pass


@pytest.fixture
def streams(monkeypatch):
    """Streams by device name, the newest last; ``devices`` may be changed by the test."""
    opened = {}
    known = [MIC, OTHER, SYSTEM]

    def opener(device, _rate, on_block):
        if device not in known:
            raise AudioError(f"“{device.name}” cannot be opened.", "Plug it in.")
        opened.setdefault(device.name, []).append(FakeStream(on_block))
        return opened[device.name][-1]

    monkeypatch.setattr("engine.audio.devices.inputs", lambda: list(known))
    monkeypatch.setattr("gui.recording.devices.open_stream", opener)
    monkeypatch.setattr("gui.recording.Recording.__init__.__defaults__", (opener,))
    opened["known"] = known
    return opened


@pytest.fixture
def page(streams, running, qtbot):
    """The page with its devices found and consent given."""
    (running.library_dir.parent / "config").mkdir(exist_ok=True)
    (running.library_dir.parent / "config" / "consent-reminded").touch()
    with qtbot.waitSignal(running.recording.devices_found):
        running.window.parts.actions["record"].trigger()
    return running.window.parts.record


def start(page, running, qtbot):
    with qtbot.waitSignal(running.recording.started):
        page.toggle()


def test_devices_are_chosen_by_name_even_when_numbers_change(page, running, streams, qtbot):
    """Field report E7."""
    choice = page._choices[Kind.MICROPHONE]
    choice.setCurrentIndex(choice.findText("Headset"))
    streams["known"][:] = [
        InputDevice("Headset", "7", Kind.MICROPHONE),
        InputDevice("Desk microphone", "9", Kind.MICROPHONE),
        SYSTEM,
    ]
    with qtbot.waitSignal(running.recording.devices_found):
        running.recording.list_devices()
    assert choice.currentText() == "Headset"
    assert page.chosen()[0].id == "7"


def test_consent_is_asked_for_once(page, running, qtbot):
    page._consent_path.unlink()
    page.toggle()
    assert not running.recording.is_running
    assert page._consent.isVisible()
    with qtbot.waitSignal(running.recording.started):
        page._on_consent()
    assert page._consent_path.exists()


def test_from_the_first_sample_to_the_queue(page, running, streams, clients, qtbot):
    start(page, running, qtbot)
    strip = running.window.parts.strip
    qtbot.waitUntil(strip.isVisible)
    assert "Waiting" in strip._text.text()
    ramp = np.linspace(-0.5, 0.5, 16_000, dtype=np.float32)
    for piece in np.split(ramp, 20):
        streams["Desk microphone"][-1].on_block(piece)
    qtbot.waitUntil(lambda: "Recording" in strip._text.text())
    qtbot.waitUntil(lambda: running.recording._recorder.status().elapsed == 1.0)
    page._note.setText("Budget")
    page._on_note()
    page._title.setText("Monday talk")
    with qtbot.waitSignal(running.recording.finished) as signal:
        page.toggle()
    take, path = signal.args
    assert not strip.isVisible()
    samples, rate = soundfile.read(path, dtype="int16")
    assert (rate, len(samples)) == (16_000, 16_000)
    request = clients.analysis.requests[-1]
    assert isinstance(request, Analyse)
    assert (request.path, request.options.title) == (str(path), "Monday talk")
    clients.analysis.deliver(
        clients.analysis.jobs[-1], Finished("", Meeting("m9", "Monday talk", "", ""))
    )
    edit = [r for r in clients.clerk.requests if isinstance(r, Edit)][-1]
    assert edit.arguments == {"at": 1.0, "text": "Budget"}
    assert not take.folder.exists()


def test_pause_is_shown_and_goes_on(page, running, streams, qtbot):
    start(page, running, qtbot)
    streams["Desk microphone"][-1].on_block(np.full(1600, 0.5, np.float32))
    running.recording.toggle_pause()
    qtbot.waitUntil(lambda: "Paused" in running.window.parts.strip._text.text())
    running.recording.toggle_pause()
    assert running.recording._recorder.status().state == State.RECORDING


def test_a_device_that_cannot_be_opened_is_told(page, running, streams, qtbot):
    del streams["known"][:]
    with qtbot.waitSignal(running.recording.failed):
        page.toggle()
    assert "cannot be opened" in running.window.parts.banner.text()
    assert not running.recording.is_running


def test_a_recording_left_behind_is_heard_at_the_next_start(running, clients, qtbot):
    from engine.audio import take

    folder = running.library_dir / "recordings" / "2026-11-30 09.00.00"
    folder.mkdir(parents=True)
    take.Journal(folder).write("start", tracks=["microphone.wav"], pid=0)
    samples = np.full(32_000, 900, "<i2").tobytes()
    (folder / "microphone.wav").write_bytes(take.header(16_000, 1, 0) + samples)
    with qtbot.waitSignal(running.recording.recovered):
        running.recording.recover()
    assert "recovered" in running.window.parts.banner.text()
    assert clients.analysis.requests[-1].path == str(folder / "microphone.wav")


def test_closing_while_recording_asks_first(page, running, dialogs, qtbot):
    start(page, running, qtbot)
    dialogs.replies = [False]
    assert not running.window.close()
    assert running.recording.is_running


def test_words_appear_while_recording_and_are_never_lost(page, running, clients, streams, qtbot):
    from engine.messages import Listen
    from engine.types import LiveUtterance

    start(page, running, qtbot)
    (job,) = clients.listener.jobs
    assert isinstance(job.request, Listen)
    assert [path.rsplit("/")[-1] for path in job.request.paths] == ["microphone.wav", "system.wav"]
    job.partial.emit(LiveUtterance(1, 0.0, 2.0, 0, "Speaker 1", "Good mor", False))
    job.partial.emit(LiveUtterance(1, 0.0, 2.4, 0, "Speaker 1", "Good morning.", True))
    job.partial.emit(LiveUtterance(2, 3.0, 4.0, 1, "Speaker 2", "Hello <b>", False))
    text = page.live.toPlainText()
    assert "Good morning." in text
    assert "Good mor\n" not in text
    assert "Hello <b>" in text
    running.recording.stop()
    qtbot.waitUntil(lambda: clients.listener.cancelled == [job])
