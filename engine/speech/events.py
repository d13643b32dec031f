"""Sounds outside speech: a small set of labels that simple analysis can keep its word on.

``silence``, ``noise`` and ``music`` come from the signal between the speech spans; ``laughter`` and
``applause`` only from the recogniser's own tags or from an installed audio-tagging model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.audio.decode import SAMPLE_RATE, chunks
from engine.progress import Report
from engine.speech.tagging import installed_tagger, tag_events
from engine.types import Event, Span

MIN_SILENCE = 3.0  # seconds
MIN_NOISE = 0.6
MIN_MUSIC = 4.0
SILENCE_DB = -55.0  # or within 6 dB of the recording's own floor
NOISE_OVER_FLOOR_DB = 12.0
LOUDEST_FLOOR_DB = -40.0
TONAL = 0.35  # share of the energy in steady narrow peaks from which sound counts as music
_FFT = 1024
_HOP = 800  # 50 ms
_CHUNK_SECONDS = 30.0

Floats = npt.NDArray[np.float64]


def find_events(
    timeline_path: Path,
    spans: Sequence[Span],
    transcription_events: Sequence[Event],
    report: Report,
) -> list[Event]:
    """Find what can be heard outside speech and add what the recogniser reported.

    Args:
        timeline_path: FLAC written by ``engine.audio.decode``.
        spans: Speech, disjoint and ascending, seconds.
        transcription_events: Bracketed sounds and gaps from the transcription.
        report: Called about once per 30 s.

    Returns:
        Events ascending by start. A recogniser's ``silence`` tag is dropped: the signal knows.

    Raises:
        AudioError: The timeline cannot be read.
        Cancelled: The user asked to stop.
    """
    levels, tonal = _features(timeline_path, report)
    if not len(levels):
        return list(transcription_events)
    step = _HOP / SAMPLE_RATE
    floor = max(min(float(np.quantile(levels, 0.1)), LOUDEST_FLOOR_DB), -90.0)
    is_outside = ~_mask(spans, len(levels), step)
    is_silent = is_outside & (levels < max(SILENCE_DB, floor + 6.0))
    is_music = _smooth(is_outside & (tonal > TONAL) & (levels > floor + 6.0), 40)
    is_noise = is_outside & ~is_silent & ~is_music & (levels > floor + NOISE_OVER_FLOOR_DB)
    found = [event for event in transcription_events if event.label != "silence"]
    for label, mask, shortest in (
        ("silence", is_silent, MIN_SILENCE),
        ("music", is_music & is_outside, MIN_MUSIC),
        ("noise", _smooth(is_noise, 6) & is_outside, MIN_NOISE),
    ):
        found += [
            Event(round(start, 2), round(end, 2), label, 0.8)
            for start, end in _runs(mask, step)
            if end - start >= shortest
        ]
    tagger = installed_tagger()
    if tagger is not None:
        found += tag_events(timeline_path, tagger, report)
    return sorted(found, key=lambda event: (event.start, event.end))


def _features(path: Path, report: Report) -> tuple[Floats, Floats]:
    """Level in dB and tonality of every 50 ms."""
    levels, tonal = [], []
    window = np.hanning(_FFT)
    for start, samples in chunks(path, _CHUNK_SECONDS):
        report("find events", start, start + _CHUNK_SECONDS)
        n = -(-len(samples) // _HOP)
        padded = np.pad(samples, (0, n * _HOP + _FFT - len(samples)))
        frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP][:n]
        levels.append(10 * np.log10(np.mean(np.square(frames, dtype=np.float64), axis=1) + 1e-12))
        tonal.append(_tonality(np.abs(np.fft.rfft(frames * window, axis=1)) ** 2))
    if not levels:
        return np.zeros(0), np.zeros(0)
    return np.concatenate(levels), np.concatenate(tonal)


def _tonality(power: Floats) -> Floats:
    """Share of energy in narrow peaks that stay at their frequency for a quarter of a second.

    Args:
        power: (frames, bins) spectrum.

    Returns:
        (frames,) 0 to 1. Speech glides and noise has no peaks, so both stay low.
    """
    band = power[:, 4:320]
    local = np.stack([np.roll(band, shift, axis=1) for shift in (-6, -5, -4, 4, 5, 6)])
    is_peak = band > 10 * np.median(local, axis=0)
    steady = is_peak.astype(np.int32)
    for shift in (-2, -1, 1, 2):
        steady += np.roll(is_peak, shift, axis=0)
    kept = np.where(is_peak & (steady >= 5), band, 0.0).sum(axis=1)
    return np.asarray(kept / np.maximum(band.sum(axis=1), 1e-12))


def _mask(spans: Sequence[Span], n: int, step: float) -> npt.NDArray[np.bool_]:
    mask = np.zeros(n, dtype=bool)
    for span in spans:
        mask[int(span.start / step) : int(np.ceil(span.end / step))] = True
    return mask


def _smooth(mask: npt.NDArray[np.bool_], n: int) -> npt.NDArray[np.bool_]:
    """Majority over ``n`` frames."""
    if not mask.any() or len(mask) < n:
        return mask
    return np.asarray(np.convolve(mask, np.ones(n) / n, mode="same") > 0.5)


def _runs(mask: npt.NDArray[np.bool_], step: float) -> list[tuple[float, float]]:
    """(start, end) in seconds of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(first * step, last * step) for first, last in edges.reshape(-1, 2)]
