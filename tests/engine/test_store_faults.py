"""What happens to a library when the machine, the disk or another program misbehaves."""

import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing

import pytest
from store_faults import N_KILLS, N_LINES, in_child, lines, needs_fork, state, wait_for

from engine.errors import StoreError
from engine.graph import care, database
from engine.graph.database import DATABASE_NAME
from engine.graph.store import Store
from engine.types import Note


def write_for_ever(folder, ready):
    with Store(folder) as store:
        number = 0
        while True:
            meeting = store.create_meeting(f"M{number}")
            store.save_utterances(meeting.id, lines(N_LINES))
            store.add_note(meeting.id, Note("decision", "x", utterances=(1,)))
            store.save_utterances(meeting.id, lines(N_LINES, "again"))
            if number % 3 == 2:
                store.delete_meeting(meeting.id)
            number += 1
            ready.touch()


@needs_fork
@pytest.mark.parametrize("is_network", [False, True])
def test_killed_while_writing_again_and_again(tmp_path, monkeypatch, is_network):
    """With the log, and with the journal that folders on the network get."""
    monkeypatch.setattr(database, "is_network_folder", lambda _: is_network)
    rng = random.Random(5)
    folder, ready = tmp_path / "library", tmp_path / "ready"
    for _ in range(N_KILLS):
        ready.unlink(missing_ok=True)
        pid = in_child(lambda: write_for_ever(folder, ready))
        wait_for(ready, pid)
        time.sleep(rng.random() * 0.05)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with Store(folder) as store:
            assert care.check(store) == []
            assert {m.n_utterances for m in store.meetings()} <= {0, N_LINES}
            assert not store.value("SELECT 1 FROM library_state WHERE key = 'scrub'")


@needs_fork
def test_two_programs_write_at_once(tmp_path):
    def work():
        with Store(tmp_path) as store:
            for _ in range(10):
                store.save_utterances(store.create_meeting("M").id, lines(20))

    pids = [in_child(work) for _ in range(2)]
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0
    with Store(tmp_path) as store:
        assert [m.n_utterances for m in store.meetings()] == [20] * 20
        assert care.check(store) == []


def saved_or_full(store, meeting_id):
    try:
        store.save_utterances(meeting_id, lines(120, "another"))
    except StoreError as error:
        return "full" not in error.message
    return True


def test_the_disk_is_full_at_any_write(tmp_path):
    with Store(tmp_path) as store:
        meeting = store.create_meeting("M")
        store.save_utterances(meeting.id, lines(30))
        before = state(store)
        failures = 0
        for extra in range(60):
            pages = store.value("PRAGMA page_count") - store.value("PRAGMA freelist_count")
            store.rows(f"PRAGMA max_page_count = {pages + extra}")
            if saved_or_full(store, meeting.id):
                break
            assert state(store) == before
            failures += 1
        assert failures > 3
        store.rows("PRAGMA max_page_count = 1073741823")
        assert care.check(store) == []
        assert store.meeting(meeting.id).n_utterances == 120


@needs_fork
def test_the_file_may_not_grow(tmp_path):
    """The operating system refuses the write, as on a full disk or over quota."""
    resource = pytest.importorskip("resource")
    with Store(tmp_path) as store:
        store.create_meeting("M")
    outcome = tmp_path / "outcome"

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with Store(tmp_path) as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
            try:
                for _ in range(100):
                    store.save_utterances(store.create_meeting("N").id, lines(400))
                outcome.write_text("never refused")
            except StoreError as error:
                outcome.write_text(f"said: {error.message}")

    os.waitpid(in_child(work), 0)
    assert outcome.read_text().startswith("said: The disk")
    with Store(tmp_path) as store:
        assert care.check(store) == []
        assert {m.n_utterances for m in store.meetings()} <= {0, 400}


