"""Deciding what to do with several channels: one mix that never cancels, or one voice each.

Statistics are gathered while the file is decoded; the decision is taken once at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.types import FloatArray

FRAME_SAMPLES = 1600  # 0.1 s at 16 kHz
SAME = 0.95  # absolute correlation above which two channels are copies of each other
SILENT_DB = 50.0  # a channel this far below the loudest carries nothing
DOMINANCE_DB = 10.0  # one channel is alone in a frame when it is louder by this much
ALONE_SECONDS = 0.7  # each voice channel must be alone for at least this long ...
ALONE_SHARE = 0.5  # ... and active frames must mostly have one channel alone
FLOOR_DB = -60.0
INDEPENDENT = 0.2  # cross-correlation at any lag below which two channels share no sound
MAX_VOICES = 8  # more channels than this are a microphone array, not a channel per person
LAG_SAMPLES = 320  # 20 ms: two microphones in one room hear a voice at most this far apart


@dataclass(frozen=True, slots=True)
class Mix:
    """How channels become one.

    Attributes:
        weights: (channels,) float32.
        voices: Channels that carry a voice of their own; empty when they share their voices.
        note: What a user should know, or "".
    """

    weights: FloatArray
    voices: tuple[int, ...]
    note: str = ""


class ChannelStatistics:
    """Running covariance and frame levels of several channels at 16 kHz."""

    def __init__(self, n_channels: int) -> None:
        self.n_channels = n_channels
        self._covariance = np.zeros((n_channels, n_channels))
        self._n_samples = 0
        self._levels: list[npt.NDArray[np.float64]] = []
        self._lagged = np.zeros((n_channels, n_channels, 2 * LAG_SAMPLES + 1))

    def add(self, samples: FloatArray) -> None:
        """Take in (channels, n) float32 samples."""
        wide = samples.astype(np.float64)
        self._covariance += wide @ wide.T
        self._n_samples += samples.shape[1]
        if 1 < self.n_channels <= MAX_VOICES:
            self._add_lagged(samples)
        n_frames = samples.shape[1] // FRAME_SAMPLES
        if n_frames:
            frames = wide[:, : n_frames * FRAME_SAMPLES].reshape(self.n_channels, n_frames, -1)
            self._levels.append(np.mean(np.square(frames), axis=2))

    def decide(self, mode: str) -> Mix:
        """Choose the mix.

        Args:
            mode: ``auto``, ``mix`` or ``speakers`` (each channel with sound is one speaker).

        Returns:
            Weights whose mix is as loud as the loudest channel. A channel that repeats another is
            left out (the other's phase is kept), a silent one too; if what remains would still
            cancel, the loudest channel is used alone.
        """
        power = np.diag(self._covariance) / max(1, self._n_samples)
        loudest = int(np.argmax(power))
        if power[loudest] <= 0:
            return Mix(self._single(0), ())
        audible = [c for c in range(self.n_channels) if _db(power[c] / power[loudest]) > -SILENT_DB]
        kept: list[int] = []
        for channel in sorted(audible, key=lambda c: -power[c]):
            if all(abs(self._correlation(channel, other)) < SAME for other in kept):
                kept.append(channel)
        voices = self._voices(kept, mode)
        weights = np.zeros(self.n_channels, dtype=np.float32)
        weights[kept] = 1.0
        mixed = float(weights @ self._covariance @ weights) / max(1, self._n_samples)
        if mixed < 0.25 * power[loudest]:
            note = "The channels cancel each other; only the loudest is used."
            return Mix(self._single(loudest), voices, note)
        if not voices:
            weights *= np.float32(np.sqrt(power[loudest] / mixed))
        note = ""
        if self.n_channels > 1 and len(audible) < self.n_channels:
            note = f"{self.n_channels - len(audible)} of {self.n_channels} channels are silent."
        return Mix(weights, voices, note)

    def _voices(self, kept: list[int], mode: str) -> tuple[int, ...]:
        """The channels that are one speaker each."""
        if mode == "mix" or len(kept) < 2 or not self._levels:
            return ()
        if mode == "auto" and self.n_channels > MAX_VOICES:
            return ()
        if mode == "speakers":
            return tuple(sorted(kept))
        levels = 10 * np.log10(np.concatenate(self._levels, axis=1)[kept] + 1e-12)
        top = np.sort(levels, axis=0)
        floor = np.maximum(FLOOR_DB, levels.max() - 40)
        if self._are_independent(kept):
            active = (levels > floor).sum(axis=1) * 0.1
            voices = [c for c, s in zip(kept, active, strict=True) if s >= ALONE_SECONDS]
            return tuple(sorted(voices)) if len(voices) > 1 else ()
        is_active = top[-1] > floor
        is_alone = is_active & (top[-1] - top[-2] > DOMINANCE_DB)
        owner = np.argmax(levels, axis=0)
        seconds = np.array([np.sum(is_alone & (owner == i)) for i in range(len(kept))]) * 0.1
        share = is_alone.sum() / max(1, is_active.sum())
        if share < ALONE_SHARE or np.sum(seconds >= ALONE_SECONDS) < 2:
            return ()
        return tuple(sorted(c for c, s in zip(kept, seconds, strict=True) if s >= ALONE_SECONDS))

    def _add_lagged(self, samples: FloatArray) -> None:
        """Accumulate cross-correlations at short lags, so that a delayed copy is recognised."""
        n = 1 << int(samples.shape[1] + LAG_SAMPLES).bit_length()
        spectra = np.fft.rfft(samples, n, axis=1)
        for a in range(self.n_channels):
            for b in range(a):
                lags = np.fft.irfft(spectra[a] * np.conj(spectra[b]), n)
                self._lagged[a, b] += np.concatenate([lags[-LAG_SAMPLES:], lags[: LAG_SAMPLES + 1]])

    def _are_independent(self, kept: list[int]) -> bool:
        """No two of these channels share a sound, so each has its own source."""
        for a in kept:
            for b in kept:
                scale = float(np.sqrt(self._covariance[a, a] * self._covariance[b, b]))
                if a > b and float(np.abs(self._lagged[a, b]).max()) > INDEPENDENT * scale:
                    return False
        return True

    def _correlation(self, a: int, b: int) -> float:
        scale = float(np.sqrt(self._covariance[a, a] * self._covariance[b, b]))
        return float(self._covariance[a, b]) / scale if scale else 0.0

    def _single(self, channel: int) -> FloatArray:
        weights = np.zeros(self.n_channels, dtype=np.float32)
        weights[channel] = 1.0
        return weights


def _db(ratio: float) -> float:
    return 10 * float(np.log10(max(ratio, 1e-12)))
