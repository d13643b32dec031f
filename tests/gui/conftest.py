"""The window with a made-up meeting and engines that answer from a script."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import window_fakes as fakes
from PySide6.QtCore import QCoreApplication, QEvent

from engine.settings import Settings
from gui.app import App, make_application
from gui.audio_output import ClockOutput
from gui.player import Player


@pytest.fixture(scope="session")
def qapp_cls():
    """pytest-qt makes the application; ours is dressed afterwards."""
    from PySide6.QtWidgets import QApplication

    return QApplication


@pytest.fixture
def dressed(qapp):
    """The application in the window's look."""
    return make_application(Settings(theme="light"))


@pytest.fixture
def clients():
    return fakes.FakeClients()


@pytest.fixture
def library_dir(tmp_path):
    folder = tmp_path / "library"
    folder.mkdir()
    return folder


@pytest.fixture
def running(dressed, clients, library_dir, qtbot, monkeypatch):
    """The whole application on an empty library."""
    monkeypatch.setattr("gui.app.Player", lambda: Player(lambda rate: (ClockOutput(rate), True)))
    monkeypatch.setenv("EARWITNESS_CONFIG", str(library_dir.parent / "config"))
    made = App(library_dir, clients, Settings(theme="light"))
    made.window.resize(1300, 850)
    made.start()
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    made.window.deleteLater()
    # Windows that are gone in name only would be dressed again with every later one.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A library with one meeting, made once and copied."""
    folder = tmp_path_factory.mktemp("filled") / "library"
    folder.mkdir()
    return folder, fakes.fill(folder)


@pytest.fixture
def meeting(library_dir, filled):
    """A meeting of 48 utterances in the library."""
    folder, made = filled
    shutil.copytree(folder, library_dir, dirs_exist_ok=True)
    return made


@pytest.fixture
def spoken():
    return fakes.utterances(48)


@pytest.fixture
def opened(meeting, running, qtbot):
    """The application with the meeting open."""
    # Far longer than it takes: a machine busy with other things must not fail every test.
    with qtbot.waitSignal(running.session.opened, timeout=60_000):
        running.session.open(meeting.id)
    return running


class Dialogs:
    """Answers every question at once, from a list."""

    def __init__(self):
        self.replies = []
        self.asked = []

    def _answer(self, what, *rest):
        self.asked.append((what, *rest))
        return self.replies.pop(0) if self.replies else None

    def text(self, title, label, value, take):
        reply = self._answer("text", title, value)
        if reply is not None:
            take(reply)

    def confirm(self, title, text, verb, go):
        if self._answer("confirm", title, text):
            go()

    def tell(self, title, text, details=""):
        self._answer("tell", title, text, details)

    def files(self, title, pattern, take):
        take(self._answer("files", title))

    def folder(self, title, take):
        take(self._answer("folder", title))

    def save(self, title, name, pattern, take):
        take(self._answer("save", title, name))


@pytest.fixture
def dialogs(running, monkeypatch):
    """Dialogs that never appear."""
    made = Dialogs()
    for name in ("text", "confirm", "tell", "files", "folder", "save"):
        monkeypatch.setattr(running.dialogs, name, getattr(made, name))
    return made
