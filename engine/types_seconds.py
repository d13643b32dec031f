"""How every second of a meeting sounded, as arrays."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from engine.types import FloatArray

SECOND_BYTES = 10
"""Size of a packed second."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """One value per second of the timeline; element i is about [i, i + 1) seconds.

    In the form that ``engine.speech.seconds.relative`` returns, each array says how far the second
    lies from the habit of whoever speaks in it.

    Attributes:
        loudness_db: (n,) float32, mean level of its louder frames, dB full scale, at least -90.
        pitch_hz: (n,) float32, median fundamental frequency, NaN where nothing is voiced.
        rate: (n,) float32, syllables per second around it, NaN where nobody says a word.
        pause: (n,) float32, share of it in which nobody speaks, 0 to 1.
        overlap: (n,) float32, share of it in which two or more speak, 0 to 1.
    """

    loudness_db: FloatArray
    pitch_hz: FloatArray
    rate: FloatArray
    pause: FloatArray
    overlap: FloatArray

    def __len__(self) -> int:
        """Number of seconds."""
        return len(self.loudness_db)

    def packed(self) -> bytes:
        """``SECOND_BYTES`` a second, half precision: 180 kB for five hours."""
        return np.stack(astuple(self)).astype("<f2").tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> Seconds:
        """The inverse of ``packed``.

        Raises:
            ValueError: The data is no whole number of values.
        """
        return cls(*np.frombuffer(data, "<f2").reshape(5, -1).astype(np.float32))

    def rows(self) -> list[dict[str, float | None]]:
        """One object per second for JSON, None where nothing was measured."""
        names = ("loudness_db", "pitch_hz", "rate", "pause", "overlap")
        return [
            {
                name: None if np.isnan(value) else round(float(value), 2)
                for name, value in zip(names, row, strict=True)
            }
            for row in zip(*astuple(self), strict=True)
        ]
