"""The composition root: builds everything once, in this order, and hands it in by argument.

Settings, QApplication and theme; the three engine clients; reader, session and player; queue and
actions; pages; the window; then the links that show errors in one place.
"""

from __future__ import annotations

import argparse
import gc
import logging
import logging.handlers
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QWidget

from engine import paths, settings
from engine.audio.record import Status
from engine.audio.take import Take
from engine.errors import EngineError
from engine.graph.store import Store
from engine.messages import Failed
from engine.settings import Settings
from gui import damaged, passphrase, theme, translation
from gui.actions import Actions
from gui.answer_actions import AnswerActions
from gui.commands import Commands
from gui.crash import install_excepthook
from gui.dialogs import Dialogs
from gui.drafts import Drafts
from gui.engine_client import EngineClient
from gui.jobs import JobQueue
from gui.library_actions import LibraryActions
from gui.live import LiveTranscript
from gui.main_window import MainWindow
from gui.minutes_writer import MinutesWriter
from gui.pages.ask import AskPage
from gui.pages.graph import GraphPage
from gui.pages.library import LibraryPage
from gui.pages.meeting import MeetingPage
from gui.pages.minutes import MinutesPage
from gui.pages.models import ModelsPage
from gui.pages.questions import QuestionsPage
from gui.pages.record import RecordPage
from gui.pages.search import SearchPage
from gui.pages.settings import SettingsPage
from gui.pages.speakers import SpeakersPage
from gui.pages.versions import VersionsPage
from gui.pages.welcome import WelcomePage
from gui.parts import Parts
from gui.player import Player
from gui.reader import Reader
from gui.recording import Recording
from gui.session import Session
from gui.takes import Takes
from gui.watch import WatchFolder
from gui.widgets.banner import Banner
from gui.widgets.job_bar import JobBar
from gui.widgets.recording_strip import RecordingStrip


class Clients:
    """The engine processes: hearing, answering, short errands, and listening along."""

    def __init__(self) -> None:
        self.analysis = EngineClient("analysis")
        self.assistant = EngineClient("assistant")
        self.clerk = EngineClient("clerk")
        # Started only when a recording is; it listens along and does nothing else.
        self.listener = EngineClient("listener")

    def all(self) -> tuple[EngineClient, ...]:
        """Each of them."""
        return self.analysis, self.assistant, self.clerk, self.listener


