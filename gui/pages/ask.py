"""Asking: a question, a streamed answer, and every sentence with its moments."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from engine.messages import Ask, Failed, GetReady
from engine.types_answer import Answer, TraceEvent
from gui import theme
from gui.content import MeetingContent
from gui.drafts import Drafts
from gui.engine_client import EngineClient, Job
from gui.session import Session
from gui.widgets.answer_card import AnswerCard
from gui.widgets.basics import Choice, Column, IconButton, Label, button, row

_HISTORY = 3


class AskPage(QWidget):
    """A chat about the open meeting, the selected ones, or all of them.

    Signals:
        citation_chosen(Citation): Play this moment.
        citations_shown(list): Moments of the answer in hand, to be pinned.
        rated(Answer, dict): The user's marks of an answer.
        evidence_requested(Answer): Write an answer and its sound to a file.
        rehear_requested(AnswerCard): Hear the moments it cites once more.
    """

    citation_chosen = Signal(object)
    citations_shown = Signal(list)
    rated = Signal(object, dict)
    evidence_requested = Signal(object)
    rehear_requested = Signal(object)

    def __init__(
        self,
        client: EngineClient,
        session: Session,
        library_dir: Path,
        drafts: Drafts,
    ) -> None:
        super().__init__()
        self._client = client
        self._session = session
        self._library_dir = library_dir
        self._drafts = drafts
        self._job: Job | None = None
        self._card: AnswerCard | None = None
        self._cards: list[AnswerCard] = []
        self._selected: tuple[str, ...] = ()
        self._is_typing = False
        self._build()
        self._connect()

    def ask(self, question: str) -> None:
        """Send a question to the assistant; one at a time."""
        question = question.strip()
        if not question or self._job is not None:
            return
        card = self._new_card(question)
        self._card = card
        history = tuple(
            (c.question, c.answer.text) for c in self._cards[:-1] if c.answer is not None
        )
        request = Ask(
            "", str(self._library_dir), self._meeting_ids(), question, history=history[-_HISTORY:]
        )
        self._job = self._client.submit(request)
        self._job.partial.connect(self._on_partial)
        self._job.finished.connect(self._on_finished)
        self._job.failed.connect(self._on_failed)
        self._job.stopped.connect(self._on_stopped)
        self._show_busy(True)

    def set_selected(self, meeting_ids: tuple[str, ...]) -> None:
        """Offer the meetings that are selected in the library, when there are several."""
        if meeting_ids == self._selected:
            return
        had_several, has_several = len(self._selected) > 1, len(meeting_ids) > 1
        self._selected = meeting_ids
        place = self._scope.findData("selected")
        if not has_several:
            if place >= 0:
                self._scope.removeItem(place)
            return
        words = self.tr("{n} selected meetings").format(n=len(meeting_ids))
        if place < 0:
            place = self._scope.findData("all")
            self._scope.insertItem(place, words, "selected")
        self._scope.setItemText(place, words)
        if not had_several:
            self._scope.setCurrentIndex(place)

    def put_question(self, text: str) -> None:
        """Write a question for the user to complete."""
        self._field.setText(text)
        self.focus()

    def focus(self) -> None:
        """Let the user type a question."""
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def stop(self) -> None:
        """Stop the running answer."""
        if self._job is not None:
            self._client.cancel(self._job)

    def _build(self) -> None:
        unit = theme.space(self)
        self._scope = Choice()
        self._scope.setAccessibleName(self.tr("What to ask"))
        self._scope.addItem(self.tr("This meeting"), "meeting")
        self._scope.addItem(self.tr("All meetings"), "all")
        self._chat = Column(self.tr("Questions and answers"))
        self._intro = self._make_intro()
        self._chat.add(self._intro)
        self._field = QLineEdit()
        self._field.setPlaceholderText(self.tr("Ask anything about what was said"))
        self._field.setAccessibleName(self.tr("Question"))
        self._field.setText(str(self._drafts.get("", "question") or ""))
        self._send = IconButton("send", self.tr("Ask"), role="round", size=1.1)
        self._stop = IconButton("stop", self.tr("Stop answering"), size=1.1)
        self._stop.hide()
        foot = QVBoxLayout()
        foot.setContentsMargins(4 * unit, unit, 4 * unit, 3 * unit)
        foot.setSpacing(unit)
        line = row(self._field, self._send, self._stop, spacing=unit)
        line.setStretch(0, 1)
        foot.addLayout(row(self._scope, None))
        foot.addLayout(line)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._chat, 1)
        layout.addLayout(foot)

    def _make_intro(self) -> QWidget:
        intro = QWidget()
        layout = QVBoxLayout(intro)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.space(self, 2))
        layout.addWidget(Label(self.tr("Ask about this meeting"), "heading"))
        text = self.tr(
            "Answers rest on what was said. Every sentence names its moments; "
            "a click plays them. Nothing leaves this computer."
        )
        layout.addWidget(Label(text, "muted", wraps=True))
        for question in (
            self.tr("What was decided?"),
            self.tr("Who promised to do what, and by when?"),
            self.tr("Who raised their voice, and why?"),
        ):
            suggestion = button(question, role="suggestion")
            suggestion.clicked.connect(lambda _=False, q=question: self.ask(q))
            layout.addWidget(suggestion)
        return intro

    def _connect(self) -> None:
        self._send.clicked.connect(self._on_send)
        self._field.returnPressed.connect(self._on_send)
        self._field.textEdited.connect(self._on_typed)
        self._field.textChanged.connect(partial(self._drafts.keep, "", "question"))
        self._stop.clicked.connect(self.stop)
        self._session.opened.connect(self._on_opened)

    def _meeting_ids(self) -> tuple[str, ...]:
        """What the next question is about; nothing means the whole library."""
        scope = self._scope.currentData()
        if scope == "selected":
            return self._selected
        here = self._session.meeting_id
        return (here,) if scope == "meeting" and here else ()

    def _new_card(self, question: str) -> AnswerCard:
        card = AnswerCard(question)
        card.citation_chosen.connect(self.citation_chosen)
        card.focused.connect(self._on_card_focused)
        card.rated.connect(self.rated)
        card.evidence_requested.connect(self.evidence_requested)
        card.rehear_requested.connect(self.rehear_requested)
        self._cards.append(card)
        self._intro.hide()
        self._chat.add(card)
        self._scroll_down()
        return card

    def _on_typed(self) -> None:
        """Let the assistant get ready as soon as a question begins."""
        if not self._is_typing and not self._client.is_busy:
            self._client.submit(GetReady(""))
        self._is_typing = True

    def _on_send(self) -> None:
        if self._job is None:
            self._is_typing = False
            self.ask(self._field.text())
            self._field.clear()

    def _on_opened(self, content: MeetingContent) -> None:
        """Show the chat of the meeting; an answer under way belongs to the one before."""
        if self._cards and self._scope.currentData() != "meeting":
            return
        self.stop()
        self._job = self._card = None
        self._show_busy(False)
        for card in self._cards:
            card.deleteLater()
        self._cards = []
        self._intro.show()
        self._session.answers(lambda answers: self._on_answers(content.meeting.id, answers))

    def _on_answers(self, meeting_id: str, answers: list[tuple[Answer, dict[str, int]]]) -> None:
        if meeting_id != self._session.meeting_id or self._cards:
            return
        for answer, marks in answers[-20:]:
            card = self._new_card(answer.question)
            card.finish(answer)
            card.show_marks(marks)

    def _on_partial(self, event: TraceEvent) -> None:
        if self._card is not None and self.sender() is self._job:
            self._card.add_event(event)
            self._scroll_down()

    def _on_finished(self, answer: Answer) -> None:
        if self.sender() is not self._job or self._card is None:
            return
        self._card.finish(answer)
        self.citations_shown.emit(self._card.citations())
        self._end()

    def _on_failed(self, failure: Failed) -> None:
        if self.sender() is self._job and self._card is not None:
            self._card.fail(f"{failure.message} {failure.hint}".strip())
            self._end()

    def _on_stopped(self) -> None:
        if self.sender() is self._job and self._card is not None:
            self._card.fail(self.tr("Stopped."))
            self._end()

    def _end(self) -> None:
        self._job = self._card = None
        self._show_busy(False)
        self._scroll_down()

    def _on_card_focused(self) -> None:
        card = self.sender()
        if isinstance(card, AnswerCard):
            self.citations_shown.emit(card.citations())

    def _show_busy(self, is_busy: bool) -> None:
        self._send.setVisible(not is_busy)
        self._stop.setVisible(is_busy)

    def _scroll_down(self) -> None:
        bar = self._chat.verticalScrollBar()
        QTimer.singleShot(0, bar, lambda: bar.setValue(bar.maximum()))
