"""Who is speaking, decided at once and without looking ahead.

Each stretch of speech joins the nearest voice heard so far, or founds a new one. The full
analysis afterwards decides again with the whole meeting before it; these labels are provisional.
"""

from __future__ import annotations

import numpy as np

from engine.types import FloatArray

THRESHOLD = 0.48
"""Cosine similarity below which a stretch is a new voice."""

ETA = 0.3
"""Weight of a new stretch in the running centroid of its voice, at least 1 / (n + 1)."""

SURE_SECONDS = 1.1
"""Shorter stretches neither found a voice nor move one."""

MAX_VOICES = 16


class LiveVoices:
    """The voices heard so far; memory does not grow with the meeting.

    Source:
        Incremental clustering with a running centroid update (eta) as in GRGA, section 3.1; the
        length rule and the cap are ours.
    """

    def __init__(
        self, threshold: float = THRESHOLD, eta: float = ETA, max_voices: int = MAX_VOICES
    ) -> None:
        self._threshold = threshold
        self._eta = eta
        self._max_voices = max_voices
        self._centroids: list[FloatArray] = []
        self._counts: list[int] = []

    def place(self, embedding: FloatArray, seconds: float) -> int | None:
        """Return the number of the voice a stretch belongs to, from 0 in order of appearance.

        Args:
            embedding: (192,) float32 of length 1, or all zero where there was none.
            seconds: Length of the stretch.

        Returns:
            None when a short stretch resembles nobody enough.
        """
        if not embedding.any():
            return None
        scores = np.array([float(c @ embedding) for c in self._centroids])
        best = int(scores.argmax()) if len(scores) else -1
        is_known = best >= 0 and scores[best] >= self._threshold
        if seconds < SURE_SECONDS:
            return best if is_known else None
        if is_known or len(self._centroids) >= self._max_voices:
            self._move(best, embedding)
            return best
        self._centroids.append(embedding)
        self._counts.append(1)
        return len(self._centroids) - 1

    def _move(self, voice: int, embedding: FloatArray) -> None:
        self._counts[voice] += 1
        weight = max(self._eta, 1 / self._counts[voice])
        moved = (1 - weight) * self._centroids[voice] + weight * embedding
        self._centroids[voice] = (moved / np.linalg.norm(moved)).astype(np.float32)
