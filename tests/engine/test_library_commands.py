"""`earwitness library ...`: looking after a library from the command line."""

import json
import os
import sqlite3
from contextlib import closing

import pytest

from engine import doctor, settings
from engine.__main__ import main
from engine.cli.parser import build_parser
from engine.graph import care
from engine.graph.database import DATABASE_NAME
from engine.graph.store import Store
from engine.types import Utterance


def make_library(folder, *titles):
    with Store(folder) as store:
        for title in titles:
            meeting = store.create_meeting(title, f"{title}.wav")
            lines = [Utterance(i, i, i + 1, "Ann", f"{title} line {i}") for i in range(30)]
            store.save_utterances(meeting.id, lines)
            store.update_meeting(meeting.id, duration=30.0, is_complete=True)
            (store.media_dir(meeting.id) / "audio.flac").write_bytes(b"fLaC" + title.encode())
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def titles(folder):
    with Store(folder, read_only=True) as store:
        return sorted(meeting.title for meeting in store.meetings())


def damage(folder, table="words"):
    """Overwrite the first page of a table or an index, as a bad sector does."""
    path = folder / DATABASE_NAME
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = connection.execute(sql, (table,)).fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(content)


@pytest.fixture
def library(tmp_path):
    return make_library(tmp_path / "library", "Alpha", "Beta")