def test_power_is_cut_in_the_middle_of_the_log(tmp_path):
    """Whatever part of the log reached the disk, the library opens on a whole transaction."""
    source = tmp_path / "source"
    with Store(source) as store:
        meeting = store.create_meeting("M")
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        store.rows("PRAGMA wal_autocheckpoint = 0")
        for _ in range(3):
            store.save_utterances(meeting.id, lines(N_LINES))
            store.add_note(meeting.id, Note("note", "x"))
        log = (source / f"{DATABASE_NAME}-wal").read_bytes()
        base = (source / DATABASE_NAME).read_bytes()
    rng = random.Random(3)
    cuts = [0, 10, 32, len(log) - 1, *(rng.randrange(len(log)) for _ in range(12))]
    for number, cut in enumerate(cuts):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / DATABASE_NAME).write_bytes(base)
        torn = bytearray(log[:cut])
        if number % 2 and cut > 200:
            torn[cut - 100 : cut] = os.urandom(100)
        (folder / f"{DATABASE_NAME}-wal").write_bytes(torn)
        with Store(folder) as store:
            assert care.check(store) == []
            assert {m.n_utterances for m in store.meetings()} <= {0, N_LINES}


@pytest.mark.parametrize("seed", range(6))
def test_power_is_cut_while_the_log_is_copied_into_the_database(tmp_path, seed):
    """Any pages of it may have reached the disk, and the file may not have its length yet."""
    source = tmp_path / "source"
    with Store(source) as store:
        meeting = store.create_meeting("M")
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        store.rows("PRAGMA wal_autocheckpoint = 0")
        before = (source / DATABASE_NAME).read_bytes()
        store.save_utterances(meeting.id, lines(N_LINES * 4))
        expected = state(store)
        log = (source / f"{DATABASE_NAME}-wal").read_bytes()
        # PASSIVE keeps the log: this is what the disk holds when the copying is done.
        store.rows("PRAGMA wal_checkpoint(PASSIVE)")
        after = (source / DATABASE_NAME).read_bytes()
    assert len(after) > len(before)
    rng = random.Random(seed)
    pages = [
        content[at : at + 4096]
        for at in range(0, len(after), 4096)
        for content in [after if rng.random() < 0.5 or at >= len(before) else before]
    ]
    torn = b"".join(pages)[: rng.choice((len(before), len(after), len(after) - 1000))]
    folder = tmp_path / "after the cut"
    folder.mkdir()
    (folder / DATABASE_NAME).write_bytes(torn)
    (folder / f"{DATABASE_NAME}-wal").write_bytes(log)
    with Store(folder) as store:
        assert care.check(store) == []
        assert state(store) == expected


def test_a_lock_held_too_long_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 50)
    with Store(tmp_path) as store:
        other = sqlite3.connect(store.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="Another program"):
            store.create_meeting("M")
        assert store.meetings() == [], "reading goes on"
        other.execute("ROLLBACK")
        other.close()
        store.create_meeting("M")


def test_a_folder_that_cannot_be_used_is_said(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError):
        Store(tmp_path / "file")
    with pytest.raises(StoreError):
        Store(tmp_path / "file" / "below")
    (tmp_path / "folder" / DATABASE_NAME).mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "folder")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_without_permission_can_be_read(tmp_path):
    with Store(tmp_path / "library") as store:
        store.create_meeting("M")
    (tmp_path / "library").chmod(0o555)
    try:
        with Store(tmp_path / "library", read_only=True) as store:
            assert len(store.meetings()) == 1
        with Store(tmp_path / "library") as store, pytest.raises(StoreError):
            store.create_meeting("N")
    finally:
        (tmp_path / "library").chmod(0o755)


def test_folders_on_the_network_get_no_shared_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "is_network_folder", lambda _: True)
    with Store(tmp_path) as store:
        store.save_utterances(store.create_meeting("M").id, lines(3))
        assert store.value("PRAGMA journal_mode") == "truncate"
        assert store.is_network
    assert not (tmp_path / f"{DATABASE_NAME}-shm").exists()


