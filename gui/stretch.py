"""Playing faster or slower at the same pitch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]

_FRAME = 640
_HOP = 320
_REACH = 160


class Stretcher:
    """Streams samples at another speed, pitch kept (waveform similarity overlap-add).

    Frames of 40 ms are overlapped by half; each is taken, within 10 ms of its due place, where it
    best continues the one before.

    Args:
        pull: Gives the next (n,) float32 samples of the source, fewer at its end.
        speed: 0.5 to 3.

    Source:
        Verhelst and Roelands, "An overlap-add technique based on waveform similarity (WSOLA)",
        ICASSP 1993; written anew here for 16 kHz speech.
    """

    def __init__(self, pull: Callable[[int], Samples], speed: float) -> None:
        self._pull = pull
        self._speed = speed
        self._source: Samples = np.zeros(0, np.float32)
        self._base = 0
        self._is_over = False
        self._window = np.hanning(_FRAME + 1)[:_FRAME].astype(np.float32)
        self._tail: Samples = np.zeros(_HOP, np.float32)
        self._n_frames = 0
        self._previous = 0
        self._ready: Samples = np.zeros(0, np.float32)

    def read(self, n_samples: int) -> Samples:
        """Return the next (n,) samples, fewer at the end."""
        if abs(self._speed - 1) < 1e-6:
            return self._pull(n_samples)
        pieces = [self._ready]
        n_ready = len(self._ready)
        while n_ready < n_samples:
            piece = self._next_hop()
            if piece is None:
                break
            pieces.append(piece)
            n_ready += len(piece)
        joined = np.concatenate(pieces)
        self._ready = joined[n_samples:]
        return joined[:n_samples]

    def _next_hop(self) -> Samples | None:
        due = round(self._n_frames * _HOP * self._speed)
        self._fill(due + _REACH + _FRAME + _HOP)
        if due >= self._base + len(self._source):
            if not self._tail.any():
                return None
            last, self._tail = self._tail, np.zeros(_HOP, np.float32)
            return last
        position = due if self._n_frames == 0 else self._best(due)
        frame = self._slice(position, _FRAME) * self._window
        if self._n_frames == 0:
            # Nothing precedes the first frame, so it must not fade in.
            frame[:_HOP] = self._slice(position, _HOP)
        piece = self._tail + frame[:_HOP]
        self._tail = frame[_HOP:].copy()
        self._previous = position
        self._n_frames += 1
        return piece

    def _best(self, due: int) -> int:
        """Where, near ``due``, the source looks most like what would have come next."""
        template = self._slice(self._previous + _HOP, _HOP)
        first = max(self._base, due - _REACH)
        region = self._slice(first, 2 * _REACH + _HOP)
        scores = np.correlate(region, template, mode="valid")
        energy = np.convolve(region * region, np.ones(_HOP, np.float32), mode="valid")
        return first + int(np.argmax(scores / np.sqrt(energy + 1e-6)))

    def _slice(self, start: int, count: int) -> Samples:
        piece = self._source[start - self._base : start - self._base + count]
        return np.pad(piece, (0, count - len(piece)))

    def _fill(self, end: int) -> None:
        """Have the source up to ``end`` in memory and forget what lies far behind."""
        while not self._is_over and self._base + len(self._source) < end:
            more = self._pull(4096)
            self._is_over = len(more) == 0
            self._source = np.concatenate([self._source, more])
        keep_from = min(self._previous, end) - 4 * _FRAME
        if keep_from - self._base > 16_000:
            self._source = self._source[keep_from - self._base :]
            self._base = keep_from
