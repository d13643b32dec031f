"""Everything the main window is put together from, made by the composition root."""

from __future__ import annotations

from dataclasses import dataclass

from gui.actions import Actions
from gui.answer_actions import AnswerActions
from gui.commands import Commands
from gui.library_actions import LibraryActions
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
from gui.player import Player
from gui.recording import Recording
from gui.session import Session
from gui.widgets.banner import Banner
from gui.widgets.job_bar import JobBar
from gui.widgets.recording_strip import RecordingStrip


@dataclass(frozen=True)
class Parts:
    """Pages and the objects they share; the window only connects them."""

    actions: Actions
    commands: Commands
    meetings: LibraryActions
    answers: AnswerActions
    session: Session
    player: Player
    welcome: WelcomePage
    library: LibraryPage
    meeting: MeetingPage
    record: RecordPage
    search: SearchPage
    versions: VersionsPage
    questions: QuestionsPage
    ask: AskPage
    minutes: MinutesPage
    speakers: SpeakersPage
    graph: GraphPage
    models: ModelsPage
    settings: SettingsPage
    banner: Banner
    jobs: JobBar
    recording: Recording
    strip: RecordingStrip
