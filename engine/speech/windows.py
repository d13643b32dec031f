"""Packing speech into windows near 30 s, the length the recogniser always works on.

A window holds whole speech spans with the short pauses between them; long silence is cut out, so
that there is nothing to invent words for. Times inside a window map back to the recording.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.audio.decode import SAMPLE_RATE, read
from engine.types import FloatArray, Span

WINDOW_SECONDS = 29.8
EARLY_SECONDS = 22.0  # from here on the longest pause ends the window
GAP_SECONDS = 0.8  # pauses up to this are kept whole; of longer ones, half of it on each side
_FRAME = 320  # 20 ms


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the recording and where it begins in its window, seconds."""

    start: float
    end: float
    offset: float


@dataclass(frozen=True, slots=True)
class Window:
    """What is recognised in one call.

    Attributes:
        pieces: Ascending, disjoint; their lengths add up to the window's.
        spans: The speech inside, in the recording's time.
    """

    pieces: tuple[Piece, ...]
    spans: tuple[Span, ...]

    @property
    def duration(self) -> float:
        """Length in seconds."""
        last = self.pieces[-1]
        return last.offset + last.end - last.start

    def to_recording(self, at: float) -> float:
        """Map a time in the window to the recording; both in seconds, clipped to the window."""
        i = max(0, bisect_right([piece.offset for piece in self.pieces], at) - 1)
        piece = self.pieces[i]
        return min(piece.end, max(piece.start, piece.start + at - piece.offset))

    def samples(self, timeline_path: Path) -> FloatArray:
        """Read the window.

        Returns:
            (samples,) float32, 16 kHz, C-contiguous.
        """
        parts = [read(timeline_path, piece.start, piece.end) for piece in self.pieces]
        return np.ascontiguousarray(np.concatenate(parts), dtype=np.float32)


def pack(spans: Sequence[Span], limit: float = WINDOW_SECONDS) -> list[Window]:
    """Put spans into as few windows as natural pauses allow.

    Args:
        spans: Disjoint, ascending, none longer than ``limit`` (see ``split_long``).
        limit: Longest window in seconds.

    Returns:
        Windows in order; every span is in exactly one.
    """
    windows: list[Window] = []
    held: list[Span] = []
    for span in spans:
        if held and _window([*held, span]).duration > limit:
            n = _best_cut(held)
            windows.append(_window(held[:n]))
            held = held[n:]
            if held and _window([*held, span]).duration > limit:
                windows.append(_window(held))
                held = []
        held.append(span)
    if held:
        windows.append(_window(held))
    return windows


def split_long(spans: Sequence[Span], timeline_path: Path, limit: float) -> list[Span]:
    """Cut spans longer than ``limit`` seconds at their quietest moments.

    Returns:
        Spans in order that cover exactly the same time.
    """
    parts: list[Span] = []
    for span in spans:
        start = span.start
        while span.end - start > limit:
            cut = _quietest(timeline_path, start + 0.6 * limit, start + limit - 0.1)
            parts.append(Span(start, cut))
            start = cut
        parts.append(Span(start, span.end))
    return parts


def halves(window: Window) -> list[Window]:
    """Split a window at its longest pause; a window of one span comes back alone."""
    spans = window.spans
    if len(spans) < 2:
        return [window]
    gaps = [b.start - a.end for a, b in itertools.pairwise(spans)]
    cut = int(np.argmax(gaps)) + 1
    return [_window(spans[:cut]), _window(spans[cut:])]


def _window(spans: Sequence[Span]) -> Window:
    """Lay spans end to end with their short pauses."""
    ranges: list[list[float]] = []
    for span in spans:
        if ranges and span.start - ranges[-1][1] <= GAP_SECONDS:
            ranges[-1][1] = span.end
            continue
        start = span.start
        if ranges:
            ranges[-1][1] += GAP_SECONDS / 2
            start -= GAP_SECONDS / 2
        ranges.append([start, span.end])
    pieces: list[Piece] = []
    offset = 0.0
    for start, end in ranges:
        pieces.append(Piece(start, end, offset))
        offset += end - start
    return Window(tuple(pieces), tuple(spans))


def _best_cut(spans: Sequence[Span]) -> int:
    """How many of the spans go into the window: up to its longest late pause, else all."""
    best, n = 0.0, len(spans)
    for i in range(1, len(spans)):
        gap = spans[i].start - spans[i - 1].end
        if _window(spans[:i]).duration >= EARLY_SECONDS and gap > max(best, 0.4):
            best, n = gap, i
    return n


def _quietest(path: Path, start: float, end: float) -> float:
    """Middle of the quietest 0.1 s of a stretch, in seconds."""
    samples = read(path, start, end)
    n = len(samples) // _FRAME
    if n < 6:
        return end
    power = np.mean(np.square(samples[: n * _FRAME].reshape(n, _FRAME)), axis=1)
    smooth = np.convolve(power, np.ones(5) / 5, mode="valid")
    return start + (int(np.argmin(smooth)) + 2.5) * _FRAME / SAMPLE_RATE
