"""A deleted meeting is gone from every file: what its rows held is looked for byte by byte."""

import os
import random
import sqlite3

import numpy as np
import pytest

from engine import messages
from engine.__main__ import main
from engine.audio import take
from engine.audio.fingerprint import fingerprint
from engine.errors import StoreError
from engine.graph import care, database, edits, library_index, removal
from engine.graph.database import DATABASE_NAME
from engine.graph.ownership import owned_tables, schema
from engine.graph.store import Store
from engine.graph.voices import Suggestion
from engine.jobs import Jobs
from engine.progress import silent
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

LETTERS = "bcdfghjklmnpqrstvwxyz"


class Words:
    """Makes words that stand nowhere else; the same seed makes the same ones."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def __call__(self, n=4):
        return " ".join("".join(self._random.choices(LETTERS, k=11)) for _ in range(n))


class Encoder:
    model_id = "fake"
    dim = 16

    def encode(self, texts):
        return np.random.default_rng(1).standard_normal((len(texts), 16)).astype(np.float32)


def answer(words, key, meeting_ids):
    said = Sentence(words(), (Citation(key, 1, 4.2, 6.0, words(1), words()),))
    trace = (TraceEvent("evidence", 1, {"meeting": key, "text": words()}),)
    verdict = Verdict(5, is_verified=True)
    return Answer(words(), words(), (said,), verdict, False, "agent", Receipt(), trace, meeting_ids)


def fill(store, seed, n_lines=30):
    """A meeting with rows in every table that can have one."""
    words = Words(seed)
    key = store.create_meeting(words(), words(1) + ".wav").id
    heard = [(Word(i * 3.0, i * 3 + 1.0, words(1)),) for i in range(n_lines)]
    lines = [
        Utterance(i, i * 3.0, i * 3 + 2.0, "", words(6), i % 2, heard[i]) for i in range(n_lines)
    ]
    store.save_spans(key, [Span(0, 4), Span(4.2, 6)])
    store.save_words(key, [Word(0, 1, words(1), 0.9)])
    store.save_turns(key, [Turn(0, 4, 0), Turn(4.2, 6, 1)])
    store.save_utterances(key, [*lines, Utterance(n_lines, 200, 201, "", words(), 0)])
    store.save_utterances(key, lines)
    store.save_acoustics(key, [Acoustics(-20.0) for _ in lines])
    levels = np.random.default_rng(seed + 500).uniform(-90, 0, (5, 60)).astype(np.float32)
    store.save_seconds(key, Seconds(*levels))
    store.save_events(key, [Event(2, 3, words(1))])
    store.save_edges(key, [Edge(1, 0, Relation.REPLY_TO, 1.0, words())])
    store.save_entities(key, {(words(1), "thing"): [0], words(1): [1, 2]})
    store.save_vectors(key, "utterance", "fake", Encoder().encode(lines) * seed)
    store.save_expansions(key, {1: [words()]})
    store.save_roles(key, {1: [words()]})
    store.save_topics(key, [Topic(words(), 0, 7, words())])
    store.save_notes(key, "decision", [Note("decision", words(), 4.2, 6, utterances=(1,))])
    store.record_stage(key, StageRecord("decode", 1.0, 0.0, {"file": words(1)}))
    store.update_meeting(key, tags=[words(1)], fingerprint=words(1))
    first, second = store.speakers(key)[:2]
    edits.edit_text(store, key, 3, words(6))
    edits.rename_speaker(store, key, first.id, words(2))
    edits.undo(store, key)
    edits.rename_speaker(store, key, first.id, words(2))
    edits.add_note(store, key, "note", words())
    rng = np.random.default_rng(seed)
    store.save_voiceprints(first.id, "campplus", rng.standard_normal((3, 192)).astype(np.float32))
    store.save_voice_suggestions(key, [Suggestion(second.id, words(2), 0.7, True)])
    store.save_answer(answer(words, key, (key,)), store.create_chat(words()))
    store.save_answer(answer(words, key, ()))
    (store.media_dir(key) / "audio.flac").write_bytes(rng.bytes(5000))
    return key


def own_values(store, key):
    """What the rows of a meeting hold, in all tables: texts by their words, and bytes."""
    texts, blobs = set(), []
    for table, condition in owned_tables(store.connection).items():
        found = store.rows(f"SELECT * FROM {table} WHERE {condition}", {"meeting": key})
        assert found, f"{table} has no row, so that nothing is proved about it"
        for value in (value for row in found for value in row):
            if isinstance(value, str):
                # Times of writing are shared with other meetings.
                words = value.split()
                texts.update(word for word in words if len(word) >= 11 and not word[0].isdigit())
            elif isinstance(value, bytes) and len(value) >= 24:
                blobs.append(value[8:24])
    return texts, blobs


def leftovers(folder, texts, blobs):
    """What can still be read in any file of the folder."""
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    packed = everything.lower()
    return [text for text in texts if text.strip('[]{}",:').lower().encode() in packed] + [
        blob for blob in blobs if blob in everything
    ]


def index_words(store):
    """The words that the full-text indexes know; terms there are shortened, so bytes say little."""
    known = set()
    for table in ("utterances_fts", "utterances_dense", "expansions_fts"):
        store.connection.execute(f"CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, {table}, row)")
        known.update(row[0] for row in store.rows("SELECT term FROM temp.v"))
        store.connection.execute("DROP TABLE temp.v")
    return known


@pytest.fixture
def filled(tmp_path, monkeypatch):
    """A library of three meetings with an index of its vectors."""
    monkeypatch.setattr(library_index, "MIN_ROWS", 20)
    with Store(tmp_path) as store:
        keys = [fill(store, seed) for seed in (1, 2, 3)]
        library_index.update(store, Encoder(), silent())
        assert (tmp_path / library_index.INDEX_NAME).exists()
        yield store, keys


def test_nothing_of_a_deleted_meeting_can_be_read(filled, tmp_path):
    store, (_, doomed, kept) = filled
    sound = (store.media_dir(doomed) / "audio.flac").read_bytes()[100:132]
    texts, blobs = own_values(store, doomed)
    kept_texts, kept_blobs = own_values(store, kept)
    texts -= kept_texts
    assert len(texts) > 200
    assert len(leftovers(tmp_path, texts, [*blobs, sound])) > 200, "the search itself finds"
    store.delete_meeting(doomed)
    for look in ("while the library is open", "after it was closed"):
        assert leftovers(tmp_path, [*texts, doomed], [*blobs, sound]) == [], look
        store.close()
    with Store(tmp_path) as again:
        assert index_words(again) & {text.lower()[:11] for text in texts} == set()
        assert own_values(again, kept) == (kept_texts, kept_blobs), "the rest is untouched"


def test_a_reader_in_the_way_only_delays_the_wiping(filled, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 50)
    store, (_, doomed, kept) = filled
    texts, blobs = own_values(store, doomed)
    texts -= own_values(store, kept)[0]
    store.connection.execute("PRAGMA busy_timeout = 50")
    reader = sqlite3.connect(tmp_path / DATABASE_NAME, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM meetings").fetchone()
    store.delete_meeting(doomed)
    assert [meeting.id for meeting in store.meetings()].count(doomed) == 0
    reader.execute("ROLLBACK")
    # The window stays open, as does the engine; the next program that opens the library wipes.
    Store(tmp_path).close()
    assert leftovers(tmp_path, texts, blobs) == []
    reader.close()


def test_every_table_is_either_owned_or_known_to_hold_nothing_of_a_meeting(filled):
    store, _ = filled
    assert set(schema(store.connection)) - set(owned_tables(store.connection)) == {"library_state"}
    assert store.rows("SELECT key FROM library_state WHERE key = 'scrub'") == []


def test_a_chat_that_goes_on_does_not_keep_the_question_as_its_name(filled, tmp_path):
    store, (_, doomed, kept) = filled
    words = Words(77)
    about, other = answer(words, doomed, (doomed,)), answer(words, kept, (kept,))
    chat = store.create_chat(about.question)
    store.save_answer(about, chat)
    store.save_answer(other, chat)
    store.delete_meeting(doomed)
    assert [said.question for said in store.answers(chat_id=chat)] == [other.question]
    assert leftovers(tmp_path, set(about.question.split()), []) == []


def test_a_delete_killed_before_the_sound_was_removed_is_finished_later(
    filled, tmp_path, monkeypatch
):
    store, (_, doomed, kept) = filled
    texts, blobs = own_values(store, doomed)
    texts -= own_values(store, kept)[0]
    sound = (store.media_dir(doomed) / "audio.flac").read_bytes()[100:132]

    def killed(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(removal, "_remove_media", killed)
        patched.setattr(removal, "scrub", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            store.delete_meeting(doomed)
    store.close()
    assert (tmp_path / "media" / doomed).exists()
    with Store(tmp_path) as again:
        assert care.check(again) == []
        assert leftovers(tmp_path, [*texts, doomed], [*blobs, sound]) == []
        assert not again.value("SELECT 1 FROM library_state WHERE key = 'scrub'")


def test_half_written_files_of_killed_programs_go_as_well(filled, tmp_path):
    store, (_, doomed, kept) = filled
    texts, blobs = own_values(store, doomed)
    texts -= own_values(store, kept)[0]
    (tmp_path / "library.part").write_bytes(blobs[0])  # an index that was being written
    (tmp_path / ".repair").mkdir()
    (tmp_path / ".repair" / DATABASE_NAME).write_bytes((tmp_path / DATABASE_NAME).read_bytes())
    store.delete_meeting(doomed)
    assert leftovers(tmp_path, texts, blobs) == []


def test_sound_that_cannot_be_removed_yet_stays_on_the_list(filled, tmp_path, monkeypatch):
    store, (_, doomed, _) = filled
    with monkeypatch.context() as patched:
        patched.setattr(removal.shutil, "rmtree", refused)
        with pytest.raises(StoreError, match="cannot be removed"):
            store.delete_meeting(doomed)
        with Store(tmp_path) as again:
            assert len(again.meetings()) == 2, "the library opens all the same"
    Store(tmp_path).close()
    assert not (tmp_path / "media" / doomed).exists()


def a_take(store, name, key="", loudness=100, is_finished=True, pid=0):
    """A recording of the library; heard already when a meeting is named."""
    folder = store.library_dir / "recordings" / name
    folder.mkdir(parents=True)
    journal = take.Journal(folder)
    journal.write("start", tracks=["microphone.wav"], rate_hz=16_000, pid=pid)
    track = take.TrackFile(folder / "microphone.wav", 16_000)
    track.append(np.full(16_000, loudness, np.int16))
    track.close()
    if is_finished:
        journal.write("stop", at=1.0)
    if key:
        (path,) = take.read_take(folder).tracks
        store.update_meeting(key, fingerprint=fingerprint(path))
    return folder


def test_a_recording_that_was_heard_goes_with_its_meeting_and_no_other(filled, tmp_path):
    """Else its sound stays in the library, and the next start makes a meeting of it again."""
    store, (_, doomed, kept) = filled
    heard = a_take(store, "1", doomed, 100)
    others = [a_take(store, "2", kept, 200), a_take(store, "3", loudness=300)]
    receipt = Jobs().run(messages.Delete("", str(tmp_path), doomed), silent(), lambda _: None)
    assert not heard.exists()
    assert all(folder.exists() for folder in others)
    assert receipt.n_files == 3, "the sound, the track and its journal"
    assert [one.folder for one in take.unfinished(tmp_path / "recordings")] == others


def test_the_command_deletes_the_recording_too(filled, tmp_path):
    store, (_, doomed, _) = filled
    heard = a_take(store, "1", doomed)
    store.close()
    assert main(["delete", doomed, f"--library={tmp_path}"]) == 0
    assert not heard.exists()


def test_a_recording_that_is_being_made_is_left_alone(filled):
    store, (_, doomed, _) = filled
    growing = a_take(store, "1", doomed, is_finished=False, pid=os.getppid())
    store.delete_meeting(doomed, with_recordings=True)
    assert growing.exists()


def test_a_first_hearing_that_fails_never_costs_the_recording(filled):
    """The meeting it had begun is taken back then, and the recording is all there is."""
    store, (_, doomed, _) = filled
    heard = a_take(store, "1", doomed)
    store.delete_meeting(doomed)
    assert heard.exists()


def test_a_recording_that_cannot_be_removed_keeps_its_meeting(filled, monkeypatch):
    store, (_, doomed, _) = filled
    a_take(store, "1", doomed)
    with monkeypatch.context() as patched:
        patched.setattr(removal.shutil, "rmtree", refused)
        with pytest.raises(StoreError, match="cannot be removed"):
            store.delete_meeting(doomed, with_recordings=True)
    assert store.meeting(doomed).n_utterances == 30
    store.delete_meeting(doomed, with_recordings=True)


def refused(folder, ignore_errors=False):
    if not ignore_errors:
        raise PermissionError(13, "Permission denied", str(folder))
