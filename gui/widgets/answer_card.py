"""One question and its answer, from the first streamed word to the receipt."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from engine.types_answer import Answer, Citation, Evidence, Receipt, Reheard, TraceEvent
from gui import theme
from gui.clock import clock
from gui.widgets.basics import Badge, Card, IconButton, Label, row
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.rating import Rating
from gui.widgets.trace_view import TraceView


class AnswerCard(QWidget):
    """Grows while the answer comes and can be asked how it was found.

    Signals:
        citation_chosen(Citation): Play this moment.
        focused(): The user works with this answer; its pins should be shown.
        rated(Answer, dict): The user's marks, 1 to 5 by name.
        evidence_requested(Answer): Write the answer and its sound to a file.
        rehear_requested(AnswerCard): Hear the cited moments once more; ``show_reheard`` takes it.
    """

    citation_chosen = Signal(object)
    focused = Signal()
    rated = Signal(object, dict)
    evidence_requested = Signal(object)
    rehear_requested = Signal(object)

    def __init__(self, question: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = question
        self.answer: Answer | None = None
        self._trace: list[TraceEvent] = []
        self._build()

    def add_event(self, event: TraceEvent) -> None:
        """Take a step of the agent as it comes."""
        if event.kind == "text":
            self._draft.setText(self._draft.text() + str(event.content))
            self._draft.show()
            return
        self._trace.append(event)
        # A new round begins with a clean sheet: its text replaces the rejected one.
        if event.kind in ("evidence", "plan"):
            self._draft.clear()
        self._status.setText(self._doing(event))
        if self._trace_view.isVisible():
            self._trace_view.show_trace(self._trace)

    def finish(self, answer: Answer) -> None:
        """Replace the streamed draft by the checked answer."""
        self.answer = answer
        self._trace = list(answer.trace) or self._trace
        self._draft.hide()
        self._show_verdict(answer)
        if answer.sentences:
            for sentence in answer.sentences:
                self._add_sentence(sentence.text, sentence.citations, sentence.is_supported)
        else:
            self._add_sentence(answer.text, (), True)
        if answer.related:
            self._add_related(answer.related)
        self._status.setText(self._receipt(answer.receipt))
        self._tools.show()
        # Only what the library keeps can be marked or taken along.
        for tool in (self._rate, self._evidence, self._hear):
            tool.setEnabled(answer.id > 0)
        self._hear.setVisible(bool(self.citations()))

    def show_reheard(self, heard: Sequence[Reheard]) -> None:
        """Show what a second hearing of the cited moments made of them."""
        self._hear.setEnabled(True)
        self._reheard.setText("\n".join(self._compared(entry) for entry in heard))
        if not heard:
            self._reheard.setText(self.tr("There is no recording to hear again."))
        self._reheard.show()

    def fail_to_hear(self, message: str) -> None:
        """Say why the moments were not heard."""
        self._hear.setEnabled(True)
        self._reheard.setText(message)

    def _compared(self, entry: Reheard) -> str:
        place = f"{entry.citation.speaker} {clock(entry.citation.start)}"
        if entry.unheard or entry.new:
            text = self.tr("{place}: heard again as “{text}”")
            return text.format(place=place, text=entry.text)
        return self.tr("{place}: heard again, the same words").format(place=place)

    def show_marks(self, marks: dict[str, int]) -> None:
        """Show how the user rated this answer."""
        self._rating.show_marks(marks)

    def fail(self, message: str) -> None:
        """Say that there is no answer."""
        self._draft.hide()
        self._badge.show_state(self.tr("No answer"), "warning")
        self._badge.show()
        self._status.setText(message)

    def citations(self) -> list[Citation]:
        """Every moment of the answer, in its order, each once."""
        return self.answer.citations() if self.answer else []

    def _build(self) -> None:
        unit = theme.space(self)
        bubble = Card("bubble", steps=2.5)
        bubble.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        question = Label(self.question, wraps=True)
        question.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        bubble.column.addWidget(question)
        self._card = Card(steps=3)
        self._badge = Badge()
        self._badge.hide()
        self._draft = Label("", "muted", wraps=True)
        self._draft.hide()
        self._body = QVBoxLayout()
        self._body.setSpacing(2 * unit)
        self._status = Label(self.tr("Thinking…"), "small", wraps=True)
        how = IconButton(
            "question", self.tr("How I found this"), text=self.tr("How I found this"), size=1
        )
        how.setCheckable(True)
        copy = IconButton("copy", self.tr("Copy the answer with its citations"), size=1)
        copy.clicked.connect(self._on_copy)
        self._make_tools(how, copy)
        self._trace_view = TraceView()
        self._trace_view.hide()
        self._trace_view.evidence_chosen.connect(self._on_evidence)
        how.toggled.connect(self._on_how)
        column = self._card.column
        column.addWidget(self._badge)
        column.addWidget(self._draft)
        column.addLayout(self._body)
        column.addWidget(self._status)
        column.addWidget(self._tools)
        column.addWidget(self._reheard)
        column.addWidget(self._rating)
        column.addWidget(self._trace_view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * unit)
        layout.addWidget(bubble)
        layout.addWidget(self._card)

    def _make_tools(self, how: IconButton, copy: IconButton) -> None:
        """What can be done with a finished answer; what is rare lies in a menu."""
        self._reheard = Label("", "small", wraps=True)
        self._reheard.hide()
        self._rating = Rating()
        self._rating.hide()
        self._rating.marked.connect(lambda marks: self.rated.emit(self.answer, marks))
        self._more = IconButton("more", self.tr("More for this answer"), size=1)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self._more)
        self._more.setMenu(menu)
        self._rate = menu.addAction(self.tr("Rate this answer"))
        self._rate.setCheckable(True)
        self._rate.toggled.connect(self._rating.setVisible)
        self._hear = menu.addAction(self.tr("Hear the cited moments once more"))
        self._hear.triggered.connect(self._on_hear)
        self._evidence = menu.addAction(
            self.tr("Export the answer with its quotes and their sound")
        )
        self._evidence.triggered.connect(lambda: self.evidence_requested.emit(self.answer))
        self._tools = QWidget()
        flow = FlowLayout(self._tools, theme.space(self))
        for tool in (how, copy, self._more):
            flow.addWidget(tool)
        self._tools.hide()

    def _show_verdict(self, answer: Answer) -> None:
        if answer.abstained:
            text, tone = self.tr("Not said in this meeting"), ""
        elif answer.verdict.is_verified:
            text, tone = self.tr("Checked against the transcript"), "good"
        else:
            text, tone = self.tr("Not verified – listen before you rely on it"), "warning"
        self._badge.show_state(text, tone)
        self._badge.setToolTip("\n".join(answer.verdict.problems))
        self._badge.show()

    def _add_sentence(self, text: str, citations: tuple[Citation, ...], is_supported: bool) -> None:
        label = Label(text, "" if is_supported else "muted", wraps=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if not is_supported:
            label.setToolTip(self.tr("Nothing in the recording supports this sentence."))
        self._body.addWidget(label)
        if citations:
            self._body.addWidget(self._chips(citations))

    def _add_related(self, citations: tuple[Citation, ...]) -> None:
        """Moments that may help but that no sentence rests on, folded away."""
        words = self.tr("More moments ({n})").format(n=len(citations))
        more = IconButton("chevron-right", words, text=words, size=1)
        more.setCheckable(True)
        chips = self._chips(citations)
        chips.hide()
        more.toggled.connect(chips.setVisible)
        self._body.addLayout(row(more, None))
        self._body.addWidget(chips)

    def _chips(self, citations: tuple[Citation, ...]) -> QWidget:
        chips = QWidget()
        flow = FlowLayout(chips, theme.space(self))
        for citation in citations:
            flow.addWidget(self._chip(citation))
        return chips

    def _chip(self, citation: Citation) -> QPushButton:
        chip = QPushButton(f"▶ {citation.speaker} {clock(citation.start)}")
        chip.setProperty("role", "chip")
        chip.setAutoDefault(False)
        chip.setFont(theme.scaled(chip.font(), 0.9))
        chip.setCursor(Qt.CursorShape.PointingHandCursor)
        chip.setToolTip(f"“{citation.quote}”")
        name = self.tr("Play {speaker} at {time}: {quote}")
        chip.setAccessibleName(
            name.format(speaker=citation.speaker, time=clock(citation.start), quote=citation.quote)
        )
        chip.clicked.connect(lambda: self._choose(citation))
        return chip

    def _choose(self, citation: Citation) -> None:
        self.focused.emit()
        self.citation_chosen.emit(citation)

    def _on_evidence(self, evidence: Evidence) -> None:
        spoken = evidence.utterance
        self.citation_chosen.emit(
            Citation(
                evidence.meeting_id,
                spoken.index,
                spoken.start,
                spoken.end,
                spoken.speaker,
                spoken.text,
            )
        )

    def _on_hear(self) -> None:
        self._hear.setEnabled(False)
        self._reheard.setText(self.tr("The cited moments are being heard…"))
        self._reheard.show()
        self.rehear_requested.emit(self)

    def _on_how(self, is_shown: bool) -> None:
        if is_shown:
            self._trace_view.show_trace(self._trace)
        self._trace_view.setVisible(is_shown)

    def _on_copy(self) -> None:
        if self.answer is None:
            return
        lines = [f"{self.tr('Question')}: {self.answer.question}", self.answer.text, ""]
        lines += [f"[{clock(c.start)}] {c.speaker}: “{c.quote}”" for c in self.citations()]
        QGuiApplication.clipboard().setText("\n".join(lines).strip())

    def _doing(self, event: TraceEvent) -> str:
        steps = {
            "intent": self.tr("Understanding the question…"),
            "plan": self.tr("Planning the search…"),
            "sql": self.tr("Searching…"),
            "evidence": self.tr("Reading the evidence…"),
            "draft": self.tr("Checking the draft…"),
            "verdict": self.tr("Judging the draft…"),
        }
        text = steps.get(event.kind, self.tr("Thinking…"))
        if event.round > 1:
            text += " " + self.tr("(round {n})").format(n=event.round)
        return text

    def _receipt(self, receipt: Receipt) -> str:
        rounds = self.tr("1 round")
        if receipt.rounds != 1:
            rounds = self.tr("{n} rounds").format(n=receipt.rounds)
        text = self.tr(
            "Searched {searched} utterances, read {read}, left out {left} · "
            "{rounds} · {seconds:.1f} s"
        )
        told = text.format(
            searched=receipt.n_searched,
            read=receipt.n_read,
            left=receipt.n_left_out,
            rounds=rounds,
            seconds=receipt.seconds,
        )
        if receipt.n_meetings_left_out:
            left = self.tr("{n} meetings were not read, because others fit the question better")
            told += " · " + left.format(n=receipt.n_meetings_left_out)
        return told
