"""Who speaks when inside ten seconds: segmentation-3.0 over sliding windows.

Local speakers of different windows are not related here; ``engine.speech.clustering`` does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.audio.decode import SAMPLE_RATE, duration_of, read
from engine.progress import Report
from engine.types import FloatArray, Span
from engine.weights.locate import locate
from engine.weights.runtime import onnx_runtime

WINDOW_SAMPLES = 160_000
WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLE_RATE
STEP_SECONDS = 2.5
LONG_SECONDS = 1200.0  # in long recordings ...
LONG_STEP_SECONDS = 5.0  # ... a wider step costs no accuracy and half the time
FRAME_SECONDS = 270 / SAMPLE_RATE
FIRST_FRAME = 991 / 2 / SAMPLE_RATE  # middle of frame 0, seconds into the window
N_LOCAL = 3
# Classes: nobody, each alone, each pair.
POWERSET = np.array(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=np.float32
)
_BATCH = 8


@dataclass(frozen=True, slots=True)
class Segmented:
    """Local speaker activity of many windows.

    Attributes:
        starts: (windows,) float64, seconds; ascending.
        activity: (windows, frames, 3) float16, probability that a local speaker is active.
        duration: Of the recording, seconds.
    """

    starts: npt.NDArray[np.float64]
    activity: npt.NDArray[np.float16]
    duration: float


class Segmenter:
    """The loaded segmentation model; used by one thread at a time."""

    def __init__(self, threads: int) -> None:
        """Load the model.

        Raises:
            ModelMissing: The weights are not on this machine.
        """
        ort = onnx_runtime()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        # Spinning threads starve the other engine process on a small machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = ort.InferenceSession(
            str(locate("segmentation-3.0")), options, providers=["CPUExecutionProvider"]
        )

    def posteriors(self, waveforms: FloatArray) -> FloatArray:
        """Probability of each class of ``POWERSET``.

        Args:
            waveforms: (windows, 160000) float32, 16 kHz.

        Returns:
            (windows, 589, 7) float32, summing to 1 over the classes.
        """
        logs: FloatArray = self._session.run(None, {"x": waveforms[:, None, :]})[0]
        return np.exp(logs)

    def run(self, path: Path, spans: Sequence[Span], report: Report) -> Segmented:
        """Segment all windows that contain speech.

        Args:
            path: FLAC written by ``engine.audio.decode``.
            spans: Speech; windows without any are left out.
            report: Called about once per 20 s of audio.
        """
        duration = duration_of(path)
        starts = window_starts(duration, spans)
        pieces: list[npt.NDArray[np.float16]] = []
        for i in range(0, len(starts), _BATCH):
            report("tell speakers apart", i, len(starts))
            batch = np.stack(
                [window_samples(path, float(start)) for start in starts[i : i + _BATCH]]
            )
            pieces.append((self.posteriors(batch) @ POWERSET).astype(np.float16))
        empty = np.zeros((0, 589, N_LOCAL), dtype=np.float16)
        return Segmented(starts, np.concatenate(pieces) if pieces else empty, duration)


def window_starts(duration: float, spans: Sequence[Span]) -> npt.NDArray[np.float64]:
    """Starts of the windows that touch speech, evenly spaced, the last ending at the end.

    Returns:
        (windows,) float64, seconds, ascending; empty without speech.
    """
    last = max(0.0, duration - WINDOW_SECONDS)
    step = STEP_SECONDS if duration <= LONG_SECONDS else LONG_STEP_SECONDS
    grid = np.arange(0.0, last, step)
    starts: npt.NDArray[np.float64] = np.append(grid, last).astype(np.float64)
    if len(starts) > 1 and starts[-1] - starts[-2] < 0.25:
        starts = np.delete(starts, -2)
    begin = np.array([span.start for span in spans])
    end = np.array([span.end for span in spans])
    if not len(begin):
        return np.zeros(0)
    # A window touches speech when fewer spans ended before it than began before its end.
    touched = np.searchsorted(begin, starts + WINDOW_SECONDS) > np.searchsorted(end, starts)
    return starts[touched]


def frame_times(n_frames: int) -> npt.NDArray[np.float64]:
    """Middles of the frames of a window, seconds from its start."""
    return FIRST_FRAME + FRAME_SECONDS * np.arange(n_frames, dtype=np.float64)


def window_samples(path: Path, start: float) -> FloatArray:
    """Read one window of (160000,) float32 samples, with silence after the end."""
    samples = read(path, start, start + WINDOW_SECONDS)
    return np.pad(samples, (0, WINDOW_SAMPLES - len(samples)))
