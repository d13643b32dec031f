"""What "that idea" means: edges from an utterance that points back to the one it points at.

Source: GRGA, section 3.2, semantic edges; there a large model reads the whole meeting, here the
small one chooses among the few nearest candidates under a grammar.
"""

from __future__ import annotations

import re

from engine import grammar
from engine.enrich.context import Context, is_informative, numbered_line, numbered_lines
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Edge, Relation, Utterance

N_CANDIDATES = 6
"""Informative utterances before a pointing one that it may point at."""

LEAST_SIMILARITY = 0.15
"""Cosine below which an antecedent is not believed."""

_NAMED = re.compile(
    r"\b(?:(?:that|this|those|these|the same|such an?|your|his|her) "
    r"(?:idea|proposal|suggestion|plan|point|problem|issue|question|option|one|thing|approach|"
    r"decision|reason|number|figure|date|way|part)s?|"
    r"(?:diese|die|den)r? (?:Idee|Vorschlag|Plan|Punkt|Frage)|"
    r"(?:ten|tento|ta) (?:nápad|návrh|plán))\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\b(?:(?:agree|disagree|happy|fine|wrong|problem) with (?:that|this|it)|about (?:that|this)|"
    r"(?:do|did|done|like|want|need|mean|said|says?) (?:that|this|it))\b",
    re.IGNORECASE,
)


def pointing_phrase(text: str) -> str:
    """The words of a text that point back, those with a noun first, or ""."""
    match = _NAMED.search(text) or _BARE.search(text)
    return match[0] if match else ""


def find_coreference(context: Context, report: Report) -> None:
    """Write the semantic edges of a meeting to the store."""
    pointing = [u for u in context.utterances if pointing_phrase(u.text)]
    edges: list[Edge] = []
    for done, utterance in enumerate(pointing):
        report("coreference", done, len(pointing))
        edge = _antecedent(context, utterance)
        if edge is not None:
            edges.append(edge)
    others = [e for e in context.store.edges(context.meeting_id) if e.relation != Relation.SEMANTIC]
    context.store.save_edges(context.meeting_id, [*others, *edges])


def _antecedent(context: Context, utterance: Utterance) -> Edge | None:
    """Ask which of the candidates is meant."""
    before = [u for u in context.utterances[: utterance.index] if is_informative(u)]
    candidates = before[-N_CANDIDATES:]
    if not candidates:
        return None
    phrase = pointing_phrase(utterance.text)
    options = [f"[u{candidate.index}]" for candidate in candidates]
    reply = context.chat.complete(
        conversation(
            "enrich_coreference",
            lines=numbered_lines(candidates),
            phrase=phrase,
            line=numbered_line(utterance),
        ),
        grammar=grammar.grammar({"root": grammar.choice([*options, "none"])}),
        max_tokens=12,
        is_cancelled=context.is_cancelled,
    )
    if reply.text not in options:
        return None
    index = candidates[options.index(reply.text)].index
    vectors = context.store.vectors(context.meeting_id, "utterance")
    similarity = float(vectors[index] @ vectors[utterance.index])
    if similarity < LEAST_SIMILARITY:
        return None
    return Edge(utterance.index, index, Relation.SEMANTIC, similarity, f"“{phrase}”")
