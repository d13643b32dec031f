"""Sounds with a pitch, made of sines."""

from __future__ import annotations

from functools import cache

import numpy as np

from engine.types import FloatArray

RATE = 16_000


@cache
def buzz(hertz: float, seconds: float, level: float = 0.1) -> FloatArray:
    """A voice-like tone: (samples,) float32 with this root mean square."""
    t = np.arange(int(seconds * RATE)) / RATE
    x = np.sum([np.sin(2 * np.pi * k * hertz * t) / k for k in range(1, 20) if k * hertz < 7000], 0)
    samples = (level * x / np.sqrt(np.mean(np.square(x)))).astype(np.float32)
    samples.flags.writeable = False  # all tests get the same
    return samples
