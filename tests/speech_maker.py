"""Small speech fixtures, spoken at test time by Debian's flite and kept in the temporary folder.

Nothing is stored in the repository. A test that calls these is skipped where flite is not
installed. All sound is (samples,) float32 in [-1, 1], 16 kHz.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import soxr

from engine.types import FloatArray, Turn

RATE_HZ = 16_000
CACHE_DIR = Path(tempfile.gettempdir()) / "earwitness-speech"
VOICES = ("slt", "rms", "awb", "kal16")
TALK = (
    ("slt", "Good morning. Shall we begin with the report about the garden?"),
    ("rms", "Yes, please. We planted thirty apple trees, and most of them are doing well."),
    ("slt", "That is good news. How much water do the young trees need in summer?"),
    ("rms", "About ten liters a day. We collect the rain from the roof of the school."),
    ("slt", "And who is going to look after them during the holidays?"),
    ("rms", "The neighbors will do it. They have a key to the gate."),
    ("slt", "Then I am happy. Let us write that down and thank them."),
    ("rms", "I will send them a letter tomorrow morning, and invite them for coffee."),
)
NUMBERS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
TENS = {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty", 70: "seventy"}


@dataclass(frozen=True)
class Talk:
    """Speech with its truth.

    Attributes:
        samples: (n,) float32, 16 kHz.
        turns: Who speaks when; speakers count from 0.
        text: What is said, in order.
    """

    samples: FloatArray
    turns: tuple[Turn, ...]
    text: str


def say(text: str, voice: str = "slt", stretch: float = 1.0, pitch: float = 0.0) -> FloatArray:
    """Speak a text, cut to the speech itself.

    Args:
        text: Plain English.
        voice: slt (a woman), rms, awb or kal16 (men).
        stretch: Above 1 is slower.
        pitch: Mean in Hz, 0 for the voice's own; obeyed by slt, awb and kal16.
    """
    key = hashlib.sha256(repr((text, voice, stretch, pitch)).encode()).hexdigest()[:20]
    path = CACHE_DIR / f"{key}.wav"
    if not path.exists():
        _run_flite(text, voice, {"duration_stretch": stretch, "int_f0_target_mean": pitch}, path)
    samples, rate_hz = sf.read(path, dtype="float32")
    if rate_hz != RATE_HZ:
        samples = soxr.resample(samples, rate_hz, RATE_HZ).astype(np.float32)
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return samples[max(0, loud[0] - 160) : loud[-1] + 320]


def _run_flite(text: str, voice: str, features: dict[str, float], path: Path) -> None:
    """Speak into a file that appears whole or not at all (tests run side by side)."""
    flite = shutil.which("flite")
    if flite is None:
        pytest.skip("flite is not installed (Debian package flite)")
    CACHE_DIR.mkdir(exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    settings = [
        x for name, value in features.items() if value for x in ("--setf", f"{name}={value}")
    ]
    subprocess.run(
        [flite, "-voice", voice, *settings, "-t", text, "-o", str(part)], check=True, timeout=120
    )
    part.replace(path)


def at_level(samples: FloatArray, level_db: float) -> FloatArray:
    """Scale to an RMS level in dB full scale."""
    rms = float(np.sqrt(np.mean(np.square(samples))))
    return (samples * (10 ** (level_db / 20) / rms)).astype(np.float32)


def silence(seconds: float) -> FloatArray:
    """Digital silence."""
    return np.zeros(round(seconds * RATE_HZ), np.float32)


def noise(seconds: float, level_db: float = -55.0, seed: int = 1) -> FloatArray:
    """Pink noise: a room, or with a higher level a fan."""
    n = round(seconds * RATE_HZ)
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(size=n))
    hertz = np.fft.rfftfreq(n, 1 / RATE_HZ)
    return at_level(np.fft.irfft(spectrum / np.sqrt(np.maximum(hertz, 30.0)), n), level_db)


def chords(seconds: float, level_db: float = -25.0) -> FloatArray:
    """Music of a kind: sine chords that change every second, with soft attacks."""
    t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    roots = np.array([220.0, 174.6, 196.0, 261.6])[(t.astype(int)) % 4]
    total = sum(np.sin(2 * np.pi * np.cumsum(roots * k) / RATE_HZ) for k in (1, 1.25, 1.5, 2))
    return at_level(total * (1 - np.exp(-(t % 1.0) / 0.05)), level_db)


def _joined(parts: list[tuple[int, FloatArray, str]], gap: float) -> Talk:
    """Speakers one after the other, ``gap`` seconds apart."""
    pieces: list[FloatArray] = []
    turns: list[Turn] = []
    at = 0
    for speaker, samples, _ in parts:
        turns.append(Turn(at / RATE_HZ, (at + samples.size) / RATE_HZ, speaker))
        pieces += [samples, silence(gap)]
        at += samples.size + pieces[-1].size
    text = " ".join(text for _, _, text in parts)
    return Talk(np.concatenate(pieces), tuple(turns), text)


def two_speakers(gap: float = 0.4) -> Talk:
    """BASE of the field reports: about half a minute, a woman and a man in turn."""
    parts = [
        (0 if voice == "slt" else 1, at_level(say(text, voice), -25), text) for voice, text in TALK
    ]
    return _joined(parts, gap)


def back_to_back() -> Talk:
    """The same two with no pause at all between their turns (D1)."""
    return two_speakers(gap=0.0)


def counting(last: int = 75) -> tuple[FloatArray, tuple[str, ...]]:
    """Continuous counting from one to ``last``, about a second each; (samples, words) (B3)."""
    words = []
    for n in range(1, last + 1):
        tens, unit = n // 10 * 10, n % 10
        words.append(
            NUMBERS[n - 1] if n <= 20 else TENS[tens] + (f" {NUMBERS[unit - 1]}" if unit else "")
        )
    groups = [", ".join(words[i : i + 10]) + "," for i in range(0, last, 10)]
    return np.concatenate([at_level(say(g, "rms", 1.1), -25) for g in groups]), tuple(words)


def manners() -> dict[str, FloatArray]:
    """One sentence of one voice: usual, loud (+10 dB), quiet (-10 dB), fast, slow and raised."""
    text = "We should ask the gardener before we cut the old tree."
    usual = say(text, "awb", 1.0, 125)
    return {
        "usual": at_level(usual, -28),
        "loud": at_level(usual, -18),
        "quiet": at_level(usual, -38),
        "fast": at_level(say(text, "awb", 0.65, 125), -28),
        "slow": at_level(say(text, "awb", 1.5, 125), -28),
        "raised": at_level(say(text, "awb", 1.0, 185), -28),
    }


def quiet_talk(level_db: float = -45.0) -> Talk:
    """BASE spoken far from the microphone (B5)."""
    talk = two_speakers()
    samples = at_level(talk.samples, level_db) + noise(talk.samples.size / RATE_HZ, level_db - 25)
    return Talk(samples.astype(np.float32), talk.turns, talk.text)


def talk_around(middle: FloatArray) -> Talk:
    """BASE, then ``middle`` (noise, music, silence), then BASE again (B1, B2, B7)."""
    talk = two_speakers()
    shift = (talk.samples.size + middle.size) / RATE_HZ
    later = tuple(Turn(t.start + shift, t.end + shift, t.speaker) for t in talk.turns)
    samples = np.concatenate([talk.samples, middle, talk.samples])
    return Talk(samples, talk.turns + later, f"{talk.text} {talk.text}")


def one_voice_many_ways() -> Talk:
    """One person at three pitches and through two microphones: still one speaker (D3)."""
    parts = []
    for i, pitch in enumerate((110, 128, 150)):
        for voice, text in TALK[2 * i : 2 * i + 2]:
            spoken = say(text, "awb", 1.0, pitch)
            if voice == "rms":
                spoken = np.convolve(spoken, [0.25, 0.5, 0.25], "same").astype(np.float32)
            parts.append((0, at_level(spoken, -25), text))
    return _joined(parts, 0.4)


def write_wav(path: Path, samples: FloatArray) -> Path:
    """Write 16-bit mono."""
    sf.write(path, np.clip(samples, -1, 1), RATE_HZ, subtype="PCM_16", format="WAV")
    return path
