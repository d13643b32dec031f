"""Where played samples go: a sound device, or a clock when there is none."""

from __future__ import annotations

import time
from typing import Protocol

import numpy as np
import numpy.typing as npt
import soxr
from PySide6.QtMultimedia import QAudioFormat, QAudioSink, QMediaDevices, QtAudio

Samples = npt.NDArray[np.float32]

_BUFFER_SECONDS = 0.4


class Output(Protocol):
    """A running stream of mono samples at one rate."""

    def free(self) -> int:
        """Number of samples it takes now."""

    def write(self, samples: Samples) -> None:
        """Take (n,) float32 samples in [-1, 1]; n must not exceed ``free()``."""

    def played(self) -> float:
        """Seconds heard since it was opened."""

    def close(self) -> None:
        """Stop at once."""


class ClockOutput:
    """Plays to nobody in real time, so that everything else works without a device."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._began = time.monotonic()
        self._n_written = 0

    def free(self) -> int:
        """Number of samples until the imagined buffer is full."""
        buffered = self._n_written - self.played() * self._rate_hz
        return max(0, int(_BUFFER_SECONDS * self._rate_hz - buffered))

    def write(self, samples: Samples) -> None:
        """Count the samples."""
        self._n_written += len(samples)

    def played(self) -> float:
        """Seconds since the start, never more than was written."""
        return min(time.monotonic() - self._began, self._n_written / self._rate_hz)

    def close(self) -> None:
        """Nothing to stop."""


class DeviceOutput:
    """Plays through the default sound device by pushing 16-bit samples.

    Raises:
        OSError: The device cannot be opened.
    """

    def __init__(self, rate_hz: int) -> None:
        device = QMediaDevices.defaultAudioOutput()
        audio_format = QAudioFormat()
        audio_format.setSampleRate(rate_hz)
        audio_format.setChannelCount(1)
        audio_format.setSampleFormat(QAudioFormat.SampleFormat.Int16)
        self._resampler: soxr.ResampleStream | None = None
        self._n_channels = 1
        if not device.isFormatSupported(audio_format):
            preferred = device.preferredFormat()
            audio_format.setSampleRate(preferred.sampleRate())
            audio_format.setChannelCount(preferred.channelCount())
            self._n_channels = preferred.channelCount()
            self._resampler = soxr.ResampleStream(rate_hz, preferred.sampleRate(), 1)
        self._ratio = audio_format.sampleRate() / rate_hz
        self._frame_bytes = 2 * self._n_channels
        self._sink = QAudioSink(device, audio_format)
        self._sink.setBufferSize(
            int(_BUFFER_SECONDS * audio_format.sampleRate()) * self._frame_bytes
        )
        self._io = self._sink.start()
        if self._io is None or self._sink.error() != QtAudio.Error.NoError:
            raise OSError("The sound device cannot be opened.")

    def free(self) -> int:
        """Number of samples the device's buffer takes now."""
        return int(self._sink.bytesFree() / self._frame_bytes / self._ratio)

    def write(self, samples: Samples) -> None:
        """Convert and hand over to the device."""
        if self._resampler is not None:
            samples = self._resampler.resample_chunk(samples)
        pcm = (np.clip(samples, -1, 1) * 32767).astype("<i2")
        self._io.write(np.repeat(pcm, self._n_channels).tobytes())

    def played(self) -> float:
        """Seconds the device has taken."""
        return float(self._sink.processedUSecs() / 1e6)

    def close(self) -> None:
        """Drop what is buffered."""
        self._sink.reset()


def open_output(rate_hz: int) -> tuple[Output, bool]:
    """Open the default device, or a clock; the flag says whether sound can be heard."""
    if QMediaDevices.defaultAudioOutput().isNull():
        return ClockOutput(rate_hz), False
    try:
        return DeviceOutput(rate_hz), True
    except OSError:
        return ClockOutput(rate_hz), False
