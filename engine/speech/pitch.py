"""Fundamental frequency of speech, frame by frame, in numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.audio.decode import SAMPLE_RATE
from engine.types import FloatArray

LOWEST_HZ, HIGHEST_HZ = 60.0, 400.0
HOP_SECONDS = 0.02
VOICED = 0.55  # normalised autocorrelation from which a frame counts as voiced
MIN_VOICED = 5
_FRAME = 1024  # 64 ms: at least three periods of a low voice
_HOP = round(HOP_SECONDS * SAMPLE_RATE)
_BATCH = 1500


def pitch_track(samples: FloatArray) -> npt.NDArray[np.float64]:
    """Estimate the pitch of each frame.

    Args:
        samples: (samples,) float32, 16 kHz.

    Returns:
        (frames,) float64 in Hz every ``HOP_SECONDS``, NaN where nothing is voiced.

    Source:
        Autocorrelation divided by that of the window, Boersma 1993, with a small cost for long
        lags so that an octave below is not preferred, and parabolic interpolation of the peak.
    """
    n = 1 + (len(samples) - _FRAME) // _HOP
    if n < 1:
        return np.zeros(0)
    windows = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_HOP]
    return np.concatenate([_track(windows[i : i + _BATCH]) for i in range(0, n, _BATCH)])


def median_pitch(samples: FloatArray) -> float | None:
    """Median pitch in Hz of (samples,) float32 at 16 kHz, None where too little is voiced."""
    track = pitch_track(samples)
    voiced = track[~np.isnan(track)]
    return float(np.median(voiced)) if voiced.size >= MIN_VOICED else None


def _track(frames: FloatArray) -> npt.NDArray[np.float64]:
    """Pitch of (frames, 1024) samples."""
    window = np.hanning(_FRAME)
    centred = (frames - frames.mean(axis=1, keepdims=True)) * window
    power = np.mean(np.square(centred), axis=1)
    shape = np.fft.irfft(np.abs(np.fft.rfft(window, 2 * _FRAME)) ** 2)[:_FRAME]
    correlation = np.fft.irfft(np.abs(np.fft.rfft(centred, 2 * _FRAME, axis=1)) ** 2, axis=1)
    first, last = int(SAMPLE_RATE / HIGHEST_HZ), int(SAMPLE_RATE / LOWEST_HZ) + 1
    lags = np.arange(first, last)
    zero = correlation[:, :1] / shape[0]
    normalised = correlation[:, first - 1 : last + 1] / np.maximum(zero, 1e-12)
    normalised /= shape[first - 1 : last + 1]
    inner = normalised[:, 1:-1]
    is_peak = (inner >= normalised[:, :-2]) & (inner >= normalised[:, 2:])
    scored = np.where(is_peak, inner - 0.03 * np.log2(lags / first), -1.0)
    best = np.argmax(scored, axis=1)
    rows = np.arange(len(frames))
    height = inner[rows, best]
    left, right = normalised[rows, best], normalised[rows, best + 2]
    bend = left - 2 * height + right
    shift = np.where(np.abs(bend) > 1e-9, 0.5 * (left - right) / np.where(bend == 0, 1, bend), 0.0)
    hertz = SAMPLE_RATE / (lags[best] + np.clip(shift, -0.5, 0.5))
    loud = power > max(1e-8, float(power.max()) * 1e-3)
    is_voiced = (height >= VOICED) & loud & (scored[rows, best] > 0)
    return np.where(is_voiced, hertz, np.nan)
