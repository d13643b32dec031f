"""Level and pitch of a whole recording, frame by frame: everything else is measured on these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.audio.decode import SAMPLE_RATE, duration_of, read
from engine.progress import Report
from engine.speech.pitch import FRAME, HOP, HOP_SECONDS, pitch_of
from engine.types import FloatArray, Utterance

MIN_VOICED = 5
ACTIVE = 10**-2.5  # 25 dB below the loud frames; 20 to 30 dB told planted haste as well
LONGEST_STOP = 0.3  # seconds
_CHUNK_FRAMES = 1500  # 30 s
_QUIET = 1e-3  # frames 30 dB below the loudest of a stretch have no pitch worth believing


@dataclass(frozen=True, slots=True)
class Frames:
    """A recording in steps of ``HOP_SECONDS``.

    Attributes:
        power: (frames,) float32, mean square of the samples in [-1, 1].
        pitch: (frames,) float32 in Hz, NaN where nothing is voiced or nobody speaks.
    """

    power: FloatArray
    pitch: FloatArray

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self.power) * HOP_SECONDS

    def between(self, start: float, end: float) -> Frames:
        """The frames of [start, end] seconds, without copying."""
        first = max(0, round(start / HOP_SECONDS))
        last = max(first, round(end / HOP_SECONDS))
        return Frames(self.power[first:last], self.pitch[first:last])

    def loudness_db(self) -> float:
        """Level of the active part.

        Returns:
            Mean power of the frames within 15 dB of the loudest ones, dB full scale, at least -90.
        """
        if not len(self.power):
            return -90.0
        power = self.power.astype(np.float64)
        top = float(np.quantile(power, 0.95))
        active = power[power >= top * 10**-1.5]
        mean = float(active.mean()) if active.size else top
        return max(-90.0, 10 * float(np.log10(mean + 1e-12)))

    def speech_seconds(self) -> float:
        """From the first to the last active frame, pauses longer than ``LONGEST_STOP`` left out.

        Closures of consonants belong to speech, a search for words does not; and word times are
        too coarse for a rate.
        """
        if not len(self.power):
            return 0.0
        floor = float(np.quantile(self.power, 0.95)) * ACTIVE
        active = np.flatnonzero(self.power > floor)
        if not active.size:
            return 0.0
        steps = np.diff(active) * HOP_SECONDS
        return HOP_SECONDS + float(np.sum(steps[steps <= LONGEST_STOP]))

    def median_pitch(self) -> float | None:
        """Median pitch in Hz, None where too little is voiced."""
        if not len(self.power):
            return None
        is_used = ~np.isnan(self.pitch) & (self.power > _QUIET * self.power.max())
        voiced = self.pitch[is_used]
        return float(np.median(voiced)) if voiced.size >= MIN_VOICED else None


def measure_frames(path: Path, utterances: Sequence[Utterance], report: Report) -> Frames:
    """Measure a timeline in bounded memory: eight bytes for each 20 ms are kept.

    Args:
        path: FLAC written by ``engine.audio.decode``.
        utterances: Where pitch is wanted, seconds.
        report: Called about once per 30 s of audio.

    Raises:
        AudioError: The timeline cannot be read.
        Cancelled: The user asked to stop.
    """
    n = int(np.ceil(round(duration_of(path) * SAMPLE_RATE) / HOP))
    power, pitch = np.zeros(n, np.float32), np.full(n, np.nan, np.float32)
    is_said = np.zeros(n, dtype=bool)
    for utterance in utterances:
        first, last = (int(max(0.0, at) / HOP_SECONDS) for at in (utterance.start, utterance.end))
        is_said[first : last + 1] = True
    for first in range(0, n, _CHUNK_FRAMES):
        report("measure the sound", first, n)
        last = min(n, first + _CHUNK_FRAMES)
        # The last frame of a chunk reaches into the next one.
        samples = read(path, first * HOP_SECONDS, (last - 1) * HOP_SECONDS + FRAME / SAMPLE_RATE)
        samples = np.pad(samples, (0, (last - first - 1) * HOP + FRAME - len(samples)))
        blocks = samples[: (last - first) * HOP].reshape(-1, HOP)
        power[first:last] = np.mean(np.square(blocks), axis=1)
        pitch[first:last][is_said[first:last]] = _pitch(samples, is_said[first:last])
    return Frames(power, pitch)


def _pitch(samples: FloatArray, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    windows = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP][wanted]
    return pitch_of(windows)
