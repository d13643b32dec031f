"""Minutes: topics, summary, decisions and action items, each with its moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from engine.progress import Progress
from engine.types import Note, Topic, Utterance
from gui import minutes_forms, theme
from gui.clock import clock
from gui.content import MeetingContent
from gui.drafts import Drafts
from gui.minutes_forms import Form, Section
from gui.session import Session
from gui.widgets.basics import Card, Choice, Column, IconButton, Label, button, moment_chip, row
from gui.widgets.job_bar import stage_name
from gui.widgets.note_card import NoteCard

_ADDABLE = ("decision", "action", "note")
_WRITTEN = ("summary", "decision", "action")
_MOST_QUESTIONS = 40
# What is told while minutes are written; the other steps of enrichment show nothing here.
_STAGES = ("topics", "decisions and action items", "summary")


class MinutesPage(Column):
    """Shows what enrichment and the user wrote about the open meeting, to be corrected in place.

    Signals:
        play_requested(float, object): From seconds, to seconds or None.
        write_requested(tuple): Write the minutes (again); the steps that the form needs.
        add_requested(str): The user wants to write a note of this kind.
        copied(): The minutes are on the clipboard.
        told(str, str): A message and a second line, good news.
        refused(str, str): A message and a hint.
    """

    play_requested = Signal(float, object)
    write_requested = Signal(tuple)
    add_requested = Signal(str)
    copied = Signal()
    told = Signal(str, str)
    refused = Signal(str, str)

    def __init__(self, session: Session, drafts: Drafts) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Minutes"))
        self._session = session
        self._drafts = drafts
        self._cards: list[NoteCard] = []
        self._waiting: MeetingContent | None = None
        self._is_behind = False
        self._writing: dict[str, Progress] = {}
        self._bar: QProgressBar | None = None
        self._stage = Label("", "muted")
        self._forms: list[Form] = []
        self._form: Form | None = None
        session.opened.connect(self._on_opened)
        session.refreshed.connect(self._on_refreshed)
        session.closed.connect(self._on_closed)

    def copy(self) -> None:
        """Put the minutes on the clipboard as plain text."""
        if self._session.content is not None:
            QGuiApplication.clipboard().setText(self._as_text(self._session.content))
            self.copied.emit()

    def write(self) -> None:
        """Have the minutes written, as far as the chosen form shows them."""
        self._choose_form()
        steps = self._form.steps if self._form is not None else ()
        if steps:
            self.write_requested.emit(steps)

    def show_progress(self, meeting_id: str, progress: Progress | None) -> None:
        """Show how far the writing of a meeting's minutes is; None when it is over."""
        was_writing = meeting_id in self._writing
        if progress is not None and progress.stage in _STAGES:
            self._writing[meeting_id] = progress
        else:
            self._writing.pop(meeting_id, None)
        if meeting_id != self._session.meeting_id or self._session.content is None:
            return
        if was_writing != (meeting_id in self._writing):
            self._on_refreshed(self._session.content)
        self._show_share()

    def showEvent(self, event: QShowEvent) -> None:
        """Find the forms when somebody looks; a file may have come since."""
        super().showEvent(event)
        before, self._forms = self._forms, []
        self._choose_form()
        if self._session.content is not None and (self._is_behind or self._forms != before):
            self._on_refreshed(self._session.content)

    def _on_opened(self, content: MeetingContent) -> None:
        self._on_closed()
        self._on_refreshed(content)

    def _on_refreshed(self, content: MeetingContent) -> None:
        """Show another state, but not under the hands of somebody who writes, nor unseen."""
        self._is_behind = not self.isVisible()
        if self._is_behind:
            return
        if any(card.is_editing for card in self._cards):
            self._waiting = content
        else:
            self._show(content)

    def _on_edit_ended(self) -> None:
        if self._waiting is not None and not any(card.is_editing for card in self._cards):
            self._show(self._waiting)

    def _on_closed(self) -> None:
        self._cards, self._waiting, self._bar = [], None, None
        self.clear()

    def _choose_form(self) -> None:
        """Read the forms and take the one that was chosen last, else the first."""
        if not self._forms:
            self._forms, problems = minutes_forms.forms()
            for problem in problems:
                self.refused.emit(self.tr("A form of minutes cannot be read."), problem)
        chosen = self._drafts.get("", "minutes form")
        first = self._forms[0] if self._forms else None
        self._form = next((form for form in self._forms if form.path.name == chosen), first)

    def _show(self, content: MeetingContent) -> None:
        self._on_closed()
        self._choose_form()
        is_written = bool(content.topics) or any(n.kind in _WRITTEN for n in content.notes)
        is_writing = content.meeting.id in self._writing
        self._tools(is_written=is_written, is_writing=is_writing)
        if is_writing:
            self._show_writing()
        elif not is_written:
            self._show_empty()
        sections = self._form.sections if self._form is not None else ()
        self.fill(widget for part in sections for widget in self._section(part, content))

    def _tools(self, *, is_written: bool, is_writing: bool) -> None:
        choice = Choice()
        choice.setAccessibleName(self.tr("Form of the minutes"))
        for form in self._forms:
            choice.addItem(_named(form.title), form)
        choice.addItem(self.tr("A form of your own…"))
        choice.setCurrentIndex(self._forms.index(self._form) if self._form is not None else -1)
        choice.activated.connect(partial(self._on_form, choice))
        self.add(_line(choice, None))
        if not is_written:
            return
        copy = IconButton("copy", self.tr("Copy the minutes as text"), text=self.tr("Copy"), size=1)
        copy.clicked.connect(self.copy)
        again = IconButton(
            "retry", self.tr("Write again what you did not change or remove"),
            text=self.tr("Write again"), size=1,
        )  # fmt: skip
        again.clicked.connect(self.write)
        again.setEnabled(not is_writing and bool(self._form is not None and self._form.steps))
        self.add(_line(None, again, copy))

    def _on_form(self, choice: Choice, _index: int) -> None:
        """Show another form; the last entry makes a copy to be changed."""
        form = choice.currentData()
        if form is None and self._form is not None:
            form = self._own_form(self._form)
        if form is not None:
            self._drafts.keep("", "minutes form", form.path.name)
        if self._session.content is not None:
            self._on_refreshed(self._session.content)

    def _own_form(self, pattern: Form) -> Form | None:
        try:
            path = minutes_forms.own_copy(pattern)
        except OSError as error:
            self.refused.emit(self.tr("The form cannot be written."), str(error))
            return None
        self._forms = []
        self.told.emit(self.tr("Change this file, and the minutes follow it."), str(path))
        return minutes_forms.read(path)

    def _show_writing(self) -> None:
        self._stage = Label("", "muted")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(self.tr("Minutes being written"))
        self.add(self._stage)
        self.add(self._bar)
        self._show_share()

    def _show_share(self) -> None:
        progress = self._writing.get(self._session.meeting_id)
        if progress is not None and self._bar is not None:
            text = self.tr("Writing the minutes: {stage}, {share:.0%}")
            stage = stage_name(progress.stage)
            self._stage.setText(text.format(stage=stage, share=progress.fraction))
            self._bar.setValue(round(1000 * progress.fraction))

    def _show_empty(self) -> None:
        self.add(Label(self.tr("No minutes yet"), "heading"))
        text = self.tr(
            "Topics, decisions and action items are written in the background after a meeting "
            "was heard, each with the moment it rests on."
        )
        self.add(Label(text, "muted", wraps=True))
        self.add(_line(button(self.tr("Write them now"), self.write), None))

    def _section(self, section: Section, content: MeetingContent) -> Iterator[QWidget]:
        """A heading and what belongs under it; without anything only what can be added to."""
        notes = _notes(section, content)
        topics = content.topics if "topic" in section.shows else ()
        asked = questions(content.utterances) if "question" in section.shows else []
        adds = next((kind for kind in _ADDABLE if kind in section.shows), "")
        if not (notes or topics or asked or adds):
            return
        yield self._heading(_named(section.title), adds)
        for owner, own in _by_owner(notes) if section.by_person else [("", notes)]:
            if owner:
                yield Label(owner, "muted")
            yield from map(self._note, own)
        for topic in topics:
            yield self._moment(topic.title, topic.summary, topic)
        for utterance in asked:
            yield self._moment(utterance.speaker or "", utterance.text, utterance)

    def _heading(self, title: str, adds: str) -> QWidget:
        heading = Label(title, "heading")
        if not adds:
            return heading
        more = IconButton("plus", self.tr("Add to “{title}”").format(title=title), size=1)
        more.clicked.connect(lambda: self.add_requested.emit(adds))
        return _line(heading, None, more)

    def _note(self, note: Note) -> NoteCard:
        card = NoteCard(note)
        card.play_requested.connect(self.play_requested)
        card.changed.connect(self._on_changed)
        card.removed.connect(self._on_removed)
        card.edit_ended.connect(self._on_edit_ended)
        self._cards.append(card)
        return card

    def _moment(self, title: str, text: str, at: Topic | Utterance) -> Card:
        """A card that is only read and played: a topic from its start on, a question whole."""
        card = Card(steps=2.5)
        if title:
            card.column.addWidget(Label(title, "heading", wraps=True))
        if text:
            card.column.addWidget(Label(text, "muted", wraps=True))
        end = at.end if isinstance(at, Utterance) else None
        chip = moment_chip(at.start, partial(self.play_requested.emit, at.start, end))
        card.column.addLayout(row(chip, None))
        return card

    def _on_changed(self, note: Note, changes: dict[str, str]) -> None:
        self._session.edit("change_note", note_id=note.id, **changes)

    def _on_removed(self, note: Note) -> None:
        self._session.edit("remove_note", note_id=note.id)

    def _as_text(self, content: MeetingContent) -> str:
        """The minutes as somebody would mail them: headings, dashes, who and by when."""
        self._choose_form()
        parts = [content.meeting.title]
        for section in self._form.sections if self._form is not None else ():
            lines = [_line_of(note) for note in _notes(section, content)]
            if "topic" in section.shows:
                lines += [f"- [{clock(t.start)}] {t.title}" for t in content.topics]
            if "question" in section.shows:
                asked = questions(content.utterances)
                lines += [f"- [{clock(u.start)}] {u.speaker}: {u.text}" for u in asked]
            if lines:
                parts.append("\n".join([_named(section.title), *lines]))
        return "\n\n".join(parts)


