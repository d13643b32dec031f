"""Minutes: corrected in place, added to, copied, and written again without losing corrections."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from engine.graph import edits
from engine.graph.store import Store
from engine.messages import Edit, Enrich


@pytest.fixture
def page(opened):
    opened.window.tabs.setCurrentWidget(opened.window.parts.minutes)
    return opened.window.parts.minutes


def card_of(page, text):
    return next(card for card in page._cards if card.note.text == text)


def test_a_note_is_corrected_where_it_stands(page, clients):
    card = card_of(page, "Book the trains.")
    card.edit()
    card._fields["text"].setPlainText("Book the night trains.")
    card._fields["due"].setText("Tuesday")
    QTest.keyClick(card._fields["due"], Qt.Key.Key_Return)
    (edit,) = [r for r in clients.clerk.requests if isinstance(r, Edit)]
    assert edit.operation == "change_note"
    assert edit.arguments == {
        "note_id": card.note.id,
        "text": "Book the night trains.",
        "due": "Tuesday",
    }


def test_escape_and_an_emptied_text_change_nothing(page, clients):
    card = card_of(page, "Book the trains.")
    card.edit()
    QTest.keyClicks(card._fields["text"], "more")
    QTest.keyClick(card._fields["text"], Qt.Key.Key_Escape)
    card.edit()
    card._fields["text"].clear()
    QTest.keyClick(card._fields["text"], Qt.Key.Key_Return)
    assert not [r for r in clients.clerk.requests if isinstance(r, Edit)]


def test_a_refresh_waits_for_somebody_who_writes(page, opened, library_dir, qtbot):
    card = card_of(page, "Book the trains.")
    card.edit()
    with Store(library_dir) as store:
        edits.add_note(store, opened.session.meeting_id, "decision", "We go by rail.")
    with qtbot.waitSignal(opened.session.refreshed):
        opened.session.refresh()
    assert card.is_editing
    card._close()
    assert card_of(page, "We go by rail.")


def test_a_note_is_removed_and_added(page, clients, dialogs):
    page.add_requested.emit("action")
    dialogs.replies = ["Call the venue"]
    page.add_requested.emit("action")
    added = clients.clerk.requests[-1]
    assert (added.operation, added.arguments["kind"]) == ("add_note", "action")
    assert added.arguments["text"] == "Call the venue"
    card = card_of(page, "Book the trains.")
    card.removed.emit(card.note)
    assert clients.clerk.requests[-1].operation == "remove_note"


def test_the_minutes_are_copied_as_text(page):
    page.copy()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("Autumn release planning\n\nSummary\n- ")
    assert "Book the trains. (Jonas, Wednesday)" in text
    assert "Topics\n- [0:00] Autumn budget" in text


def test_writing_again_runs_the_steps_that_are_done(page, clients):
    """A step that is done would otherwise be passed over, and nothing would be written."""
    page.write_requested.emit()
    (request,) = [r for r in clients.analysis.requests if isinstance(r, Enrich)]
    assert set(request.steps) == {"topics", "commitments", "summary", "profiles"}
