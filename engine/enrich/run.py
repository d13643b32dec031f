"""The background job that reads a meeting once more, after it is already usable.

Steps run in the order of their use to people, each is saved when it is finished, and a stopped
job goes on after the last finished one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from engine.embed import Embedder
from engine.enrich.commitments import find_commitments
from engine.enrich.context import Context, words
from engine.enrich.coreference import find_coreference
from engine.enrich.profiles import find_profiles
from engine.enrich.questions import find_questions
from engine.enrich.roles import find_roles
from engine.enrich.topics import find_topics, write_summary
from engine.graph.languages import language_of
from engine.graph.store import Store
from engine.llm import ChatModel
from engine.progress import Report
from engine.types import StageRecord

LEAST_WORDS = 30
"""A meeting with fewer words is never given to the language model: it would invent one."""

LANGUAGE_LINES = 200
"""Utterances that tell the language of a meeting."""

STEPS: dict[str, Callable[[Context, Report], None]] = {
    "topics": find_topics,
    "commitments": find_commitments,
    "summary": write_summary,
    "profiles": find_profiles,
    "coreference": find_coreference,
    "questions": find_questions,
    "roles": find_roles,
}


def stage_name(step: str) -> str:
    """The name under which a finished step is recorded."""
    return f"enrich: {step}"


def context_of(
    store: Store, meeting_id: str, chat: ChatModel, embedder: Embedder, report: Report
) -> Context:
    """Put together what the steps need; ``report`` lets a long model call be cancelled."""
    utterances = tuple(store.utterances(meeting_id))
    # Transcripts that were brought along say nothing of it.
    text = " ".join(u.text for u in utterances[:LANGUAGE_LINES])
    language = store.meeting(meeting_id).language or language_of(text)
    return Context(store, meeting_id, utterances, chat, embedder, report.is_cancelled, language)


def enrich(
    context: Context,
    report: Report,
    steps: Sequence[str] = (),
    on_step: Callable[[str], None] = lambda _: None,
) -> tuple[str, ...]:
    """Run the steps that are not done yet.

    Args:
        context: A complete meeting and the models.
        report: Progress over all steps.
        steps: Names of ``STEPS`` to run even if they are done; empty for all that are not.
        on_step: Called with the name of each finished step.

    Returns:
        The names of all finished steps; empty for a meeting too short to be read.

    Raises:
        Cancelled: Finished steps are kept.
    """
    if sum(len(words(utterance.text)) for utterance in context.utterances) < LEAST_WORDS:
        return ()
    store, meeting_id = context.store, context.meeting_id
    done = store.finished_stages(meeting_id)
    for number, (step, run) in enumerate(STEPS.items()):
        wanted = step in steps if steps else stage_name(step) not in done
        if not wanted:
            continue
        began = time.monotonic()
        run(context, report.part(number / len(STEPS), (number + 1) / len(STEPS)))
        seconds = time.monotonic() - began
        details: dict[str, object] = {"model": context.chat.model_id}
        store.record_stage(meeting_id, StageRecord(stage_name(step), seconds, 0.0, details))
        on_step(step)
    return tuple(s for s in STEPS if stage_name(s) in store.finished_stages(meeting_id))
