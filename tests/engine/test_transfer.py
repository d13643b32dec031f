"""Copying meetings between libraries: everything arrives, or nothing does."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Cancelled, MeetingNotFound, StoreError
from engine.graph import transfer
from engine.graph.ownership import owned_tables, schema
from engine.graph.removal import OWNED_TABLES
from engine.graph.store import Store
from engine.progress import Report
from engine.types import (
    Acoustics,
    Edge,
    Event,
    Note,
    Relation,
    Span,
    StageRecord,
    Topic,
    Turn,
    Utterance,
    Word,
)
from engine.types_answer import Answer, Citation, Receipt, Sentence, TraceEvent, Verdict
from engine.types_seconds import Seconds

# Packed columns that hold no keys: times, words, positions and numbers only.
PLAIN_COLUMNS = {
    ("meetings", "tags"),
    ("stages", "details"),
    ("words", "words"),
    ("notes", "utterances"),
    ("answers", "ratings"),
    ("voiceprints", "vector"),
    ("vectors", "data"),
    ("seconds", "data"),
    ("versions", "payload"),
}
PACKED = re.compile(
    r"payload|details|words|owners|data|vector|tags|utterances|changes|ratings|json"
)


def answer_about(meeting_ids, cited):
    quote = Sentence("Forty.", (Citation(cited, 1, 4.2, 6.0, "Bo", "forty"),))
    return Answer(
        "How much?", "Forty.", (quote,), Verdict(5, is_verified=True), False, "agent", Receipt(),
        (TraceEvent("evidence", 1, {"meeting": cited}),), meeting_ids,
    )  # fmt: skip


def fill(store, title="Budget"):
    meeting = store.create_meeting(title, "budget.wav")
    key = meeting.id
    store.save_spans(key, [Span(0, 4), Span(4.2, 6)])
    store.save_words(key, [Word(0, 1, "We", 0.9)])
    store.save_turns(key, [Turn(0, 4, 0), Turn(4.2, 6, 1)])
    store.save_utterances(
        key,
        [
            Utterance(0, 0, 4, "", "We decide the budget", 0, (Word(0, 1, "We"),)),
            Utterance(1, 4.2, 6, "Bo", "Forty thousand", 1, (Word(4.2, 5, "Forty"),)),
            Utterance(2, 6.1, 7, "", "Agreed", 0),
        ],
    )
    store.save_acoustics(key, [Acoustics(-20.0), Acoustics(-22.0), None])
    store.save_seconds(key, Seconds(*np.full((5, 7), 0.5, np.float32)))
    store.save_events(key, [Event(2, 3, "laughter")])
    store.save_edges(key, [Edge(1, 0, Relation.REPLY_TO), Edge(2, 1, Relation.REPLY_TO)])
    store.save_entities(key, {("budget", "thing"): [0], "forty": [1, 2]})
    store.save_vectors(key, "utterance", "minilm", np.eye(3, 4, dtype=np.float32))
    store.save_expansions(key, {1: ["How much money?"]})
    store.save_roles(key, {1: ["Bo says forty"]})
    store.save_topics(key, [Topic("Money", 0, 7)])
    store.save_notes(key, "decision", [Note("decision", "Forty", 4.2, 6, utterances=(1,))])
    store.record_stage(key, StageRecord("decode", 1.0, 0.0, {"file": "audio.flac"}))
    store.save_answer(answer_about((key,), key), store.create_chat("Money"))
    (store.media_dir(key) / "audio.flac").write_bytes(b"sound" * 1000)
    (store.media_dir(key) / "peaks.npy").write_bytes(b"peaks")
    return key


@pytest.fixture
def libraries(tmp_path):
    with Store(tmp_path / "from") as source, Store(tmp_path / "to") as target:
        # so that no key means the same in both
        source.delete_meeting(fill(source, "gone"))
        yield source, target


def content(store, key):
    meeting = store.meeting(key)
    return {
        "title": meeting.title,
        "created": meeting.created,
        "n": (meeting.n_utterances, meeting.n_speakers, store.revision(key)),
        "spans": store.spans(key),
        "words": store.words(key),
        "turns": store.turns(key),
        "said": [
            (u.index, u.start, u.speaker, u.text, u.words, u.acoustics)
            for u in store.utterances(key, with_words=True)
        ],
        "speakers": [(s.name, s.colour, s.is_named) for s in store.speakers(key)],
        "events": store.events(key),
        "edges": store.edges(key),
        "entities": store.entities(key),
        "vectors": store.vectors(key, "utterance").tolist(),
        "expansions": store.expansions(key),
        "roles": store.roles(key),
        "topics": store.topics(key),
        "notes": [(n.kind, n.text, n.utterances) for n in store.notes(key)],
        "stages": store.finished_stages(key),
        "files": {
            p.name: p.read_bytes() for p in (store.library_dir / "media" / key).iterdir()
        },
    }  # fmt: skip


def is_empty(store):
    media = store.library_dir / "media"
    tables = [
        name
        for name in owned_tables(store.connection)
        if store.value(f"SELECT count(*) FROM {name}")
    ]
    return not tables and not (media.exists() and list(media.iterdir()))


def test_everything_arrives_and_the_source_keeps_it(libraries):
    source, target = libraries
    fill(target, "already there")
    key = fill(source)
    before = content(source, key)
    copied = transfer.copy_meeting(source, target, key)
    assert content(target, copied.meeting_id) == content(source, key) == before
    assert copied.rows["utterances"] == 3
    assert (copied.n_files, copied.n_bytes) == (2, 5005)
    assert target.rows("PRAGMA foreign_key_check") == []


def test_the_copy_can_be_searched_by_its_words_and_questions(libraries):
    source, target = libraries
    fill(target, "already there")
    copied = transfer.copy_meeting(source, target, fill(source))
    for table, column, word in (
        ("utterances", "utterances_fts", "forty"),
        ("expansions", "expansions_fts", "money"),
    ):
        found = target.rows(
            f"SELECT t.meeting_id FROM {column} f JOIN {table} t ON t.id = f.rowid "
            f"WHERE {column} MATCH ?",
            (word,),
        )
        assert (copied.meeting_id,) in found


def test_an_id_that_is_taken_is_changed_everywhere(libraries):
    source, target = libraries
    key = fill(source)
    first = transfer.copy_meeting(source, target, key)
    second = transfer.copy_meeting(source, target, key)
    assert first.meeting_id == key != second.meeting_id
    assert content(target, second.meeting_id) == content(target, key)
    answer = target.answers(second.meeting_id)[0]
    assert answer.meeting_ids == (second.meeting_id,)
    assert answer.sentences[0].citations[0].meeting_id == second.meeting_id
    assert answer.trace[0].content == {"meeting": second.meeting_id}
    target.delete_meeting(key)
    assert content(target, second.meeting_id) == content(source, key)


def test_an_answer_about_two_meetings_stays_where_both_are(libraries):
    source, target = libraries
    one, two = fill(source), fill(source, "Other")
    source.save_answer(answer_about((one, two), one))
    source.save_answer(answer_about((), one))
    transfer.copy_meeting(source, target, one)
    assert [a.meeting_ids for a in target.answers()] == [(one,)]


def test_moving_leaves_nothing_behind(libraries):
    source, target = libraries
    key = fill(source)
    expected = content(source, key)
    copied = transfer.move_meeting(source, target, key)
    assert content(target, copied.meeting_id) == expected
    assert is_empty(source)


def test_merging_brings_each_meeting_once(libraries):
    source, target = libraries
    fill(source, "One")
    fill(source, "Two")
    source.update_meeting(source.meetings()[0].id, duration=99.0)
    assert len(transfer.merge_library(source, target)) == 2
    assert transfer.merge_library(source, target) == []
    assert [m.title for m in target.meetings()] == [m.title for m in source.meetings()]


def test_an_unknown_meeting_and_the_same_library_are_refused(libraries):
    source, target = libraries
    with pytest.raises(MeetingNotFound):
        transfer.copy_meeting(source, target, "nobody")
    with pytest.raises(StoreError), Store(source.library_dir) as same:
        transfer.copy_meeting(source, same, fill(source))
    assert is_empty(target)


@pytest.mark.parametrize("n_calls", [1, 2, 4, 12])
def test_cancelling_leaves_the_target_as_it_was(libraries, n_calls):
    source, target = libraries
    key = fill(source)
    left = iter([False] * n_calls + [True] * 99)
    with pytest.raises(Cancelled):
        transfer.copy_meeting(source, target, key, Report(None, lambda: next(left)))
    assert is_empty(target)


def test_a_full_database_leaves_the_target_as_it_was(libraries):
    source, target = libraries
    key = fill(source)
    source.save_vectors(key, "window", "minilm", np.ones((3, 100_000), dtype=np.float32))
    pages = target.value("PRAGMA page_count")
    target.rows(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(StoreError, match="full"):
        transfer.copy_meeting(source, target, key)
    target.rows("PRAGMA max_page_count = 1000000")
    assert is_empty(target)
    assert transfer.copy_meeting(source, target, key).meeting_id == key


KILLED = """
import os, signal, sys
from pathlib import Path
from engine.graph import transfer
from engine.graph.store import Store
from engine.progress import Report
source, target, key, n = *map(Path, sys.argv[1:3]), sys.argv[3], int(sys.argv[4])
calls = [0]
def count():
    calls[0] += 1
    if calls[0] == n:
        os.kill(os.getpid(), signal.SIGKILL)
