"""Reading a recording while another process is still appending to it."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np

from engine import sealed
from engine.audio.decode import SAMPLE_RATE
from engine.errors import AudioError
from engine.types import FloatArray

_LONGEST_HEADER = 4096


class GrowingWav:
    """A mono 16-bit WAV at 16 kHz whose header cannot be trusted yet; its size can.

    The file is opened for each look and never locked, so that its writer is not in the way.

    Attributes:
        path: May not exist yet.
        position: Samples read or skipped so far.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.position = 0
        self._data_at = 0
        self._records: list[sealed.Record] = []

    def read(self, max_seconds: float) -> FloatArray:
        """Return what was appended since the last call, at most so much of it.

        Returns:
            (samples,) float32 in [-1, 1]; empty when nothing is new or the file is not there yet.

        Raises:
            AudioError: It is not such a WAV.
        """
        try:
            with sealed.open_file(self.path, "rb", self._records) as file:
                self._records = getattr(file, "records", [])
                if not self._data_at:
                    self._data_at = _data_offset(file.read(_LONGEST_HEADER), self.path)
                if not self._data_at:
                    return np.zeros(0, np.float32)
                file.seek(self._data_at + 2 * self.position)
                raw = file.read(2 * round(max_seconds * SAMPLE_RATE))
        except FileNotFoundError:
            return np.zeros(0, np.float32)
        except OSError as error:
            raise AudioError(f"{self.path.name} cannot be read: {error.strerror}.") from error
        whole = np.frombuffer(raw[: len(raw) // 2 * 2], "<i2")
        samples: FloatArray = whole.astype(np.float32) / np.float32(32768)
        self.position += len(samples)
        return samples

    def behind(self) -> float:
        """Seconds of sound in the file that were not read yet."""
        try:
            with sealed.open_file(self.path, "rb", self._records) as file:
                n_bytes = file.seek(0, os.SEEK_END) - self._data_at
        except OSError:
            return 0.0
        return max(0.0, (n_bytes // 2 - self.position) / SAMPLE_RATE)

    def skip(self, seconds: float) -> None:
        """Leave out what comes next."""
        self.position += round(seconds * SAMPLE_RATE)


def _data_offset(head: bytes, path: Path) -> int:
    """Where the samples begin; 0 when the header is not complete yet."""
    if len(head) < 12:
        return 0
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
        raise AudioError(f"{path.name} is not a recording of ours.")
    at = 12
    while at + 8 <= len(head):
        name, size = struct.unpack_from("<4sI", head, at)
        if name == b"data":
            return at + 8
        if name == b"fmt " and at + 24 <= len(head):
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", head, at + 8)
            if (kind, channels, rate, bits) != (1, 1, SAMPLE_RATE, 16):
                raise AudioError(f"{path.name} is not mono, 16 kHz and 16 bit.")
        at += 8 + size + size % 2
    return 0
