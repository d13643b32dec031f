"""How long each action holds up the window on a meeting of twenty thousand utterances.

    python tests/benchmarks/window.py [UTTERANCES]

The real window without a screen and real engine processes on a library made for it. Printed for
each action: the longest turn of the event loop afterwards, in processor time of the window's
thread; and the time of a frame while the transcript is scrolled.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gui"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import watchdog
import window_fakes
from PySide6.QtCore import QEventLoop, QTimer, SignalInstance
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.settings import Settings
from gui.app import App, Clients, make_application
from gui.dressing import Dressing

_BUDGET_MS = 50
_SETTLE_MS = 400
_EDITS = ("replace all", "edit a line", "undo", "rename a speaker", "join two lines", "read again")


def until(signal: SignalInstance, act: Callable[[], object]) -> None:
    """Do something and let the event loop run until a signal comes."""
    loop = QEventLoop()
    signal.connect(loop.quit)
    QTimer.singleShot(20_000, loop.quit)
    act()
    loop.exec()
    signal.disconnect(loop.quit)


def opened(app: App, meeting_id: str) -> list[tuple[str, float]]:
    """Open the meeting; seconds that pass, and of the window's thread, until it is painted."""
    began, own = time.perf_counter(), time.thread_time()
    until(app.session.opened, lambda: app.session.open(meeting_id))
    app.window.repaint()
    passed, worked = time.perf_counter() - began, time.thread_time() - own
    return [("open: passed until painted", passed), ("open: work until painted", worked)]


def settle() -> None:
    """Let everything happen that an action leads to; a change of theme takes several turns."""
    QTest.qWait(_SETTLE_MS)
    dressing = QApplication.instance().findChild(Dressing)
    while dressing is not None and dressing.is_running:
        QTest.qWait(20)


def frame(app: App, n_frames: int = 60) -> float:
    """Seconds that painting takes while somebody scrolls."""
    view = app.window.parts.meeting.transcript.view
    began = time.thread_time()
    for number in range(n_frames):
        view.verticalScrollBar().setValue(3000 + number * 90)
        view.viewport().repaint()
    return (time.thread_time() - began) / n_frames


def main(n_utterances: int) -> int:
    """Print the table; how many actions take longer than they may."""
    chosen = Settings(theme="light", enrich_automatically=False)
    make_application(chosen)
    with tempfile.TemporaryDirectory() as name:
        library = Path(name) / "library"
        library.mkdir()
        for variable in ("CONFIG", "LOGS"):
            os.environ[f"EARWITNESS_{variable}"] = str(Path(name) / variable)
        meeting = window_fakes.fill(library, count=n_utterances)
        app = App(library, Clients(), chosen)
        app.start()
        QTest.qWait(1000)
        rows = opened(app, meeting.id)
        dog = watchdog.Watchdog()
        QTest.qWait(_SETTLE_MS)
        rows.append(("one frame of scrolling", frame(app)))
        for deed, act in watchdog.deeds(app).items():
            dog.reset()
            if deed in _EDITS:
                until(app.session.refreshed, act)
            else:
                act()
            settle()
            rows.append((deed, dog.worst))
        app.close()
    for deed, seconds in rows:
        slow = "  <-- over" if 1000 * seconds > _BUDGET_MS and "painted" not in deed else ""
        print(f"{deed:>30}  {1000 * seconds:7.1f} ms{slow}")
    return sum(1000 * seconds > _BUDGET_MS for _deed, seconds in rows[1:])


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or ["20000"])[0])) > 0)
