"""Questions for review: drafted, edited, accepted, discarded, exported."""

import pytest

from engine.messages import DraftQuestions, ExportQuestions, Failed, Finished, Stopped
from engine.questions import Category, DraftQuestion, Review

DRAFTS = (
    DraftQuestion("Why cold storage?", "The bill doubled.", Category.EXPLICIT, (3, 6)),
    DraftQuestion("When is Lisbon?", "In 2031.", Category.TIME, (12,), "a number is not there"),
)


@pytest.fixture
def page(opened):
    opened.window.parts.actions["show_questions"].trigger()
    return opened.window.parts.questions


@pytest.fixture
def drafted(page, clients):
    page._start.click()
    clients.assistant.deliver(clients.assistant.jobs[-1], Finished("", DRAFTS))
    return page


def test_drafts_come_with_their_doubts_and_moments(drafted, clients, spoken, qtbot):
    request = clients.assistant.requests[-1]
    assert isinstance(request, DraftQuestions)
    assert request.n == 5
    first, _second = drafted._cards
    assert first.draft == DRAFTS[0]
    from PySide6.QtWidgets import QLabel, QPushButton

    assert any("a number is not there" in x.text() for x in drafted._list.findChildren(QLabel))
    with qtbot.waitSignal(drafted.play_requested) as signal:
        first.findChildren(QPushButton)[0].click()
    assert signal.args == [spoken[3].start, spoken[3].end]


def test_what_is_accepted_is_exported_as_it_was_edited(drafted, clients, dialogs, meeting):
    assert not drafted._export.isEnabled()
    first, second = drafted._cards
    first._question.setPlainText("Why was the archive moved?\n")
    first.accept.click()
    second.discard.click()
    assert drafted._export.text() == "Export accepted (1)"
    dialogs.replies = ["/tmp/set"]
    drafted._export.click()
    request = clients.clerk.requests[-1]
    assert isinstance(request, ExportQuestions)
    assert (request.meeting_id, request.path) == (meeting.id, "/tmp/set.json")
    assert [d.review for d in request.drafts] == [Review.ACCEPTED, Review.DISCARDED]
    assert request.drafts[0].question == "Why was the archive moved?"
    second.discard.click()
    assert second.draft.review is Review.OPEN


def test_drafting_can_be_stopped_and_can_fail(page, clients):
    page._start.click()
    page._start.click()
    assert len(clients.assistant.jobs) == 1
    page._stop.click()
    assert clients.assistant.cancelled == clients.assistant.jobs
    clients.assistant.deliver(clients.assistant.jobs[0], Stopped(""))
    assert page._start.isEnabled()
    page._start.click()
    failure = Failed("", "ModelMissing", "The model is missing.", "Fetch it.")
    clients.assistant.deliver(clients.assistant.jobs[1], failure)
    assert "Fetch it." in page._facts.text()


def test_drafts_wait_while_another_meeting_is_open(drafted, opened, meeting, library_dir, qtbot):
    import window_fakes as fakes

    other = fakes.fill(library_dir, count=8, title="Other")
    drafted._cards[0].accept.click()
    for meeting_id, n_cards in ((other.id, 0), (meeting.id, 2)):
        with qtbot.waitSignal(opened.session.opened):
            opened.session.open(meeting_id)
        assert len(drafted._cards) == n_cards
    assert drafted._cards[0].draft.review is Review.ACCEPTED
