"""Reading, hearing and correcting the open meeting."""

import shutil

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from engine.graph import edits
from engine.graph.store import Store
from engine.messages import Edit, Finished, HearAgain, Partial, Stored
from engine.types_answer import Citation
from gui.content import load


def requests(client, kind):
    return [request for request in client.requests if isinstance(request, kind)]


def click_row(view, row, offset):
    rect = view.visualRect(view.model().index(row, 0))
    origin = view._row(row).text_origin().toPoint()
    point = rect.topLeft() + origin + offset
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def test_the_transcript_is_shown_with_its_speakers(opened, spoken):
    model = opened.window.parts.meeting.transcript.model
    assert model.rowCount() == len(spoken)
    index = model.index(0, 0)
    assert index.data() == spoken[0].text
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith(spoken[0].speaker)


def test_the_model_keeps_qts_rules(opened, qtmodeltester):
    qtmodeltester.check(opened.window.parts.meeting.transcript.model, force_py=True)
    qtmodeltester.check(opened.window.parts.library.model, force_py=True)


def test_a_plain_click_on_a_word_plays_from_it(opened, spoken, qtbot):
    """Field report H7."""
    page = opened.window.parts.meeting.transcript
    qtbot.waitUntil(lambda: bool(opened.session.words(0)))
    with qtbot.waitSignal(page.play_requested) as signal:
        click_row(page.view, 0, QPoint(2, 6))
    assert abs(signal.args[0] - spoken[0].words[0].start) < 0.05
    assert opened.player.is_playing


def test_a_click_on_the_time_plays_just_the_utterance(opened, spoken, qtbot):
    page = opened.window.parts.meeting.transcript
    with qtbot.waitSignal(page.play_requested) as signal:
        click_row(page.view, 1, QPoint(-60, 6))
    assert signal.args == [spoken[1].start, spoken[1].end]


def test_return_plays_and_f2_edits(opened, clients, qtbot):
    page = opened.window.parts.meeting.transcript
    page.show_row(2)
    with qtbot.waitSignal(page.play_requested):
        QTest.keyClick(page.view, Qt.Key.Key_Return)
    opened.window.parts.actions["edit_text"].trigger()
    editor = page.view.indexWidget(page.view.currentIndex()) or page.view.focusWidget()
    assert editor is not None


def test_an_edit_is_shown_at_once_and_sent_to_the_clerk(opened, clients, meeting):
    page = opened.window.parts.meeting.transcript
    assert page.model.setData(page.model.index(3, 0), "  Something else was said.  ")
    assert page.model.utterances[3].text == "Something else was said."
    (edit,) = requests(clients.clerk, Edit)
    assert (edit.meeting_id, edit.operation) == (meeting.id, "edit_text")
    assert edit.arguments == {"index": 3, "text": "Something else was said."}


def test_an_edited_line_keeps_its_times_and_sound_when_the_library_moves(
    library_dir, meeting, spoken, tmp_path
):
    """Field report H9."""
    with Store(library_dir) as store:
        edits.edit_text(store, meeting.id, 2, "What exactly worries you most?")
    moved = tmp_path / "another disk" / "library"
    moved.parent.mkdir()
    shutil.move(library_dir, moved)
    with Store(moved, read_only=True) as store:
        content = load(store, meeting.id)
        edited = store.utterances(meeting.id, with_words=True)[2]
    assert content.audio_path.is_file()
    assert content.audio_path.is_relative_to(moved)
    assert [(w.start, w.end) for w in edited.words[:3]] == [
        (w.start, w.end) for w in spoken[2].words[:3]
    ]
    assert (edited.start, edited.end) == (spoken[2].start, spoken[2].end)


def test_a_refused_edit_is_taken_back(opened, clients, spoken, qtbot):
    page = opened.window.parts.meeting.transcript
    page.model.setData(page.model.index(3, 0), "Wrong")
    with qtbot.waitSignal(opened.session.refreshed):
        from engine.messages import Failed

        clients.clerk.deliver(clients.clerk.jobs[-1], Failed("", "StoreError", "Locked.", "Wait."))
    assert page.model.utterances[3].text == spoken[3].text
    assert opened.window.parts.banner.text() == "Locked."


def test_undo_and_redo_go_to_the_clerk(opened, clients):
    for key in ("undo", "redo"):
        opened.window.parts.actions[key].trigger()
    assert [edit.operation for edit in requests(clients.clerk, Edit)] == ["undo", "redo"]


def test_find_marks_and_replace_asks(opened, clients, spoken):
    page = opened.window.parts.meeting.transcript
    opened.window.parts.actions["find"].trigger()
    page.find_bar._find.setText("ARCHIVE")
    hits = [u.index for u in spoken if "archive" in u.text.lower()]
    assert page.find_bar._rows == hits
    page.find_bar.step(1)
    assert page.view.currentIndex().row() == hits[0]
    at = spoken[hits[0]].text.lower().index("archive")
    assert page.find_bar.matches(hits[0])[0] == (at, 7)
    page.find_bar._replace.setText("attic")
    page.find_bar._replace_all.click()
    (edit,) = requests(clients.clerk, Edit)
    assert edit.arguments == {"find": "ARCHIVE", "replacement": "attic"}


def test_following_scrolls_but_never_moves_the_player(opened, spoken, qtbot, monkeypatch):
    """Field report H3."""
    parts, player = opened.window.parts, opened.player
    player.play(0.0)
    moves = []
    monkeypatch.setattr(player, "seek", lambda *a: moves.append(a))
    monkeypatch.setattr(player, "play", lambda *a: moves.append(a))
    rng = np.random.default_rng(4)
    for position in rng.uniform(0, spoken[-1].end, 40):
        parts.meeting.transcript.follow(float(position), is_scrolled=True)
        row = opened.session.utterance_at(float(position))
        assert row < 0 or parts.meeting.transcript.view.is_visible(row)
    assert moves == []


