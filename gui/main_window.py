"""The main window: puts pages, menus and signals together. No logic lives here."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui import theme
from gui.content import MeetingContent
from gui.parts import Parts
from gui.widgets.drop_veil import DropVeil


class MainWindow(QMainWindow):
    """Library at the left, the meeting in the middle, answers at the right, jobs at the foot."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.parts = parts
        self.setWindowTitle("Earwitness")
        self.setAcceptDrops(True)
        self._build()
        self._connect_pages()
        self._connect_actions()
        self._show_start()

    def show_banner(self, message: str, hint: str = "", tone: str = "", details: str = "") -> None:
        """Show an error or a notice in the one place for it."""
        self.parts.banner.show_message(message, hint, tone=tone, details=details)

    def _build(self) -> None:
        parts = self.parts
        parts.actions.fill(self.menuBar())
        self._build_frame()
        # From the outside in: a widget that gets another parent is dressed anew with all in it.
        for widget in (parts.library, self.stack, self.tabs):
            self.splitter.addWidget(widget)
        for page in (
            parts.welcome,
            parts.meeting,
            parts.record,
            parts.search,
            parts.versions,
            parts.questions,
            parts.models,
            parts.settings,
        ):
            self.stack.addWidget(page)
        for panel, name in (
            (parts.ask, self.tr("Ask")),
            (parts.minutes, self.tr("Minutes")),
            (parts.speakers, self.tr("Speakers")),
            (parts.graph, self.tr("Graph")),
        ):
            self.tabs.addTab(panel, name)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setCollapsible(1, False)
        self.splitter.setSizes(self._widths())
        self._veil = DropVeil(self)
        self.resize(self._size())

    def _build_frame(self) -> None:
        """Notices above, jobs below, and between them the room for three columns."""
        parts = self.parts
        body = QWidget()
        self.setCentralWidget(body)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.stack = QStackedWidget()
        self.stack.setProperty("role", "panel")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName(self.tr("Side panel"))
        margin = theme.space(self)
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        frame = QVBoxLayout()
        frame.setContentsMargins(2 * margin, 0, 2 * margin, margin)
        frame.setSpacing(margin)
        layout.addLayout(frame)
        layout.addWidget(self.splitter, 1)
        layout.addWidget(parts.jobs)
        frame.addWidget(parts.strip)
        frame.addWidget(parts.banner)

    def _widths(self) -> list[int]:
        em = self.fontMetrics().horizontalAdvance("m")
        return [17 * em, 54 * em, 29 * em]

    def _size(self) -> QSize:
        screen = self.screen().availableGeometry()
        em = self.fontMetrics().horizontalAdvance("m")
        line = self.fontMetrics().height()
        return QSize(min(screen.width(), 106 * em), min(screen.height(), 50 * line))

    def _connect_pages(self) -> None:
        parts = self.parts
        parts.library.follow_actions(parts.actions["record"], parts.actions["add"])
        parts.library.meeting_chosen.connect(parts.session.open)
        parts.library.search_requested.connect(self._on_search)
        parts.library.rename_requested.connect(parts.meetings.rename)
        parts.library.tags_requested.connect(parts.meetings.change_tags)
        parts.library.delete_requested.connect(parts.meetings.delete)
        parts.library.export_requested.connect(parts.meetings.export)
        parts.library.finish_requested.connect(parts.meetings.finish)
        parts.session.opened.connect(self._on_opened)
        parts.session.closed.connect(self._show_start)
        parts.ask.citation_chosen.connect(self._on_citation)
        parts.ask.citations_shown.connect(parts.meeting.show_citations)
        parts.ask.rated.connect(parts.answers.rate)
        parts.ask.evidence_requested.connect(parts.answers.export_evidence)
        parts.ask.rehear_requested.connect(parts.answers.rehear)
        parts.library.selection_changed.connect(parts.ask.set_selected)
        parts.search.citation_chosen.connect(self._on_citation)
        parts.meeting.transcript.question_requested.connect(self._on_question)
        for moments in (
            parts.minutes,
            parts.speakers,
            parts.graph,
            parts.versions,
            parts.questions,
        ):
            moments.play_requested.connect(parts.meeting.play)
        parts.commands.close_requested.connect(self.close)
        parts.strip.opened.connect(self._on_record)
        parts.strip.pause_toggled.connect(parts.recording.toggle_pause)
        parts.strip.stop_requested.connect(parts.recording.stop)
        parts.meetings.library_changed.connect(parts.library.reload)
        parts.meetings.meeting_deleted.connect(self._on_meeting_deleted)

    def _connect_actions(self) -> None:
        parts = self.parts
        actions, meeting, meetings = parts.actions, parts.meeting, parts.meetings
        self._connect_pages_actions()
        self._connect_playing()
        for key, slot in {
            "undo": lambda: parts.session.edit("undo"),
            "redo": lambda: parts.session.edit("redo"),
            "edit_text": meeting.transcript.edit_current,
            "copy": meeting.transcript.copy_selection,
            "find": meeting.transcript.find_bar.begin,
            "search": parts.library.focus_search,
            "bookmark": parts.commands.bookmark,
            "speaker": parts.commands.change_speaker,
            "summarise": parts.commands.summarise,
            "ratings": parts.answers.export_ratings,
            "gaps": parts.commands.hear_gaps,
            "log": parts.commands.export_log,
            "licences": parts.commands.licences,
            "about": parts.commands.about,
            "add": meetings.choose_files,
            "add_folder": meetings.choose_folder,
            "quit": self.close,
        }.items():
            actions[key].triggered.connect(lambda _=False, s=slot: s())
        for key, about in {
            "export": meetings.export,
            "rename": meetings.rename,
            "tags": meetings.change_tags,
            "rehear": meetings.analyse_again,
            "delete": meetings.delete,
        }.items():
            actions[key].triggered.connect(lambda _=False, s=about: self._with_meeting(s))
        meeting.export_requested.connect(actions["export"].trigger)
        parts.versions.rehear_requested.connect(actions["rehear"].trigger)
        parts.versions.restore_requested.connect(self._on_restore)
        meeting.rename_requested.connect(actions["rename"].trigger)

    def _connect_playing(self) -> None:
        parts, meeting = self.parts, self.parts.meeting
        for key, slot in {
            "toggle": parts.player.toggle,
            "back": lambda: parts.player.seek(parts.player.position - 5),
            "forward": lambda: parts.player.seek(parts.player.position + 5),
            "slower": lambda: meeting.transport.step_speed(-1),
            "faster": lambda: meeting.transport.step_speed(1),
            "follow": lambda: meeting.transport.set_follow(not meeting.transport.follows),
            "zoom_in": lambda: meeting.waveform.zoom(1.6),
            "zoom_out": lambda: meeting.waveform.zoom(1 / 1.6),
            "zoom_all": meeting.waveform.show_all,
        }.items():
            parts.actions[key].triggered.connect(lambda _=False, s=slot: s())

    def _connect_pages_actions(self) -> None:
        parts = self.parts
        for key, page in {
            "record": parts.record,
            "settings": parts.settings,
            "models": parts.models,
            "show_meeting": parts.meeting,
            "show_versions": parts.versions,
            "show_questions": parts.questions,
        }.items():
            parts.actions[key].triggered.connect(
                lambda _=False, p=page: self.stack.setCurrentWidget(p)
            )
        for key, tab in {
            "show_ask": parts.ask,
            "show_minutes": parts.minutes,
            "show_speakers": parts.speakers,
            "show_graph": parts.graph,
        }.items():
            parts.actions[key].triggered.connect(lambda _=False, t=tab: self._show_tab(t))
        parts.actions["ask"].triggered.connect(self._on_ask)
        parts.actions["shortcuts"].triggered.connect(self._on_shortcuts)
        for key, shown in {"library": parts.library, "panel": self.tabs}.items():
            parts.actions[key].setChecked(True)
            parts.actions[key].toggled.connect(shown.setVisible)
        parts.actions["full_screen"].toggled.connect(self._on_full_screen)

    def _with_meeting(self, slot: object) -> None:
        content = self.parts.session.content
        if content is not None:
            slot(content.meeting)  # type: ignore[operator]

    def _on_restore(self, version_id: int, name: str) -> None:
        self._with_meeting(lambda m: self.parts.meetings.restore(m, version_id, name))

    def _show_start(self) -> None:
        self.parts.actions.set_meeting_open(False)
        self.stack.setCurrentWidget(self.parts.welcome)

    def _on_opened(self, content: MeetingContent) -> None:
        self.parts.actions.set_meeting_open(True)
        self.parts.library.choose(content.meeting.id)
        self.stack.setCurrentWidget(self.parts.meeting)
        self.setWindowTitle(f"{content.meeting.title} – Earwitness")

    def _on_meeting_deleted(self, meeting_id: str) -> None:
        if meeting_id == self.parts.session.meeting_id:
            self.parts.session.close()

    def _on_search(self, text: str) -> None:
        if text:
            self.stack.setCurrentWidget(self.parts.search)
            self.parts.search.search(text)
        elif self.stack.currentWidget() is self.parts.search:
            has_meeting = self.parts.session.content is not None
            self.stack.setCurrentWidget(self.parts.meeting if has_meeting else self.parts.welcome)

    def _on_citation(self, citation: object) -> None:
        self.stack.setCurrentWidget(self.parts.meeting)
        self.parts.meeting.show_citation(citation)  # type: ignore[arg-type]

    def _on_question(self, text: str) -> None:
        self._show_tab(self.parts.ask)
        self.parts.ask.put_question(text)

    def _show_tab(self, page: QWidget) -> None:
        self.parts.actions["panel"].setChecked(True)
        self.tabs.setCurrentWidget(page)

    def _on_ask(self) -> None:
        self._show_tab(self.parts.ask)
        self.parts.ask.focus()

    def _on_record(self) -> None:
        self.stack.setCurrentWidget(self.parts.record)

    def _on_shortcuts(self) -> None:
        self.stack.setCurrentWidget(self.parts.settings)
        self.parts.settings.show_shortcuts()

    def _on_full_screen(self, is_full: bool) -> None:
        if is_full:
            self.showFullScreen()
        else:
            self.showNormal()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files over the window are welcome."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            self._veil.cover()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """They went away again."""
        self._veil.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the files in."""
        self._veil.hide()
        urls = event.mimeData().urls()
        self.parts.meetings.add_paths([u.toLocalFile() for u in urls if u.isLocalFile()])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the veil as large as the window."""
        super().resizeEvent(event)
        if self._veil.isVisible():
            self._veil.cover()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask the parts whether it may close; a recording must not be lost."""
        if self.parts.commands.may_close():
            super().closeEvent(event)
        else:
            event.ignore()
