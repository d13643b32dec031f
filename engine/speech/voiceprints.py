"""Telling known voices apart. Pure functions over exemplars: a few embeddings of one person.

A name is only ever suggested. A voice and a name go together one to one, by the mean of the
best matching pairs of their exemplars; between ``UNSURE`` and ``SURE`` the suggestion says that
it is a guess, and a second name that is nearly as near makes it one as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.types import FloatArray

UNSURE = 0.40
"""Cosine similarity below which no name is suggested."""

SURE = 0.55
"""From here on a suggestion is no guess."""

MARGIN = 0.08
"""How much nearer than the next name a sure one must be."""

PURITY = 0.60
"""Least mean similarity of exemplars to their centre; below it more than one person is in them."""

LEAST_EXEMPLARS = 2
MAX_EXEMPLARS = 6
_BEST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A voice of a meeting and the known name it resembles.

    Attributes:
        voice: Key of the voice.
        name: The known name.
        score: Cosine similarity, -1 to 1.
        is_sure: Clearly this person, and clearly no other.
    """

    voice: int
    name: str
    score: float
    is_sure: bool


def match(voices: Mapping[int, FloatArray], known: Mapping[str, FloatArray]) -> list[Match]:
    """Find which voice is probably whose.

    Args:
        voices: (n, 192) float32 unit rows by voice.
        known: (m, 192) float32 unit rows by name.

    Returns:
        At most one name a voice and one voice a name, the best first.
    """
    scores = {
        (voice, name): similarity(ours, theirs)
        for voice, ours in voices.items()
        for name, theirs in known.items()
    }
    found: list[Match] = []
    taken_voices: set[int] = set()
    taken_names: set[str] = set()
    for (voice, name), score in sorted(scores.items(), key=lambda item: -item[1]):
        if score < UNSURE or voice in taken_voices or name in taken_names:
            continue
        rival = max(
            (s for (v, n), s in scores.items() if (v == voice) != (n == name)), default=-1.0
        )
        taken_voices.add(voice)
        taken_names.add(name)
        found.append(Match(voice, name, score, score >= SURE and score - rival >= MARGIN))
    return found


def similarity(ours: FloatArray, theirs: FloatArray) -> float:
    """Mean cosine of the best pairs of two sets of exemplars; -1 when one is empty."""
    if not len(ours) or not len(theirs):
        return -1.0
    pairs = np.sort((ours @ theirs.T).ravel())[::-1]
    return float(pairs[:_BEST_PAIRS].mean())


def exemplars(embeddings: FloatArray) -> FloatArray:
    """Choose the embeddings that describe a voice.

    Stretches far from the centre are dropped, as they hold another voice or noise. What is left
    must hang together, or nothing is returned: a mixed voice would resemble everybody.

    Args:
        embeddings: (n, 192) float32 unit rows, the best stretches first; zero rows are ignored.

    Returns:
        (m, 192) float32, m from ``LEAST_EXEMPLARS`` to ``MAX_EXEMPLARS``, or (0, 192).
    """
    none: FloatArray = embeddings[:0]
    rows = embeddings[np.any(embeddings != 0, axis=1)]
    if len(rows) < LEAST_EXEMPLARS:
        return none
    # The medoid and not the mean: a mean of two people lies between them and looks like both.
    centre = rows[int((rows @ rows.T).sum(axis=1).argmax())]
    near = rows[rows @ centre >= UNSURE]
    if len(near) < LEAST_EXEMPLARS or len(near) < 0.6 * len(rows):
        return none
    mean = near.mean(axis=0)
    mean /= np.linalg.norm(mean)
    if float((near @ mean).mean()) < PURITY:
        return none
    kept: FloatArray = near[:MAX_EXEMPLARS]
    return kept
