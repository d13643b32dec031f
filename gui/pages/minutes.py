"""Minutes: topics, summary, decisions and action items, each with its moment."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.types import Note, Topic
from gui.clock import clock
from gui.content import MeetingContent
from gui.session import Session
from gui.widgets.basics import Badge, Card, Column, Label, button, row


class MinutesPage(Column):
    """Shows what enrichment and the user wrote about the open meeting.

    Signals:
        play_requested(float, object): From seconds, to seconds or None.
        write_requested(): Write the minutes (again).
    """

    play_requested = Signal(float, object)
    write_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Minutes"))
        self._session = session
        session.opened.connect(self._show)
        session.refreshed.connect(self._show)
        session.closed.connect(self.clear)

    def _show(self, content: MeetingContent) -> None:
        self.clear()
        notes = content.notes
        summary = [n for n in notes if n.kind == "summary"]
        decisions = [n for n in notes if n.kind == "decision"]
        actions = [n for n in notes if n.kind == "action"]
        marks = [n for n in notes if n.kind in ("bookmark", "note")]
        if not (summary or decisions or actions or content.topics):
            self._show_empty()
        if summary:
            self._heading(self.tr("Summary"))
            for note in summary:
                self.add(Label(note.text, wraps=True))
        self._notes(self.tr("Decisions"), decisions)
        self._notes(self.tr("Action items"), actions)
        self._topics(content.topics)
        self._notes(self.tr("Bookmarks and notes"), marks)

    def _show_empty(self) -> None:
        self._heading(self.tr("No minutes yet"))
        text = self.tr(
            "Topics, decisions and action items are written in the background after a meeting "
            "was heard, each with the moment it rests on."
        )
        self.add(Label(text, "muted", wraps=True))
        line = QWidget()
        line.setLayout(row(button(self.tr("Write them now"), self.write_requested.emit), None))
        self.add(line)

    def _heading(self, text: str) -> None:
        self.add(Label(text, "heading"))

    def _notes(self, title: str, notes: Sequence[Note]) -> None:
        if not notes:
            return
        self._heading(title)
        for note in notes:
            card = Card(steps=2.5)
            card.column.addWidget(Label(note.text, wraps=True))
            badges: list[QWidget | None] = []
            if note.owner:
                badges.append(Badge(note.owner, "accent"))
            if note.due:
                badges.append(Badge(note.due, "warning"))
            moment = self._moment(note.start, note.end)
            card.column.addLayout(row(*badges, moment, None))
            self.add(card)

    def _topics(self, topics: Sequence[Topic]) -> None:
        if not topics:
            return
        self._heading(self.tr("Topics"))
        for topic in topics:
            card = Card(steps=2.5)
            card.column.addWidget(Label(topic.title, "heading", wraps=True))
            if topic.summary:
                card.column.addWidget(Label(topic.summary, "muted", wraps=True))
            card.column.addLayout(row(self._moment(topic.start, None), None))
            self.add(card)

    def _moment(self, start: float, end: float | None) -> QWidget:
        chip = button(f"▶ {clock(start)}", role="chip")
        chip.setAccessibleName(self.tr("Play at {time}").format(time=clock(start)))
        stop = end if end is not None and end > start else None
        chip.clicked.connect(lambda: self.play_requested.emit(start, stop))
        return chip
