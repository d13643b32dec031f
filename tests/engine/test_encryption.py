"""An encrypted library: nothing of a meeting is on the disk, and nothing is lost on the way."""

import json
import os
import shutil
import signal
import sqlite3
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import soundfile
from fakes import FakeEmbedder

from engine import messages, process, sealed, swap, vault
from engine.__main__ import main
from engine.audio import decode, take
from engine.cli import passphrase
from engine.errors import KeyMissing, LibraryLocked, StoreError
from engine.graph import care, connections, encryption, library_index, transfer
from engine.graph.build import refresh_vectors
from engine.graph.database import DATABASE_NAME
from engine.graph.search import keyword_search, semantic_search
from engine.graph.store import Store
from engine.progress import silent
from engine.types import Utterance, Word

PHRASE = "correct horse battery"
RATE = 16_000
SECRETS = ("quokka", "zephyrine", "Bartholomew")


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """A cheap derivation, no key left over, and an index file for small libraries too."""
    monkeypatch.setattr(vault, "_SCRYPT_N", 1 << 10)
    monkeypatch.setattr(library_index, "MIN_ROWS", 10)
    passphrase._lines.cache_clear()
    yield
    vault.lock_all()
    passphrase._lines.cache_clear()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Made once and copied."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library_index, "MIN_ROWS", 10)
        return fill(tmp_path_factory.mktemp("filled") / "library").parent


@pytest.fixture
def library(filled, tmp_path):
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return tmp_path / "library"


def sound():
    return (0.4 * np.sin(np.arange(RATE * 3) ** 1.3 / 50)).astype(np.float32)


def fill(folder):
    """A library with all that lies in one: rows, index, sound, a recording, lists, leftovers."""
    wav = folder.parent / "talk.wav"
    soundfile.write(wav, sound(), RATE)
    with Store(folder) as store:
        key = store.create_meeting("About the zephyrine", "talk.wav").id
        lines = [
            Utterance(
                i,
                i,
                i + 1,
                "Bartholomew",
                f"The quokka number{i} ships",
                0,
                (Word(i, i + 1, "quokka"),),
            )
            for i in range(30)
        ]
        store.save_utterances(key, lines)
        decode.decode(wav, store.media_dir(key), "mix", silent())
        refresh_vectors(store, key, FakeEmbedder(), silent())
        library_index.update(store, FakeEmbedder(), silent())
        (folder.parent / "vector").write_bytes(store.vectors(key, "utterance")[7].tobytes())
    recording = folder / "recordings" / "2026"
    recording.mkdir(parents=True)
    record(recording).close()
    take.Journal(recording).write("stop", at=1.0)
    sealed.write_text(folder / "queue.json", json.dumps([{"path": "/home/quokka.wav"}]))
    (folder / "library.db.format-1").write_bytes(b"an old quokka")
    assert (folder / library_index.INDEX_NAME).exists()
    wav.unlink()
    return folder


def record(folder, seconds=2, note="quokka"):
    track = take.TrackFile(folder / "microphone.wav", RATE)
    journal = take.Journal(folder)
    journal.write("start", tracks=["microphone.wav"], rate_hz=RATE, pid=0)
    journal.write("bookmark", at=0.5, text=note)
    for second in range(seconds):
        track.append((sound()[second * RATE : (second + 1) * RATE] * 32767).astype(np.int16))
        track.sync()
    return track


def content(folder):
    """Everything a library says, read by way of its key."""
    with Store(folder, read_only=True) as store:
        names = store.rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        rows = {
            name: sorted(map(repr, store.rows(f'SELECT * FROM "{name}"')))
            for name, sql in names
            if not str(sql).startswith("CREATE VIRTUAL")
        }
        (version,) = store.rows("PRAGMA user_version")
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith(("library.", vault.HEADER_NAME)):
            with sealed.open_file(path, "rb") as file:
                files[str(path.relative_to(folder))] = file.read()
    return rows, version, files


