"""BM25 over one meeting in memory.

The full-text tables weigh words by how rare they are in the whole library; what tells the
utterances of one meeting apart is how rare a word is in that meeting.

Source:
    Robertson and Zaragoza, The Probabilistic Relevance Framework (2009); k1 and b as usual.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from engine.graph.lexicon import content_tokens, dense_runs, dense_tokens, has_dense, tokens
from engine.types import FloatArray

_K1 = 1.2
_B = 0.75
_ENDINGS = ("ing", "ed", "es", "s")


def stem(word: str) -> str:
    """A word without the commonest endings; the same rough cut for every language."""
    if len(word) > 4:
        for ending in _ENDINGS:
            if word.endswith(ending):
                return word[: -len(ending)]
    return word


class WordIndex:
    """The words of one meeting's utterances, ready to be scored."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._n = len(texts)
        places: dict[str, list[int]] = defaultdict(list)
        counts: dict[str, list[int]] = defaultdict(list)
        lengths = np.zeros(self._n, np.float32)
        for index, text in enumerate(texts):
            words = _document_words(text)
            lengths[index] = len(words)
            for word, count in Counter(words).items():
                places[word].append(index)
                counts[word].append(count)
        self._places = {word: np.array(rows, np.int32) for word, rows in places.items()}
        self._counts = {word: np.array(rows, np.float32) for word, rows in counts.items()}
        average = float(lengths.mean()) if self._n and lengths.any() else 1.0
        self._norms = (_K1 * (1 - _B + _B * lengths / average)).astype(np.float32)

    def scores(self, query: str) -> FloatArray:
        """(n,) float32 score of every utterance; 0 where no word of the query is said."""
        scores = np.zeros(self._n, np.float32)
        for word in dict.fromkeys(_query_words(query)):
            rows = self._places.get(word)
            if rows is None:
                continue
            rarity = np.log(1 + (self._n - len(rows) + 0.5) / (len(rows) + 0.5))
            counts = self._counts[word]
            scores[rows] += rarity * counts * (_K1 + 1) / (counts + self._norms[rows])
        return scores


def _document_words(text: str) -> list[str]:
    if has_dense(text):
        return [stem(word) for word in dense_tokens(text).split()]
    return [stem(word) for word in tokens(text)]


def _query_words(query: str) -> list[str]:
    words = [stem(word) for word in content_tokens(query)]
    for run in dense_runs(query):
        if has_dense(run):
            pairs = [run[i : i + 2] for i in range(len(run))]
            words += pairs[:-1] or pairs
    return words
