"""The meetings asked about, in memory: utterances, word index, vectors.

Read from the store once per revision of a meeting and kept for the next question. Nothing here
ranks; see ``engine.agent.relevance``.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.agent.schema import Roster
from engine.agent.words import STOP, stem, words
from engine.graph.store import Store
from engine.types import Event, FloatArray, Meeting, Utterance

KEPT_UTTERANCES = 50_000
"""Utterances whose index stays in memory, of however many meetings; 0.4 GB."""

K1, B = 1.2, 0.75
"""Usual constants of BM25."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shelf:
    """One meeting as it is at one revision.

    Attributes:
        meeting: Whose.
        utterances: Ascending.
        row_ids: (n,) int64, key of each utterance inside SQL.
        tokens: Folded words of each utterance.
        stems: Stem counts of each utterance.
        vectors: (n, dim) float32 or (0, 0), embedding of each utterance.
        windows: The same of each utterance with its neighbours.
        events: Non-speech sounds, ascending.
        questions: (m, dim) float32, embeddings of the questions that utterances answer.
        answerers: (m,) int64, the utterance that answers each of them.
    """

    meeting: Meeting
    utterances: tuple[Utterance, ...]
    row_ids: Rows
    tokens: tuple[tuple[str, ...], ...]
    stems: tuple[Counter[str], ...]
    vectors: FloatArray
    windows: FloatArray
    events: tuple[Event, ...]
    questions: FloatArray
    answerers: Rows


_shelves: OrderedDict[tuple[str, str, int], Shelf] = OrderedDict()


def shelf_of(store: Store, meeting_id: str) -> Shelf:
    """Read a meeting, or take it from memory when it has not changed."""
    key = (str(store.library_dir), meeting_id, store.revision(meeting_id))
    if key in _shelves:
        _shelves.move_to_end(key)
        return _shelves[key]
    utterances = tuple(store.utterances(meeting_id))
    tokens = tuple(tuple(words(u.text)) for u in utterances)
    questions = store.vectors(meeting_id, "question")
    answerers = np.array([index for index, _ in store.expansions(meeting_id)], np.int64)
    found = Shelf(
        meeting=store.meeting(meeting_id),
        utterances=utterances,
        row_ids=np.array(store.utterance_ids(meeting_id), np.int64),
        tokens=tokens,
        stems=tuple(Counter(stem(word) for word in row if word not in STOP) for row in tokens),
        vectors=_matching(store.vectors(meeting_id, "utterance"), len(utterances)),
        windows=_matching(store.vectors(meeting_id, "window"), len(utterances)),
        events=tuple(store.events(meeting_id)),
        questions=questions if len(questions) == len(answerers) else questions[:0],
        answerers=answerers if len(questions) == len(answerers) else answerers[:0],
    )
    for old in [k for k in _shelves if k[:2] == key[:2]]:
        del _shelves[old]
    _shelves[key] = found
    n_kept = sum(len(shelf.utterances) for shelf in _shelves.values())
    while n_kept > KEPT_UTTERANCES and len(_shelves) > 1:
        n_kept -= len(_shelves.popitem(last=False)[1].utterances)
    return found


def _matching(array: FloatArray, n: int) -> FloatArray:
    """Vectors, or none when they belong to another state of the transcript."""
    return array if len(array) == n else np.zeros((0, 0), np.float32)


class Corpus:
    """All meetings of one question side by side; rows are utterances in order.

    Attributes:
        shelves: One per meeting.
        utterances: Of all meetings, in order.
        owner: (n,) position of the meeting of each row.
        row_ids: (n,) key inside SQL.
        start: (n,) seconds.
        end: (n,) seconds.
        middle: (n,) seconds.
        n_words: (n,) words.
        roster: Names and their ids.
    """

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self.shelves = tuple(shelves)
        self.utterances = [u for shelf in shelves for u in shelf.utterances]
        sizes = [len(shelf.utterances) for shelf in shelves]
        self.owner = np.repeat(np.arange(len(sizes)), sizes)
        self.row_ids = np.concatenate(
            [shelf.row_ids for shelf in shelves] or [np.zeros(0, np.int64)]
        )
        self.start = np.array([u.start for u in self.utterances], np.float64)
        self.end = np.array([u.end for u in self.utterances], np.float64)
        self.middle = (self.start + self.end) / 2
        self.tokens = [row for shelf in shelves for row in shelf.tokens]
        self.n_words = np.array([len(row) for row in self.tokens], np.int64)
        self.stems = [row for shelf in shelves for row in shelf.stems]
        self.vectors = _stacked([shelf.vectors for shelf in shelves], sizes)
        self.windows = _stacked([shelf.windows for shelf in shelves], sizes)
        self.roster = _roster(self.utterances)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, counts in enumerate(self.stems):
            for term, count in counts.items():
                self._postings[term].append((row, count))
        lengths = np.array([sum(counts.values()) for counts in self.stems], np.float64)
        average = float(lengths.mean()) if len(lengths) and lengths.mean() > 0 else 1.0
        self._norm = K1 * (1 - B + B * lengths / average)

    def __len__(self) -> int:
        return len(self.utterances)

    @property
    def duration(self) -> float:
        """Seconds of the longest meeting."""
        ends = [max((u.end for u in s.utterances), default=0.0) for s in self.shelves]
        return max([*ends, *(s.meeting.duration for s in self.shelves)], default=0.0)

    def meeting_id(self, row: int) -> str:
        """Whose a row is."""
        return self.shelves[int(self.owner[row])].meeting.id

    def first_row(self, row: int) -> int:
        """First row of the same meeting."""
        return int(np.searchsorted(self.owner, self.owner[row], side="left"))

    def last_row(self, row: int) -> int:
        """Last row of the same meeting."""
        return int(np.searchsorted(self.owner, self.owner[row], side="right")) - 1

    def rows_with(self, term: str) -> list[int]:
        """Rows that contain a stem."""
        return [row for row, _ in self._postings.get(term, [])]

    def idf(self, term: str) -> float:
        """How telling a stem is here; largest for stems that nobody says."""
        n, found = len(self), len(self._postings.get(term, ()))
        return math.log(1 + (n - found + 0.5) / (found + 0.5))

    def bm25(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """(n,) BM25 score of each row for stems."""
        scores = np.zeros(len(self))
        for term in dict.fromkeys(terms):
            posting = self._postings.get(term)
            if not posting:
                continue
            rows = np.array([row for row, _ in posting])
            counts = np.array([count for _, count in posting], np.float64)
            scores[rows] += self.idf(term) * counts * (K1 + 1) / (counts + self._norm[rows])
        return scores


def corpus_of(store: Store, meeting_ids: Sequence[str]) -> Corpus:
    """Read the meetings of a question.

    Raises:
        MeetingNotFound: One of them does not exist.
    """
    return Corpus([shelf_of(store, store.meeting(ref).id) for ref in meeting_ids])


def _stacked(arrays: list[FloatArray], sizes: list[int]) -> FloatArray:
    """Rows of all meetings; zeros where a meeting has no vectors."""
    dim = max((a.shape[1] for a in arrays if a.ndim == 2), default=0)
    parts = [
        a if a.shape == (n, dim) else np.zeros((n, dim), np.float32)
        for a, n in zip(arrays, sizes, strict=True)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)


def _roster(utterances: Sequence[Utterance]) -> Roster:
    found: dict[str, dict[int, None]] = {}
    for utterance in utterances:
        if utterance.speaker and utterance.speaker_id is not None:
            found.setdefault(utterance.speaker, {})[utterance.speaker_id] = None
    return Roster({name: tuple(ids) for name, ids in found.items()})