@pytest.mark.parametrize(("is_network", "level"), [(False, 1), (True, 2)])
def test_a_library_waits_for_the_disk(tmp_path, monkeypatch, synced_disk, is_network, level):
    """So that a power cut damages nothing: NORMAL is enough for a write-ahead log, FULL else."""
    monkeypatch.setattr(database, "is_network_folder", lambda _: is_network)
    with Store(tmp_path) as store:
        assert store.value("PRAGMA synchronous") == level


def test_the_file_system_is_read_from_the_mounts(tmp_path):
    mounts = tmp_path / "mounts"
    inside = tmp_path / "net drive" / "deep"
    inside.mkdir(parents=True)
    escaped = str(tmp_path / "net drive").replace(" ", "\\040")
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nserver:/x {escaped} nfs4 rw 0 0\n")
    assert database.file_system_of(inside, mounts) == "nfs4"
    assert database.file_system_of(tmp_path, mounts) == "ext4"
    assert database.file_system_of(tmp_path / "net drive too", mounts) == "ext4"
    assert database.file_system_of(tmp_path, tmp_path / "none") == ""


def damaged_library(folder, n=12):
    with Store(folder) as store:
        for number in range(n):
            store.save_utterances(store.create_meeting(f"M{number}").id, lines(60, f"m{number}"))
        (store.media_dir(store.meetings()[0].id) / "audio.flac").write_bytes(b"fLaC")
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / DATABASE_NAME


@pytest.mark.parametrize("seed", range(4))
def test_damaged_pages_are_found_and_the_rest_is_saved(tmp_path, seed):
    path = damaged_library(tmp_path)
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    n_pages = len(content) // 4096
    # The first pages hold the schema; without them only a backup helps.
    for page in rng.sample(range(40, n_pages), 4):
        content[page * 4096 : (page + 1) * 4096] = rng.randbytes(4096)
    path.write_bytes(content)
    if seed == 1:
        # This one hits the schema: nothing is touched, and a backup is asked for.
        with pytest.raises(StoreError, match="damaged"):
            Store(tmp_path)
        with pytest.raises(StoreError, match="Nothing can be read"):
            care.repair(tmp_path)
        assert path.read_bytes() == content
        return
    with Store(tmp_path) as store:
        assert care.check(store)
    done = care.repair(tmp_path)
    assert done
    with Store(tmp_path) as store:
        assert care.check(store) == []
        assert len(store.meetings()) >= 1
        assert sum(m.n_utterances for m in store.meetings()) >= 200


def test_what_only_the_indexes_lost_is_mended_in_place(tmp_path):
    damaged_library(tmp_path, 2)
    with Store(tmp_path) as store:
        store.connection.execute("DELETE FROM utterances_fts_data WHERE id > 10")
        store.connection.execute("UPDATE meetings SET n_utterances = 7")
        store.connection.execute("UPDATE utterances SET idx = idx + 5 WHERE idx > 3")
        (tmp_path / "media" / "lost").mkdir()
        (tmp_path / "media" / "lost" / "audio.flac").write_bytes(b"fLaC")
    with Store(tmp_path) as store:
        problems = " ".join(care.check(store))
    for part in ("full-text", "7 are said", "gaps", "media/lost"):
        assert part in problems or "full-text" in problems
    assert care.repair(tmp_path)
    with Store(tmp_path) as store:
        assert care.check(store) == []
        assert len(store.meetings()) == 3, "sound is never thrown away"
        assert store.rows("SELECT rowid FROM utterances_fts WHERE utterances_fts MATCH '\"m0\"'")
    assert care.repair(tmp_path) == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE utterances_dense_content SET c0 = 'other'",
        "UPDATE utterances_dense_docsize SET sz = x'7f'",
        "DELETE FROM utterances_dense_content WHERE id % 2",
        "DELETE FROM utterances_dense_docsize",
        "DELETE FROM utterances_dense_data WHERE id > 10",
        "DELETE FROM utterances_fts_data WHERE id > 10",
        "UPDATE utterances_fts_docsize SET sz = x'7f'",
        "DELETE FROM expansions_fts_data",
    ],
)
def test_whatever_an_index_of_words_lost_is_built_again(tmp_path, damage):
    damaged_library(tmp_path, 2)
    with Store(tmp_path) as store:
        store.connection.execute(damage)
    care.repair(tmp_path)
    with Store(tmp_path) as store:
        assert care.check(store) == []
        for word in ('"m0"', '"会議"'):
            sql = "SELECT rowid FROM utterances_dense WHERE utterances_dense MATCH ?"
            assert store.rows(sql, (word,))


