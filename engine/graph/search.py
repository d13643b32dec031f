"""Finding utterances: by words (BM25), by meaning, and by both.

User text never reaches the query language of FTS5: every token is quoted. A query without any
searchable token is looked up as it stands; a failure raises and is never "nothing found".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import ModelMissing
from engine.graph import library_index
from engine.graph.encoder import Encoder
from engine.graph.keywords import QUESTION_WEIGHT, keyword_scores, match_expression
from engine.graph.lexicon import folded, tokens
from engine.graph.store import Store
from engine.graph.vectors import MeetingIndex, meeting_index, telling_weight
from engine.types import FloatArray, SearchHit

__all__ = [
    "Hit", "HybridOptions", "hybrid_search", "keyword_search", "library_search",
    "match_expression", "named_speakers", "neighbours", "semantic_search",
]  # fmt: skip

# Above this many utterances the library's index is asked instead of each meeting's vectors.
EXACT_ROWS = library_index.MIN_ROWS


@dataclass(frozen=True, slots=True)
class Hit:
    """An utterance found, with its score; larger is better."""

    meeting_id: str
    index: int
    score: float


@dataclass(frozen=True, slots=True)
class HybridOptions:
    """How hybrid search weighs what it knows.

    Attributes:
        alpha: Share of meaning against words, 0 to 1.
        window: Share of the utterance's surroundings in its meaning, 0 to 1.
        density: Weight of good utterances nearby, which lifts a stretch about the topic over a
            lone match.
        density_width: Reach of that, in utterances (standard deviation).
        speaker: Weight of the named speakers.
    """

    alpha: float = 0.6
    window: float = 0.65
    density: float = 0.6
    density_width: float = 10.0
    speaker: float = 0.4


def keyword_search(store: Store, meeting_ids: Sequence[str], query: str, k: int) -> list[Hit]:
    """Find utterances by their words, best first.

    Args:
        store: The library.
        meeting_ids: Where to look; empty for everywhere.
        query: Anything; nothing in it is an operator apart from double quotes.
        k: At most so many.

    Raises:
        StoreError: The library cannot be read.
    """
    scores = keyword_scores(store, meeting_ids, query, max(4 * k, 50))
    return _hits(store, scores, k)


def semantic_search(
    store: Store, embedder: Encoder, meeting_ids: Sequence[str], query: str, k: int
) -> list[Hit]:
    """Find utterances by their meaning, best first; scores are cosines.

    Raises:
        ModelMissing: The encoder is not on this machine.
        StoreError: The library cannot be read.
    """
    if not query.strip():
        return []
    vector = embedder.encode([query])[0]
    if _is_small(store, meeting_ids):
        hits = []
        for meeting_id in meeting_ids or _all_ids(store):
            index = meeting_index(store, meeting_id)
            meaning = _meaning(index, vector, embedder.model_id, HybridOptions().window)
            hits += _best(index, meaning * index.weights, k)
        return sorted(hits, key=lambda hit: -hit.score)[:k]
    found = library_index.opened(store, embedder).nearest(vector, 4 * k, meeting_ids)
    return _hits(store, found, k)


def hybrid_search(
    store: Store,
    embedder: Encoder,
    meeting_ids: Sequence[str],
    query: str,
    k: int,
    options: HybridOptions | None = None,
) -> list[Hit]:
    """Find utterances by words and meaning together, best first.

    Args:
        store: The library.
        embedder: Makes the query's vector; must be the one that made the library's.
        meeting_ids: Where to look; empty for everywhere.
        query: A question or words.
        k: At most so many.
        options: Weights; None for the tuned ones.

    Raises:
        ModelMissing: The encoder is not on this machine.
        StoreError: The library cannot be read.
    """
    if not query.strip():
        return []
    options = options or HybridOptions()
    if not _is_small(store, meeting_ids):
        return _library_hybrid(store, embedder, meeting_ids, query, k, options)
    vector = embedder.encode([query])[0]
    hits: list[Hit] = []
    for meeting_id in meeting_ids or _all_ids(store):
        index = meeting_index(store, meeting_id)
        if len(index):
            lexical = _lexical(store, index, query)
            hits += _best(
                index, _scored(index, lexical, vector, query, options, embedder.model_id), k
            )
    return sorted(hits, key=lambda hit: -hit.score)[:k]


def library_search(
    store: Store,
    embedder: Encoder | None,
    query: str,
    meeting_ids: Sequence[str] = (),
    speaker: str = "",
    limit: int = 50,
) -> list[SearchHit]:
    """Search as the user does: words and meaning, in one meeting or everywhere.

    Without the encoder (None, or not installed) only words are searched.

    Args:
        store: The library.
        embedder: Makes the query's vector.
        query: What the user typed.
        meeting_ids: Where to look; empty for everywhere.
        speaker: Part of a speaker's name; "" for anybody.
        limit: At most so many.

    Raises:
        StoreError: The library cannot be read.
    """
    wanted = limit if not speaker else 20 * limit
    found = keyword_search(store, meeting_ids, query, wanted)
    if embedder is not None:
        try:
            by_both = hybrid_search(store, embedder, meeting_ids, query, wanted)
        except ModelMissing:
            by_both = []
        # What has the words comes first: somebody who types a name wants that name.
        seen = {(hit.meeting_id, hit.index) for hit in found}
        top = max((hit.score for hit in by_both), default=1.0) or 1.0
        found = [replace(hit, score=1 + hit.score) for hit in found] + [
            replace(hit, score=hit.score / top)
            for hit in by_both
            if (hit.meeting_id, hit.index) not in seen
        ]
    return _shown(store, found, speaker, limit)


def neighbours(store: Store, meeting_id: str, index: int, width: int = 1) -> list[int]:
    """Indices of the utterances around one, itself left out."""
    n = len(meeting_index(store, meeting_id))
    around = range(max(0, index - width), min(n, index + width + 1))
    return [i for i in around if i != index]


def named_speakers(query: str, names: Sequence[str]) -> set[str]:
    """The speakers whose name stands in a query, whole or by a part nobody else has."""
    words = set(tokens(query))
    parts = {name: set(tokens(name)) for name in names if name}
    found = set()
    for name, own in parts.items():
        others = set().union(*(p for other, p in parts.items() if other != name))
        telling = {part for part in own - others if len(part) > 2}
        if own and (own <= words or telling & words):
            found.add(name)
    return found


def _is_small(store: Store, meeting_ids: Sequence[str]) -> bool:
    """Whether exact search is quick enough."""
    if len(meeting_ids) == 1:
        return True
    sql = "SELECT total(n_utterances) FROM meetings"
    if not meeting_ids:
        return bool(store.value(sql) <= EXACT_ROWS)
    marks = ", ".join("?" * len(meeting_ids))
    return bool(store.value(f"{sql} WHERE id IN ({marks})", tuple(meeting_ids)) <= EXACT_ROWS)


def _all_ids(store: Store) -> list[str]:
    return [row[0] for row in store.rows("SELECT id FROM meetings WHERE n_utterances > 0")]


def _meaning(index: MeetingIndex, vector: FloatArray, model_id: str, window: float) -> FloatArray:
    """(n,) cosine of each utterance, its surroundings and its questions with a query."""
    if index.model_id != model_id or not len(index.by_utterance):
        return np.zeros(len(index), np.float32)
    alone = index.by_utterance @ vector
    if len(index.by_window) == len(alone):
        alone = (1 - window) * alone + window * (index.by_window @ vector)
    if len(index.by_question):
        asked = np.full(len(alone), -1.0, np.float32)
        np.maximum.at(asked, index.question_owners, index.by_question @ vector)
        alone = np.maximum(alone, QUESTION_WEIGHT * asked + (1 - QUESTION_WEIGHT) * alone)
    return np.asarray(alone, np.float32)


def _lexical(store: Store, index: MeetingIndex, query: str) -> FloatArray:
    """(n,) score of the words, with what only the full-text tables know: generated questions."""
    scores = index.words.scores(query)
    if scores.any() and not len(index.question_owners):
        return scores
    for key, score in keyword_scores(store, [index.meeting_id], query, len(index)).items():
        place = index.place.get(key)
        if place is not None:
            scores[place] = max(scores[place], score)
    return scores


def _scored(
    index: MeetingIndex,
    lexical: FloatArray,
    vector: FloatArray,
    query: str,
    options: HybridOptions,
    model_id: str,
) -> FloatArray:
    """(n,) fused score of every utterance of one meeting."""
    meaning = _meaning(index, vector, model_id, options.window)
    fused = (1 - options.alpha) * _unit(lexical) + options.alpha * _unit(meaning)
    if options.speaker:
        named = named_speakers(query, sorted({u.speaker for u in index.utterances}))
        spoken = np.array([u.speaker in named for u in index.utterances], np.float32)
        fused = fused + options.speaker * spoken
    fused = fused * index.weights
    if options.density:
        fused = fused + options.density * smoothed(fused, options.density_width)
    return np.where(index.weights > 0, fused, 0).astype(np.float32)


def _unit(values: FloatArray) -> FloatArray:
    """Values mapped to 0..1."""
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def smoothed(values: FloatArray, width: float) -> FloatArray:
    """Values convolved with a Gaussian of ``width`` positions, its middle left out."""
    reach = int(3 * width)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel[reach] = 0
    kernel /= kernel.sum()
    padded = np.pad(values, reach)
    return np.convolve(padded, kernel.astype(np.float32), mode="valid")


def _best(index: MeetingIndex, scores: FloatArray, k: int) -> list[Hit]:
    order = np.argsort(-scores, kind="stable")[:k]
    return [Hit(index.meeting_id, int(i), float(scores[i])) for i in order if scores[i] > 0]


def _library_hybrid(
    store: Store,
    embedder: Encoder,
    meeting_ids: Sequence[str],
    query: str,
    k: int,
    options: HybridOptions,
) -> list[Hit]:
    """Fuse the best of both lists where there are too many utterances to score them all."""
    words = keyword_scores(store, meeting_ids, query, 4 * k)
    vector = embedder.encode([query])[0]
    meaning = library_index.opened(store, embedder).nearest(vector, 4 * k, meeting_ids)
    keys = list(words.keys() | meaning.keys())
    lexical = np.array([words.get(key, 0.0) for key in keys], np.float32)
    floor = min(meaning.values(), default=0.0)
    cosines = np.array([meaning.get(key, floor) for key in keys], np.float32)
    fused = (1 - options.alpha) * _unit(lexical) + options.alpha * _unit(cosines - floor)
    fused = fused * _telling(store, keys)
    return _hits(store, dict(zip(keys, fused.tolist(), strict=True)), k)


def _telling(store: Store, keys: Sequence[int]) -> FloatArray:
    """(n,) float32 weights of utterances by how much they say."""
    marks = ", ".join("?" * len(keys))
    sql = f"SELECT id, text FROM utterances WHERE id IN ({marks})"
    weights = {key: telling_weight(text) for key, text in store.rows(sql, tuple(keys))}
    return np.array([weights.get(key, 0.0) for key in keys], np.float32)


def _hits(store: Store, scores: dict[int, float], k: int) -> list[Hit]:
    """Turn scores by key into hits, the best ``k``."""
    best = sorted(scores, key=lambda key: (-scores[key], key))[:k]
    marks = ", ".join("?" * len(best))
    found = store.rows(
        f"SELECT id, meeting_id, idx FROM utterances WHERE id IN ({marks})", tuple(best)
    )
    place = {row[0]: (row[1], row[2]) for row in found}
    return [Hit(*place[key], scores[key]) for key in best if key in place]


def _shown(store: Store, hits: Sequence[Hit], speaker: str, limit: int) -> list[SearchHit]:
    """Read the utterances of hits, those of other speakers left out."""
    titles = dict(store.rows("SELECT id, title FROM meetings"))
    wanted = folded(speaker)
    shown: list[SearchHit] = []
    for first in range(0, len(hits), limit):
        part = hits[first : first + limit]
        read = store.utterances_at([(hit.meeting_id, hit.index) for hit in part])
        for hit in part:
            utterance = read.get((hit.meeting_id, hit.index))
            if utterance is not None and wanted in folded(utterance.speaker):
                title = titles.get(hit.meeting_id, "")
                shown.append(SearchHit(hit.meeting_id, title, utterance, hit.score))
        if len(shown) >= limit:
            break
    return shown[:limit]
