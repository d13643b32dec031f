"""From a meeting to pixels: what a waveform shows, per column, as arrays. No painting here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.types import Utterance

PEAKS_PER_SECOND = 50
_MAX_LANES = 10

Frames = npt.NDArray[np.int_]
"""(n,) numbers of frames of 20 ms."""


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
        speaker: (columns,) int16 colour of who speaks, the highest of several, -1 for none.
        lanes: (lanes, columns) bool, who speaks when.
        is_overlap: (columns,) bool, two voices at once.
    """

    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    speaker: npt.NDArray[np.int16]
    lanes: npt.NDArray[np.bool_]
    is_overlap: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Spans:
    """Stretches of the grid in which something is so.

    Attributes:
        first: (n,) int, the first frame of each.
        end: (n,) int, the frame after its last.
    """

    first: Frames
    end: Frames

    def meet(self, lefts: Frames, ends: Frames) -> npt.NDArray[np.bool_]:
        """Which columns they touch; a column has the frames from its left one up to its end."""
        begin = np.searchsorted(ends, self.first, side="right")
        finish = np.searchsorted(lefts, self.end, side="left")
        size = len(lefts) + 1
        steps = np.bincount(begin, minlength=size) - np.bincount(finish, minlength=size)
        touched: npt.NDArray[np.bool_] = np.cumsum(steps)[:-1] > 0
        return touched


class Track:
    """A meeting's sound and speakers on a grid of 20 ms.

    Args:
        peaks: (n, 2) float16 or None; without sound the lanes stand alone.
        duration: Seconds.
        utterances: With ``colours`` by speaker id, ascending.
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
        self._n_frames = max(1, int(np.ceil(duration * PEAKS_PER_SECOND)))
        # Two rows: to sum up what lies in one piece takes a third of the time.
        self._peaks = np.zeros((2, 0), np.float32)
        if peaks is not None and self.has_sound:
            known = np.ascontiguousarray(peaks[: self._n_frames].T, np.float32)
            loudest = max(float(known.max()), -float(known.min()))
            self._peaks = known / loudest if loudest > 1e-3 else known
        ids = [u.speaker_id for u in utterances]
        order = list(dict.fromkeys(speaker for speaker in ids if speaker is not None))
        self.lane_colours = [colours.get(speaker, 0) for speaker in order[:_MAX_LANES]]
        lane_by_speaker = {speaker: lane for lane, speaker in enumerate(order)}
        lane = np.array([-1 if i is None else lane_by_speaker[i] for i in ids], int)
        first = (np.array([u.start for u in utterances], float) * PEAKS_PER_SECOND).astype(int)
        end = (np.array([u.end for u in utterances], float) * PEAKS_PER_SECOND).astype(int)
        end = np.maximum(end, first + 1)
        self._lanes = [
            _Spans(first[lane == number], end[lane == number])
            for number in range(len(self.lane_colours))
        ]
        # Somebody who began earlier has not ended yet.
        end_before = np.minimum(end[1:], np.maximum.accumulate(end)[:-1])
        is_shared = end_before > first[1:]
        self._overlaps = _Spans(first[1:][is_shared], end_before[is_shared])

    def columns(self, start: float, end: float, n_columns: int) -> Columns:
        """Sum up [start, end] seconds in ``n_columns`` columns."""
        edges = np.linspace(start, end, n_columns + 1) * PEAKS_PER_SECOND
        frames = np.clip(edges.astype(int), 0, self._n_frames - 1)
        lefts, ends = frames[:-1], np.maximum(frames[1:], frames[:-1] + 1)
        lanes = np.zeros((len(self._lanes), n_columns), bool)
        for number, spans in enumerate(self._lanes):
            lanes[number] = spans.meet(lefts, ends)
        colours = np.array(self.lane_colours, np.int16).reshape(-1, 1)
        return Columns(
            *self._heights(lefts, int(ends[-1])),
            np.where(lanes, colours, np.int16(-1)).max(axis=0, initial=-1),
            lanes,
            self._overlaps.meet(lefts, ends),
        )

    def _heights(
        self, lefts: Frames, end: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Lowest and highest peak of each column; where no peaks are known there is silence."""
        heights = np.zeros((2, len(lefts)), np.float32)
        n_known = int(np.searchsorted(lefts, self._peaks.shape[1]))
        if n_known:
            part = self._peaks[:, lefts[0] : end]
            # reduceat needs ascending starts; equal ones give the single element, which is right.
            starts = lefts[:n_known] - lefts[0]
            heights[0, :n_known] = np.minimum.reduceat(part[0], starts)
            heights[1, :n_known] = np.maximum.reduceat(part[1], starts)
        return np.minimum(heights[0], 0), np.maximum(heights[1], 0)
