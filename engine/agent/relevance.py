"""How well each utterance fits a question: words, meaning, its surroundings, who says it.

Several weak signals, each standardised, are added; then a Gaussian over time lets a stretch about
the topic win over a lone match. The optimum is flat: halving or doubling any one weight moves F1
on the question sets by less than .02.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.agent.corpus import Corpus
from engine.agent.schema import Intent
from engine.agent.words import stems
from engine.embed import Embedder

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of the signals.

    Attributes:
        lexical: BM25 of the topic.
        utterance: Cosine of topic and utterance.
        window: Cosine of topic and utterance with two neighbours either side.
        questions: Cosine of topic and the questions an utterance answers (Doc2Query).
        length: Longer utterances carry more.
        density: The smoothed score of the surroundings.
        sigma: Width of the smoothing in seconds.
        shortest: Utterances with fewer words are never evidence.
    """

    lexical: float = 0.5
    utterance: float = 0.5
    window: float = 1.0
    questions: float = 0.3
    length: float = 0.3
    density: float = 1.5
    sigma: float = 80.0
    shortest: int = 4


DEFAULT_WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Relevance:
    """Scores of every row of a corpus for one question.

    Attributes:
        scores: (n,) what evidence is ranked by; -inf for back-channels.
        match: (n,) fit of the row alone, without its surroundings.
        own: (n,) cosine of the row itself with the topic.
        lexical: (n,) share of the weight of the topic's words that the row contains, 0 to 1.
        coverage: Share of the weight of the topic's words that the meetings contain, 0 to 1.
        strength: Absolute fit of the best place; decides whether anything was said about it.
    """

    scores: Scores
    match: Scores
    own: Scores
    lexical: Scores
    coverage: float
    strength: float


def standardised(values: Scores) -> Scores:
    """Zero mean and unit deviation; zeros where nothing differs."""
    deviation = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / deviation if deviation > 1e-9 else np.zeros_like(values)


def smoothed(values: Scores, corpus: Corpus, sigma: float) -> Scores:
    """Gaussian mean over what is said around the same time, within each meeting.

    Values are gathered in bins of a quarter of sigma first, so the cost is linear.
    """
    result = np.array(values, np.float64)
    if sigma <= 0 or not len(values):
        return result
    step = sigma / 4
    kernel = np.exp(-0.5 * (np.arange(-12, 13) / 4) ** 2)
    for meeting in np.unique(corpus.owner):
        rows = np.flatnonzero(corpus.owner == meeting)
        bins = (corpus.middle[rows] / step).astype(np.int64)
        bins -= bins.min()
        n_bins, reach = int(bins.max()) + 1, len(kernel) // 2
        totals = np.convolve(np.bincount(bins, values[rows]), kernel)[reach : reach + n_bins]
        weights = np.convolve(np.bincount(bins), kernel)[reach : reach + n_bins]
        result[rows] = totals[bins] / np.maximum(weights[bins], 1e-9)
    return result


def cosines(corpus: Corpus, query: NDArray[np.float32]) -> tuple[Scores, Scores]:
    """Cosine of a unit query with each utterance and each window; zeros without vectors."""
    n = len(corpus)
    zeros = np.zeros(n)
    own = corpus.vectors @ query if corpus.vectors.shape[1] == len(query) else zeros
    around = corpus.windows @ query if corpus.windows.shape[1] == len(query) else zeros
    return own.astype(np.float64), around.astype(np.float64)


def question_cosines(corpus: Corpus, query: NDArray[np.float32]) -> Scores:
    """(n,) best cosine of a query with the questions each row answers (Doc2Query); 0 without."""
    best = np.zeros(len(corpus))
    first = 0
    for shelf in corpus.shelves:
        if len(shelf.questions) and shelf.questions.shape[1] == len(query):
            np.maximum.at(best, first + shelf.answerers, shelf.questions @ query)
        first += len(shelf.utterances)
    return best


def term_shares(corpus: Corpus, terms: Sequence[str]) -> tuple[Scores, float]:
    """(n,) share of the words' weight that each row contains, and that of the whole corpus."""
    weights = {term: corpus.idf(term) for term in dict.fromkeys(terms)}
    total = sum(weights.values())
    shares = np.zeros(len(corpus))
    if total <= 0:
        return shares, 0.0
    found = 0.0
    for term, weight in weights.items():
        rows = corpus.rows_with(term)
        if rows:
            shares[rows] += weight / total
            found += weight / total
    return shares, found


def relevance(
    corpus: Corpus,
    intent: Intent,
    embedder: Embedder,
    weights: Weights = DEFAULT_WEIGHTS,
    extra_queries: Sequence[str] = (),
) -> Relevance:
    """Score every row of the corpus.

    Args:
        corpus: What is searched.
        intent: The question.
        embedder: Must be the one that made the corpus's vectors.
        weights: Shares of the signals.
        extra_queries: What a critique wants to be looked for as well, at half the weight.
    """
    topic = intent.topic or intent.question
    vectors = embedder.encode([topic, *extra_queries])
    own, around = cosines(corpus, vectors[0])
    wanted = stems(topic) + [s for q in intent.queries[2:] for s in stems(q)]
    words = corpus.bm25(wanted)
    match = (
        weights.lexical * standardised(words)
        + weights.utterance * standardised(own)
        + weights.window * standardised(around)
    ) / max(1e-9, weights.lexical + weights.utterance + weights.window)
    asked = question_cosines(corpus, vectors[0])
    if weights.questions and asked.any():
        match = match + weights.questions * standardised(asked)
    for query, vector in zip(extra_queries, vectors[1:], strict=True):
        beside = standardised(corpus.bm25(stems(query))) + standardised(cosines(corpus, vector)[1])
        match = match + CRITIQUE_WEIGHT * beside / 2
    scores = match + weights.length * standardised(np.log1p(np.minimum(corpus.n_words, 60)))
    scores = scores + weights.density * standardised(smoothed(match, corpus, weights.sigma))
    scores = np.where(corpus.n_words >= weights.shortest, scores, -np.inf)
    shares, coverage = term_shares(corpus, stems(f"{topic} {intent.context}"))
    best = np.maximum(own, around)
    strength = (float(best.max()) if len(best) else 0.0) + 0.5 * coverage
    return Relevance(scores, match, own, shares, coverage, strength)


CRITIQUE_WEIGHT = 0.5
"""Share of what a failed round asks for in the next search (GRGA, beta)."""


def spoken_by(corpus: Corpus, speaker_ids: Sequence[int]) -> Scores:
    """(n,) 1 where one of the speakers talks."""
    wanted = set(speaker_ids)
    return np.array([float(u.speaker_id in wanted) for u in corpus.utterances])