def traces(folder):
    """Which of the things a meeting is made of can be found in the files."""
    raw = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    pcm = (sound() * 32767).astype("<i2").tobytes()
    vector = (folder.parent / "vector").read_bytes()
    found = [word for word in SECRETS if word.encode() in raw or word.encode("utf-16-le") in raw]
    found += [word for word in SECRETS if word.lower().encode() in raw.lower()]
    found += ["samples"] * (pcm[4000:4064] in raw) + ["vector"] * (vector in raw)
    return found + [magic for magic in ("fLaC", "RIFF", "NUMPY", "SQLite") if magic.encode() in raw]


def test_nothing_of_a_meeting_can_be_found_and_all_of_it_comes_back(library):
    before = content(library)
    assert set(traces(library)) >= {*SECRETS, "samples", "vector", "fLaC", "RIFF", "SQLite"}
    encryption.encrypt(library, PHRASE)
    assert traces(library) == []
    assert content(library) == before
    encryption.decrypt(library)
    assert content(library) == before
    assert not (library / vault.HEADER_NAME).exists()
    assert "quokka" in traces(library)


def test_copies_kept_while_encrypted_can_be_read_after_it(library):
    encryption.encrypt(library, PHRASE)
    kept = library / "library.db.format-3"
    with Store(library) as store, closing(connections.connect(kept)) as copy:
        store.connection.backup(copy)
    assert traces(library) == []
    encryption.decrypt(library)
    with closing(sqlite3.connect(kept)) as copy:
        assert copy.execute("SELECT title FROM meetings").fetchone() == ("About the zephyrine",)
    assert (library / "library.db.format-1").read_bytes() == b"an old quokka"


def test_search_play_edit_and_delete_leave_no_trace(library, tmp_path):
    encryption.encrypt(library, PHRASE)
    with Store(library) as store:
        (meeting,) = store.meetings()
        assert keyword_search(store, (meeting.id,), "quokka number7", 5)[0].index == 7
        assert semantic_search(store, FakeEmbedder(), (), "number7", 1)[0].index == 7
        library_index.update(store, FakeEmbedder(), silent())
        assert sealed.is_sealed(library / library_index.INDEX_NAME)
        heard = decode.read(store.media_dir(meeting.id) / "audio.flac", 1.0, 2.0)
        assert np.allclose(heard, sound()[RATE : 2 * RATE], atol=1e-3)
        assert traces(library) == []
    with Store(library) as store:  # a new one reads the index from its file
        index = library_index.opened(store, FakeEmbedder())
        assert not index.stale
        assert index.nearest(FakeEmbedder().encode(["number9"])[0], 1)
        store.delete_meeting(meeting.id)
        assert not library_index.opened(store, FakeEmbedder()).facts["meetings"]
    assert traces(library) == []
    (library / "queue.json").unlink()  # names files outside, of no meeting yet
    shutil.rmtree(library / "recordings")
    encryption.decrypt(library)
    assert {"quokka", "zephyrine"}.isdisjoint(traces(library))


def test_without_the_passphrase_there_is_one_clear_line(library, tmp_path):
    encryption.encrypt(library, PHRASE)
    vault.lock_all()
    with pytest.raises(LibraryLocked, match="is encrypted"):
        Store(library)
    with pytest.raises(LibraryLocked):
        Store(library, read_only=True)
    with pytest.raises(LibraryLocked):
        encryption.decrypt(library)
    with pytest.raises(StoreError, match="already"):
        encryption.encrypt(library, PHRASE)
    with pytest.raises(StoreError, match="passphrase is wrong"):
        vault.unlock(library, PHRASE + "x")
    vault.unlock(library, PHRASE)
    with Store(library) as store:
        assert len(store.meetings()) == 1


def test_a_library_in_use_is_not_converted(library, monkeypatch):
    monkeypatch.setattr(care, "SECONDS_ALONE", 0.1)
    with Store(library) as store:
        assert store.meetings()
        with pytest.raises(StoreError, match="open in another program"):
            encryption.encrypt(library, PHRASE)
    with swap.staged(library), pytest.raises(StoreError, match="by another program"):
        Store(library)
    encryption.encrypt(library, PHRASE)
    with Store(library) as first, Store(library) as second:
        first.create_meeting("From one", "")
        assert "From one" in {meeting.title for meeting in second.meetings()}
        with pytest.raises(StoreError, match="open in another program"):
            encryption.decrypt(library)


