"""The edges that follow from a transcript alone: one small function for each relation.

Semantic edges (coreference) need a language model and are added by enrichment.

Source:
    GRGA, section 3.2: five edge kinds; replies within 5 s by another speaker. Weights and
    reasons are ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from engine.graph.lexicon import is_back_channel, is_question
from engine.types import Edge, Relation, Utterance

REPLY_SECONDS = 5.0
# An entity mentioned everywhere links everything to everything and so says nothing.
MAX_MENTION_SHARE = 0.2
MIN_MENTION_LIMIT = 12


def temporal_edges(utterances: Sequence[Utterance]) -> Iterator[Edge]:
    """Each utterance to the next one; weaker over a longer silence."""
    for first, second in itertools.pairwise(utterances):
        gap = max(0.0, second.start - first.end)
        reason = f"next after {gap:.1f} s"
        yield Edge(first.index, second.index, Relation.TEMPORAL, 1 / (1 + gap / 10), reason)


def reply_edges(utterances: Sequence[Utterance]) -> Iterator[Edge]:
    """Each utterance to the one before it of another speaker, at most 5 s earlier."""
    for position, reply in enumerate(utterances):
        for back in range(position - 1, max(-1, position - 12), -1):
            before = utterances[back]
            gap = reply.start - before.end
            if before.speaker_id == reply.speaker_id or not before.text:
                continue
            if gap > REPLY_SECONDS:
                break
            weight = 1 - max(0.0, gap) / (2 * REPLY_SECONDS)
            if is_back_channel(reply.text):
                weight *= 0.5
            is_asked = is_question(before.text)
            manner = "answers a question of" if is_asked else "replies to"
            after = "while speaking" if gap < 0 else f"after {gap:.1f} s"
            reason = (
                f"{reply.speaker or 'somebody'} {manner} {before.speaker or 'somebody'} {after}"
            )
            yield Edge(
                reply.index,
                before.index,
                Relation.REPLY_TO,
                min(1.0, weight + 0.2 * is_asked),
                reason,
            )
            break


def same_speaker_edges(utterances: Sequence[Utterance]) -> Iterator[Edge]:
    """Each utterance to the next one of its speaker; weaker with distance in time."""
    last: dict[int, Utterance] = {}
    for utterance in utterances:
        if utterance.speaker_id is None or not utterance.text:
            continue
        before = last.get(utterance.speaker_id)
        last[utterance.speaker_id] = utterance
        if before is not None:
            gap = max(0.0, utterance.start - before.end)
            reason = f"{utterance.speaker} again after {gap:.0f} s"
            weight = 1 / (1 + gap / 60)
            yield Edge(before.index, utterance.index, Relation.SAME_SPEAKER, weight, reason)


def entity_edges(
    entities: Mapping[tuple[str, str], Sequence[int]], n_utterances: int
) -> Iterator[Edge]:
    """Each mention of an entity to its next mention; rare entities weigh more."""
    limit = max(MIN_MENTION_LIMIT, MAX_MENTION_SHARE * n_utterances)
    best: dict[tuple[int, int], tuple[float, list[str]]] = {}
    for (name, _), indices in entities.items():
        if not 2 <= len(indices) <= limit:
            continue
        weight = 1 / len(indices) ** 0.5
        for first, second in itertools.pairwise(indices):
            before, names = best.get((first, second), (0.0, []))
            best[first, second] = (before + weight, [*names, name])
    for (first, second), (weight, names) in sorted(best.items()):
        reason = "both mention " + ", ".join(names[:4])
        yield Edge(first, second, Relation.ENTITY, min(1.0, weight), reason)
