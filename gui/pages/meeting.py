"""The open meeting: title, waveform, transport and transcript, all at one position."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.types import Note
from engine.types_answer import Citation
from gui import theme
from gui.clock import day, length
from gui.content import MeetingContent
from gui.drafts import Drafts
from gui.pages.transcript import TranscriptPage
from gui.player import Player
from gui.session import Session
from gui.tracks import Mark
from gui.widgets.basics import Badge, Card, IconButton, Label, row
from gui.widgets.transport import Transport
from gui.widgets.waveform import Waveform


class MeetingPage(QWidget):
    """Joins player, waveform and transcript.

    Signals:
        export_requested(), rename_requested(): The buttons beside the title.
        rehear_requested(float, float): A gap without words is to be heard again.
        unplayable(str): The sound of the meeting cannot be opened.
    """

    export_requested = Signal()
    rename_requested = Signal()
    rehear_requested = Signal(float, float)
    unplayable = Signal(str)

    def __init__(self, session: Session, player: Player, drafts: Drafts) -> None:
        super().__init__()
        self._session = session
        self._player = player
        self._citations: list[Mark] = []
        self._waiting: Citation | None = None
        self.transcript = TranscriptPage(session, drafts)
        self.waveform = Waveform()
        self.transport = Transport()
        self._build()
        self._connect()

    def play(self, start: float, end: float | None = None) -> None:
        """Play a span, or from a moment on."""
        self._player.play(start, end)

    def show_citation(self, citation: Citation) -> None:
        """Scroll to a cited utterance and play exactly it, opening its meeting if need be."""
        if citation.meeting_id and citation.meeting_id != self._session.meeting_id:
            self._waiting = citation
            self._session.open(citation.meeting_id)
            return
        self.transcript.show_row(self._session.utterance_at(citation.start))
        self.play(citation.start, citation.end)

    def show_citations(self, citations: Sequence[Citation]) -> None:
        """Pin the moments an answer rests on."""
        here = [c for c in citations if c.meeting_id == self._session.meeting_id]
        self._citations = [
            Mark(c.start, c.end, "citation", f"{c.speaker}: {c.quote}", number)
            for number, c in enumerate(here, 1)
        ]
        self.transcript.set_cited(frozenset(c.utterance for c in here))
        self._show_marks()

    def _build(self) -> None:
        unit = theme.space(self)
        self._title = Label("", "title")
        self._title.setMinimumWidth(1)
        self._facts = Label("", "muted", wraps=True)
        self._coverage = Badge()
        edit = IconButton("edit", self.tr("Rename this meeting"))
        export = IconButton("export", self.tr("Export this meeting"))
        edit.clicked.connect(self.rename_requested)
        export.clicked.connect(self.export_requested)
        head = row(self._title, edit, None, self._coverage, export, spacing=unit)
        card = Card(steps=2.5)
        card.column.addWidget(self.waveform)
        card.column.addWidget(self.transport)
        top = QVBoxLayout()
        top.setContentsMargins(4 * unit, 3 * unit, 4 * unit, unit)
        top.setSpacing(unit)
        top.addLayout(head)
        top.addWidget(self._facts)
        top.addSpacing(unit)
        top.addWidget(card)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(unit)
        layout.addLayout(top)
        layout.addWidget(self.transcript, 1)

    def _connect(self) -> None:
        self._session.opened.connect(self._on_opened)
        self._session.refreshed.connect(self._on_refreshed)
        self._session.closed.connect(self._on_closed)
        self._player.position_changed.connect(self._on_position)
        self._player.playing_changed.connect(self.transport.set_playing)
        self.transport.play_toggled.connect(self._player.toggle)
        self.transport.moved.connect(self._on_moved)
        self.transport.speed_chosen.connect(self._player.set_speed)
        self.transport.zoom_requested.connect(self.waveform.zoom)
        self.waveform.seek_requested.connect(self._player.seek)
        self.waveform.mark_clicked.connect(self._on_mark)
        self.transcript.play_requested.connect(self.play)
        self.transcript.scrolled_by_hand.connect(self._on_scrolled)

    def _on_opened(self, content: MeetingContent) -> None:
        self._citations = []
        if not self._player.load(content.audio_path):
            self.unplayable.emit(str(content.audio_path))
        self.transport.set_duration(
            content.meeting.duration, has_sound=content.audio_path is not None
        )
        self._show(content, keep_view=False)
        self._on_position(0.0)
        if self._waiting is not None and self._waiting.meeting_id == content.meeting.id:
            citation, self._waiting = self._waiting, None
            self.show_citation(citation)

    def _on_refreshed(self, content: MeetingContent) -> None:
        self._show(content, keep_view=True)

    def _show(self, content: MeetingContent, *, keep_view: bool) -> None:
        meeting = content.meeting
        self._title.setText(meeting.title)
        facts = [day(meeting.created), length(meeting.duration)]
        facts.append(self.tr("{n} speakers").format(n=meeting.n_speakers))
        if meeting.language:
            facts.append(meeting.language.upper())
        facts += [f"#{tag}" for tag in meeting.tags]
        self._facts.setText("  ·  ".join(facts))
        self._coverage.setVisible(meeting.coverage is not None)
        if meeting.coverage is not None:
            tone = "good" if meeting.coverage >= 0.9 else "warning"
            text = self.tr("{share:.0%} of the speech has words").format(share=meeting.coverage)
            self._coverage.show_state(text, tone)
        self.waveform.set_track(content.track, keep_view=keep_view)
        self._show_marks()

    def _show_marks(self) -> None:
        content = self._session.content
        if content is None:
            return
        marks = [Mark(t.start, t.end, "topic", t.title) for t in content.topics]
        for event in content.events:
            kind = "gap" if event.label == "unheard" else "event"
            label = self.tr("Speech without words: click to hear it again")
            marks.append(
                Mark(event.start, event.end, kind, label if kind == "gap" else event.label)
            )
        marks += [bookmark(note) for note in content.notes if note.kind == "bookmark"]
        self.waveform.set_marks([*marks, *self._citations])

    def _on_closed(self) -> None:
        self._player.load(None)
        self.waveform.set_track(None)
        self._title.setText("")

    def _on_position(self, position: float) -> None:
        self.waveform.set_position(position)
        self.transport.set_position(position)
        is_scrolled = self.transport.follows and self._player.is_playing
        self.transcript.follow(position, is_scrolled=is_scrolled)

    def _on_moved(self, seconds: float) -> None:
        self._player.seek(self._player.position + seconds)

    def _on_scrolled(self) -> None:
        if self._player.is_playing:
            self.transport.set_follow(False)

    def _on_mark(self, mark: Mark) -> None:
        if mark.kind == "gap":
            self.rehear_requested.emit(mark.start, mark.end)
        self.play(mark.start, mark.end if mark.kind in ("citation", "gap", "event") else None)


def bookmark(note: Note) -> Mark:
    """A user's bookmark as a mark on the waveform."""
    return Mark(note.start, note.end, "bookmark", note.text)