def test_a_library_whose_key_is_lost_is_not_called_damaged_nor_repaired(library):
    encryption.encrypt(library, PHRASE)
    vault.lock_all()
    header = library / vault.HEADER_NAME
    kept, before = header.read_bytes(), (library / DATABASE_NAME).read_bytes()
    header.unlink()
    for attempt in (Store, care.repair, partial(Store, read_only=True), care.examined):
        with pytest.raises(KeyMissing, match=r"encrypted and its earwitness\.key is missing"):
            attempt(library)
    assert (library / DATABASE_NAME).read_bytes() == before
    header.write_bytes(kept)
    vault.unlock(library, PHRASE)
    with Store(library) as store:
        assert len(store.meetings()) == 1


def test_a_recording_under_way_is_not_converted(library):
    take.Journal(library / "recordings" / "2026").write("start", tracks=[], pid=os.getppid())
    folder = library / "recordings" / "2027"
    folder.mkdir()
    take.Journal(folder).write("start", tracks=["microphone.wav"], pid=os.getppid())
    with pytest.raises(StoreError, match="recording is being made"):
        encryption.encrypt(library, PHRASE)


def killed_after(n_steps, action):
    """Run in a child that is killed at the n-th file operation; whether it was."""
    child = os.fork()
    if not child:
        steps = iter(range(10_000))

        def counted(real):
            def step(*arguments, **options):
                if next(steps) >= n_steps:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **options)

            return step

        with suppress(BaseException):
            encryption._copy_file = counted(encryption._copy_file)
            encryption._is_same = counted(encryption._is_same)
            swap._to_disk = counted(swap._to_disk)
            swap.Path.replace = counted(swap.Path.replace)
            swap.Path.unlink = counted(swap.Path.unlink)
            action()
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.end2end  # for its length: a conversion for each of a hundred deaths
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_kill_during_conversion_leaves_the_old_or_the_new_library(library):
    """Killed at every third file operation there is, forth and back."""
    before = content(library)
    encryption.encrypt(library, PHRASE)
    seen, n_killed = set(), 0
    for start in range(0, 400, 3):
        was_encrypted = vault.is_encrypted(library)
        if was_encrypted:
            vault.unlock(library, PHRASE)
            action = partial(encryption.decrypt, library)
        else:
            action = partial(encryption.encrypt, library, PHRASE)
        if not killed_after(start, action):
            break
        n_killed += 1
        is_encrypted = vault.is_encrypted(library)
        if is_encrypted:
            vault.unlock(library, PHRASE)
            assert traces(library) == []
        assert content(library) == before
        assert not (library / swap.STAGING_NAME).exists()
        seen.add((was_encrypted, is_encrypted))
    assert n_killed > 20
    assert {(True, True), (True, False)} <= seen


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_a_killed_recording_in_an_encrypted_library_is_kept(library):
    encryption.encrypt(library, PHRASE)
    folder = library / "recordings" / "2030"
    folder.mkdir()
    child = os.fork()
    if not child:
        track = record(folder, seconds=2, note="zephyrine at two")
        track.append(np.ones(500, np.int16))  # since the last sync
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert traces(library) == []
    found = [one for one in take.unfinished(library / "recordings") if one.folder == folder]
    assert [one.duration for one in found] == [2.0]
    assert found[0].notes[0].text == "zephyrine at two"
    with Store(library) as store:
        meeting = store.create_meeting("Kept", "")
        timeline = decode.decode(
            take.joined(found[0]), store.media_dir(meeting.id), "mix", silent()
        )
        assert np.allclose(decode.read(timeline.path), sound()[: 2 * RATE], atol=1e-3)
    assert traces(library) == []


def test_a_full_disk_leaves_the_library_as_it_was(library, monkeypatch):
    before = content(library)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(encryption, "_copy_file", full)
        with pytest.raises(StoreError, match="disk with the library is full"):
            encryption.encrypt(library, PHRASE)
    with monkeypatch.context() as patched:
        usage = type("Usage", (), {"free": 1000})
        patched.setattr(encryption.shutil, "disk_usage", lambda _: usage)
        with pytest.raises(StoreError, match="no room"):
            encryption.encrypt(library, PHRASE)
    assert content(library) == before
    assert not (library / swap.STAGING_NAME).exists()
    assert not (library / vault.HEADER_NAME).exists()


