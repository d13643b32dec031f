"""Cutting a meeting into stretches about one topic each.

Pure functions over the embeddings the index already holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from engine.types import FloatArray, Utterance

BLOCK = 6
"""Utterances on either side of a gap whose topics are compared."""

SHORTEST = 5
"""Fewest utterances of a stretch."""


def n_topics(minutes: float) -> int:
    """How many topics a meeting of this length is cut into: 3 for 5 minutes, 12 for an hour."""
    return max(1, min(60, round(1.3 * math.pow(max(minutes, 0.5), 0.55))))


def topic_stretches(
    vectors: FloatArray, utterances: Sequence[Utterance], n_wanted: int
) -> list[tuple[int, int]]:
    """Cut a meeting where what is said before differs most from what is said after.

    Args:
        vectors: (n, dim) float32 unit rows, one per utterance.
        utterances: The n utterances in order.
        n_wanted: Most stretches to make.

    Returns:
        (first, last) indices of each stretch, ascending, covering everything.

    Source:
        Hearst 1997, TextTiling: depth scores at the gaps between blocks; here on sentence
        embeddings weighted by the number of words instead of word counts.
    """
    n = len(utterances)
    if n == 0:
        return []
    depth = _depths(_gap_similarities(vectors, utterances))
    cuts: list[int] = []
    for gap in np.argsort(-depth, kind="stable"):
        cut = int(gap) + 1
        edges = [0, *cuts, n]
        if len(cuts) < n_wanted - 1 and min(abs(cut - edge) for edge in edges) >= SHORTEST:
            cuts.append(cut)
    borders = [0, *sorted(cuts), n]
    return [(first, after - 1) for first, after in pairwise(borders)]


def _gap_similarities(vectors: FloatArray, utterances: Sequence[Utterance]) -> FloatArray:
    """(n - 1,) cosine between the blocks before and after each gap."""
    weights = np.array([min(len(u.text.split()), 40) for u in utterances], np.float32)
    sums = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors * weights[:, None], 0)])
    n = len(utterances)
    gaps = np.arange(1, n)
    before = sums[gaps] - sums[np.maximum(gaps - BLOCK, 0)]
    after = sums[np.minimum(gaps + BLOCK, n)] - sums[gaps]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    similarities: FloatArray = np.sum(before * after, axis=1) / np.maximum(norms, 1e-9)
    return similarities


def _depths(similarities: FloatArray) -> FloatArray:
    """(n,) how far each gap lies below the highest points within reach on its two sides.

    Reach is bounded: over a long meeting the one highest peak would else stand for all.
    """
    reach = 4 * BLOCK
    depths: FloatArray = np.zeros_like(similarities)
    for i, here in enumerate(similarities):
        left = similarities[max(0, i - reach) : i + 1].max()
        right = similarities[i : i + reach + 1].max()
        depths[i] = left + right - 2 * here
    return depths
