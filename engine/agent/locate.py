"""Where something is said: exact words first, then the same words inflected, then the meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.agent.corpus import Corpus
from engine.agent.relevance import cosines, smoothed, standardised, term_shares
from engine.agent.words import content_words, stem, stems, words
from engine.embed import Embedder

NEAR_ENOUGH = 0.45
"""Least cosine at which a topic counts as said without any of its words."""

MOST_WORDS = 0.6
"""Share of the weight of a topic's words that an utterance or its window must hold."""


def occurrences(tokens: Sequence[str], target: Sequence[str]) -> int:
    """How often a word or phrase stands in a text; plural and possessive count as the word."""
    if not target:
        return 0
    n, found, position = len(target), 0, 0
    while position + n <= len(tokens):
        part = tokens[position : position + n]
        if all(_same(a, b) for a, b in zip(part, target, strict=True)):
            found += 1
            position += n
        else:
            position += 1
    return found


def _same(token: str, wanted: str) -> bool:
    return token == wanted or token in (wanted + "s", wanted + "'s", wanted + "es")


def literal_rows(corpus: Corpus, rows: Sequence[int], target: str) -> list[tuple[int, int]]:
    """(row, occurrences) of every row that says the word or phrase."""
    wanted = words(target)
    counted = [(row, occurrences(corpus.tokens[row], wanted)) for row in rows]
    return [(row, n) for row, n in counted if n]


def mention_rows(
    corpus: Corpus, rows: Sequence[int], target: str, embedder: Embedder | None = None
) -> list[int]:
    """Rows that mention a topic: its words, most of their stems, or (one stretch) the meaning."""
    exact = [row for row, _ in literal_rows(corpus, rows, target)]
    if exact:
        return exact
    wanted = [stem(word) for word in content_words(target)]
    if wanted:
        shares, _ = term_shares(corpus, wanted)
        near = [row for row in rows if shares[row] >= MOST_WORDS]
        if near:
            return near
    if embedder is None or not wanted:
        return []
    peak = stretch_of(corpus, rows, target, embedder)
    return list(peak)


def event_rows(corpus: Corpus, labels: Sequence[str]) -> list[tuple[int, float]]:
    """(row said just before, time) of each non-speech sound with one of the labels."""
    found = []
    for position, shelf in enumerate(corpus.shelves):
        rows = np.flatnonzero(corpus.owner == position)
        for event in shelf.events:
            if event.label in labels and len(rows):
                middle = (event.start + event.end) / 2
                place = int(np.searchsorted(corpus.start[rows], middle, side="right")) - 1
                found.append((int(rows[max(0, place)]), event.start))
    return found


def stretch_of(corpus: Corpus, rows: Sequence[int], topic: str, embedder: Embedder) -> range:
    """The contiguous rows where a topic is discussed; empty when nothing is near enough."""
    if not len(rows):
        return range(0)
    own, around = cosines(corpus, embedder.encode([topic])[0])
    best = np.maximum(own, around)
    allowed = np.zeros(len(corpus), np.bool_)
    allowed[list(rows)] = True
    shares, _ = term_shares(corpus, stems(topic))
    if float(np.where(allowed, best, -1).max()) + 0.3 * float(shares[allowed].max()) < NEAR_ENOUGH:
        return range(0)
    match = standardised(around) + standardised(own) + standardised(corpus.bm25(stems(topic)))
    density = smoothed(match, corpus, 40.0)
    peak = int(np.argmax(np.where(allowed, density + 0.3 * match, -np.inf)))
    threshold = float(density[peak]) * 0.45
    first = last = peak
    while first > corpus.first_row(peak) and density[first - 1] >= threshold:
        first -= 1
    while last < corpus.last_row(peak) and density[last + 1] >= threshold:
        last += 1
    # The topic begins with the first utterance that itself fits, not with the rise before it.
    while first < peak and match[first] < 0.5:
        first += 1
    return range(first, last + 1)
