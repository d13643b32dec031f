"""Every kind of write to a library, while the program is killed or the disk is full."""

import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import contextmanager

import numpy as np
import pytest
from store_faults import N_KILLS, N_LINES, in_child, lines, needs_fork, state, wait_for

from engine.errors import StoreError
from engine.graph import care, edits, migrations
from engine.graph.database import DATABASE_NAME
from engine.graph.store import Store
from engine.types import Acoustics, Edge, Note, Relation, StageRecord, Word
from engine.types_answer import Answer, Citation, Receipt, Sentence, Verdict
from engine.types_seconds import Seconds


def grown(store):
    """One meeting, with what a write below needs to be there."""
    meeting = store.create_meeting("M")
    store.save_utterances(meeting.id, lines(N_LINES))
    store.save_vectors(meeting.id, "utterance", "fake", np.eye(N_LINES, 64, dtype=np.float32))
    return meeting.id


def speaker(store, key, place=0):
    return store.speakers(key)[place].id


def an_answer(key):
    said = Sentence("Words.", (Citation(key, 1, 1.0, 2.0, "S1", "word"),))
    verdict = Verdict(5, is_verified=True)
    return Answer("What?", "Words.", (said,), verdict, False, "agent", Receipt(), (), (key,))


# Every kind of write there is; each is done again and again until the program is killed.
WRITES = {
    "create": lambda store, key: store.create_meeting("N"),
    "transcript": lambda store, key: store.save_utterances(key, lines(N_LINES, "again")),
    "words": lambda store, key: store.save_words(key, [Word(0, 1, "x", 0.5)] * 500),
    "acoustics": lambda store, key: store.save_acoustics(key, [Acoustics(-20.0)] * N_LINES),
    "seconds": lambda store, key: store.save_seconds(key, Seconds(*np.ones((5, 900), np.float32))),
    "vectors": lambda store, key: store.save_vectors(
        key, "utterance", "fake", np.eye(N_LINES, 64, dtype=np.float32)
    ),
    "edges": lambda store, key: store.save_edges(
        key, [Edge(i, i - 1, Relation.REPLY_TO) for i in range(1, N_LINES)]
    ),
    "entities": lambda store, key: store.save_entities(key, {f"e{i}": [i] for i in range(30)}),
    "questions": lambda store, key: store.save_expansions(key, {i: ["why?"] for i in range(30)}),
    "notes": lambda store, key: store.save_notes(key, "note", [Note("note", "x")] * 20),
    "stage": lambda store, key: store.record_stage(key, StageRecord("asr", 1.0, 0.0, {"x": 1})),
    "answer": lambda store, key: store.save_answer(an_answer(key), store.create_chat("c")),
    "edit and undo": lambda store, key: (
        edits.replace_text(store, key, "word", "term"),
        edits.undo(store, key),
    ),
    "split and merge": lambda store, key: split_and_merge(store, key),
    "speaker": lambda store, key: (
        edits.rename_speaker(store, key, speaker(store, key), "Ann"),
        edits.reassign(store, key, 3, speaker(store, key, 1)),
    ),
    "voice": lambda store, key: store.save_voiceprints(
        speaker(store, key), "campplus", np.ones((3, 192), np.float32)
    ),
    "delete": lambda store, key: store.delete_meeting(store.create_meeting("gone").id),
    "format": lambda store, key: older_then_newer(store),
}


def split_and_merge(store, key):
    """Twice as many changes; one that was cut short in the middle is ended first."""
    if store.meeting(key).n_utterances == N_LINES:
        edits.split_utterance(store, key, 2, 1)
    edits.merge_utterances(store, key, 2)


def older_then_newer(store):
    """A library of the first format is brought up to date."""
    folder = store.library_dir / "older"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    old = sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)
    migrations.migrate(old, 1)
    old.close()
    Store(folder).close()


@needs_fork
@pytest.mark.parametrize("write", WRITES)
def test_killed_during_every_kind_of_write(tmp_path, write):
    rng = random.Random(write)
    folder, ready = tmp_path / "library", tmp_path / "ready"
    with Store(folder) as store:
        key = grown(store)

    def again_and_again():
        with Store(folder) as store:
            WRITES[write](store, key)
            ready.touch()
            while True:
                WRITES[write](store, key)

    for _ in range(max(1, N_KILLS // 10)):
        ready.unlink(missing_ok=True)
        pid = in_child(again_and_again)
        wait_for(ready, pid)
        time.sleep(rng.random() * 0.03)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with Store(folder) as store:
            assert care.check(store) == []
            assert store.meeting(key).n_utterances in {N_LINES, N_LINES + 1}
            WRITES[write](store, key)
        if write == "format":
            with Store(folder / "older") as store:
                assert care.check(store) == []


# These do more than one thing, each whole in itself: the first may be done when the disk is full.
SEVERAL_STEPS = {"answer", "delete", "edit and undo", "speaker", "split and merge"}


@contextmanager
def files_end_at(size):
    """The operating system refuses to write anything beyond, as on a full disk."""
    resource = pytest.importorskip("resource")
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)


@needs_fork
@pytest.mark.parametrize("write", sorted(set(WRITES) - {"format"}))
def test_the_disk_is_full_during_every_kind_of_write(tmp_path, write):
    """Whatever write finds the disk full says so, and leaves the library as it was."""
    with Store(tmp_path) as store:
        key = grown(store)
        store.rows("PRAGMA wal_autocheckpoint = 0")
        # Nothing fits, the head of the log, a page of it, some pages.
        for size in (0, 100, 6_000, 20_000):
            store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
            before = state(store)
            with files_end_at(size):
                said = full_when(WRITES[write], store, key)
            assert "The disk" in said or size >= 6_000
            assert not said or write in SEVERAL_STEPS or state(store) == before
        assert care.check(store) == []
        WRITES[write](store, key)


def full_when(write, store, key):
    """What was said of a full disk, "" when the write was done."""
    try:
        write(store, key)
    except StoreError as error:
        return error.message
    return ""