def questions(utterances: Sequence[Utterance]) -> list[Utterance]:
    """What was asked, in order; of very many questions the longest."""
    asked = [u for u in utterances if u.text[-1:] in "?？" and " " in u.text]
    longest = sorted(asked, key=lambda u: -len(u.text))[:_MOST_QUESTIONS]
    return sorted(longest, key=lambda u: u.index)


def _notes(section: Section, content: MeetingContent) -> list[Note]:
    """The notes of a section: by kind, and by person where the form says so."""
    found = [note for kind in section.shows for note in content.notes if note.kind == kind]
    if section.by_person:
        return [note for _owner, own in _by_owner(found) for note in own]
    return found


def _by_owner(notes: Sequence[Note]) -> list[tuple[str, list[Note]]]:
    """Notes by the person they name, those that name nobody last."""
    ordered = sorted(notes, key=lambda note: (not note.owner, note.owner.casefold()))
    return [(owner, list(own)) for owner, own in groupby(ordered, key=lambda note: note.owner)]


def _line(*widgets: QWidget | None) -> QWidget:
    """Widgets side by side; None is a stretch."""
    line = QWidget()
    line.setLayout(row(*widgets, spacing=theme.space(line)))
    return line


def _named(title: str) -> str:
    """A title of ours in the language of the window, any other as it is written."""
    return QCoreApplication.translate("minutes", title)


def _line_of(note: Note) -> str:
    """One note as a line of text."""
    about = ", ".join(part for part in (note.owner, note.due) if part)
    moment = f"[{clock(note.start)}] " if note.end > 0 or note.start > 0 else ""
    return f"- {moment}{note.text}" + (f" ({about})" if about else "")
