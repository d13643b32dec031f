"""How much one turn of the window's event loop does, and what people do with a long meeting."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QTimer

from engine.settings import Settings
from gui.app import App


class Watchdog:
    """Measures how much of the GUI thread's own time one turn of the event loop takes.

    A busy machine takes the processor away; the thread's processor time does not count that.
    """

    def __init__(self) -> None:
        self.worst = 0.0
        self._last = time.thread_time()
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = time.thread_time()
        self.worst = max(self.worst, now - self._last)
        self._last = now

    def reset(self) -> None:
        """Look only at what comes from now on."""
        self.worst = 0.0
        self._last = time.thread_time()


class CallCount:
    """Counts the functions called in the GUI thread in one turn of the event loop.

    What a test may assert: the same work counts the same on a slow and on a busy machine, and
    what grows with the length of a meeting shows at once.
    """

    def __init__(self) -> None:
        self.worst = 0
        self._count = 0
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(self.reset_turn)
        self._timer.start()
        sys.setprofile(self._seen)

    def _seen(self, _frame: FrameType, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            self._count += 1

    def reset_turn(self) -> None:
        """A turn of the event loop is over."""
        self.worst = max(self.worst, self._count)
        self._count = 0

    def reset(self) -> None:
        """Look only at what comes from now on."""
        self.worst = self._count = 0

    def stop(self) -> None:
        """Count no longer."""
        self._timer.stop()
        sys.setprofile(None)


def deeds(app: App) -> dict[str, Callable[[], object]]:
    """What people do with an open meeting, by name, in an order in which it can be done."""
    parts = app.window.parts
    transcript, waveform, actions = parts.meeting.transcript, parts.meeting.waveform, parts.actions
    bar = transcript.view.verticalScrollBar()
    find = transcript.find_bar
    speaker = app.session.content.speakers[0].id
    edit = app.session.edit
    return {
        "scroll to the middle": lambda: bar.setValue(bar.maximum() // 2),
        "scroll to the end": lambda: bar.setValue(bar.maximum()),
        "go to a row": lambda: transcript.show_row(12_345),
        "follow what is heard": lambda: transcript.follow(9000.0, is_scrolled=True),
        "zoom in": lambda: waveform.zoom(8),
        "show all": waveform.show_all,
        "open find": actions["find"].trigger,
        "find": lambda: find._find.setText("archive"),
        "next match": lambda: find.step(1),
        "replace all": lambda: edit("replace_text", find="archive", replacement="store"),
        "edit a line": lambda: transcript.model.setData(transcript.model.index(7, 0), "Other"),
        "undo": lambda: edit("undo"),
        "rename a speaker": lambda: edit("rename_speaker", speaker_id=speaker, name="Zuzana"),
        "join two lines": lambda: edit("merge_utterances", index=9),
        "minutes": actions["show_minutes"].trigger,
        "questions asked": lambda: _choose_form(parts.minutes, "3-stand-up.toml"),
        "speakers": actions["show_speakers"].trigger,
        "graph": actions["show_graph"].trigger,
        "search all meetings": lambda: parts.library.search_requested.emit("cold storage"),
        "versions": actions["show_versions"].trigger,
        "models": actions["models"].trigger,
        "settings": actions["settings"].trigger,
        "shortcuts": actions["shortcuts"].trigger,
        "dark theme": lambda: parts.settings.changed.emit(Settings(theme="dark")),
        "light theme": lambda: parts.settings.changed.emit(Settings(theme="light")),
        "back to the meeting": actions["show_meeting"].trigger,
        "read again": app.session.refresh,
    }


def _choose_form(page: object, name: str) -> None:
    page._drafts.keep("", "minutes form", name)
    page._show(page._session.content)
