"""What was half-written when the window went away is there again."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from engine.graph import edits
from engine.graph.store import Store
from engine.settings import Settings
from gui import kept
from gui.app import App
from gui.drafts import Drafts


def editor_of(app):
    view = app.window.parts.meeting.transcript.view
    return next(iter(view.viewport().findChildren(QPlainTextEdit)), None)


@pytest.fixture
def begun(opened):
    """A line that is being edited: a draft of it is kept."""
    transcript = opened.window.parts.meeting.transcript
    transcript.show_row(3)
    transcript.edit_current()
    editor_of(opened).setPlainText("The hosting bill, half-")
    return opened


@pytest.fixture
def again(clients, library_dir, qtbot, running):
    """Starts the application a second time on what the first one wrote."""
    made = []

    def start():
        running.drafts._save()  # as after a second, or when it is closed
        made.append(App(library_dir, clients, Settings(theme="light")))
        return made[0]

    yield start
    for app in made:
        app.close()
        app.window.deleteLater()


def test_a_half_typed_question_is_there_again(running, again):
    QTest.keyClicks(running.window.parts.ask._field, "Why was the ")
    assert again().window.parts.ask._field.text() == "Why was the "


def test_a_question_that_was_sent_is_no_draft(opened, again):
    page = opened.window.parts.ask
    QTest.keyClicks(page._field, "Why?")
    QTest.keyClick(page._field, Qt.Key.Key_Return)
    assert again().window.parts.ask._field.text() == ""


def test_a_half_edited_line_is_opened_again(begun, again, qtbot):
    app = again()
    app.window.show()
    with qtbot.waitSignal(app.session.opened, timeout=60_000):
        app.session.open(begun.session.meeting_id)
    assert editor_of(app).toPlainText() == "The hosting bill, half-"


def test_a_line_that_says_something_else_now_is_left_alone(begun, again, library_dir, qtbot):
    with Store(library_dir) as store:
        edits.edit_text(store, begun.session.meeting_id, 3, "Said otherwise.")
    app = again()
    with qtbot.waitSignal(app.session.opened, timeout=60_000):
        app.session.open(begun.session.meeting_id)
    assert editor_of(app) is None


def test_an_edit_that_ended_leaves_no_draft(begun):
    QTest.keyClick(editor_of(begun), Qt.Key.Key_Escape)
    assert begun.drafts.get(begun.session.meeting_id, "line") is None


def test_a_deleted_meeting_leaves_no_draft(begun, library_dir):
    begun.window.parts.meetings.meeting_deleted.emit(begun.session.meeting_id)
    assert "half-" not in (library_dir / "drafts.json").read_text("utf-8")


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"": 3}'])
def test_an_unreadable_file_is_as_good_as_none(tmp_path, qapp, content):
    path = tmp_path / "drafts.json"
    path.write_text(content)
    drafts = Drafts(path)
    assert drafts.get("", "question") is None
    drafts.keep("", "question", "x")
    drafts.close()
    assert kept.read(path) == {"": {"question": "x"}}