@pytest.fixture
def run(capsys, library):
    def call(*arguments, folder=library):
        status = main(["--library", str(folder), "library", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_a_whole_library_is_said_to_be_whole(run):
    status, out, _ = run("check")
    assert (status, out) == (0, "The library is whole: 2 meetings.\n")
    assert json.loads(run("check", "--json")[1]) == []
    assert run("repair")[:2] == (0, "Nothing was wrong.\n")


def test_damage_is_found_and_repaired(run, library):
    with Store(library) as store:
        store.connection.execute("UPDATE meetings SET n_utterances = 7")
    status, out, _ = run("check")
    assert status == 1
    assert "30 utterances where 7 are said to be" in out
    status, out, _ = run("repair")
    assert status == 0
    assert "rebuilt" in out
    assert run("check")[0] == 0


@pytest.mark.parametrize("place", ["words", "library_state", "edges"])
def test_a_damaged_file_is_saved_from(run, library, place):
    damage(library, place)
    assert run("check")[0] == 1
    status, out, _ = run("repair")
    assert status == 0
    assert "meetings into a new file" in out
    assert run("check")[0] == 0


def test_nothing_is_made_where_no_library_is(run, tmp_path):
    for action in (["check"], ["repair"], ["backup", tmp_path / "b"], ["move", tmp_path / "m"]):
        status, _, error = run(*action, folder=tmp_path / "none")
        assert status == 1
        assert error.startswith("earwitness: There is no library")
        assert error.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_backup_then_restore(run, library, tmp_path):
    copy = tmp_path / "copy"
    assert run("backup", copy)[0] == 0
    assert titles(copy) == ["Alpha", "Beta"]
    status, _, error = run("backup", copy)
    assert status == 1
    assert "exists" in error
    with Store(library) as store:
        store.delete_meeting(store.meeting("Beta").id)
    status, out, _ = run("restore", copy)
    assert status == 0
    assert "kept as library.before-" in out
    assert titles(library) == ["Alpha", "Beta"]


def test_what_is_no_backup_is_not_restored(run, library, tmp_path):
    (tmp_path / "folder").mkdir()
    status, _, error = run("restore", tmp_path / "folder")
    assert status == 1
    assert error.count("\n") == 1
    assert titles(library) == ["Alpha", "Beta"]


def test_a_library_in_use_is_neither_moved_nor_replaced(run, library, tmp_path, monkeypatch):
    monkeypatch.setattr(care, "SECONDS_ALONE", 0.1)
    copy = tmp_path / "copy"
    run("backup", copy)
    damaged = make_library(tmp_path / "damaged", "Gamma", "Delta")
    damage(damaged)
    with Store(library, read_only=True) as reading, Store(damaged) as writing:
        assert reading.meetings()
        assert writing.meetings()
        for action, folder in (
            (["move", tmp_path / "new"], library),
            (["restore", copy], library),
            (["repair"], damaged),
        ):
            status, _, error = run(*action, folder=folder)
            assert status == 1
            assert "is open in another program" in error
    assert titles(library) == ["Alpha", "Beta"]
    assert not (tmp_path / "new").exists()
    assert run("move", tmp_path / "new")[0] == 0


def test_the_usual_library_is_found_again_after_its_move(capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("EARWITNESS_LIBRARY")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    usual = settings.library_dir()
    make_library(usual, "Alpha")
    assert main(["library", "move", str(tmp_path / "disk")]) == 0
    assert not usual.exists()
    assert settings.load().library_folder == str(tmp_path / "disk")
    capsys.readouterr()
    assert main(["list"]) == 0
    assert "Alpha" in capsys.readouterr().out
    monkeypatch.setenv("EARWITNESS_LIBRARY", str(tmp_path / "elsewhere"))
    assert settings.library_dir() == tmp_path / "elsewhere"


def test_a_library_moved_by_name_changes_no_setting(run, library, tmp_path):
    status, out, _ = run("move", tmp_path / "new")
    assert status == 0
    assert str(tmp_path / "new") in out
    assert not library.exists()
    assert titles(tmp_path / "new") == ["Alpha", "Beta"]
    assert settings.load().library_folder == ""


def test_two_libraries_become_one(run, library, tmp_path):
    other = make_library(tmp_path / "other", "Gamma", "Delta")
    status, out, _ = run("merge", other)
    assert status == 0
    assert out.endswith("2 meetings came from " + str(other) + ".\n")
    assert titles(library) == ["Alpha", "Beta", "Delta", "Gamma"]
    assert titles(other) == ["Delta", "Gamma"], "merging takes nothing away"
    assert run("merge", other)[1].startswith("0 meetings"), "each meeting comes once"
    status, _, error = run("merge", library)
    assert status == 1
    assert "itself" in error


def test_one_meeting_moves_to_another_library(run, library, tmp_path):
    other = tmp_path / "other"
    status, out, _ = run("send", "Alpha", other)
    assert status == 0
    assert out == f"Alpha is now in {other}.\n"
    assert titles(library) == ["Beta"]
    assert titles(other) == ["Alpha"]
    everything = b"".join(p.read_bytes() for p in library.rglob("*") if p.is_file())
    assert b"Alpha" not in everything
    status, _, error = run("send", "Nobody", tmp_path / "third")
    assert status == 1
    assert "Nobody" in error
    assert not (tmp_path / "third").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write all")
def test_a_target_that_cannot_be_written_is_one_line(run, library, tmp_path):
    tmp_path.chmod(0o555)
    try:
        for action in ("backup", "move"):
            status, _, error = run(action, tmp_path / "target")
            assert status == 1
            assert error.count("\n") == 1
    finally:
        tmp_path.chmod(0o755)


def test_each_action_shows_an_example():
    commands = build_parser()._subparsers._group_actions[0].choices
    actions = commands["library"]._subparsers._group_actions[0].choices
    care_of = "check repair backup restore move merge send encrypt decrypt change-passphrase"
    assert set(actions) == set(care_of.split())
    for name, action in actions.items():
        assert f"Example: earwitness library {name}" in action.epilog


def test_the_doctor_looks_at_the_library(library, tmp_path):
    found = doctor.library_check(library)
    assert found.is_ok
    assert "2 meetings" in found.message
    assert doctor.library_check(tmp_path / "none").is_ok
    assert not (tmp_path / "none").exists()
    damage(library)
    found = doctor.library_check(library)
    assert not found.is_ok
    assert "library repair" in found.hint
    (library / DATABASE_NAME).write_bytes(b"not a database" * 999)
    assert not doctor.library_check(library).is_ok
