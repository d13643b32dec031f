"""Fundamental frequency of speech, frame by frame, in numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.audio.decode import SAMPLE_RATE
from engine.types import FloatArray

LOWEST_HZ, HIGHEST_HZ = 60.0, 400.0
HOP_SECONDS = 0.02
HOP = round(HOP_SECONDS * SAMPLE_RATE)
FRAME = 1024  # samples, 64 ms: at least three periods of a low voice
VOICED = 0.55  # normalised autocorrelation from which a frame counts as voiced
_LEAST_POWER = 1e-8


def pitch_of(frames: FloatArray) -> npt.NDArray[np.float64]:
    """Estimate the pitch of frames.

    Args:
        frames: (frames, 1024) float32 samples, 16 kHz.

    Returns:
        (frames,) float64 in Hz, NaN where nothing is voiced.

    Source:
        Autocorrelation divided by that of the window, Boersma 1993, with a small cost for long
        lags so that an octave below is not preferred, and parabolic interpolation of the peak.
    """
    window = np.hanning(FRAME)
    centred = (frames - frames.mean(axis=1, keepdims=True)) * window
    power = np.mean(np.square(centred), axis=1)
    shape = np.fft.irfft(np.abs(np.fft.rfft(window, 2 * FRAME)) ** 2)[:FRAME]
    correlation = np.fft.irfft(np.abs(np.fft.rfft(centred, 2 * FRAME, axis=1)) ** 2, axis=1)
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
    is_voiced = (height >= VOICED) & (power > _LEAST_POWER) & (scored[rows, best] > 0)
    return np.where(is_voiced, hertz, np.nan)
