"""Vectors of one meeting in memory: exact search, kept until the meeting changes."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.graph.bm25 import WordIndex
from engine.graph.lexicon import is_back_channel
from engine.graph.store import Store
from engine.types import FloatArray, Utterance

# About 3 KB for each row.
MAX_CACHED_ROWS = 60_000
# Utterances carry an answer the more often the longer they are, up to about so many words.
TELLING_WORDS = 40


def telling_weight(text: str) -> float:
    """How much an utterance may say, 0 to 1; back-channels next to nothing."""
    # Scripts without spaces: a word is about two characters, six bytes.
    n_words = max(len(text.split()), len(text.encode()) / 12)
    weight = min(1.0, n_words / TELLING_WORDS) ** 0.5
    return float(weight * 0.2 if is_back_channel(text) else weight)


@dataclass(frozen=True)
class MeetingIndex:
    """One meeting, ready to be searched.

    Attributes:
        meeting_id: Whose.
        keys: (n,) int64, ``utterances.id`` by index.
        utterances: By index, without words.
        by_utterance: (n, dim) float32 or (0, 0).
        by_window: The same of the utterance among its neighbours.
        by_question: (m, dim) float32 of generated questions or (0, 0).
        question_owners: (m,) int64, index of the utterance each question belongs to.
        model_id: What made the vectors.
    """

    meeting_id: str
    keys: NDArray[np.int64]
    utterances: list[Utterance]
    by_utterance: FloatArray
    by_window: FloatArray
    by_question: FloatArray
    question_owners: NDArray[np.int64]
    model_id: str

    def __len__(self) -> int:
        return len(self.utterances)

    @cached_property
    def weights(self) -> FloatArray:
        """(n,) float32: how much each utterance may say."""
        return np.array([telling_weight(u.text) for u in self.utterances], np.float32)

    @cached_property
    def words(self) -> WordIndex:
        """The words of the utterances, for BM25 within the meeting."""
        return WordIndex([u.text for u in self.utterances])

    @cached_property
    def place(self) -> dict[int, int]:
        """Index by key."""
        return {int(key): index for index, key in enumerate(self.keys)}


_Cache = OrderedDict[str, tuple[int, MeetingIndex]]
_caches: WeakKeyDictionary[Store, _Cache] = WeakKeyDictionary()


def meeting_index(store: Store, meeting_id: str) -> MeetingIndex:
    """The index of a meeting, read again only when the meeting changed."""
    cache = _caches.setdefault(store, OrderedDict())
    revision = store.revision(meeting_id)
    if meeting_id in cache and cache[meeting_id][0] == revision:
        cache.move_to_end(meeting_id)
        return cache[meeting_id][1]
    owners = [index for index, _ in store.expansions(meeting_id)]
    by_question = store.vectors(meeting_id, "question")
    index = MeetingIndex(
        meeting_id,
        np.array(store.utterance_ids(meeting_id), np.int64),
        store.utterances(meeting_id),
        store.vectors(meeting_id, "utterance"),
        store.vectors(meeting_id, "window"),
        by_question,
        np.array(owners if len(by_question) else [], np.int64),
        store.vector_model(meeting_id),
    )
    cache[meeting_id] = (revision, index)
    while len(cache) > 1 and sum(len(i) for _, i in cache.values()) > MAX_CACHED_ROWS:
        cache.popitem(last=False)
    return index
