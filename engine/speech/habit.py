"""How far a measure lies from what is usual for its speaker."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MIN_BASELINE = 4
SPREAD_FLOOR = {"loudness": 1.5, "semitones": 1.0, "log_rate": 0.12}
"""Smallest spreads believed: dB, semitones, natural logarithm of the rate."""

Floats = npt.NDArray[np.float64]


def relative_to_habit(
    values: Floats, speakers: Sequence[int | None], floor: float
) -> tuple[Floats, Floats]:
    """Difference from the speaker's median, and the same in robust standard deviations.

    A speaker of whom fewer than ``MIN_BASELINE`` values are known is compared with all.

    Args:
        values: (n,) float64, NaN where nothing was measured.
        speakers: Key of the speaker of each value.
        floor: Smallest spread believed, in the unit of the values.

    Returns:
        Two (n,) arrays, 0 where nothing was measured.

    Source:
        Median and 1.4826 times the median absolute deviation.
    """
    offset, z = np.zeros(len(values)), np.zeros(len(values))
    known = ~np.isnan(values)
    keys = {key: i for i, key in enumerate(dict.fromkeys(speakers))}
    codes = np.array([keys[speaker] for speaker in speakers], dtype=np.int64)
    for code in range(len(keys)):
        mine = (codes == code) & known
        base = values[mine] if mine.sum() >= MIN_BASELINE else values[known]
        if not base.size:
            continue
        centre = float(np.median(base))
        spread = max(floor, 1.4826 * float(np.median(np.abs(base - centre))))
        offset[mine] = values[mine] - centre
        z[mine] = offset[mine] / spread
    return offset, z


def semitones(hertz: Floats) -> Floats:
    """Pitch in semitones above 100 Hz; NaN stays."""
    return np.asarray(12 * np.log2(hertz / 100))
