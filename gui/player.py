"""Playing spans of a meeting, sample by sample from its one timeline.

The samples come straight from the FLAC file, so that a span begins and ends exactly where the
transcript says, whatever the format of the original recording was.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from engine import sealed
from gui.audio_output import Output, open_output
from gui.stretch import Stretcher

Samples = npt.NDArray[np.float32]
OutputOpener = Callable[[int], tuple[Output, bool]]

_TICK_MS = 25
# Silence after a span, as long as a device's buffers: what counts as played by its clock may
# still be on its way, and closing the stream would swallow it.
_PAD_SECONDS = 0.3
SPEEDS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)


class Player(QObject):
    """Plays one file; nothing else ever moves its position.

    Signals:
        position_changed(float): Seconds, about forty times a second while playing.
        playing_changed(bool): It started or stopped.
        span_finished(): A span was played to its end.
        device_missing(): Played to a clock because there is no sound device; sent once.
    """

    position_changed = Signal(float)
    playing_changed = Signal(bool)
    span_finished = Signal()
    device_missing = Signal()

    def __init__(self, opener: OutputOpener = open_output, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._opener = opener
        self._file: soundfile.SoundFile | None = None
        self._output: Output | None = None
        self._stretcher: Stretcher | None = None
        self._position = 0.0
        self._origin = 0.0
        self._end = 0.0
        self._stop_at: float | None = None
        self._n_written = 0
        self._n_pad = 0
        self._is_drained = False
        self._speed = 1.0
        self._has_warned = False
        self._timer = QTimer(self, interval=_TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    @property
    def duration(self) -> float:
        """Seconds of the file, 0 when nothing is loaded."""
        return len(self._file) / self._file.samplerate if self._file else 0.0

    @property
    def position(self) -> float:
        """Where it is, in seconds."""
        return self._position

    @property
    def is_playing(self) -> bool:
        """Sound is going out."""
        return self._output is not None

    @property
    def speed(self) -> float:
        """1 is as recorded."""
        return self._speed

    def load(self, path: Path | None) -> bool:
        """Take another file, or none; False when it cannot be read as sound."""
        self.pause()
        if self._file is not None:
            self._file.close()
        self._file = None
        self._position = 0.0
        if path is None:
            return True
        try:
            self._file = soundfile.SoundFile(sealed.for_sound(path))
        except (soundfile.LibsndfileError, OSError):
            return False
        return True

    def play(self, start: float | None = None, end: float | None = None) -> None:
        """Play from ``start`` (or where it is) to ``end`` (or the end of the file)."""
        if self._file is None:
            return
        self._close_output()
        begin = self._position if start is None else start
        if begin >= self.duration - 0.01:
            begin = 0.0
        self._stop_at = end
        self._begin(begin)
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stop where it is."""
        if self._output is None:
            return
        self._close_output()
        self.playing_changed.emit(False)

    def toggle(self) -> None:
        """Play on or pause."""
        if self.is_playing:
            self.pause()
        else:
            self.play()

    def seek(self, position: float) -> None:
        """Move, and go on playing if it was."""
        position = min(max(0.0, position), self.duration)
        if self.is_playing:
            self.play(position)
            return
        self._position = position
        self.position_changed.emit(position)

    def set_speed(self, speed: float) -> None:
        """Play faster or slower at the same pitch, from here on."""
        self._speed = speed
        if self.is_playing:
            self.play(self._position, self._stop_at)

    def close(self) -> None:
        """Release the device and the file."""
        self.load(None)

    def _begin(self, start: float) -> None:
        assert self._file is not None
        rate_hz = self._file.samplerate
        first = round(start * rate_hz)
        last = len(self._file)
        if self._stop_at is not None:
            last = min(last, round(self._stop_at * rate_hz))
        self._file.seek(min(first, len(self._file)))
        left = max(0, last - first)

        def pull(n_samples: int) -> Samples:
            nonlocal left
            count = min(n_samples, left)
            assert self._file is not None
            samples: Samples = self._file.read(count, dtype="float32", always_2d=True)[:, 0]
            left = left - count if len(samples) == count else 0
            return samples

        self._stretcher = Stretcher(pull, self._speed)
        self._output, is_audible = self._opener(rate_hz)
        if not is_audible and not self._has_warned:
            self._has_warned = True
            self.device_missing.emit()
        self._origin = first / rate_hz
        self._end = last / rate_hz
        self._n_written = 0
        self._n_pad = round(_PAD_SECONDS * rate_hz)
        self._is_drained = False
        self._on_tick()
        self._timer.start()

    def _on_tick(self) -> None:
        if self._output is None or self._stretcher is None or self._file is None:
            return
        rate_hz = self._file.samplerate
        free = self._output.free()
        if free and not self._is_drained:
            samples = self._stretcher.read(free)
            if len(samples) < free:
                pad = min(free - len(samples), self._n_pad)
                self._n_pad -= pad
                self._is_drained = self._n_pad == 0
                samples = np.concatenate([samples, np.zeros(pad, np.float32)])
            self._n_written += len(samples)
            self._output.write(samples)
        played = self._output.played()
        self._position = min(self._end, self._origin + played * self._speed)
        self.position_changed.emit(self._position)
        if self._is_drained and played >= self._n_written / rate_hz:
            self._finish()

    def _finish(self) -> None:
        self._close_output()
        self._position = self._end
        self.position_changed.emit(self._position)
        self.playing_changed.emit(False)
        self.span_finished.emit()

    def _close_output(self) -> None:
        self._timer.stop()
        if self._output is not None:
            self._output.close()
        self._output = self._stretcher = None
