"""Which meetings of a large archive a question is put to.

The agent reads whole meetings. A thousand of them would take a minute and the memory of the
machine, so the library's own search picks those that fit; the answer says how many were left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from engine.agent.support import content_stems
from engine.embed import Embedder
from engine.graph.search import hybrid_search
from engine.graph.store import Store

MOST_UTTERANCES = 40_000
"""What is read for one question, at most: forty meetings of an hour, two seconds of reading."""

_HITS = 400
_HITS_OF_A_MEETING = 5
"""What a meeting says about it beyond these is as good as the same said twice."""

_NAMED, _NAMED_IN_PART = 10.0, 3.0
"""Weight of a meeting or a person that is named, against the best hit, which counts 1. Part of a
person's name may be another word, so what is said counts for more."""


class Chosen(NamedTuple):
    """The meetings that are read for a question.

    Attributes:
        ids: In the order in which they were given, each once.
        n_left_out: How many of those asked about are not read.
    """

    ids: tuple[str, ...]
    n_left_out: int


def narrowed(
    question: str,
    history: Sequence[tuple[str, str]],
    refs: Sequence[str],
    store: Store,
    embedder: Embedder,
) -> Chosen:
    """The meetings to read for a question: all of them, or those that fit best.

    Args:
        question: As asked.
        history: Earlier (question, answer) pairs; a question that follows on has few words.
        refs: The meetings asked about; ids, unique prefixes or titles.
        store: The library.
        embedder: The one that made its vectors.

    Returns:
        All of them where they have ``MOST_UTTERANCES`` at most.

    Raises:
        MeetingNotFound: One of the meetings does not exist.
        ModelMissing: The encoder is not on this machine.
    """
    sizes = {meeting.id: meeting.n_utterances for meeting in (store.meeting(ref) for ref in refs)}
    ids = list(sizes)
    if sum(sizes.values()) <= MOST_UTTERANCES:
        return Chosen(tuple(ids), 0)
    query = " ".join([*(asked for asked, _ in history[-1:]), question])
    scores = _scores(query, ids, store, embedder)
    # Where nothing tells them apart, those that were named first, which are the newest.
    best = sorted(ids, key=lambda key: -scores.get(key, 0.0))
    room = MOST_UTTERANCES
    chosen = set(best[:1])
    for key in best:
        room -= sizes[key]
        if room < 0:
            break
        chosen.add(key)
    return Chosen(tuple(key for key in ids if key in chosen), len(ids) - len(chosen))


def _scores(query: str, ids: list[str], store: Store, embedder: Embedder) -> dict[str, float]:
    """How well a meeting fits, by id; those that do not at all are missing."""
    is_everything = len(ids) == store.value("SELECT count(*) FROM meetings")
    hits = hybrid_search(store, embedder, () if is_everything else ids, query, _HITS)
    found: dict[str, list[float]] = defaultdict(list)
    top = max((hit.score for hit in hits), default=1.0) or 1.0
    for hit in hits:
        found[hit.meeting_id].append(hit.score / top)
    wanted = set(ids)
    scores = {key: sum(sorted(own)[-_HITS_OF_A_MEETING:]) for key, own in found.items()}
    for key, weight in _named(query, store).items():
        if key in wanted:
            scores[key] = scores.get(key, 0.0) + weight
    return scores


def _named(query: str, store: Store) -> dict[str, float]:
    """Meetings that the query names by their title or by one of their speakers."""
    said = content_stems(query)
    found: dict[str, float] = {}
    for key, title in store.rows("SELECT id, title FROM meetings"):
        parts = content_stems(title)
        if parts and parts <= said:
            found[key] = _NAMED
    for key, name in store.rows("SELECT DISTINCT meeting_id, name FROM speakers WHERE is_named"):
        parts = content_stems(name)
        if parts & said:
            weight = _NAMED if parts <= said else _NAMED_IN_PART
            found[key] = max(found.get(key, 0.0), weight)
    return found