def test_scrolling_by_hand_ends_following_while_playing(opened):
    meeting = opened.window.parts.meeting
    opened.player.play(0.0)
    meeting.transcript.view.user_scrolled.emit()
    assert not meeting.transport.follows


def test_the_word_heard_is_the_word_marked(opened, spoken, qtbot):
    page = opened.window.parts.meeting.transcript
    qtbot.waitUntil(lambda: bool(opened.session.words(5)))
    word = spoken[5].words[3]
    page.follow((word.start + word.end) / 2, is_scrolled=False)
    start, count = page._word
    assert spoken[5].text[start : start + count] == word.text


def test_a_citation_scrolls_pins_and_plays_exactly_its_utterance(opened, meeting, spoken, qtbot):
    parts = opened.window.parts
    cited = min(spoken[30:], key=lambda u: u.end - u.start)
    row = cited.index
    citation = Citation(meeting.id, row, cited.start, cited.end, cited.speaker, cited.text)
    parts.ask.citations_shown.emit([citation])
    parts.ask.citation_chosen.emit(citation)
    assert parts.meeting.transcript.view.is_visible(row)
    assert opened.player.is_playing
    assert abs(opened.player.position - cited.start) < 0.05
    with qtbot.waitSignal(opened.player.span_finished, timeout=20_000):
        pass
    assert abs(opened.player.position - cited.end) < 0.05
    assert row in parts.meeting.transcript._cited


def test_a_citation_of_another_meeting_opens_it_first(opened, library_dir, spoken, qtbot):
    import window_fakes as fakes

    other = fakes.fill(library_dir, count=8, title="Another")
    citation = Citation(other.id, 2, spoken[2].start, spoken[2].end, "x", "y")
    with qtbot.waitSignal(opened.session.opened):
        opened.window.parts.ask.citation_chosen.emit(citation)
    assert opened.session.meeting_id == other.id
    assert opened.player.is_playing


def test_names_and_merges_are_edits(opened, clients, dialogs):
    dialogs.replies = ["Ada"]
    page = opened.window.parts.speakers
    speaker = opened.session.content.speakers[0]
    page._rename(speaker)
    (edit,) = requests(clients.clerk, Edit)
    assert edit.operation == "rename_speaker"
    assert edit.arguments == {"speaker_id": speaker.id, "name": "Ada"}


def test_a_finished_edit_is_read_again(opened, clients, library_dir, meeting, qtbot):

    opened.session.edit("edit_text", index=0, text="A new beginning.")
    with Store(library_dir) as store:
        edits.apply(store, meeting.id, "edit_text", {"index": 0, "text": "A new beginning."})
    with qtbot.waitSignal(opened.session.refreshed):
        clients.clerk.deliver(clients.clerk.jobs[-1], Partial("", Stored(None)))
    assert opened.window.parts.meeting.transcript.model.utterances[0].is_edited


def test_an_edit_does_not_wait_until_the_search_knows_the_one_before(opened, clients):
    first = opened.session.edit("edit_text", index=0, text="One.")
    second = opened.session.edit("edit_text", index=1, text="Two.")
    assert clients.clerk.cancelled == []  # it may not be stored yet
    clients.clerk.deliver(first, Partial("", Stored(None)))
    clients.clerk.deliver(first, Finished("", None))
    clients.clerk.deliver(second, Partial("", Stored(None)))
    opened.session.edit("edit_text", index=2, text="Three.")
    assert clients.clerk.cancelled == [second]


def test_bookmarks_are_edits_at_the_position(opened, clients, dialogs):
    dialogs.replies = ["Look here"]
    opened.player.seek(12.5)
    opened.window.parts.actions["bookmark"].trigger()
    (edit,) = requests(clients.clerk, Edit)
    assert edit.arguments == {"at": 12.5, "text": "Look here"}


def test_the_waveform_seeks_zooms_and_knows_its_marks(opened, qtbot):
    waveform = opened.window.parts.meeting.waveform
    with qtbot.waitSignal(waveform.seek_requested) as signal:
        QTest.mouseClick(
            waveform,
            Qt.MouseButton.LeftButton,
            pos=QPoint(waveform.width() // 2, waveform.height() // 2),
        )
    middle = opened.session.content.meeting.duration / 2
    assert abs(signal.args[0] - middle) < 1
    waveform.zoom(4, middle)
    start, end = waveform.view
    assert abs((end - start) * 4 - 2 * middle) < 1
    assert start < middle < end
    kinds = {mark.kind for mark in waveform._marks}
    assert {"topic", "event", "gap", "bookmark"} <= kinds


def test_a_click_on_a_gap_plays_it_and_has_it_heard_again(opened, clients, meeting):
    page = opened.window.parts.meeting
    gap = next(mark for mark in page.waveform._marks if mark.kind == "gap")
    page.waveform.mark_clicked.emit(gap)
    assert opened.player.is_playing
    (request,) = requests(clients.analysis, HearAgain)
    assert (request.meeting_id, request.start, request.end) == (meeting.id, gap.start, gap.end)
    clients.analysis.deliver(clients.analysis.jobs[-1], Finished("", 3))
    assert opened.window.parts.banner.text() == "3 words were found in the gap."
    opened.window.parts.actions["gaps"].trigger()
    assert len(requests(clients.analysis, HearAgain)) == 2