with Store(source, read_only=True) as a, Store(target) as b:
    transfer.copy_meeting(a, b, key, Report(None, count))
"""


SLOW = pytest.mark.end2end  # needs no model, but another process
KILLS = [12, *(pytest.param(n, marks=SLOW) for n in (1, 3, 6, 20, 99))]


@pytest.mark.parametrize("n_calls", KILLS)
def test_a_killed_copy_is_not_there_and_is_swept_away(libraries, n_calls):
    source, target = libraries
    key = fill(source)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, source.library_dir, target.library_dir, key, str(n_calls)],
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    if ended.returncode == 0:  # it was done before the kill came
        assert content(target, key) == content(source, key)
        return
    assert ended.returncode == -signal.SIGKILL
    assert target.meetings() == []
    assert transfer.sweep(target) == 1
    assert is_empty(target)
    assert transfer.copy_meeting(source, target, key).meeting_id == key


def test_a_copy_killed_after_its_last_row_is_kept(libraries):
    source, target = libraries
    key = transfer.copy_meeting(source, target, fill(source)).meeting_id
    (target.media_dir(key) / transfer.ARRIVING).touch()
    assert transfer.sweep(target) == 0
    assert content(target, key) == content(source, key)


def test_a_copy_under_way_is_not_swept_away(libraries):
    source, target = libraries
    key = fill(source)
    swept = []

    def look(progress):
        with Store(target.library_dir, read_only=True) as other:
            swept.append(transfer.sweep(other))

    transfer.copy_meeting(source, target, key, Report(look))
    assert set(swept) == {0}
    assert content(target, key) == content(source, key)


def test_a_missing_media_folder_is_no_fault(libraries):
    source, target = libraries
    key = fill(source)
    shutil.rmtree(source.media_dir(key))
    assert transfer.copy_meeting(source, target, key).n_files == 0


def test_every_table_of_a_meeting_is_found(libraries):
    source, _ = libraries
    expected = {*OWNED_TABLES, "meetings", "mentions", "answers", "answer_meetings", "chats"}
    assert set(owned_tables(source.connection)) >= expected
    untouched = set(schema(source.connection)) - set(owned_tables(source.connection))
    assert untouched == {"library_state"}


def test_a_table_of_a_later_version_is_copied_too(libraries):
    source, target = libraries
    for store in libraries:
        store.rows(
            "CREATE TABLE gestures (id INTEGER PRIMARY KEY, utterance_id INTEGER NOT NULL "
            "REFERENCES utterances(id) ON DELETE CASCADE, what TEXT)"
        )
    key = fill(source)
    source.rows("INSERT INTO gestures SELECT NULL, id, 'nods' FROM utterances WHERE idx = 2")
    fill(target, "already there")
    copied = transfer.copy_meeting(source, target, key)
    found = target.rows(
        "SELECT u.meeting_id, u.idx, g.what FROM gestures g JOIN utterances u "
        "ON u.id = g.utterance_id"
    )
    assert found == [(copied.meeting_id, 2, "nods")]


def test_libraries_of_different_formats_are_not_mixed(libraries):
    source, target = libraries
    source.rows("ALTER TABLE topics ADD COLUMN mood TEXT")
    with pytest.raises(StoreError, match="format"):
        transfer.copy_meeting(source, target, fill(source))
    assert is_empty(target)


def test_no_packed_column_is_overlooked(libraries):
    source, _ = libraries
    packed = {
        (table.name, column)
        for table in schema(source.connection).values()
        for column in table.columns
        if PACKED.fullmatch(column)
    }
    unknown = packed - PLAIN_COLUMNS - set(transfer.KEYED_COLUMNS) - {("edits", "changes")}
    assert not unknown, f"say in transfer.KEYED_COLUMNS or PLAIN_COLUMNS what these hold: {unknown}"


def test_damage_in_the_source_is_said(libraries):
    source, target = libraries
    key = fill(source)
    root = source.value("SELECT rootpage FROM sqlite_master WHERE name = 'notes'")
    source.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    with source.path.open("r+b") as file:
        file.seek(4096 * (root - 1))
        file.write(b"\xff" * 4096)
    with (
        Store(source.library_dir, read_only=True) as damaged,
        pytest.raises(StoreError, match=r"from/library\.db is damaged"),
    ):
        transfer.copy_meeting(damaged, target, key)
    assert is_empty(target)
