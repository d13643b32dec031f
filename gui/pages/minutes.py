"""Minutes: topics, summary, decisions and action items, each with its moment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from engine.types import Note, Topic
from gui import theme
from gui.clock import clock
from gui.content import MeetingContent
from gui.session import Session
from gui.widgets.basics import Card, Column, IconButton, Label, button, moment_chip, row
from gui.widgets.note_card import NoteCard

_KINDS = ("summary", "decision", "action", "bookmark", "note")


class MinutesPage(Column):
    """Shows what enrichment and the user wrote about the open meeting, to be corrected in place.

    Signals:
        play_requested(float, object): From seconds, to seconds or None.
        write_requested(): Write the minutes (again).
        add_requested(str): The user wants to write a note of this kind.
        copied(): The minutes are on the clipboard.
    """

    play_requested = Signal(float, object)
    write_requested = Signal()
    add_requested = Signal(str)
    copied = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Minutes"))
        self._session = session
        self._cards: list[NoteCard] = []
        self._waiting: MeetingContent | None = None
        session.opened.connect(self._show)
        session.refreshed.connect(self._on_refreshed)
        session.closed.connect(self._on_closed)

    def copy(self) -> None:
        """Put the minutes on the clipboard as plain text."""
        if self._session.content is not None:
            QGuiApplication.clipboard().setText(self._as_text(self._session.content))
            self.copied.emit()

    def _on_refreshed(self, content: MeetingContent) -> None:
        """Show another state, but not under the hands of somebody who writes."""
        if any(card.is_editing for card in self._cards):
            self._waiting = content
        else:
            self._show(content)

    def _on_edit_ended(self) -> None:
        if self._waiting is not None and not any(card.is_editing for card in self._cards):
            self._show(self._waiting)

    def _on_closed(self) -> None:
        self._cards, self._waiting = [], None
        self.clear()

    def _show(self, content: MeetingContent) -> None:
        self._on_closed()
        by_kind = {kind: [n for n in content.notes if n.kind == kind] for kind in _KINDS}
        is_written = bool(content.topics) or any(
            by_kind[kind] for kind in ("summary", "decision", "action")
        )
        if is_written:
            self._tools()
        else:
            self._show_empty()
        if by_kind["summary"]:
            self._notes(self.tr("Summary"), by_kind["summary"])
        self._notes(self.tr("Decisions"), by_kind["decision"], adds="decision")
        self._notes(self.tr("Action items"), by_kind["action"], adds="action")
        self._topics(content.topics)
        marks = [*by_kind["bookmark"], *by_kind["note"]]
        self._notes(self.tr("Bookmarks and notes"), marks, adds="note")

    def _tools(self) -> None:
        copy = IconButton("copy", self.tr("Copy the minutes as text"), text=self.tr("Copy"), size=1)
        copy.clicked.connect(self.copy)
        again = IconButton(
            "retry", self.tr("Write again what you did not change"),
            text=self.tr("Write again"), size=1,
        )  # fmt: skip
        again.clicked.connect(self.write_requested)
        self._line(None, again, copy)

    def _show_empty(self) -> None:
        self.add(Label(self.tr("No minutes yet"), "heading"))
        text = self.tr(
            "Topics, decisions and action items are written in the background after a meeting "
            "was heard, each with the moment it rests on."
        )
        self.add(Label(text, "muted", wraps=True))
        self._line(button(self.tr("Write them now"), self.write_requested.emit), None)

    def _line(self, *widgets: QWidget | None) -> None:
        line = QWidget()
        line.setLayout(row(*widgets, spacing=theme.space(self)))
        self.add(line)

    def _notes(self, title: str, notes: Sequence[Note], *, adds: str = "") -> None:
        heading = Label(title, "heading")
        if adds:
            name = self.tr("Add to “{title}”").format(title=title)
            more = IconButton("plus", name, size=1)
            more.clicked.connect(lambda: self.add_requested.emit(adds))
            self._line(heading, None, more)
        else:
            self.add(heading)
        for note in notes:
            card = NoteCard(note)
            card.play_requested.connect(self.play_requested)
            card.changed.connect(self._on_changed)
            card.removed.connect(self._on_removed)
            card.edit_ended.connect(self._on_edit_ended)
            self._cards.append(card)
            self.add(card)

    def _topics(self, topics: Sequence[Topic]) -> None:
        if not topics:
            return
        self.add(Label(self.tr("Topics"), "heading"))
        for topic in topics:
            card = Card(steps=2.5)
            card.column.addWidget(Label(topic.title, "heading", wraps=True))
            if topic.summary:
                card.column.addWidget(Label(topic.summary, "muted", wraps=True))
            chip = moment_chip(topic.start, partial(self.play_requested.emit, topic.start, None))
            card.column.addLayout(row(chip, None))
            self.add(card)

    def _on_changed(self, note: Note, changes: dict[str, str]) -> None:
        self._session.edit("change_note", note_id=note.id, **changes)

    def _on_removed(self, note: Note) -> None:
        self._session.edit("remove_note", note_id=note.id)

    def _as_text(self, content: MeetingContent) -> str:
        """The minutes as somebody would mail them: headings, dashes, who and by when."""
        parts = [content.meeting.title]
        for title, kinds in (
            (self.tr("Summary"), ("summary",)),
            (self.tr("Decisions"), ("decision",)),
            (self.tr("Action items"), ("action",)),
            (self.tr("Bookmarks and notes"), ("bookmark", "note")),
        ):
            lines = [_line_of(n) for kind in kinds for n in content.notes if n.kind == kind]
            if lines:
                parts.append("\n".join([title, *lines]))
        if content.topics:
            lines = [f"- [{clock(t.start)}] {t.title}" for t in content.topics]
            parts.append("\n".join([self.tr("Topics"), *lines]))
        return "\n\n".join(parts)


def _line_of(note: Note) -> str:
    """One note as a line of text."""
    about = ", ".join(part for part in (note.owner, note.due) if part)
    moment = f"[{clock(note.start)}] " if note.end > 0 or note.start > 0 else ""
    return f"- {moment}{note.text}" + (f" ({about})" if about else "")
