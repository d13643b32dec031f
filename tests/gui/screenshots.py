"""Pictures of every state of the window, to look at: ``screenshots.py OUT [THEME [LANGUAGE]]``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
SCRATCH = Path(tempfile.mkdtemp())
for variable in ("CONFIG", "LOGS", "MODELS"):
    os.environ[f"EARWITNESS_{variable}"] = str(SCRATCH / variable.lower())

import window_fakes as fakes  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402

from engine import messages  # noqa: E402
from engine.progress import Progress  # noqa: E402
from engine.settings import Settings  # noqa: E402
from engine.types import SearchHit  # noqa: E402
from engine.types_answer import TraceEvent  # noqa: E402
from gui.app import App, make_application  # noqa: E402


def main(out_dir: Path, theme: str, language: str) -> None:  # noqa: PLR0915
    """Walk through the states."""
    out_dir.mkdir(parents=True, exist_ok=True)
    app = make_application(Settings(theme=theme, ui_language=language))
    library = SCRATCH / "library"
    library.mkdir()
    for title in ("Weekly sync", "Customer interview with Dr. Halvorsen", "Design review"):
        fakes.fill(library, count=8, title=title)
    meeting = fakes.fill(library)
    spoken = fakes.utterances(48)
    clients = fakes.FakeClients()
    running = App(library, clients, Settings(theme=theme, ui_language=language))
    window = running.window
    size = os.environ.get("EARWITNESS_SHOT_SIZE", "1440x900")
    window.resize(*(int(part) for part in size.split("x")))
    running.start()

    def shot(name: str) -> None:
        QTest.qWait(250)
        window.grab().save(str(out_dir / f"{name}-{theme}.png"))

    shot("1-welcome")
    running.session.open(meeting.id)
    while running.session.content is None:
        QTest.qWait(50)
    shot("2-meeting")
    parts = window.parts
    parts.ask.ask("What was decided about the archive, and why?")
    job = clients.assistant.jobs[-1]
    job.partial.emit(TraceEvent("plan", 1, {}))
    job.partial.emit(TraceEvent("text", 1, "The archive goes back to"))
    running.queue.add("/recordings/Quarterly review.m4a")
    running.queue.add("/recordings/Interview 7.wav")
    clients.analysis.jobs[-1].progressed.emit(Progress("transcribe", 0.4, 0.43, 96))
    shot("3-asking")
    job.finished.emit(fakes.answer(meeting.id, spoken, job.request.question))
    parts.meeting.show_citation(parts.ask._cards[-1].citations()[1])
    QTest.qWait(300)
    shot("4-answer")
    running.player.pause()
    parts.ask._cards[-1]._tools.findChildren(type(parts.ask._send))[0].setChecked(True)
    shot("5-how")
    for key in ("show_minutes", "show_speakers", "show_graph"):
        parts.actions[key].trigger()
        shot(f"6-{key}")
    window.stack.setCurrentWidget(parts.search)
    parts.search.search("archive")
    hits = tuple(
        SearchHit(meeting.id, meeting.title, u, 1.0) for u in spoken if "archive" in u.text
    )
    clients.clerk.deliver(clients.clerk.jobs[-1], messages.Finished("", hits))
    shot("7-search")
    for key in ("models", "settings", "record"):
        parts.actions[key].trigger()
        rows = [j for j in clients.clerk.jobs if isinstance(j.request, messages.ListModels)]
        if key == "models" and rows:
            from engine.weights.status import model_rows

            rows[-1].finished.emit(tuple(model_rows()))
        shot(f"8-{key}")
    parts.actions["show_meeting"].trigger()
    parts.actions["find"].trigger()
    parts.meeting.transcript.find_bar._find.setText("archive")
    window.show_banner(
        "The file standup.m4a has no sound.", "Choose another file, or check the track."
    )
    window._veil.cover()
    shot("9-drop")
    window._veil.hide()
    shot("9-find")
    running.close()
    app.quit()


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    main(Path(sys.argv[1]), given.get(2, "light"), given.get(3, ""))