def test_backup_restore_and_move_keep_the_encryption(library, tmp_path):
    encryption.encrypt(library, PHRASE)
    rows = content(library)[0]
    with Store(library) as store:
        care.backup(store, tmp_path / "copy")
        store.create_meeting("Later", "")
    assert traces(tmp_path / "copy") == []
    vault.lock_all()
    vault.unlock(tmp_path / "copy", PHRASE)
    kept = care.restore(tmp_path / "copy", library)
    assert content(library)[0] == rows
    assert traces(tmp_path / kept) == []
    care.move(library, tmp_path / "new")
    assert content(tmp_path / "new")[0] == rows
    assert traces(tmp_path / "new") == []
    assert not library.exists()


def test_a_meeting_goes_to_a_plain_library_and_back(library, tmp_path):
    encryption.encrypt(library, PHRASE)
    with Store(library) as own, Store(tmp_path / "plain") as other:
        (meeting,) = own.meetings()
        copied = transfer.move_meeting(own, other, meeting.id)
        assert "fLaC" in traces(tmp_path / "plain")
        transfer.move_meeting(other, own, copied.meeting_id)
        assert len(own.meetings()) == 1
    assert traces(library) == []


def test_a_damaged_encrypted_library_is_repaired(library):
    encryption.encrypt(library, PHRASE)
    path = library / "library.db"
    raw = bytearray(path.read_bytes())
    raw[8192:12288] = b"\xa5" * 4096
    path.write_bytes(raw)
    with suppress(StoreError):
        care.repair(library)
    assert traces(library) == []


def test_engine_processes_get_the_key_by_their_pipe(library, tmp_path):
    encryption.encrypt(library, PHRASE)
    with Store(library, read_only=True) as store:
        (meeting,) = store.meetings()
    engine = process.EngineProcess()
    try:
        request = messages.Export("1", str(library), meeting.id, "txt", str(tmp_path / "out.txt"))
        process.run(engine, request)
        secret = vault.keys().by_library.popitem()[1].hex()
        if Path(f"/proc/{engine.pid}").is_dir():
            for name in ("cmdline", "environ"):
                about = Path(f"/proc/{engine.pid}/{name}").read_bytes()
                assert secret.encode() not in about
    finally:
        engine.close()
    assert "quokka" in (tmp_path / "out.txt").read_text("utf-8")
    assert secret not in repr(vault.keys())


def test_the_command_line_asks_for_the_passphrase(library, tmp_path, capsys, monkeypatch):
    def run(*arguments, phrases=""):
        passphrase._lines.cache_clear()
        vault.lock_all()
        monkeypatch.delenv(passphrase.VARIABLE, raising=False)
        if phrases:
            (tmp_path / "phrases").write_text(phrases)
            monkeypatch.setenv(passphrase.VARIABLE, str(tmp_path / "phrases"))
        status = main(["--library", str(library), *arguments])
        return status, "".join(capsys.readouterr())

    assert run("library", "encrypt", phrases="short\n")[0] == 1
    status, text = run("library", "encrypt", phrases=PHRASE)
    assert status == 0
    assert "solid-state" in text
    assert "Without the passphrase" in text
    assert "zephyrine" in run("list", phrases=PHRASE)[1]
    status, text = run("list", phrases="wrong horse battery")
    assert (status, text) == (1, "earwitness: The passphrase is wrong.\n")
    status, text = run("list")
    assert status == 1
    assert passphrase.VARIABLE in text
    assert run("library", "change-passphrase", phrases=f"{PHRASE}\nanother horse\n")[0] == 0
    assert run("list", phrases=PHRASE)[0] == 1
    assert run("library", "check", phrases="another horse")[0] == 0
    status, text = run("analyse", "x.wav", "--cluster", "tcp://x", phrases="another horse")
    assert status == 1
    assert "cluster" in text
    assert run("library", "decrypt", phrases="another horse")[0] == 0
    assert "zephyrine" in run("list")[1]
