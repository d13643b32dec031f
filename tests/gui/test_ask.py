"""Asking: streaming, chips, abstention, stopping, history."""

from dataclasses import replace

import pytest
import window_fakes as fakes
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

from engine import paths
from engine.graph.store import Store
from engine.messages import (
    Ask,
    ExportEvidence,
    ExportRatings,
    Failed,
    Finished,
    GetReady,
    RateAnswer,
    RehearEvidence,
    Stopped,
)
from engine.types_answer import Reheard, Sentence, TraceEvent, Verdict
from gui.translation import TsTranslator


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


def test_the_assistant_gets_ready_while_a_question_is_typed(page, clients, qtbot):
    QTest.keyClicks(page._field, "Why was")
    assert [type(job.request) for job in clients.assistant.jobs] == [GetReady]
    QTest.keyClick(page._field, Qt.Key.Key_Return)
    assert [type(job.request) for job in clients.assistant.jobs] == [GetReady, Ask]


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


@pytest.mark.parametrize(("n_left", "is_said"), [(0, False), (960, True)])
def test_meetings_that_were_not_read_are_told(page, clients, meeting, spoken, n_left, is_said):
    page.ask("Why?")
    found = fakes.answer(meeting.id, spoken, "Why?")
    receipt = replace(found.receipt, n_meetings_left_out=n_left)
    clients.assistant.jobs[-1].finished.emit(replace(found, receipt=receipt))
    assert ("960 meetings were not read" in page._cards[-1]._status.text()) == is_said


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


def answered(page, clients, meeting, spoken):
    page.ask("Why?")
    made = replace(fakes.answer(meeting.id, spoken, "Why?"), id=7)
    clients.assistant.jobs[-1].finished.emit(made)
    return page._cards[-1]


def test_an_answer_gets_its_marks(page, clients, meeting, spoken, opened):
    card = answered(page, clients, meeting, spoken)
    assert not card._rating.isVisibleTo(card)
    card._rate.trigger()
    assert card._rating.isVisibleTo(card)
    marks = {b.accessibleName(): b for b in card._rating.findChildren(QPushButton)}
    assert len(marks) == 15
    marks["Correct: 4 of 5"].click()
    marks["Clear: 5 of 5"].click()
    request = clients.clerk.requests[-1]
    assert isinstance(request, RateAnswer)
    assert (request.answer_id, request.marks) == (7, {"correct": 4, "coherent": 5})


def test_marks_are_there_again_when_the_meeting_is_opened(
    running, clients, meeting, spoken, library_dir, qtbot
):
    with Store(library_dir) as store:
        key = store.save_answer(fakes.answer(meeting.id, spoken, "Why?"))
        store.rate_answer(key, {"correct": 2})
    running.session.open(meeting.id)
    page = running.window.parts.ask
    qtbot.waitUntil(lambda: bool(page._cards))
    assert page._cards[0].answer.id == key
    assert page._cards[0]._rating.marks() == {"correct": 2}


def test_ratings_are_exported_from_the_menu(opened, clients, dialogs):
    dialogs.replies = ["/tmp/marks"]
    opened.window.parts.actions["ratings"].trigger()
    request = clients.clerk.requests[-1]
    assert isinstance(request, ExportRatings)
    assert request.path == "/tmp/marks.csv"
    clients.clerk.deliver(clients.clerk.jobs[-1], Finished("", 3))
    assert opened.window.parts.banner.text() == "3 rated answers were exported."


def test_the_evidence_of_an_answer_goes_into_one_file(page, clients, meeting, spoken, dialogs):
    card = answered(page, clients, meeting, spoken)
    dialogs.replies = ["/tmp/why.html"]
    card._evidence.trigger()
    request = clients.clerk.requests[-1]
    assert isinstance(request, ExportEvidence)
    assert (request.answer_id, request.path) == (7, "/tmp/why.html")


def test_the_cited_moments_of_an_answer_are_heard_once_more(page, clients, meeting, spoken):
    card = answered(page, clients, meeting, spoken)
    card._hear.trigger()
    request = clients.analysis.requests[-1]
    assert isinstance(request, RehearEvidence)
    assert request.answer_id == 7
    assert not card._hear.isEnabled()
    first, second = card.citations()[:2]
    heard = (Reheard(first, first.quote), Reheard(second, "something else", ("a",), ("b",)))
    clients.analysis.jobs[-1].finished.emit(heard)
    assert "heard again, the same words" in card._reheard.text()
    assert "heard again as “something else”" in card._reheard.text()
    assert card._hear.isEnabled()


def test_a_hearing_that_fails_says_why(page, clients, meeting, spoken):
    card = answered(page, clients, meeting, spoken)
    card._hear.trigger()
    clients.analysis.jobs[-1].failed.emit(Failed("", "ModelMissing", "A model is missing.", ""))
    assert card._reheard.text() == "A model is missing."
    assert card._hear.isEnabled()


def test_selected_meetings_can_be_asked(running, clients, library_dir, qtbot):
    ids = {fakes.fill(library_dir, count=8, title=t).id for t in ("One", "Two", "Three")}
    library, page = running.window.parts.library, running.window.parts.ask
    library.reload()
    qtbot.waitUntil(lambda: library.model.rowCount() == 3)
    assert page._scope.findData("selected") < 0
    library._list.setFocus()
    library._list.setCurrentIndex(library.model.index(0, 0))
    QTest.keyClick(library._list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    chosen = library.selected()
    assert len(chosen) == 2
    assert set(chosen) < ids
    assert page._scope.currentText() == "2 selected meetings"
    page.ask("What was said?")
    assert clients.assistant.requests[-1].meeting_ids == chosen
    # A citation opens one of them; they stay selected, and so does the chat.
    with qtbot.waitSignal(running.session.opened):
        running.session.open(chosen[1])
    assert library.selected() == chosen
    assert len(page._cards) == 1
    library.choose((ids - set(chosen)).pop())
    assert page._scope.findData("selected") < 0


@pytest.mark.qt_log_ignore("This plugin does not support")  # there is no screen
def test_what_is_rare_for_an_answer_is_reached_by_keyboard(page, clients, meeting, spoken):
    card = answered(page, clients, meeting, spoken)
    assert card._more.accessibleName() == "More for this answer"
    assert card._more.focusPolicy() == Qt.FocusPolicy.StrongFocus
    menu = card._more.menu()

    def choose_the_second():
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
            QTest.keyClick(menu, key)
        menu.close()

    menu.aboutToShow.connect(lambda: QTimer.singleShot(0, choose_the_second))
    QTest.keyClick(card._more, Qt.Key.Key_Space)  # comes back when the menu is closed
    assert isinstance(clients.analysis.requests[-1], RehearEvidence)


@pytest.mark.parametrize("language", ["", "cs"])
def test_the_tools_of_an_answer_stand_in_one_line(
    page, clients, meeting, spoken, opened, dressed, language
):
    translator = TsTranslator(paths.resource("i18n/earwitness_cs.ts"))
    if language:
        dressed.installTranslator(translator)
    try:
        opened.window.resize(1440, 900)
        card = answered(page, clients, meeting, spoken)
        QApplication.processEvents()
        tools = [tool for tool in card._tools.findChildren(QToolButton) if tool.isVisible()]
        assert [tool.text() for tool in tools if tool.text()] == [
            "Jak jsem to našel" if language else "How I found this"
        ]
        assert len(tools) == 3
        assert len({tool.y() for tool in tools}) == 1
    finally:
        dressed.removeTranslator(translator)