class App(QObject):
    """The running application: owns what lives as long as it does.

    Args:
        library_dir: Where the meetings are.
        clients: The engine; tests hand in their own.
        chosen: The user's settings.
    """

    def __init__(self, library_dir: Path, clients: Clients, chosen: Settings) -> None:
        super().__init__()
        self.library_dir = library_dir
        self.clients = clients
        _make_library(library_dir)
        self.reader = Reader(lambda: Store(library_dir, read_only=True))
        self.session = Session(self.reader, clients.clerk, library_dir)
        self.player = Player()
        self.queue = JobQueue(clients.analysis, library_dir)
        self.writer = MinutesWriter(clients.analysis, self.queue, library_dir)
        self.writer.is_automatic = chosen.enrich_automatically
        self.recording = Recording(self.reader, library_dir)
        self.live = LiveTranscript(self.recording, clients.listener)
        self.live.language = chosen.language
        self.takes = Takes(self.queue, clients.clerk, library_dir)
        self.watch = WatchFolder(library_dir)
        self.drafts = Drafts(library_dir / "drafts.json")
        self._watched = chosen.watch_folder
        # Dialogs need a window to stand over, which is built last.
        self._anchor = QWidget()
        self.dialogs = Dialogs(self._anchor)
        self.window = MainWindow(self._parts(chosen))
        self.dialogs.set_parent(self.window)
        self.encryption = passphrase.Encryption(library_dir)
        self.encryption.set_window(self.window)
        self._connect()

    def start(self, meeting: str = "", files: Sequence[str] = ()) -> None:
        """Show the window and begin with what is there, then hear ``files``."""
        self.window.show()
        self.window.parts.library.focus_list()
        self.window.parts.library.reload()
        self.window.parts.models.reload()
        self.queue.start()
        self.writer.start()
        self.recording.recover()
        self.watch.set_folder(self._watched)
        if meeting:
            self.session.open(meeting)
        if files:
            self.window.parts.meetings.add_paths(files)

    def close(self) -> None:
        """End what runs, window first."""
        self.window.close()
        self.drafts.close()
        self.player.close()
        self.watch.close()
        self.recording.close()
        self.reader.close()
        for client in self.clients.all():
            client.close()

    def _parts(self, chosen: Settings) -> Parts:
        clients, library_dir = self.clients, self.library_dir
        actions = Actions(paths.config_dir() / "shortcuts.json")
        meeting = MeetingPage(self.session, self.player, self.drafts)
        speakers = SpeakersPage(self.session, self.dialogs)
        commands = Commands(
            self.session, self.player, meeting, speakers, clients.analysis, self.dialogs
        )
        commands.library_dir = library_dir
        return Parts(
            actions=actions,
            commands=commands,
            meetings=LibraryActions(clients.clerk, self.queue, library_dir, self.dialogs),
            answers=AnswerActions(clients.clerk, clients.analysis, library_dir, self.dialogs),
            session=self.session,
            player=self.player,
            welcome=WelcomePage(actions["record"], actions["add"]),
            library=LibraryPage(self.reader),
            meeting=meeting,
            record=RecordPage(self.recording, paths.config_dir()),
            search=SearchPage(clients.clerk, library_dir),
            versions=VersionsPage(self.session),
            questions=QuestionsPage(
                self.session, clients.assistant, clients.clerk, library_dir, self.dialogs
            ),
            ask=AskPage(clients.assistant, self.session, library_dir, self.drafts),
            minutes=MinutesPage(self.session, self.drafts),
            speakers=speakers,
            graph=GraphPage(self.session),
            models=ModelsPage(clients.clerk, clients.analysis, self.dialogs),
            settings=SettingsPage(chosen, actions),
            banner=Banner(),
            jobs=JobBar(),
            recording=self.recording,
            strip=RecordingStrip(),
        )

    def _connect(self) -> None:
        self._connect_recording()
        parts, queue, bar = self.window.parts, self.queue, self.window.parts.jobs
        queue.changed.connect(self._on_queue_changed)
        parts.actions["encrypt"].triggered.connect(self.encryption.ask)
        self.encryption.wanted.connect(self.window.close)
        queue.meeting_ready.connect(self._on_meeting_ready)
        bar.cancel_requested.connect(queue.cancel)
        bar.retry_requested.connect(queue.retry)
        bar.move_requested.connect(queue.move)
        bar.pause_requested.connect(queue.set_paused)
        for client in (self.clients.analysis, self.clients.assistant, self.clients.clerk):
            client.job_failed.connect(self._on_job_failed)
        self.reader.failed.connect(self._on_read_failed)
        self.player.device_missing.connect(self._on_device_missing)
        parts.settings.changed.connect(self._on_settings)
        self.watch.found.connect(self.queue.add_once)
        self.watch.failed.connect(self._on_watch_failed)
        for source in (
            parts.meetings,
            parts.answers,
            parts.questions,
            parts.commands,
            parts.models,
            parts.minutes,
        ):
            source.told.connect(self._on_told)
        for refuser in (parts.meetings, parts.commands, parts.settings, parts.minutes):
            refuser.refused.connect(self.window.show_banner)
        parts.meetings.meeting_deleted.connect(self.writer.forget)
        parts.meetings.meeting_deleted.connect(self.drafts.forget)
        self.writer.progressed.connect(parts.minutes.show_progress)
        parts.commands.minutes_progressed.connect(parts.minutes.show_progress)
        self.writer.written.connect(self._on_meeting_changed)
        parts.meetings.meeting_changed.connect(self._on_meeting_changed)
        parts.meeting.transcript.bookmark_requested.connect(parts.commands.bookmark)
        parts.meeting.transcript.speaker_menu_requested.connect(parts.speakers.open_menu)
        parts.meeting.unplayable.connect(self._on_unplayable)
        parts.minutes.write_requested.connect(parts.commands.summarise)
        parts.minutes.add_requested.connect(parts.commands.add_note)
        parts.minutes.copied.connect(parts.commands.minutes_copied)
        parts.meeting.rehear_requested.connect(parts.commands.hear_gap)
        parts.models.listed.connect(parts.settings.set_models)
        parts.models.missing_found.connect(self._on_models_missing)
        parts.banner.details_requested.connect(self._on_details)

    def _connect_recording(self) -> None:
        parts, recording = self.window.parts, self.recording
        self.live.lines_changed.connect(parts.record.live.show_lines)
        self.live.unavailable.connect(parts.record.live.explain)
        recording.status_changed.connect(self._on_recording_status)
        recording.noticed.connect(self._on_noticed)
        recording.failed.connect(self.window.show_banner)
        recording.finished.connect(self._on_recorded)
        recording.recovered.connect(self.takes.hear_recovered)
        self.takes.told.connect(self._on_told)
        parts.commands.set_recording(recording)

    def _on_recording_status(self, status: Status) -> None:
        if self.recording.is_running:
            self.window.parts.strip.show_status(status)

    def _on_noticed(self, kind: str, text: str) -> None:
        self.window.show_banner(text, "", "good" if kind == "found" else "warning")

    def _on_recorded(self, take: Take, path: Path) -> None:
        self.window.parts.strip.hide()
        self.takes.hear(take, path, self.window.parts.record.take_title())

    def _on_queue_changed(self) -> None:
        self.window.parts.jobs.show_tasks(self.queue.tasks, is_paused=self.queue.is_paused)

    def _on_meeting_ready(self, meeting: object) -> None:
        self.window.parts.library.reload()
        meeting_id = getattr(meeting, "id", "")
        if self.session.content is None and meeting_id:
            self.session.open(meeting_id)
        elif meeting_id == self.session.meeting_id:
            self.session.refresh()

    def _on_meeting_changed(self, meeting_id: str) -> None:
        if meeting_id == self.session.meeting_id:
            self.session.refresh()

    def _on_job_failed(self, _job: object, failure: Failed) -> None:
        self.window.show_banner(failure.message, failure.hint, "", failure.details)

    def _on_read_failed(self, error: EngineError) -> None:
        self.window.show_banner(error.message, error.hint)

    def _on_told(self, message: str, hint: str) -> None:
        self.window.show_banner(message, hint, "good")

    def _on_watch_failed(self, folder: str) -> None:
        text = self.tr("{path} is not there. New recordings in it are not noticed.")
        self.window.show_banner(
            self.tr("The watch folder cannot be read."), text.format(path=folder), "warning"
        )

    def _on_unplayable(self, path: str) -> None:
        self.window.show_banner(
            self.tr("The sound of this meeting cannot be played."),
            self.tr("The file {path} is damaged or gone.").format(path=path),
        )

    def _on_device_missing(self) -> None:
        self.window.show_banner(
            self.tr("There is no sound device."),
            self.tr("The position moves on, but nothing can be heard."),
            "warning",
        )

    def _on_models_missing(self, is_missing: bool) -> None:
        if is_missing:
            parts = self.window.parts
            self.window.stack.setCurrentWidget(parts.models)

    def _on_settings(self, chosen: Settings) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, chosen.theme)
        self.watch.set_folder(chosen.watch_folder)
        self.writer.is_automatic = chosen.enrich_automatically
        self.live.language = chosen.language
        try:
            settings.save(chosen)
        except EngineError as error:
            self.window.show_banner(error.message, error.hint)

    def _on_details(self, details: str) -> None:
        self.dialogs.tell(self.tr("Details"), self.tr("The technical part:"), details)


