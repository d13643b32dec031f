"""Which meetings of a large archive a question is put to.

The agent reads whole meetings. A thousand of them would take a minute and the memory of the
machine, so the library's own search picks those that fit; the answer says how many were left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from engine.agent.corpus import KEPT_MEETINGS
from engine.agent.words import STOP, stem, words
from engine.embed import Embedder
from engine.graph.search import hybrid_search
from engine.graph.store import Store

MOST_MEETINGS = KEPT_MEETINGS
"""Meetings that are read for one question, at most."""

_HITS = 400
_HITS_OF_A_MEETING = 5
"""What a meeting says about it beyond these is as good as the same said twice."""

_NAMED, _NAMED_IN_PART = 10.0, 3.0
"""Weight of a meeting or a person that is named, against the best hit, which counts 1. Part of a
person's name may be another word, so what is said counts for more."""


def narrowed(
    question: str,
    history: Sequence[tuple[str, str]],
    refs: Sequence[str],
    store: Store,
    embedder: Embedder,
) -> tuple[str, ...]:
    """The meetings to read for a question: all of them, or those that fit best.

    Args:
        question: As asked.
        history: Earlier (question, answer) pairs; a question that follows on has few words.
        refs: The meetings asked about; ids, unique prefixes or titles.
        store: The library.
        embedder: The one that made its vectors.

    Returns:
        References in their order, at most ``MOST_MEETINGS``.

    Raises:
        MeetingNotFound: One of the meetings does not exist.
        ModelMissing: The encoder is not on this machine.
    """
    if len(refs) <= MOST_MEETINGS:
        return tuple(refs)
    ids = list(dict.fromkeys(store.meeting(ref).id for ref in refs))
    if len(ids) <= MOST_MEETINGS:
        return tuple(ids)
    query = " ".join([*(asked for asked, _ in history[-1:]), question])
    scores = _scores(query, ids, store, embedder)
    # Where nothing tells them apart, those that were named first, which are the newest.
    best = sorted(range(len(ids)), key=lambda place: (-scores.get(ids[place], 0.0), place))
    return tuple(ids[place] for place in sorted(best[:MOST_MEETINGS]))


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
    said = _telling(query)
    found: dict[str, float] = {}
    for key, title in store.rows("SELECT id, title FROM meetings"):
        parts = _telling(title)
        if parts and parts <= said:
            found[key] = _NAMED
    for key, name in store.rows("SELECT DISTINCT meeting_id, name FROM speakers WHERE is_named"):
        parts = _telling(name)
        if parts & said:
            weight = _NAMED if parts <= said else _NAMED_IN_PART
            found[key] = max(found.get(key, 0.0), weight)
    return found


def _telling(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOP}
