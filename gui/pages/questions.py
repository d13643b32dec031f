"""Questions about the open meeting, drafted by the model and reviewed by the user.

Accepted ones become a question set with which answers can be measured on one's own meetings.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.messages import DraftQuestions, ExportQuestions, Failed
from engine.progress import Progress
from engine.questions import DraftQuestion, Review
from gui import theme
from gui.clock import file_name, with_ending
from gui.content import MeetingContent
from gui.dialogs import Dialogs
from gui.engine_client import EngineClient, Job
from gui.session import Session
from gui.widgets.basics import Choice, Column, IconButton, Label, button, row
from gui.widgets.question_card import QuestionCard

_NUMBERS = (5, 10, 20)


class QuestionsPage(QWidget):
    """The review list.

    Signals:
        play_requested(float, object): A moment of the evidence.
        told(str, str): A message and a second line, good news.
    """

    play_requested = Signal(float, object)
    told = Signal(str, str)

    def __init__(
        self,
        session: Session,
        assistant: EngineClient,
        clerk: EngineClient,
        library_dir: Path,
        dialogs: Dialogs,
    ) -> None:
        super().__init__()
        self._session = session
        self._assistant = assistant
        self._clerk = clerk
        self._library = str(library_dir)
        self._dialogs = dialogs
        self._job: Job | None = None
        self._meeting_id = ""
        self._cards: list[QuestionCard] = []
        self._kept: dict[str, list[DraftQuestion]] = {}
        self._build()
        session.opened.connect(self._on_opened)
        session.closed.connect(self._clear)

    def draft(self) -> None:
        """Let the model draft more questions."""
        if self._job is not None or self._session.content is None:
            return
        request = DraftQuestions(
            "", self._library, self._session.meeting_id, self._number.currentData()
        )
        self._job = self._assistant.submit(request)
        self._job.progressed.connect(self._on_progressed)
        self._job.finished.connect(self._on_drafted)
        self._job.failed.connect(self._on_failed)
        self._job.stopped.connect(self._on_stopped)
        self._show_busy(True)
        self._facts.setText(self.tr("Reading the meeting and drafting…"))

    def stop(self) -> None:
        """Stop drafting."""
        if self._job is not None:
            self._assistant.cancel(self._job)

    def export(self) -> None:
        """Ask for a file and write the accepted questions to it."""
        content = self._session.content
        drafts = tuple(card.draft for card in self._cards)
        if content is None or not any(draft.review is Review.ACCEPTED for draft in drafts):
            return
        meeting_id = content.meeting.id

        def take(path: str) -> None:
            target = with_ending(path, "json")
            request = ExportQuestions("", self._library, meeting_id, drafts, target)
            self._clerk.submit(request).finished.connect(self._on_exported)

        name = f"{file_name(content.meeting.title)} questions.json"
        self._dialogs.save(self.tr("Export the questions"), name, "JSON (*.json)", take)

    def _build(self) -> None:
        unit = theme.space(self)
        self._number = Choice()
        self._number.setAccessibleName(self.tr("How many questions"))
        for number in _NUMBERS:
            self._number.addItem(self.tr("{n} questions").format(n=number), number)
        self._start = button(self.tr("Draft questions"), self.draft, role="primary")
        self._stop = IconButton("stop", self.tr("Stop drafting"), text=self.tr("Stop"))
        self._stop.clicked.connect(self.stop)
        self._stop.hide()
        self._export = button("", self.export)
        self._facts = Label("", "muted", wraps=True)
        self._list = Column(self.tr("Questions for review"))
        head = QVBoxLayout()
        head.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 0)
        head.setSpacing(2 * unit)
        head.addWidget(Label(self.tr("Questions for review"), "title"))
        text = self.tr(
            "Measure the answers on your own meetings: questions are drafted from what was said, "
            "you accept, edit or discard them, and the accepted ones become a question set."
        )
        head.addWidget(Label(text, "muted", wraps=True))
        head.addLayout(
            row(self._number, self._start, self._stop, None, self._export, spacing=2 * unit)
        )
        head.addWidget(self._facts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self._list, 1)
        self._count()

    def _on_opened(self, content: MeetingContent) -> None:
        if content.meeting.id == self._meeting_id:
            return
        self._clear()
        self._meeting_id = content.meeting.id
        for draft in self._kept.pop(self._meeting_id, []):
            self._add(draft)
        self._count()

    def _clear(self) -> None:
        self.stop()
        self._job = None
        self._show_busy(False)
        if self._cards:
            self._kept[self._meeting_id] = [card.draft for card in self._cards]
        self._meeting_id = ""
        self._cards = []
        self._list.clear()
        self._facts.setText("")
        self._count()

    def _on_progressed(self, progress: Progress) -> None:
        if self.sender() is self._job:
            share = self.tr("Drafting, {share:.0%}").format(share=progress.fraction)
            self._facts.setText(share)

    def _on_drafted(self, drafts: tuple[DraftQuestion, ...]) -> None:
        if self.sender() is not self._job:
            return
        self._end("")
        known = {card.draft.question for card in self._cards}
        new = [draft for draft in drafts if draft.question not in known]
        for draft in new:
            self._add(draft)
        text = self.tr("{n} new drafts. They are kept until you close the window.")
        if not new:
            text = self.tr("Nothing new could be asked about this meeting.")
        self._facts.setText(text.format(n=len(new)))
        self._count()

    def _add(self, draft: DraftQuestion) -> None:
        content = self._session.content
        spoken = content.utterances if content else []
        card = QuestionCard(draft, [spoken[i] for i in draft.evidence if i < len(spoken)])
        card.changed.connect(self._count)
        card.play_requested.connect(self.play_requested)
        self._cards.append(card)
        self._list.add(card)

    def _on_failed(self, failure: Failed) -> None:
        if self.sender() is self._job:
            self._end(f"{failure.message} {failure.hint}".strip())

    def _on_stopped(self) -> None:
        if self.sender() is self._job:
            self._end(self.tr("Stopped."))

    def _end(self, text: str) -> None:
        self._job = None
        self._show_busy(False)
        self._facts.setText(text)

    def _on_exported(self, path: str) -> None:
        self.told.emit(self.tr("The question set was written."), str(path))

    def _count(self) -> None:
        accepted = sum(card.draft.review is Review.ACCEPTED for card in self._cards)
        self._export.setText(self.tr("Export accepted ({n})").format(n=accepted))
        self._export.setEnabled(accepted > 0)

    def _show_busy(self, is_busy: bool) -> None:
        self._start.setEnabled(not is_busy)
        self._stop.setVisible(is_busy)
