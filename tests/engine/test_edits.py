from dataclasses import replace

import pytest

from engine.errors import MeetingNotFound, StoreError
from engine.graph import edits, journal, versions
from engine.graph.search import keyword_search
from engine.graph.store import Store
from engine.types import Acoustics, Edge, Note, Relation, Utterance, Word


def line(start, end, speaker_id, text):
    words = text.split()
    step = (end - start) / max(1, len(words))
    return Utterance(
        0, start, end, "", text, speaker_id,
        tuple(Word(start + i * step, start + (i + 1) * step, w) for i, w in enumerate(words)),
    )  # fmt: skip


LINES = [
    line(0.0, 4.0, 0, "We must decide the budget today"),
    line(4.2, 6.0, 1, "I would say forty thousand euros"),
    line(6.1, 7.0, 0, "Agreed then"),
    line(7.5, 9.0, 2, "Not by me"),
]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


@pytest.fixture
def m(store):
    meeting = store.create_meeting("Weekly")
    store.save_utterances(meeting.id, LINES)
    return meeting.id


def state(store, m):
    """Everything an edit may change, without the journal."""
    tables = [
        "utterances",
        "speakers",
        "words",
        "acoustics",
        "edges",
        "notes",
        "mentions",
        "entities",
    ]
    rows = {t: store.rows(f"SELECT * FROM {t} ORDER BY 1, 2") for t in tables}
    return rows, store.meeting(m)


def texts(store, m):
    return [u.text for u in store.utterances(m)]


EDITS = [
    ("rename_speaker", lambda ids: {"speaker_id": ids[0], "name": "Ann"}),
    ("edit_text", lambda ids: {"index": 1, "text": "I'd say fifty thousand euros"}),
    ("replace_text", lambda ids: {"find": "e", "replacement": "3"}),
    ("merge_speakers", lambda ids: {"source_id": ids[2], "target_id": ids[0]}),
    ("reassign", lambda ids: {"index": 3, "speaker_id": 0}),
    ("reassign", lambda ids: {"index": 1, "speaker_id": ids[0]}),
    ("split_utterance", lambda ids: {"index": 1, "word": 3}),
    ("merge_utterances", lambda ids: {"index": 1}),
    ("add_bookmark", lambda ids: {"at": 4.5, "text": "here"}),
    ("add_note", lambda ids: {"kind": "decision", "text": "40k"}),
    ("rename_meeting", lambda ids: {"title": "Other"}),
    ("set_tags", lambda ids: {"tags": ["a", "a", " b "]}),
]


@pytest.mark.parametrize(("operation", "arguments"), EDITS)
def test_every_edit_can_be_undone_and_redone(store, m, operation, arguments):
    store.save_acoustics(m, [Acoustics(-20.0)] * 4)
    store.save_edges(m, [Edge(2, 1, Relation.REPLY_TO), Edge(3, 2, Relation.REPLY_TO)])
    store.save_entities(m, {"budget": [0, 2]})
    store.add_note(m, Note("decision", "x", utterances=(1, 2, 3)))
    ids = [s.id for s in store.speakers(m)]
    before = state(store, m)
    edits.apply(store, m, operation, arguments(ids))
    after = state(store, m)
    assert after != before
    assert journal.pending(store, m) == (operation, "")
    assert edits.undo(store, m) == operation
    assert state(store, m) == before
    assert edits.redo(store, m) == operation
    assert state(store, m) == after
    assert edits.redo(store, m) == ""


def test_a_chain_of_edits_is_taken_back_to_the_start(store, m):
    ids = [s.id for s in store.speakers(m)]
    before = state(store, m)
    for operation, arguments in EDITS:
        if operation != "merge_speakers":
            edits.apply(store, m, operation, arguments(ids))
    while edits.undo(store, m):
        pass
    assert state(store, m) == before
    assert [u.index for u in store.utterances(m)] == [0, 1, 2, 3]


def test_a_new_edit_forgets_what_was_undone(store, m):
    edits.rename_meeting(store, m, "A")
    edits.undo(store, m)
    edits.rename_meeting(store, m, "B")
    assert edits.redo(store, m) == ""
    assert store.meeting(m).title == "B"


