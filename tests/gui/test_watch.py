"""The watch folder: only new files, only whole ones, each once, restarts included."""

from pathlib import Path

import pytest

from engine.settings import Settings
from gui.watch import Watcher, WatchFolder


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "incoming"
    made.mkdir()
    return made


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "watched.json"


def names(watcher):
    return [path.name for path in watcher.look()]


def test_a_file_is_taken_once_its_size_is_stable(folder, memory):
    watcher = Watcher(folder, memory)
    assert names(watcher) == []
    talk = folder / "Talk.M4A"
    talk.write_bytes(b"half")
    assert names(watcher) == []
    talk.write_bytes(b"half and more")
    assert names(watcher) == []
    assert names(watcher) == ["Talk.M4A"]
    assert names(watcher) == []


def test_nothing_is_taken_twice_and_nothing_missed_over_a_restart(folder, memory):
    Watcher(folder, memory).look()
    (folder / "one.wav").write_bytes(b"1")
    watcher = Watcher(folder, memory)
    assert names(watcher) + names(watcher) == ["one.wav"]
    # Arrives while the window is closed.
    (folder / "two.wav").write_bytes(b"2")
    watcher = Watcher(folder, memory)
    assert names(watcher) + names(watcher) + names(watcher) == ["two.wav"]


def test_what_was_there_before_is_left_alone_until_it_changes(folder, memory):
    old = folder / "old.wav"
    old.write_bytes(b"old")
    watcher = Watcher(folder, memory)
    assert names(watcher) + names(watcher) == []
    old.write_bytes(b"recorded over")
    assert names(watcher) + names(watcher) == ["old.wav"]


def test_other_files_hidden_ones_and_empty_ones_are_no_recordings(folder, memory):
    watcher = Watcher(folder, memory)
    watcher.look()
    for name, content in (
        ("notes.txt", b"x"), (".talk.wav", b"x"), ("talk.wav.part", b"x"), ("empty.wav", b""),
    ):  # fmt: skip
        (folder / name).write_bytes(content)
    (folder / "folder.wav").mkdir()
    assert names(watcher) + names(watcher) == []


def test_a_damaged_memory_takes_nothing_old(folder, memory):
    (folder / "old.wav").write_bytes(b"old")
    memory.write_text('{"x": 3')
    watcher = Watcher(folder, memory)
    assert names(watcher) + names(watcher) == []


def test_a_folder_that_is_gone_is_said_once_and_noticed_again(folder, tmp_path, qapp, qtbot):
    folder.rmdir()
    watch = WatchFolder(tmp_path, seconds=0.01)
    failures = []
    watch.failed.connect(failures.append)
    try:
        watch.set_folder(str(folder))
        qtbot.waitUntil(lambda: failures == [str(folder)])
        folder.mkdir()
        qtbot.waitUntil(lambda: (tmp_path / "watched.json").exists())
        (folder / "new.wav").write_bytes(b"new")
        with qtbot.waitSignal(watch.found) as signal:
            pass
        assert Path(signal.args[0]).name == "new.wav"
    finally:
        watch.close()
    assert len(failures) == 1


def test_the_window_queues_what_is_found(running, clients, tmp_path):
    running.watch.found.emit(str(tmp_path / "new.wav"))
    running.watch.found.emit(str(tmp_path / "new.wav"))
    assert [task.path for task in running.queue.tasks] == [str(tmp_path / "new.wav")]


def test_the_setting_takes_effect_at_once(running, folder):
    running.window.parts.settings.changed.emit(Settings(watch_folder=str(folder)))
    assert running.watch._folder == str(folder)
    running.window.parts.settings.changed.emit(Settings())
    assert running.watch._thread is None
