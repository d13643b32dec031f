"""The window from drop to export and restart, with the real engine processes and default models."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QInputDialog, QPlainTextEdit, QPushButton

from engine.cli.demo import sample_audio
from engine.settings import Settings
from gui.app import App, Clients, make_application
from gui.player import Player
from gui.widgets.basics import IconButton

pytestmark = pytest.mark.end2end

RATE = 16_000
SECONDS = 48.7
HEARING_MS, ANSWERING_MS, ERRAND_MS = 900_000, 600_000, 120_000
CORRECTED = "Good morning, this line was corrected by hand."


class Tape:
    """A sound device that takes what it can and keeps every sample."""

    def __init__(self, rate_hz):
        self.rate_hz = rate_hz
        self.pieces = []

    def free(self):
        return 2000

    def write(self, samples):
        self.pieces.append(samples)

    def played(self):
        return sum(len(piece) for piece in self.pieces) / self.rate_hz

    def close(self):
        pass


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """(file, its samples): the beginning of the sample meeting, four people in 48.7 s."""
    with soundfile.SoundFile(sample_audio()) as file:
        whole = file.read(int(SECONDS * file.samplerate), dtype="float32")
        rate_hz = file.samplerate
    import soxr

    samples = soxr.resample(whole, rate_hz, RATE).astype(np.float32)
    path = tmp_path_factory.mktemp("source") / "Weather station.wav"
    soundfile.write(path, samples, RATE, subtype="PCM_16")
    return path, soundfile.read(path, dtype="float32")[0]


@pytest.fixture
def tapes(monkeypatch):
    """What was played, a tape for each span."""
    made: list[Tape] = []

    def opener(rate_hz):
        made.append(Tape(rate_hz))
        return made[-1], True

    monkeypatch.setattr("gui.app.Player", lambda: Player(opener))
    return made


@pytest.fixture
def open_window(qapp, qtbot, tmp_path, tapes):
    """Opens the application on one library, as often as it is called."""
    opened = []

    def start():
        # Minutes written meanwhile would only take the processor from the answer.
        chosen = Settings(theme="light", enrich_automatically=False)
        make_application(chosen)
        made = App(tmp_path / "library", Clients(), chosen)
        made.start()
        qtbot.waitExposed(made.window)
        opened.append(made)
        return made

    def stop(made):
        made.close()
        made.window.deleteLater()
        opened.remove(made)

    yield SimpleNamespace(start=start, stop=stop)
    for made in list(opened):
        stop(made)


def drop(window, path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(50, 50), Qt.DropAction.CopyAction, data,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(event)


def dialog(window, kind, qtbot):
    """The dialog of this kind that is open now."""
    qtbot.waitUntil(lambda: any(d.isVisible() for d in window.findChildren(kind)))
    return next(d for d in window.findChildren(kind) if d.isVisible())


def test_from_drop_to_restart(open_window, source, tapes, tmp_path, qtbot):
    made = open_window.start()
    hear(made, source[0], qtbot)
    name = rename_a_speaker(made, qtbot)
    edit_a_line(made, qtbot)
    question = ask_and_hear(made, source[1], tapes, qtbot)
    search(made, qtbot)
    export(made, tmp_path / "minutes.md", name, qtbot)
    meeting_id = made.session.meeting_id
    open_window.stop(made)

    again = open_window.start()
    with qtbot.waitSignal(again.session.opened, timeout=ERRAND_MS):
        again.session.open(meeting_id)
    content = again.session.content
    assert name in {speaker.name for speaker in content.speakers}
    assert content.utterances[0].text == CORRECTED
    ask = again.window.parts.ask
    qtbot.waitUntil(lambda: bool(ask._cards), timeout=ERRAND_MS)
    assert [card.question for card in ask._cards] == [question]
    assert ask._cards[0].citations()
    assert again.queue.tasks == []


def hear(made, path, qtbot):
    """Drop the file and watch the bar fill until the meeting opens by itself."""
    seen = []
    made.queue.changed.connect(
        lambda: seen.extend(t.progress.overall for t in made.queue.tasks if t.progress)
    )
    drop(made.window, path)
    assert made.window.parts.jobs.isVisible()
    qtbot.waitUntil(lambda: made.session.content is not None, timeout=HEARING_MS)
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1] > 0.9
    content = made.session.content
    assert content.meeting.title == "Weather station"
    assert len(content.utterances) >= 4
    assert "Daniel" in {speaker.name for speaker in content.speakers}
    assert made.window.stack.currentWidget() is made.window.parts.meeting


def rename_a_speaker(made, qtbot):
    parts = made.window.parts
    parts.actions["show_speakers"].trigger()
    buttons = parts.speakers.findChildren(IconButton)
    rename = next(b for b in buttons if b.accessibleName() == "Rename Daniel")
    rename.click()
    asked = dialog(made.window, QInputDialog, qtbot)
    asked.setTextValue("Daniel Novák")
    with qtbot.waitSignal(made.session.refreshed, timeout=ERRAND_MS):
        asked.accept()
    shown = {utterance.speaker for utterance in made.session.content.utterances}
    assert "Daniel Novák" in shown
    assert "Daniel" not in shown
    return "Daniel Novák"


def edit_a_line(made, qtbot):
    parts = made.window.parts
    parts.meeting.transcript.show_row(0)
    parts.actions["edit_text"].trigger()
    field = parts.meeting.transcript.view.findChild(QPlainTextEdit)
    field.selectAll()
    QTest.keyClicks(field, CORRECTED)
    with qtbot.waitSignal(made.session.refreshed, timeout=ERRAND_MS):
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert made.session.content.utterances[0].text == CORRECTED


def ask_and_hear(made, samples, tapes, qtbot):
    """Ask, click the citation, and compare what went to the device with the dropped file."""
    parts, question = made.window.parts, "What happened to the solar panels at Hillside School?"
    parts.actions["ask"].trigger()
    QTest.keyClicks(parts.ask._field, question)
    QTest.keyClick(parts.ask._field, Qt.Key.Key_Return)
    (card,) = parts.ask._cards
    qtbot.waitUntil(lambda: card.answer is not None, timeout=ANSWERING_MS)
    assert "frost" in card.answer.text or "crack" in card.answer.text
    chips = [b for b in card.findChildren(QPushButton) if b.property("role") == "chip"]
    cited = card.citations()[0]
    assert cited.speaker == "Daniel Novák"
    del tapes[:]
    with qtbot.waitSignal(made.player.span_finished, timeout=ERRAND_MS):
        QTest.mouseClick(chips[0], Qt.MouseButton.LeftButton)
    heard = np.concatenate(tapes[-1].pieces)
    first, last = round(cited.start * RATE), round(cited.end * RATE)
    # The source has 16 bits: equal to the last one or two steps, and silence after the span.
    np.testing.assert_allclose(heard[: last - first], samples[first:last], atol=2 / 32768)
    assert not heard[last - first :].any()
    assert np.abs(samples[first:last]).max() > 0.05
    return question


def search(made, qtbot):
    parts = made.window.parts
    parts.actions["search"].trigger()
    QTest.keyClicks(parts.library._search, "wind sensor")
    qtbot.waitUntil(lambda: bool(parts.search._hits), timeout=ERRAND_MS)
    assert "wind sensor" in parts.search._hits[0].utterance.text.lower()
    assert parts.search._hits[0].utterance.speaker == "Daniel Novák"


def export(made, path, name, qtbot):
    parts = made.window.parts
    parts.actions["export"].trigger()
    chooser = dialog(made.window, QFileDialog, qtbot)
    chooser.fileSelected.emit(str(path))
    chooser.reject()
    qtbot.waitUntil(path.exists, timeout=ERRAND_MS)
    text = path.read_text("utf-8")
    assert name in text
    assert CORRECTED in text
