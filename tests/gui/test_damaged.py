"""A damaged library at start: said, mended if the user wants it, never a window that just ends."""

from __future__ import annotations

import pytest

from engine.graph.database import DATABASE_NAME
from engine.graph.store import Store
from engine.types import Utterance
from gui import damaged


@pytest.fixture
def asking():
    """Answers in turn, and keeps what was asked."""

    class Asking:
        def __init__(self):
            self.answers, self.seen = [], []

        def __call__(self, error, can_mend):
            self.seen.append((error.message, can_mend))
            return self.answers.pop(0)

    return Asking()


def fill(folder, n=8):
    with Store(folder) as store:
        for number in range(n):
            lines = [Utterance(i, i, i + 1, "A", f"m{number} line {i}") for i in range(60)]
            store.save_utterances(store.create_meeting(f"M{number}").id, lines)
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / DATABASE_NAME


def test_a_whole_or_new_library_asks_nothing(tmp_path, asking, qapp):
    assert damaged.library_opens(tmp_path / "new", asking)
    fill(tmp_path / "new")
    assert damaged.library_opens(tmp_path / "new", asking)
    assert not asking.seen


def test_what_cannot_be_mended_is_said_and_left_alone(tmp_path, asking, qapp):
    (tmp_path / DATABASE_NAME).write_bytes(b"no database" * 999)
    asking.answers = [damaged.REPAIR, damaged.AGAIN, damaged.QUIT]
    assert not damaged.library_opens(tmp_path, asking)
    assert [can_mend for _, can_mend in asking.seen] == [True, False, True]
    assert "damaged" in asking.seen[0][0]
    assert "Nothing can be read" in asking.seen[1][0]
    assert (tmp_path / DATABASE_NAME).read_bytes() == b"no database" * 999


def test_a_repair_that_helps_opens_the_window(tmp_path, asking, qapp, monkeypatch):
    path = fill(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(b"no database" * 999)
    monkeypatch.setattr(damaged.care, "repair", lambda folder: path.write_bytes(whole))
    asking.answers = [damaged.REPAIR]
    assert damaged.library_opens(tmp_path, asking)
    assert len(asking.seen) == 1


def test_a_folder_that_is_a_file_is_said(tmp_path, asking, qapp):
    (tmp_path / "file").touch()
    asking.answers = [damaged.QUIT]
    assert not damaged.library_opens(tmp_path / "file", asking)
    assert str(tmp_path / "file") in asking.seen[0][0]


def test_the_dialog_offers_to_mend_only_what_may_be_mended(dressed, qtbot):
    error = damaged.StoreError("The library file x is damaged.", "A hint.")
    for can_mend, expected in ((True, {"repair", "again", "quit"}), (False, {"again", "quit"})):
        box, answers = damaged.question(error, can_mend)
        qtbot.addWidget(box)
        assert set(answers.values()) == expected
        assert box.text() == error.message
        assert set(answers) == {button.text() for button in box.buttons()}


def test_damage_deep_inside_is_found_while_the_window_is_open(tmp_path, qtbot):
    path = fill(tmp_path)
    told = []
    reader = damaged.check_later(tmp_path, lambda *words: told.append(words), 0)
    qtbot.wait(300)
    assert not told
    reader.close()
    content = bytearray(path.read_bytes())
    content[-8 * 4096 : -4 * 4096] = b"\xa5" * (4 * 4096)
    path.write_bytes(content)
    reader = damaged.check_later(tmp_path, lambda *words: told.append(words), 0)
    qtbot.waitUntil(lambda: bool(told), timeout=10_000)
    reader.close()
    assert told[0][0].startswith("The library is damaged: database")
    assert "library repair" in told[0][1]
