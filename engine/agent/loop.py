"""The whole agent: decompose, plan, compile, execute, synthesise, reflect, and plan again.

At most five rounds at temperature 0, ended by the first verified answer. Everything that can be
decided without the model is: unknown speakers, times past the end, counts, orders.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.agent import abstain, baselines, overview, quotes
from engine.agent.checks import checked, is_plain
from engine.agent.compute import compute
from engine.agent.corpus import corpus_of
from engine.agent.decompose import Help, decompose
from engine.agent.evidence import Selection, fit, focused
from engine.agent.gather import gather
from engine.agent.language import completed, translated
from engine.agent.narrow import narrowed
from engine.agent.plan import counting_plan
from engine.agent.reflect import advice_of, reflect
from engine.agent.relevance import Relevance, relevance
from engine.agent.rephrase import rephrased
from engine.agent.scene import Scene
from engine.agent.schema import AnswerForm, Draft, Intent, Operation, Scope
from engine.agent.session import AskOptions, Session, as_answer, run_plan
from engine.agent.synthesise import Pen, synthesise
from engine.agent.systems import SYSTEMS
from engine.agent.wording import shown
from engine.agent.yes_no import with_word
from engine.embed import Embedder
from engine.errors import EngineError
from engine.graph.store import Store
from engine.llm import ChatModel
from engine.progress import Report
from engine.types_answer import Answer, Evidence, TraceEvent, Verdict

__all__ = ["AskOptions", "answer"]


def answer(  # noqa: PLR0913 - the composition root of the agent
    question: str,
    meeting_ids: Sequence[str],
    store: Store,
    embedder: Embedder,
    chat: ChatModel,
    report: Report,
    options: AskOptions,
    on_event: Callable[[TraceEvent], None],
) -> Answer:
    """Answer a question about meetings, with the moments it rests on.

    Args:
        question: Any text; also a follow-up when ``options.history`` is given.
        meeting_ids: Whose; ids, unique prefixes or titles.
        store: The library.
        embedder: The one that made its vectors.
        chat: The language model; not used by questions that are computed.
        report: Carries cancellation.
        options: System, history, budget.
        on_event: Gets every step as it happens; ``text`` events carry pieces of a draft.

    Raises:
        EngineError: The question is empty, the system unknown, or no meeting is given.
        MeetingNotFound: One of the meetings does not exist.
        Cancelled: The user asked to stop.
    """
    _refuse(question, meeting_ids, options)
    report("read", 0, 1)
    chosen = narrowed(question, options.history, meeting_ids, store, embedder)
    session = Session(
        store,
        corpus_of(store, chosen.ids),
        embedder,
        Pen(chat, report),
        options,
        SYSTEMS[options.system],
        on_event,
        time.monotonic(),
        [],
        n_meetings_left_out=chosen.n_left_out,
    )
    session.pen.on_text = lambda text: on_event(TraceEvent("text", session.rounds, text))
    session.note_scope()
    intent = _understood(question.strip(), session)
    draft, verdict = _answered(intent, session)
    report("answer", 1, 1)
    return as_answer(intent, draft, verdict, session)


def _refuse(question: str, meeting_ids: Sequence[str], options: AskOptions) -> None:
    """Say plainly what makes a question impossible to ask."""
    if not question.strip():
        raise EngineError("The question is empty.", "Ask something about the meeting.")
    if options.system not in SYSTEMS:
        raise EngineError(
            f"There is no system called {options.system!r}.", f"One of: {', '.join(SYSTEMS)}."
        )
    if not meeting_ids:
        raise EngineError("There is no meeting to ask about.", "Add a recording first.")


def _understood(question: str, session: Session) -> Intent:
    """Decompose the question; other languages, follow-ups and rare phrasings need the model."""
    corpus, pen, system = session.corpus, session.pen, session.system
    can_rephrase = system.is_agent and system.has_plan and system.has_writer
    intent = decompose(
        question,
        corpus.roster,
        corpus.duration,
        session.options.history,
        Help(
            complete=lambda asked, history: completed(asked, history, pen),
            translate=lambda text, language: translated(text, language, pen),
            rephrase=(lambda text, names: rephrased(text, names, pen)) if can_rephrase else None,
        ),
    )
    session.note("intent", shown(intent))
    return intent


def _answered(intent: Intent, session: Session) -> tuple[Draft, Verdict]:
    reason = abstain.before_search(intent, session.corpus) if session.system.is_agent else ""
    if reason:
        session.note("note", reason)
        return _silence(reason)
    if not session.system.is_agent:
        return baselines.answered(intent, session)
    if session.system.has_plan and intent.operation is not Operation.NONE:
        computed = _computed(intent, session)
        if computed is not None:
            session.note("draft", shown(computed))
            return computed, Verdict(5, is_verified=True)
    if intent.scope in (Scope.MEETING, Scope.SPEAKER) and session.system.has_writer:
        return overview.answered(intent, session)
    return _searched(intent, session)


def _silence(reason: str) -> tuple[Draft, Verdict]:
    return Draft((), (), is_abstention=True, reason=reason), Verdict(5, is_verified=True)


def _computed(intent: Intent, session: Session) -> Draft | None:
    """The exact answer of a structural question, or None when it has none."""
    if intent.exchange is not None and not session.system.has_graph:
        return None
    session.rounds = 1
    found = run_plan(
        counting_plan(intent, intent.operation),
        relevance(session.corpus, intent, session.embedder, session.system.weights),
        session,
    )
    return compute(Scene(intent, session.corpus, found, session.embedder))


def _searched(intent: Intent, session: Session) -> tuple[Draft, Verdict]:
    """Search, write, check, and search again until the answer holds or the rounds are used up."""
    best: tuple[Draft, Verdict] | None = None
    advice = ""
    rounds = session.options.max_rounds if session.system.has_reflection else 1
    seen: set[tuple[int, ...]] = set()
    for number in range(1, rounds + 1):
        session.rounds = number
        fit_of = relevance(
            session.corpus,
            intent,
            session.embedder,
            session.system.weights,
            (advice,) if advice else (),
        )
        reason = abstain.after_search(intent, session.corpus, fit_of) if number == 1 else ""
        if reason:
            session.note("note", reason)
            return _silence(reason)
        selection = gather(intent, number, advice, fit_of, session)
        key = tuple(item.utterance.index for item in selection.evidence)
        if not key or key in seen:
            break
        seen.add(key)
        draft, verdict = _round(intent, selection, fit_of, session)
        if best is None or verdict.score > best[1].score:
            best = draft, verdict
        if verdict.is_verified:
            break
        advice = verdict.advice
    if best is None:
        return _silence("nothing that was said is about this")
    draft, verdict = best
    if draft.is_abstention:
        return draft, replace(verdict, score=PASS_ABSTENTION, is_verified=True)
    return draft, verdict


def _round(
    intent: Intent, selection: Selection, fit_of: Relevance, session: Session
) -> tuple[Draft, Verdict]:
    """Write one draft from the evidence and judge it."""
    count = session.pen.chat.count_tokens
    evidence, tokens = fit(selection.evidence, intent.terms, count, session.options.evidence_tokens)
    session.n_read = len(evidence)
    session.n_left_out = selection.n_left_out + len(selection.evidence) - len(evidence)
    session.evidence_tokens = max(session.evidence_tokens, tokens)
    session.note("evidence", shown(evidence))
    if intent.form is AnswerForm.CHOICE:
        return baselines.chosen(intent, evidence, session)
    if not session.system.has_writer:
        return quotes.quoted(intent, evidence), Verdict(3, is_verified=False)
    budget = min(WRITER_TOKENS, session.options.evidence_tokens)
    read, _ = fit(focused(intent, evidence), intent.terms, count, budget)
    draft, verdict = _written(intent, read, fit_of, session)
    if draft.is_abstention:
        return draft, verdict
    beside = tuple(item for item in evidence if item not in read)
    whole = replace(draft, evidence=(*draft.evidence, *beside))
    return quotes.with_all_of_a_list(intent, whole), verdict


def _written(
    intent: Intent, read: Sequence[Evidence], fit_of: Relevance, session: Session
) -> tuple[Draft, Verdict]:
    """Let the model write from what it reads, check it, and let it judge itself."""
    is_several = len(session.corpus.shelves) > 1
    draft = synthesise(intent, read, session.pen, session.embedder, is_several)
    if draft.is_abstention:
        session.note("draft", "NOT STATED")
        reason = abstain.after_writing(intent, draft, fit_of)
        if reason:
            return replace(draft, reason=reason), Verdict(PASS_ABSTENTION, is_verified=True)
        draft = quotes.quoted(intent, read)
        if intent.form is AnswerForm.YES_NO:
            draft = replace(draft, claims=quotes.nearest_words(intent, read))
    written = quotes.with_the_nearest(intent, quotes.with_the_moment(intent, draft))
    session.note("draft", shown(written))
    draft, problems = checked(written, intent, session.corpus)
    if intent.is_why:
        draft, problems = quotes.with_the_reason(intent, draft, problems)
    is_invented = bool(problems) and all(problem.is_invention for problem in problems)
    is_told = abstain.is_sure(fit_of) or abstain.is_discussed(intent, fit_of)
    if is_invented and is_plain(intent) and not is_told:
        return _invented(intent, draft, tuple(problem.text for problem in problems))
    if problems:
        draft, problems = quotes.in_their_words(intent, draft, problems, session.corpus)
    if not problems:
        draft = replace(draft, claims=with_word(intent, draft.claims))
    if draft.claims != written.claims:
        session.note("draft", shown(draft))
    failed = tuple(problem.text for problem in problems)
    if not session.system.has_reflection:
        return draft, Verdict(3, is_verified=not failed, problems=failed)
    verdict = reflect(intent, draft, failed, session.pen, is_several)
    session.note("verdict", shown(verdict))
    return draft, verdict


def _invented(intent: Intent, draft: Draft, failed: tuple[str, ...]) -> tuple[Draft, Verdict]:
    """Withhold a draft of which nothing was said, and let the next round look elsewhere."""
    advice = advice_of(intent, draft, failed, 1)
    silent = Draft((), (), is_abstention=True, reason="nothing that was said answers it")
    return silent, Verdict(1, is_verified=False, problems=failed, advice=advice)


WRITER_TOKENS = 500
"""Evidence tokens the model reads of what was found: 8 s of prompt on two cores. The rest is
offered beside the answer."""

PASS_ABSTENTION = 4
"""Mark of an abstention on which search and model agree."""
