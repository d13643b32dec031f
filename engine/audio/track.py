"""One device being recorded: what arrived, what was written, and whether it still lives."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.audio.devices import InputDevice, Stream
from engine.audio.take import TrackFile
from engine.errors import EngineError
from engine.types import FloatArray

_QUEUED_BLOCKS = 400
_FIRST_SAMPLE_SECONDS = 4.0
_STALL_SECONDS = 2.0
_RETRY_SECONDS = 2.0
_SILENT_SECONDS = 3.0
_SILENT_LATER_SECONDS = 20.0
_SILENT_PEAK = 1e-4
_FLOOR_DB = -90.0
Opener = Callable[[InputDevice, int, Callable[[FloatArray], None]], Stream]


@dataclass(frozen=True, slots=True)
class TrackStatus:
    """A moment of a track.

    Attributes:
        name: Of the device.
        level_db: Loudness of the last tenth of a second, dB full scale, not below -90.
        peak_db: The loudest sample of it.
        is_alive: Samples come.
        is_silent: Samples come, but nothing is in them.
        n_samples: Written.
        drift: Seconds by which the samples lag behind the clock.
    """

    name: str
    level_db: float = _FLOOR_DB
    peak_db: float = _FLOOR_DB
    is_alive: bool = False
    is_silent: bool = False
    n_samples: int = 0
    drift: float = 0.0


class Track:
    """Belongs to the recorder's writer thread; only ``_on_block`` runs elsewhere."""

    def __init__(self, device: InputDevice, opener: Opener, rate_hz: int) -> None:
        self.device = device
        self.n_samples = 0
        self.n_dropped = 0
        self._opener = opener
        self._rate_hz = rate_hz
        self._file: TrackFile | None = None
        self._stream: Stream | None = None
        self._ratio = 1.0
        self._resample: Callable[[FloatArray], FloatArray] | None = None
        # Bounded: a writer that hangs must not eat the memory.
        self._blocks: deque[tuple[float, FloatArray]] = deque(maxlen=_QUEUED_BLOCKS)
        self._n_filled = 0
        self._n_told = 0
        self._n_arrived = 0
        self._opened_at = 0.0
        self._first_block = 0.0
        self._last_block = 0.0
        self._tried_at = 0.0
        self._is_lost = False
        self._has_waited = False
        self._pauses: list[list[float]] = []
        self._quiet_samples = 0
        self._has_spoken = False
        self._is_silent = False
        self._level_db = self._peak_db = _FLOOR_DB

    @property
    def path(self) -> Path | None:
        """The file it is written to."""
        return self._file.path if self._file is not None else None

    def write_to(self, file: TrackFile) -> None:
        """Keep the samples in a file; without one they only make a level."""
        self._file = file

    def open(self) -> None:
        """Open the device and begin.

        Raises:
            AudioError: It cannot be opened.
        """
        self._tried_at = time.monotonic()
        stream = self._opener(self.device, self._rate_hz, self._on_block)
        true_rate = float(stream.samplerate)
        self._resample = None
        if abs(true_rate - self._rate_hz) > 0.5:
            import soxr

            converter = soxr.ResampleStream(true_rate, self._rate_hz, 1, dtype="float32")
            self._resample = converter.resample_chunk
        self._ratio = self._rate_hz / true_rate
        self._stream = stream
        stream.start()
        self._opened_at = self._last_block = time.monotonic()

    def pause(self, now: float) -> None:
        """Leave out samples captured after ``now``."""
        self._pauses.append([now, float("inf")])

    def resume(self, now: float) -> None:
        """Take samples captured after ``now`` again."""
        if self._pauses:
            self._pauses[-1][1] = now

    def drain(self) -> None:
        """Write what arrived.

        Raises:
            OSError: The disk is full or gone.
        """
        loud: list[FloatArray] = []
        n_missing = self.n_dropped - self._n_filled
        if n_missing:
            # The oldest blocks were pushed out; silence keeps the tracks together.
            self._append(np.zeros(n_missing, np.float32))
            self._n_filled += n_missing
        for _ in range(len(self._blocks)):
            arrived, block = self._blocks.popleft()
            loud.append(block)
            kept = self._outside_pauses(arrived, block)
            if len(kept):
                self._append(self._resample(kept) if self._resample else kept)
        if loud:
            self._measure(np.concatenate(loud))

    def sync(self) -> None:
        """Bring the file to the disk.

        Raises:
            OSError: The disk is full or gone.
        """
        if self._file is not None:
            self._file.sync()

    def look_after(self, now: float) -> list[tuple[str, str]]:
        """Notice what is wrong with the device and help it; kinds and texts for the user."""
        notices = []
        if self.n_dropped > self._n_told:
            self._n_told = self.n_dropped
            notices.append(("dropped", f"“{self.device.name}” was faster than the disk."))
        if self._is_lost:
            notices += self._try_again(now)
        elif not self._n_arrived:
            if now - self._opened_at > _FIRST_SAMPLE_SECONDS and not self._has_waited:
                self._has_waited = True
                notices.append(("waiting", f"“{self.device.name}” gives no sound yet."))
        elif now - self._last_block > _STALL_SECONDS or not self._is_active():
            self._is_lost = True
            self._lost_at = self._last_block
            self.abort()
            notices.append(("lost", f"“{self.device.name}” is gone."))
        notices += self._hear_silence()
        return notices

    def status(self, now: float) -> TrackStatus:
        """A moment of this track."""
        is_alive = bool(self._n_arrived) and now - self._last_block < _STALL_SECONDS
        level, peak = (self._level_db, self._peak_db) if is_alive else (_FLOOR_DB, _FLOOR_DB)
        drift = 0.0
        if is_alive and not self._pauses and not self._is_lost:
            # By arrivals: how long a device takes to begin is no drift.
            drift = (self._last_block - self._first_block) - self.n_samples / self._rate_hz
        return TrackStatus(
            self.device.name, level, peak, is_alive, self._is_silent, self.n_samples, drift
        )

    def abort(self) -> None:
        """Stop the stream at once; a polite stop can hang on a dead source."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.abort()
            stream.close()

    def close(self) -> None:
        """Release device and file."""
        self.abort()
        if self._file is not None:
            self._file.close()

    def _on_block(self, block: FloatArray) -> None:
        """PortAudio's thread: copy and leave."""
        now = time.monotonic()
        if len(self._blocks) == _QUEUED_BLOCKS:
            self.n_dropped += round(len(block) * self._ratio)
        self._blocks.append((now, np.array(block, np.float32)))
        if not self._n_arrived:
            self._first_block = now - len(block) * self._ratio / self._rate_hz
        self._n_arrived += 1
        self._last_block = now

    def _is_active(self) -> bool:
        return self._stream is not None and bool(self._stream.active)

    def _outside_pauses(self, arrived: float, block: FloatArray) -> FloatArray:
        """The part of a block that was captured while not paused."""
        if not self._pauses:
            return block
        captured = arrived - len(block) / self._rate_hz * self._ratio
        seconds = captured + np.arange(len(block)) * self._ratio / self._rate_hz
        keep = np.ones(len(block), bool)
        for start, end in self._pauses:
            keep &= (seconds < start) | (seconds >= end)
        # Pauses that lie behind every later block need not be asked again.
        self._pauses = [pause for pause in self._pauses if pause[1] > captured - 1]
        return block[keep]

    def _append(self, samples: FloatArray) -> None:
        if self._file is not None:
            scaled = np.rint(np.clip(samples, -1, 1) * 32768)
            self._file.append(np.clip(scaled, -32768, 32767).astype(np.int16))
        self.n_samples += len(samples)

    def _measure(self, samples: FloatArray) -> None:
        peak = float(np.abs(samples).max())
        rms = float(np.sqrt(np.mean(np.square(samples))))
        self._peak_db = max(_FLOOR_DB, 20 * float(np.log10(peak + 1e-9)))
        self._level_db = max(_FLOOR_DB, 20 * float(np.log10(rms + 1e-9)))
        if peak > _SILENT_PEAK:
            self._quiet_samples = 0
            self._has_spoken = True
        else:
            self._quiet_samples += len(samples)

    def _hear_silence(self) -> list[tuple[str, str]]:
        """Tell once when a track carries nothing at all."""
        limit = _SILENT_LATER_SECONDS if self._has_spoken else _SILENT_SECONDS
        was_silent = self._is_silent
        self._is_silent = self._quiet_samples > limit * self._rate_hz / self._ratio
        if self._is_silent and not was_silent:
            return [("silent", f"Nothing is heard from “{self.device.name}”.")]
        return []

    def _try_again(self, now: float) -> list[tuple[str, str]]:
        if now - self._tried_at < _RETRY_SECONDS:
            return []
        try:
            self.open()
        except EngineError:
            return []
        self._is_lost = False
        self._fill(time.monotonic() - self._lost_at)
        return [("found", f"“{self.device.name}” is back.")]

    def _fill(self, seconds: float) -> None:
        """Silence for the time the device was away, so that the tracks stay together."""
        paused = sum(
            max(0.0, min(end, time.monotonic()) - max(start, self._lost_at))
            for start, end in self._pauses
        )
        n_samples = round(max(0.0, seconds - paused) * self._rate_hz)
        while n_samples > 0:
            piece = min(n_samples, self._rate_hz)
            self._append(np.zeros(piece, np.float32))
            n_samples -= piece
