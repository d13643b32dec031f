"""One question on its way through the steps: collaborators, trace and receipt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.agent.compile import compile_plan
from engine.agent.corpus import Corpus
from engine.agent.execute import Found, execute
from engine.agent.relevance import Relevance
from engine.agent.schema import Draft, Intent, Plan
from engine.agent.synthesise import Pen
from engine.agent.systems import System
from engine.agent.wording import related, sentences, shown
from engine.embed import Embedder
from engine.graph.store import Store
from engine.types_answer import Answer, Receipt, TraceEvent, Verdict


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How to answer.

    Attributes:
        system: ``agent``, a baseline or an ablation; see ``engine.agent.systems``.
        history: Earlier (question, answer) pairs of the chat.
        max_rounds: Rounds at most, 1 to 5.
        evidence_tokens: Tokens of evidence read per round.
    """

    system: str = "agent"
    history: tuple[tuple[str, str], ...] = ()
    max_rounds: int = 5
    evidence_tokens: int = 1000


@dataclass(slots=True)
class Session:
    """One question on its way: the collaborators of every step and the trace so far."""

    store: Store
    corpus: Corpus
    embedder: Embedder
    pen: Pen
    options: AskOptions
    system: System
    on_event: Callable[[TraceEvent], None]
    began: float
    trace: list[TraceEvent]
    n_read: int = 0
    n_left_out: int = 0
    n_meetings_left_out: int = 0
    evidence_tokens: int = 0
    rounds: int = 0

    @property
    def meeting_ids(self) -> tuple[str, ...]:
        """The meetings asked about."""
        return tuple(shelf.meeting.id for shelf in self.corpus.shelves)

    def note(self, kind: str, content: object) -> None:
        """Add a step to the trace and show it."""
        event = TraceEvent(kind, self.rounds, content)
        self.trace.append(event)
        self.on_event(event)

    def note_scope(self) -> None:
        """Say that not all meetings are read, where they are too many."""
        if self.n_meetings_left_out:
            self.note(
                "note",
                f"{len(self.corpus.shelves)} meetings fit the question best and are read; "
                f"{self.n_meetings_left_out} are not",
            )


def run_plan(plan: Plan, fit_of: Relevance, session: Session) -> list[Found]:
    """Compile and run a plan, leaving plan and SQL in the trace."""
    statement = compile_plan(plan, session.meeting_ids)
    session.note("plan", shown(plan))
    session.note("sql", statement.sql)
    return execute(plan, statement, session.corpus, session.store, session.embedder, fit_of)


def as_answer(intent: Intent, draft: Draft, verdict: Verdict, session: Session) -> Answer:
    """The finished answer with its receipt."""
    told = sentences(draft, intent, verdict.is_verified)
    receipt = Receipt(
        n_searched=len(session.corpus),
        n_read=session.n_read or len(draft.evidence),
        n_left_out=session.n_left_out,
        rounds=session.rounds,
        prompt_tokens=session.pen.prompt_tokens,
        completion_tokens=session.pen.completion_tokens,
        evidence_tokens=session.evidence_tokens,
        seconds=round(time.monotonic() - session.began, 3),
        n_meetings_left_out=session.n_meetings_left_out,
    )
    return Answer(
        intent.question,
        " ".join(sentence.text for sentence in told),
        told,
        verdict,
        draft.is_abstention,
        session.system.name,
        receipt,
        tuple(session.trace),
        session.meeting_ids,
        related=related(draft, intent),
    )