def test_corrected_text_keeps_times_and_is_found(store, m):
    edits.edit_text(store, m, 1, "I would say about fifty euros")
    utterance = store.utterance(m, 1)
    assert utterance.is_edited
    assert [w.text for w in utterance.words] == ["I", "would", "say", "about", "fifty", "euros"]
    heard = {w.text: w for w in LINES[1].words}
    assert utterance.words[2].start == pytest.approx(heard["say"].start, abs=0.001)
    assert utterance.words[-1].end == pytest.approx(heard["euros"].end, abs=0.001)
    assert keyword_search(store, [m], "fifty", 5)
    assert not keyword_search(store, [m], "forty", 5)
    edits.edit_text(store, m, 1, LINES[1].text)
    assert not store.utterance(m, 1).is_edited


def test_splitting_cuts_between_words(store, m):
    edits.split_utterance(store, m, 1, 3)
    first, second = store.utterances(m, with_words=True)[1:3]
    assert (first.text, second.text) == ("I would say", "forty thousand euros")
    assert first.end == second.start == pytest.approx(LINES[1].words[3].start)
    assert [w.text for w in second.words] == ["forty", "thousand", "euros"]
    assert store.meeting(m).n_utterances == 5
    edits.merge_utterances(store, m, 1)
    assert store.utterance(m, 1).text == LINES[1].text


def test_splitting_without_word_times(store):
    meeting = store.create_meeting("Imported")
    store.save_utterances(meeting.id, [Utterance(0, 0, 10, "Ann", "one two three four")])
    edits.split_utterance(store, meeting.id, 0, 2)
    assert store.utterances(meeting.id)[0].end == pytest.approx(4.2, abs=0.5)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("rename_speaker", {"speaker_id": 99, "name": "x"}),
        ("rename_speaker", {"speaker_id": 1, "name": "  "}),
        ("edit_text", {"index": 99, "text": "x"}),
        ("edit_text", {"wrong": 1}),
        ("split_utterance", {"index": 0, "word": 0}),
        ("split_utterance", {"index": 0, "word": 99}),
        ("merge_utterances", {"index": 3}),
        ("merge_speakers", {"source_id": 1, "target_id": 1}),
        ("replace_text", {"find": " ", "replacement": "x"}),
        ("rename_meeting", {"title": ""}),
        ("delete_meeting", {}),
        ("__import__", {}),
    ],
)
def test_impossible_edits_are_refused(store, m, operation, arguments):
    before = state(store, m)
    with pytest.raises(StoreError):
        edits.apply(store, m, operation, arguments)
    assert state(store, m) == before


def test_an_unknown_meeting_is_refused(store):
    with pytest.raises(MeetingNotFound):
        edits.rename_meeting(store, "mffffffff", "x")


def test_speakers_of_another_meeting_cannot_be_taken(store, m):
    other = store.create_meeting("Other")
    store.save_utterances(other.id, LINES)
    stranger = store.speakers(other.id)[0].id
    with pytest.raises(StoreError):
        edits.reassign(store, m, 0, stranger)


HEARD_AGAIN = [
    line(0.1, 2.0, 5, "He must decide"),
    line(2.0, 4.0, 5, "a budget two day"),
    line(4.3, 6.0, 4, "I would see forty thousand heroes"),
    line(6.1, 9.0, 5, "Agreed then not by me"),
]


def test_corrections_survive_a_worse_hearing(store, m):
    """D6: a second pass that got it wrong takes nothing from the user, and can be compared."""
    ids = [s.id for s in store.speakers(m)]
    edits.rename_speaker(store, m, ids[0], "Ann")
    edits.rename_speaker(store, m, ids[1], "Bob")
    edits.edit_text(store, m, 0, "We must decide the budget today, all of us")
    edits.reassign(store, m, 3, ids[1])
    store.save_utterances(m, HEARD_AGAIN, "a bad model")
    now = [(u.speaker, u.text, u.is_edited) for u in store.utterances(m)]
    assert now == [
        ("Ann", "We must decide the budget today, all of us", True),
        ("Bob", "I would see forty thousand heroes", False),
        ("Ann", "Agreed then", False),
        ("Bob", "not by me", False),
    ]
    (version,) = versions.versions(store, m)
    assert version.label == "a bad model"
    changed = versions.difference(store, m, version.id)
    assert any("euros" in then and "heroes" in text for _, _, then, text in changed)
    versions.restore(store, m, version.id)
    assert texts(store, m)[1] == LINES[1].text
    assert [u.speaker for u in store.utterances(m)] == ["Ann", "Bob", "Ann", "Bob"]


