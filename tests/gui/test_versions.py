"""Earlier transcripts: what differs, and the way back (field report H10)."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from engine.graph.store import Store
from engine.messages import Finished, RestoreVersion
from gui.differences import as_html, word_difference


@pytest.fixture
def page(meeting, spoken, library_dir, running, qtbot):
    """The meeting was heard again, worse: one line changed, the last two are lost."""
    with Store(library_dir) as store:
        worse = [replace(spoken[0], text="Good mourning nobody.", words=()), *spoken[1:-2]]
        store.save_utterances(meeting.id, worse, "whisper-large")
    with qtbot.waitSignal(running.session.opened):
        running.session.open(meeting.id)
    running.window.parts.actions["show_versions"].trigger()
    made = running.window.parts.versions
    qtbot.waitUntil(lambda: made._list.column.count() > 1)
    return made


def test_the_differences_are_shown_and_play(page, spoken, running, qtbot):
    assert page._choice.count() == 1
    assert "whisper-large" in page._choice.currentText()
    texts = [label.text() for label in page._list.findChildren(QLabel)]
    assert any("mourning" in text and "underline" in text for text in texts)
    assert "Only then" in texts
    with qtbot.waitSignal(page.play_requested) as signal:
        page._list.findChildren(QPushButton)[0].click()
    assert signal.args[0] == spoken[0].start
    assert running.player.is_playing


def test_going_back_is_asked_and_told(page, clients, meeting, dialogs, running):
    dialogs.replies = [False]
    page._restore.click()
    assert not [r for r in clients.clerk.requests if isinstance(r, RestoreVersion)]
    dialogs.replies = [True]
    page._restore.click()
    request = clients.clerk.requests[-1]
    assert isinstance(request, RestoreVersion)
    assert (request.meeting_id, request.version_id) == (meeting.id, page._choice.currentData())
    clients.clerk.deliver(clients.clerk.jobs[-1], Finished("", None))
    assert running.window.parts.banner.text() == "The earlier transcript is back."


def test_a_meeting_without_earlier_transcripts_says_so(opened, qtbot):
    opened.window.parts.actions["show_versions"].trigger()
    page = opened.window.parts.versions
    qtbot.waitUntil(lambda: "only the present" in page._facts.text())
    assert not page._restore.isVisibleTo(page)


def test_the_words_that_differ_are_found():
    old, new = word_difference("we sold the barn", "we hold the old barn")
    assert old == [("we", False), ("sold", True), ("the", False), ("barn", False)]
    assert new == [("we", False), ("hold", True), ("the", False), ("old", True), ("barn", False)]
    assert "&lt;b&gt;" in as_html([("<b>", True)], "#000000", is_struck=True)
