"""A drafted question under review: words that can be edited, its moments, and the decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from engine.questions import Category, DraftQuestion, Review
from engine.types import Utterance
from gui import theme
from gui.clock import clock
from gui.widgets.basics import Badge, Card, IconButton, Label, button, row
from gui.widgets.flow_layout import FlowLayout

_KINDS: dict[Category, Any] = {
    Category.EXPLICIT: QT_TRANSLATE_NOOP("questions", "what was said"),
    Category.MULTI_HOP: QT_TRANSLATE_NOOP("questions", "several moments"),
    Category.TIME: QT_TRANSLATE_NOOP("questions", "when"),
    Category.AGGREGATION: QT_TRANSLATE_NOOP("questions", "how many"),
    Category.CROSS_MODAL: QT_TRANSLATE_NOOP("questions", "how it sounded"),
}


class QuestionCard(Card):
    """Shows one draft.

    Signals:
        changed(): Words or decision are others now.
        play_requested(float, object): A moment of its evidence.
    """

    changed = Signal()
    play_requested = Signal(float, object)

    def __init__(self, draft: DraftQuestion, evidence: list[Utterance]) -> None:
        super().__init__(steps=2.5)
        self._draft = draft
        self._badge = Badge()
        self._question = self._field(self.tr("Question"), draft.question)
        self._answer = self._field(self.tr("Answer"), draft.answer)
        self.accept = IconButton("check", self.tr("Accept"), role="quiet", text=self.tr("Accept"))
        self.discard = IconButton(
            "trash", self.tr("Discard"), role="quiet", text=self.tr("Discard")
        )
        for choice in (self.accept, self.discard):
            choice.setCheckable(True)
        self.accept.clicked.connect(lambda on: self._decide(Review.ACCEPTED, on))
        self.discard.clicked.connect(lambda on: self._decide(Review.DISCARDED, on))
        kind = QCoreApplication.translate("questions", _KINDS[draft.category])
        self.column.addLayout(row(Badge(kind, "accent"), self._badge, None))
        for words, field in (
            (self.tr("Question"), self._question),
            (self.tr("Answer"), self._answer),
        ):
            self.column.addWidget(Label(words, "small"))
            self.column.addWidget(field)
        if draft.problem:
            text = self.tr("Look twice: {problem}").format(problem=draft.problem)
            self.column.addWidget(Label(text, "muted", wraps=True))
        self.column.addWidget(self._moments(evidence))
        self.column.addLayout(row(None, self.accept, self.discard))
        self._show_decision()

    @property
    def draft(self) -> DraftQuestion:
        """The draft as the user left it."""
        return replace(
            self._draft,
            question=" ".join(self._question.toPlainText().split()),
            answer=" ".join(self._answer.toPlainText().split()),
        )

    def _field(self, name: str, text: str) -> QPlainTextEdit:
        field = QPlainTextEdit(text)
        field.setAccessibleName(name)
        field.setTabChangesFocus(True)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * 2 + theme.space(self, 6))
        field.textChanged.connect(self.changed)
        return field

    def _moments(self, evidence: list[Utterance]) -> QWidget:
        chips = QWidget()
        flow = FlowLayout(chips, theme.space(self))
        for spoken in evidence:
            chip = button(f"▶ {spoken.speaker} {clock(spoken.start)}", role="chip")
            chip.setToolTip(f"“{spoken.text}”")
            name = self.tr("Play {speaker} at {time}: {quote}")
            chip.setAccessibleName(
                name.format(speaker=spoken.speaker, time=clock(spoken.start), quote=spoken.text)
            )
            chip.clicked.connect(lambda _=False, s=spoken: self.play_requested.emit(s.start, s.end))
            flow.addWidget(chip)
        return chips

    def _decide(self, review: Review, is_on: bool) -> None:
        self._draft = replace(self._draft, review=review if is_on else Review.OPEN)
        self._show_decision()
        self.changed.emit()

    def _show_decision(self) -> None:
        review = self._draft.review
        self.accept.setChecked(review is Review.ACCEPTED)
        self.discard.setChecked(review is Review.DISCARDED)
        words, tone = {
            Review.OPEN: (self.tr("Open"), ""),
            Review.ACCEPTED: (self.tr("Accepted"), "good"),
            Review.DISCARDED: (self.tr("Discarded"), "danger"),
        }[review]
        self._badge.show_state(words, tone)
