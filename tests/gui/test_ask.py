"""Asking: streaming, chips, abstention, stopping, history."""

from dataclasses import replace

import pytest
import window_fakes as fakes
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from engine.messages import Ask, Failed, Stopped
from engine.types import Sentence, TraceEvent, Verdict


@pytest.fixture
def page(opened):
    return opened.window.parts.ask


def chips(card):
    found = card.findChildren(QPushButton)
    return [button for button in found if button.property("role") == "chip"]


def test_the_answer_streams_and_then_shows_its_moments(page, clients, meeting, spoken, qtbot):
    page.ask("What was decided?")
    (job,) = clients.assistant.jobs
    assert isinstance(job.request, Ask)
    assert job.request.meeting_ids == (meeting.id,)
    for piece in ("The archive", " goes back"):
        job.partial.emit(TraceEvent("text", 1, piece))
    card = page._cards[-1]
    assert card._draft.text() == "The archive goes back"
    job.finished.emit(fakes.answer(meeting.id, spoken, "What was decided?"))
    assert not card._draft.isVisible()
    assert "Checked" in card._badge.text()
    found = chips(card)
    assert len(found) == 4
    assert spoken[6].speaker in found[0].text()
    assert spoken[6].text in found[0].toolTip()
    with qtbot.waitSignal(page.citation_chosen) as signal:
        found[0].click()
    assert signal.args[0].utterance == 6
    pins = [m for m in page.window().parts.meeting.waveform._marks if m.kind == "citation"]
    assert [pin.number for pin in pins] == [1, 2, 3, 4]


def test_how_it_was_found_can_be_read_and_played(page, clients, meeting, spoken, qtbot):
    page.ask("Why?")
    clients.assistant.jobs[-1].finished.emit(fakes.answer(meeting.id, spoken, "Why?"))
    card = page._cards[-1]
    card._on_how(True)
    text = card._trace_view.toPlainText()
    for words in ("SELECT id FROM utterances", "hybrid_search", spoken[3].text[:30], "score: 5"):
        assert words in text
    from PySide6.QtCore import QUrl

    with qtbot.waitSignal(page.citation_chosen) as signal:
        card._trace_view.anchorClicked.emit(QUrl("play:0"))
    assert signal.args[0].start == spoken[3].start


def test_abstention_is_plain(page, clients, meeting, spoken):
    page.ask("Who won the match?")
    answer = replace(
        fakes.answer(meeting.id, spoken, "Who won the match?"),
        abstained=True,
        sentences=(Sentence("That was not said in this meeting."),),
    )
    clients.assistant.jobs[-1].finished.emit(answer)
    card = page._cards[-1]
    assert card._badge.text() == "Not said in this meeting"
    assert chips(card) == []


def test_an_unverified_answer_says_so(page, clients, meeting, spoken):
    page.ask("Hm?")
    answer = replace(
        fakes.answer(meeting.id, spoken, "Hm?"), verdict=Verdict(2, False, ("A number is wrong.",))
    )
    clients.assistant.jobs[-1].finished.emit(answer)
    badge = page._cards[-1]._badge
    assert "Not verified" in badge.text()
    assert "number" in badge.toolTip()


def test_stop_and_failure_end_the_question(page, clients):
    page.ask("Long one?")
    page.stop()
    assert clients.assistant.cancelled == clients.assistant.jobs
    clients.assistant.deliver(clients.assistant.jobs[0], Stopped(""))
    assert page._cards[-1]._status.text() == "Stopped."
    page.ask("Another?")
    failure = Failed("", "ModelMissing", "The model is missing.", "Fetch it.")
    clients.assistant.deliver(clients.assistant.jobs[1], failure)
    assert "Fetch it." in page._cards[-1]._status.text()
    assert page.window().parts.banner.text() == "The model is missing."


def test_follow_ups_carry_what_was_said_before(page, clients, meeting, spoken):
    page.ask("First?")
    answer = fakes.answer(meeting.id, spoken, "First?")
    clients.assistant.jobs[-1].finished.emit(answer)
    page.ask("And why?")
    assert clients.assistant.requests[-1].history == (("First?", answer.text),)


def test_all_meetings_can_be_asked(page, clients):
    page._scope.setCurrentIndex(page._scope.findData("all"))
    page.ask("Anything?")
    assert clients.assistant.requests[-1].meeting_ids == ()


def test_only_one_question_at_a_time(page, clients):
    page.ask("One?")
    page.ask("Two?")
    assert len(clients.assistant.requests) == 1


def test_the_answer_is_copied_with_its_citations(page, clients, meeting, spoken):
    page.ask("Why?")
    clients.assistant.jobs[-1].finished.emit(fakes.answer(meeting.id, spoken, "Why?"))
    page._cards[-1]._on_copy()
    text = QGuiApplication.clipboard().text()
    assert "cold storage" in text
    assert f"{spoken[6].speaker}: “{spoken[6].text}”" in text
