"""Flite's voices with the word times the synthesiser itself used.

The ``flite`` command prints sounds, not words, so this talks to Debian's libflite (package
``libflite1``) through ctypes. Run by developers only; the app never needs it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
import soxr
from numpy.typing import NDArray

RATE_HZ = 16_000
_FIRST_SOUND = b"daughter1.R:SylStructure.daughter1.daughter1.R:Segment.p.end"
_LAST_SOUND = b"daughtern.R:SylStructure.daughtern.daughtern.R:Segment.end"


class _Wave(ctypes.Structure):
    """cst_wave of libflite."""

    _fields_ = (
        ("type", ctypes.c_char_p),
        ("sample_rate", ctypes.c_int),
        ("n_samples", ctypes.c_int),
        ("n_channels", ctypes.c_int),
        ("samples", ctypes.POINTER(ctypes.c_short)),
    )


class _Voice(ctypes.Structure):
    """The head of cst_voice of libflite."""

    _fields_ = (("name", ctypes.c_char_p), ("features", ctypes.c_void_p))


@dataclass(frozen=True)
class Speech:
    """One spoken sentence.

    Attributes:
        samples: (n,) float32 in [-1, 1], 16 kHz, without the silence around it.
        words: (start, end) in seconds, one for each blank-separated token of the text.
    """

    samples: NDArray[np.float32]
    words: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Manner:
    """How to speak.

    Attributes:
        voice: slt, rms, awb or kal16.
        pitch: Mean fundamental frequency in Hz; 0 keeps the voice's own.
        stretch: Above 1 is slower.
        tract: Above 1 raises the formants (a smaller speaker), below 1 lowers them.
    """

    voice: str
    pitch: float = 0.0
    stretch: float = 1.0
    tract: float = 1.0


def _function(library: ctypes.CDLL, name: str, result: object, *arguments: object) -> object:
    function = getattr(library, name)
    function.restype = result
    function.argtypes = arguments
    return function


class Flite:
    """The synthesiser; loads each voice once."""

    def __init__(self) -> None:
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        library = ctypes.CDLL("libflite.so.1", mode=ctypes.RTLD_GLOBAL)
        for name in ("libflite_cmulex.so.1", "libflite_usenglish.so.1"):
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        library.flite_init()
        self._synth = _function(library, "flite_synth_text", pointer, text, pointer)
        self._delete = _function(library, "delete_utterance", None, pointer)
        self._relation = _function(library, "utt_relation", pointer, pointer, text)
        self._head = _function(library, "relation_head", pointer, pointer)
        self._next = _function(library, "item_next", pointer, pointer)
        self._feature = _function(library, "ffeature_float", ctypes.c_float, pointer, text)
        self._wave = _function(library, "utt_wave", ctypes.POINTER(_Wave), pointer)
        self._set = _function(library, "flite_feat_set_float", None, pointer, text, ctypes.c_float)
        self._unset = _function(library, "feat_remove", ctypes.c_int, pointer, text)
        self._voices: dict[str, object] = {}

    def _voice(self, name: str) -> object:
        if name not in self._voices:
            library = ctypes.CDLL(f"libflite_cmu_us_{name}.so.1", mode=ctypes.RTLD_GLOBAL)
            register = _function(
                library, f"register_cmu_us_{name}", ctypes.POINTER(_Voice), ctypes.c_char_p
            )
            self._voices[name] = register(None)
        return self._voices[name]

    def say(self, sentence: str, manner: Manner) -> Speech:
        """Speak one sentence.

        Raises:
            ValueError: Flite reads the sentence as another number of tokens.
        """
        voice = self._voice(manner.voice)
        features = voice.contents.features
        self._set(features, b"duration_stretch", manner.stretch * manner.tract)
        if manner.pitch:
            self._set(features, b"int_f0_target_mean", manner.pitch / manner.tract)
        else:
            self._unset(features, b"int_f0_target_mean")
        utterance = self._synth(sentence.encode("ascii"), ctypes.cast(voice, ctypes.c_void_p))
        words = []
        token = self._head(self._relation(utterance, b"Token"))
        while token:
            words.append((self._feature(token, _FIRST_SOUND), self._feature(token, _LAST_SOUND)))
            token = self._next(token)
        wave = self._wave(utterance).contents
        samples = np.ctypeslib.as_array(wave.samples, (wave.n_samples,)).astype(np.float32) / 32768
        rate_hz = wave.sample_rate
        self._delete(utterance)
        if len(words) != len(sentence.split()):
            raise ValueError(f"flite finds {len(words)} tokens in {sentence!r}")
        return _trimmed(samples, words, rate_hz, manner.tract)


def _trimmed(
    samples: NDArray[np.float32], words: list[tuple[float, float]], rate_hz: int, tract: float
) -> Speech:
    """Cut the silence around the words and change the length of the vocal tract."""
    first = max(int((words[0][0] - 0.03) * rate_hz), 0)
    last = min(int((words[-1][1] + 0.06) * rate_hz), samples.size)
    fade = np.minimum(1.0, np.arange(1, last - first + 1) / (0.01 * rate_hz))
    kept = samples[first:last] * np.minimum(fade, fade[::-1]).astype(np.float32)
    resampled = soxr.resample(kept, rate_hz * tract, RATE_HZ, quality="HQ").astype(np.float32)
    offset = first / rate_hz
    return Speech(resampled, tuple(((a - offset) / tract, (b - offset) / tract) for a, b in words))