def test_merged_speakers_stay_merged(store, m):
    ids = [s.id for s in store.speakers(m)]
    edits.rename_speaker(store, m, ids[0], "Ann")
    edits.merge_speakers(store, m, ids[2], ids[0])
    store.save_utterances(m, LINES)
    assert [u.speaker for u in store.utterances(m)] == ["Ann", "Speaker 2", "Ann", "Ann"]


def test_a_correction_inside_a_longer_utterance_replaces_only_its_time(store, m):
    edits.edit_text(store, m, 2, "Disagreed then")
    store.save_utterances(m, [*LINES[:2], line(6.1, 9.0, 0, "Agreed then no not by me")])
    text = store.utterance(m, 2).text
    assert text.startswith("Disagreed then")
    assert text.endswith("by me")


def test_a_correction_where_nothing_is_heard_now_is_kept(store, m):
    edits.edit_text(store, m, 3, "Not by me, ever")
    store.save_utterances(m, LINES[:3])
    assert texts(store, m)[3] == "Not by me, ever"


def test_bookmarks_stay_where_they_were_put(store, m):
    edits.add_bookmark(store, m, 4.5, "sum")
    store.save_utterances(m, HEARD_AGAIN)
    (bookmark,) = store.notes(m, "bookmark")
    assert (bookmark.start, bookmark.utterances) == (4.5, (2,))


def test_user_notes_survive_new_enrichment(store, m):
    edits.add_note(store, m, "decision", "mine")
    store.save_notes(m, "decision", [Note("decision", "theirs", source="model")])
    key = next(n.id for n in store.notes(m) if n.text == "theirs")
    edits.change_note(store, m, key, text="theirs, corrected")
    store.save_notes(m, "decision", [Note("decision", "new", source="model")])
    assert {n.text for n in store.notes(m)} == {"mine", "theirs, corrected", "new"}


def test_a_changed_note_is_not_written_a_second_time(store, m):
    found = Note("action", "Buy a pump", 3.0, 5.0, utterances=(1,), source="model")
    store.save_notes(m, "action", [found])
    edits.change_note(store, m, store.notes(m)[0].id, text="Buy two pumps")
    store.save_notes(m, "action", [found, Note("action", "Sell it", 9.0, 9.5, utterances=(2,))])
    assert [n.text for n in store.notes(m)] == ["Buy two pumps", "Sell it"]


def test_a_removed_note_does_not_come_back_unless_it_is_undone(store, m):
    found = Note("action", "Buy a pump", 3.0, 5.0, utterances=(1,), source="model")
    other = Note("action", "Sell it", 9.0, 9.5, utterances=(2,), source="model")
    store.save_notes(m, "action", [found, other])
    edits.remove_note(store, m, store.notes(m)[0].id)
    store.save_notes(m, "action", [found, other])
    assert [n.text for n in store.notes(m)] == ["Sell it"]
    store.save_notes(m, "decision", [Note("decision", "A pump", 3.0, 5.0, utterances=(1,))])
    assert len(store.notes(m, "decision")) == 1
    edits.undo(store, m)
    store.save_notes(m, "action", [found, other])
    assert [n.text for n in store.notes(m, "action")] == ["Buy a pump", "Sell it"]


def test_a_removed_note_stays_away_when_the_meeting_is_heard_again(store, m):
    note = Note("action", "Forty thousand", 4.2, 6.0, utterances=(1,), source="model")
    store.save_notes(m, "action", [note])
    edits.remove_note(store, m, store.notes(m)[0].id)
    # Heard again, one line is two: what was line 1 is now line 2.
    first, *rest = LINES
    halves = [line(0.0, 2.0, 0, "We must decide"), line(2.1, 4.0, 0, "the budget today")]
    store.save_utterances(m, [*halves, *rest])
    assert edits.undo(store, m) == ""
    another = replace(note, text="The budget", start=2.1, end=4.0, utterances=(1,))
    store.save_notes(m, "action", [replace(note, utterances=(2,)), another])
    assert [found.text for found in store.notes(m)] == ["The budget"]
    store.save_utterances(m, [first, *rest])
    store.save_notes(m, "action", [note])
    assert "Forty thousand" not in [found.text for found in store.notes(m)]


def test_a_note_the_user_wrote_and_removed_keeps_nothing_away(store, m):
    key = edits.add_note(store, m, "action", "Mine", 3.0)
    edits.remove_note(store, m, key)
    store.save_notes(m, "action", [Note("action", "Theirs", 3.0, 3.0, source="model")])
    assert [n.text for n in store.notes(m)] == ["Theirs"]
