"""From a meeting to pixels: what a waveform shows, per column, as arrays. No painting here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.types import Utterance

PEAKS_PER_SECOND = 50
_MAX_LANES = 10


@dataclass(frozen=True, slots=True)
class Mark:
    """Something shown above the waveform.

    Attributes:
        kind: ``citation``, ``bookmark``, ``event``, ``gap``, ``topic`` or ``overlap``.
        number: Shown on a citation's pin.
    """

    start: float
    end: float
    kind: str
    label: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Columns:
    """What to paint from left to right.

    Attributes:
        low: (columns,) float32 in [-1, 0].
        high: (columns,) float32 in [0, 1].
        speaker: (columns,) int16 colour of the main speaker, -1 for none.
        lanes: (lanes, columns) bool, who speaks when.
        is_overlap: (columns,) bool, two voices at once.
    """

    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    speaker: npt.NDArray[np.int16]
    lanes: npt.NDArray[np.bool_]
    is_overlap: npt.NDArray[np.bool_]


class Track:
    """A meeting's sound and speakers on a grid of 20 ms.

    Args:
        peaks: (n, 2) float16 or None; without sound the lanes stand alone.
        duration: Seconds.
        utterances: With ``colours`` by speaker id.
        colours: Colour number by speaker id.
    """

    def __init__(
        self,
        peaks: npt.NDArray[np.float16] | None,
        duration: float,
        utterances: Sequence[Utterance],
        colours: dict[int, int],
    ) -> None:
        self.duration = duration
        self.has_sound = peaks is not None and len(peaks) > 0
        n_frames = max(1, int(np.ceil(duration * PEAKS_PER_SECOND)))
        self._peaks = np.zeros((n_frames, 2), np.float32)
        if peaks is not None and self.has_sound:
            known = peaks[:n_frames].astype(np.float32)
            loudest = max(float(known.max()), -float(known.min()))
            self._peaks[: len(known)] = known / loudest if loudest > 1e-3 else known
        order = list(dict.fromkeys(u.speaker_id for u in utterances if u.speaker_id is not None))
        self.lane_colours = [colours.get(speaker, 0) for speaker in order[:_MAX_LANES]]
        lane_by_speaker = {speaker: i for i, speaker in enumerate(order)}
        self._lanes = np.zeros((len(self.lane_colours), n_frames), bool)
        self._speaker = np.full(n_frames, -1, np.int16)
        self._count = np.zeros(n_frames, np.int8)
        for utterance in utterances:
            first = int(utterance.start * PEAKS_PER_SECOND)
            last = max(first + 1, int(utterance.end * PEAKS_PER_SECOND))
            lane = lane_by_speaker.get(utterance.speaker_id, -1)  # type: ignore[arg-type]
            self._count[first:last] += 1
            if 0 <= lane < len(self.lane_colours):
                self._lanes[lane, first:last] = True
                self._speaker[first:last] = self.lane_colours[lane]

    def columns(self, start: float, end: float, n_columns: int) -> Columns:
        """Sum up [start, end] seconds in ``n_columns`` columns."""
        n_frames = len(self._peaks)
        edges = np.linspace(start, end, n_columns + 1) * PEAKS_PER_SECOND
        first = np.clip(edges.astype(int), 0, n_frames - 1)
        lows, highs = first[:-1], np.maximum(first[1:], first[:-1] + 1)
        left, right = int(lows[0]), int(min(n_frames, highs[-1]))
        starts = lows - left
        # reduceat needs ascending starts; equal ones give the single element, which is right.
        peaks = self._peaks[left:right]
        return Columns(
            np.minimum(np.minimum.reduceat(peaks[:, 0], starts), 0),
            np.maximum(np.maximum.reduceat(peaks[:, 1], starts), 0),
            np.maximum.reduceat(self._speaker[left:right], starts),
            np.logical_or.reduceat(self._lanes[:, left:right], starts, axis=1),
            np.maximum.reduceat(self._count[left:right], starts) > 1,
        )
