"""Minutes: corrected in place, added to, copied, and written again without losing corrections."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from engine import paths
from engine.graph import edits
from engine.graph.store import Store
from engine.messages import Edit, Enrich, Finished, Progressed
from engine.progress import Progress
from gui import minutes_forms
from gui.translation import TsTranslator
from gui.widgets.basics import Choice, Label


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


def test_writing_again_runs_the_steps_that_are_done(opened, clients):
    """A step that is done would otherwise be passed over, and nothing would be written."""
    opened.window.parts.actions["summarise"].trigger()
    (request,) = [r for r in clients.analysis.requests if isinstance(r, Enrich)]
    assert set(request.steps) == {"topics", "commitments", "summary", "profiles"}


def headings(page):
    return [label.text() for label in page._inner.findChildren(Label) if label.isVisible()]


def choose(page, title):
    (choice,) = [c for c in page._inner.findChildren(Choice) if c.isVisible()]
    choice.setCurrentIndex(choice.findText(title))
    choice.activated.emit(choice.currentIndex())


def test_a_form_decides_what_is_shown_copied_and_written(page, clients, opened, qtbot):
    choose(page, "Decisions only")
    qtbot.waitUntil(lambda: "Action items" not in headings(page))
    assert {card.note.kind for card in page._cards} == {"decision"}
    page.copy()
    assert "Book the trains." not in QGuiApplication.clipboard().text()
    page.write()
    assert clients.analysis.requests[-1].steps == ("commitments",)


def test_a_stand_up_puts_together_what_each_person_does(page, qtbot):
    choose(page, "Stand-up")
    qtbot.waitUntil(lambda: "Jonas" in headings(page))
    assert [card.note.owner for card in page._cards if card.note.kind == "action"] == [
        "Jonas",
        "Priya",
    ]
    assert "What exactly worries you?" in headings(page)


def test_a_form_of_ones_own_is_a_file_and_stays_chosen(page, opened, qtbot):
    choose(page, "A form of your own…")
    (path,) = minutes_forms.own_dir().glob("*.toml")
    text = path.read_text("utf-8").replace("Action items", "To do")
    path.write_text(text, "utf-8")
    opened.window.tabs.setCurrentWidget(opened.window.parts.ask)
    opened.window.tabs.setCurrentWidget(page)
    qtbot.waitUntil(lambda: "To do" in headings(page))
    assert page._form.path == path


def test_a_file_that_is_no_form_is_told_and_the_others_are_there(page, opened):
    minutes_forms.own_dir().mkdir(parents=True)
    (minutes_forms.own_dir() / "bad.toml").write_text('title = "x"\n[[section]]\nshows = ["moon"]')
    opened.window.tabs.setCurrentWidget(opened.window.parts.ask)
    opened.window.tabs.setCurrentWidget(page)
    assert opened.window.parts.banner.isVisible()
    assert len(page._forms) == 4


def test_our_forms_can_be_read_and_speak_czech():
    found, problems = minutes_forms.forms()
    assert not problems
    assert found[0].steps == ("topics", "commitments", "summary")
    czech = TsTranslator(paths.resource("i18n/earwitness_cs.ts"))
    for form in found:
        for title in (form.title, *(section.title for section in form.sections)):
            assert czech.translate("minutes", title), title


def test_it_shows_how_far_the_writing_is(page, clients, opened, qtbot):
    page.write()
    job = clients.analysis.jobs[-1]
    clients.analysis.deliver(job, Progressed("", Progress("topics", 0.4)))
    assert page._bar.value() == 400
    assert page._stage.text() == "Writing the minutes: topics, 40%"
    with qtbot.waitSignal(opened.session.refreshed):
        job.partial.emit("topics")
    clients.analysis.deliver(job, Progressed("", Progress("summary", 0.0)))
    assert page._bar.value() == 0
    clients.analysis.deliver(job, Finished("", ("topics",)))
    assert page._bar is None


def test_steps_that_are_not_read_here_show_nothing(page, opened):
    opened.writer.progressed.emit(opened.session.meeting_id, Progress("semantic roles", 0.4))
    assert page._bar is None
