"""Doc2Query: questions an utterance answers, indexed beside it.

Source: GETALP's document expansion (after Nogueira et al. 2019), with the local model in the
place of a fine-tuned one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine import grammar
from engine.enrich.context import Context, is_informative, numbered_lines
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Utterance

BATCH = 5
"""Utterances per model call."""

_QUESTION = re.compile(r"^\[u(\d+)\] (.+\?)$")


def find_questions(context: Context, report: Report) -> None:
    """Write the questions of every informative utterance to the store, and embed them."""
    store, meeting_id = context.store, context.meeting_id
    found: dict[int, list[str]] = {}
    for index, question in store.expansions(meeting_id):
        found.setdefault(index, []).append(question)
    left = [u for u in context.utterances if is_informative(u) and u.index not in found]
    for first in range(0, len(left), BATCH):
        report("questions", first, len(left))
        for index, question in _questions(context, left[first : first + BATCH]):
            found.setdefault(index, []).append(question)
        # Saved batch by batch, so that a stopped enrichment goes on where it was.
        store.save_expansions(meeting_id, found)
    texts = [question for _, question in store.expansions(meeting_id)]
    if texts:
        vectors = context.embedder.encode(texts)
        store.save_vectors(meeting_id, "question", context.embedder.model_id, vectors)


def _questions(context: Context, batch: Sequence[Utterance]) -> list[tuple[int, str]]:
    lines = [f'"[u{utterance.index}] " text "?\\n"' for utterance in batch]
    rules = {"root": " ".join(lines), "text": r"[^\n\[\]<>?]{8,110}"}
    reply = context.chat.complete(
        conversation("enrich_questions", lines=numbered_lines(batch)),
        grammar=grammar.grammar(rules),
        max_tokens=40 * len(batch),
        is_cancelled=context.is_cancelled,
    )
    matches = filter(None, map(_QUESTION.match, reply.text.splitlines()))
    return [(int(match[1]), match[2].strip()) for match in matches]