def test_a_schema_that_is_no_text_is_damage_too(tmp_path):
    """SQLite quotes the name of a table it cannot read, and Python cannot read the quotation."""
    path = damaged_library(tmp_path, 3)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET name = CAST(x'80ff' AS TEXT), sql = 'CREATE TABLE' "
            "WHERE name = 'stages'"
        )
    content = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="damaged"):
            Store(tmp_path, read_only=read_only)
    with pytest.raises(StoreError, match="Nothing can be read"):
        care.repair(tmp_path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "content", [b"not a database" * 400, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_that_is_no_database_is_said(tmp_path, content):
    (tmp_path / DATABASE_NAME).write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="Nothing can be read"):
        care.repair(tmp_path)
    assert (tmp_path / DATABASE_NAME).read_bytes() == content, "left for somebody cleverer"


def test_backup_and_restore(tmp_path):
    library, copy = tmp_path / "library", tmp_path / "copy"
    damaged_library(library, 3)
    with Store(library) as store:
        care.backup(store, copy)
        with pytest.raises(StoreError, match="exists"):
            care.backup(store, copy)
        store.delete_meeting(store.meetings()[0].id)
        now = store.meetings()
    with Store(copy, read_only=True) as store:
        assert len(store.meetings()) == 3
    kept = care.restore(copy, library)
    with Store(library) as store:
        assert len(store.meetings()) == 3
        assert care.check(store) == []
    with Store(tmp_path / kept) as store:
        assert store.meetings() == now
    shutil.rmtree(library)
    assert care.restore(copy, library) == ""


def test_a_damaged_backup_is_not_restored(tmp_path):
    library, copy = tmp_path / "library", tmp_path / "copy"
    damaged_library(library, 3)
    with Store(library) as store:
        care.backup(store, copy)
    content = bytearray((copy / DATABASE_NAME).read_bytes())
    content[60 * 4096 : 70 * 4096] = os.urandom(10 * 4096)
    (copy / DATABASE_NAME).write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        care.restore(copy, library)
    with Store(library) as store:
        assert len(store.meetings()) == 3


def test_a_library_moves_house(tmp_path):
    library, target = tmp_path / "library", tmp_path / "elsewhere" / "new"
    damaged_library(library, 3)
    care.move(library, target)
    assert not library.exists()
    with Store(target) as store:
        assert len(store.meetings()) == 3
        assert (store.media_dir(store.meetings()[0].id) / "audio.flac").exists()
    with pytest.raises(StoreError, match="inside"):
        care.move(target, target / "below")


@needs_fork
def test_a_delete_that_was_killed_is_finished_at_the_next_start(tmp_path, monkeypatch):
    from engine.graph import removal

    with Store(tmp_path) as store:
        meeting = store.create_meeting("M")
        store.save_utterances(meeting.id, lines(200, "xylosecret"))

        def killed(_):
            raise KeyboardInterrupt

        monkeypatch.setattr(removal, "scrub", killed)
        with pytest.raises(KeyboardInterrupt):
            store.delete_meeting(meeting.id)
    monkeypatch.undo()
    with Store(tmp_path) as store:
        assert store.meetings() == []
    content = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"xylosecret" not in content


def test_copies_kept_by_a_repair_go_with_a_deleted_meeting(tmp_path):
    damaged_library(tmp_path, 2)
    kept = tmp_path / f"{DATABASE_NAME}.damaged-1"
    shutil.copy(tmp_path / DATABASE_NAME, kept)
    with Store(tmp_path) as store:
        store.delete_meeting(store.meetings()[0].id)
    assert not kept.exists()