def _make_library(library_dir: Path) -> None:
    """Bring the library file to the present format before anybody reads it."""
    library_dir.mkdir(parents=True, exist_ok=True)
    Store(library_dir).close()


def _log_to_file() -> None:
    """Keep a short log of warnings, without meeting content."""
    folder = paths.log_dir()
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        folder / "window.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)


def make_application(chosen: Settings) -> QApplication:
    """The QApplication in the window's look and language."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName(paths.APP_NAME)
    app.setDesktopFileName("earwitness")
    if not app.styleSheet():  # once dressed it keeps its style; to set it dresses every widget anew
        app.setStyle("Fusion")
    icon = paths.resource("icons/earwitness.svg")
    if icon.exists():
        app.setWindowIcon(QIcon(str(icon)))
    theme.choose_font(app)
    theme.apply(app, chosen.theme)
    translation.install(app, chosen.ui_language)
    return app


def main(argv: Sequence[str]) -> int:
    """Open the window.

    Args:
        argv: ``--library DIR``, ``--meeting ID-or-title`` and recordings to hear, all optional.

    Returns:
        Exit code.
    """
    parser = argparse.ArgumentParser(prog="earwitness")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--meeting", default="")
    parser.add_argument("files", nargs="*", help='recordings to hear ("Open with")')
    arguments = parser.parse_args(list(argv))
    _log_to_file()
    # A long transcript is many small objects; looking through them all too often is felt.
    gc.set_threshold(50_000, 20, 50)
    problem: EngineError | None = None
    try:
        chosen = settings.load()
    except EngineError as error:
        chosen, problem = Settings(), error
    app = make_application(chosen)
    library_dir = arguments.library or settings.library_dir(chosen)
    if not passphrase.library_unlocks(library_dir) or not damaged.library_opens(library_dir):
        return 1
    running = App(library_dir, Clients(), chosen)
    install_excepthook(running.window)
    if problem is not None:
        running.window.show_banner(problem.message, problem.hint)
    checking = damaged.check_later(library_dir, running.window.show_banner)
    app.aboutToQuit.connect(checking.close)
    app.aboutToQuit.connect(running.close)
    running.start(arguments.meeting, arguments.files)
    status = app.exec()
    passphrase.finish(running.encryption, argv, damaged.told)
    return status
