"""Speech of each channel without what it overhears from the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.audio.decode import chunks
from engine.progress import Report
from engine.speech.vad import speech_spans
from engine.types import Span

FRAME_SECONDS = 0.1
_FRAME = 1600
OVERHEARD_DB = 10.0  # this much below the other channel, each against its own loud level
MIN_SECONDS = 0.25
_FILL_FRAMES = 3

Levels = npt.NDArray[np.float64]


def channel_spans(paths: Sequence[Path], report: Report) -> list[list[Span]]:
    """Find where the voice of each channel speaks.

    A microphone also picks up the other side, more softly. Frames in which another channel is
    clearly stronger, each compared with its own loud level, belong to that one.

    Args:
        paths: One FLAC per channel, of the same length.
        report: Progress over all channels.

    Returns:
        For each channel disjoint spans, ascending, seconds.

    Raises:
        ModelMissing: The VAD weights are not on this machine.
        AudioError: A channel cannot be read.
    """
    levels = [_levels(path) for path in paths]
    found = []
    for i, path in enumerate(paths):
        part = report.part(i / len(paths), (i + 1) / len(paths))
        others = np.max([level for j, level in enumerate(levels) if j != i], axis=0)
        is_own = levels[i] > others - OVERHEARD_DB
        found.append(_cut(speech_spans(path, part), is_own))
    return found


def _levels(path: Path) -> Levels:
    """Level of every 0.1 s in dB against the channel's own loud level."""
    rows = []
    for _, samples in chunks(path, 60.0):
        n = -(-len(samples) // _FRAME)
        padded = np.pad(samples, (0, n * _FRAME - len(samples)))
        power = np.mean(np.square(padded.reshape(n, _FRAME), dtype=np.float64), axis=1)
        rows.append(10 * np.log10(power + 1e-10))
    levels = np.concatenate(rows) if rows else np.zeros(1)
    return np.asarray(levels - np.quantile(levels, 0.98), dtype=np.float64)


def _cut(spans: Sequence[Span], is_own: npt.NDArray[np.bool_]) -> list[Span]:
    """Keep the parts of spans in which the channel is its own; short holes are no reason to cut."""
    kept: list[Span] = []
    for span in spans:
        first, last = int(span.start / FRAME_SECONDS), int(np.ceil(span.end / FRAME_SECONDS))
        own = is_own[first:last]
        if not own.size:
            continue
        smooth = np.convolve(own, np.ones(2 * _FILL_FRAMES + 1), mode="same") >= _FILL_FRAMES + 1
        edges = np.flatnonzero(np.diff(np.concatenate([[0], smooth.astype(np.int8), [0]])))
        for begin, end in edges.reshape(-1, 2):
            start = max(span.start, (first + begin) * FRAME_SECONDS)
            stop = min(span.end, (first + end) * FRAME_SECONDS)
            if stop - start >= MIN_SECONDS:
                kept.append(Span(float(start), float(stop)))
    return kept
