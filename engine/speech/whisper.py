"""whisper.cpp through pywhispercpp: one loaded model, words with times and probabilities."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from engine import openmp
from engine.audio.decode import SAMPLE_RATE
from engine.errors import ModelBroken
from engine.speech import latch
from engine.speech.backend import Heard
from engine.speech.tags import split_tags
from engine.types import FloatArray, Word

GGML_MAGIC = 0x67676D6C
ENGLISH_VOCABULARY = 51864
# Attention peaks late in a token: measured on AMI words the bias of starts is +0.16 s without the
# first shift, and ends are least wrong with the second.
START_SHIFT, END_SHIFT = -0.15, 0.1
MIN_WORD = 0.06
OUTSIDE, FAR, PILE = 30, 70, 4  # 1/100 s, 1/100 s and tokens, see trusted_times
# WORKAROUND: pywhispercpp #141 reports a crash with initial_prompt (none seen with 1.5.1).
PROMPT_LATCH = "whisper-prompt-" + version("pywhispercpp")
_MIN_SAMPLES = 16_000  # shorter input is padded: whisper.cpp refuses less than 0.1 s
# The encoder works on 30 s whatever it gets, unless told otherwise. With less silence behind the
# speech than this the decoder repeats itself (AMI: 1 s costs more than it saves; 6 s leaves the
# word errors and times as they are, for three quarters of the time).
SILENCE_BEHIND = 6.0
FRAMES_PER_SECOND = 50  # of the encoder's output
FULL_CONTEXT = 1500
LEAST_CONTEXT = 512  # frames; with less, a breath becomes words that sound sure of themselves
PROBE_SECONDS = 10.0  # of speech are enough to tell a language


@dataclass(frozen=True, slots=True)
class Token:
    """One text token: bytes, seconds in the window, probability."""

    text: bytes
    start: float
    end: float
    probability: float


def _imported() -> Any:
    """Import pywhispercpp's model class without the HTTP library of its download helper.

    A model that is not on disk would be downloaded unasked, and already importing that library
    binds a socket; an empty module in its place can do neither.
    """
    openmp.configure()
    real = sys.modules.get("requests")
    sys.modules["requests"] = ModuleType("requests")
    try:
        from pywhispercpp.model import Model
    finally:
        if real is None:
            del sys.modules["requests"]
        else:
            sys.modules["requests"] = real
    return Model


class WhisperBackend:
    """A whisper.cpp model. Lives in one process, is used by one thread at a time."""

    def __init__(self, path: Path, threads: int, is_cancelled: Callable[[], bool]) -> None:
        _check_header(path)
        model_class = _imported()
        self.threads = threads
        self._is_cancelled = is_cancelled
        self._model: Any = model_class(
            str(path),
            redirect_whispercpp_logs_to=None,
            context_params=_context_params(path),
            n_threads=threads,
            print_progress=False,
            print_realtime=False,
            print_timestamps=False,
            token_timestamps=True,
            no_context=True,
            suppress_blank=True,
            # A doubtful window is heard again by ``engine.speech.asr``, once and in halves; here it
            # would be up to five times with five decoders each, for text that is thrown away.
            temperature_inc=0.0,
        )

    @property
    def is_multilingual(self) -> bool:
        """Whether the weights know more than English."""
        import _pywhispercpp as pw

        return bool(pw.whisper_is_multilingual(self._model._ctx))

    @property
    def language(self) -> str:
        """``en`` for English-only weights, else ""."""
        return "" if self.is_multilingual else "en"

    def hear(self, samples: FloatArray, language: str, prompt: str, temperature: float) -> Heard:
        """Recognise one window.

        Args:
            samples: (samples,) float32, 16 kHz, at most 30 s.
            language: ISO 639-1 code, "" to detect it (one more pass of the encoder).
            prompt: Text the recogniser believes to have heard before, or "".
            temperature: 0 for the likeliest words.

        Returns:
            Words in order, tags and the language. Partial when cancelled.
        """
        import _pywhispercpp as pw

        audio = _prepared(samples)
        params = {
            "language": (language or "") if self.is_multilingual else "en",
            "temperature": temperature,
            "n_threads": self.threads,
            "audio_ctx": context_size(len(audio)),
        }
        self._model._set_params(params)
        pw.assign_abort_callback(self._model._params, self._is_cancelled)
        if prompt and latch.is_open(PROMPT_LATCH):
            with latch.tried(PROMPT_LATCH):
                self._model._set_params({"initial_prompt": prompt})
                pw.whisper_full(self._model._ctx, self._model._params, audio, audio.size)
                self._model._set_params({"initial_prompt": ""})
        else:
            pw.whisper_full(self._model._ctx, self._model._params, audio, audio.size)
        words, tags = split_tags(list(_words(self._tokens())))
        code = pw.whisper_lang_str(pw.whisper_full_lang_id(self._model._ctx))
        return Heard(tuple(words), tuple(tags), code)

    def detect(self, samples: FloatArray) -> dict[str, float]:
        """Tell the language of the first ``PROBE_SECONDS`` of (samples,) float32 at 16 kHz."""
        if not self.is_multilingual:
            return {"en": 1.0}
        audio = _prepared(samples[: int(PROBE_SECONDS * SAMPLE_RATE)])
        self._resize(LEAST_CONTEXT)
        _, probabilities = self._model.auto_detect_language(audio, offset_ms=0)
        return {code: float(p) for code, p in probabilities.items()}

    def _resize(self, size: int) -> None:
        """Make the encoder work on ``size`` frames from now on.

        WORKAROUND: whisper.cpp 1.8.5 takes the size only from ``whisper_full``, and detection
        works with what the last call left; so one is begun here and stopped before any work.
        """
        import _pywhispercpp as pw

        self._model._set_params({"audio_ctx": size, "language": "en"})
        pw.assign_encoder_begin_callback(self._model._params, lambda _: False)
        silence = np.zeros(_MIN_SAMPLES, dtype=np.float32)
        pw.whisper_full(self._model._ctx, self._model._params, silence, silence.size)
        pw.clear_encoder_begin_callback(self._model._params)

    def _tokens(self) -> Iterator[Token]:
        """Text tokens of the last call, without the special ones."""
        import _pywhispercpp as pw

        context = self._model._ctx
        end_of_text = pw.whisper_token_eot(context)
        for segment in range(pw.whisper_full_n_segments(context)):
            raw = [
                pw.whisper_full_get_token_data(context, segment, i)
                for i in range(pw.whisper_full_n_tokens(context, segment))
            ]
            raw = [token for token in raw if token.id < end_of_text]
            limits = (
                pw.whisper_full_get_segment_t0(context, segment),
                pw.whisper_full_get_segment_t1(context, segment),
            )
            trusted = trusted_times([(t.t0, t.t_dtw) for t in raw], limits)
            for token, is_trusted in zip(raw, trusted, strict=True):
                text = pw.whisper_token_to_bytes(context, token.id)
                if is_trusted:
                    at = token.t_dtw / 100
                    start, end = max(0.0, at + START_SHIFT), at + END_SHIFT
                else:
                    start, end = token.t0 / 100, token.t1 / 100
                yield Token(text, start, max(start, end), token.p)


def context_size(n_samples: int) -> int:
    """How many frames the encoder needs for a window, 0 for all of them.

    Args:
        n_samples: At 16 kHz.
    """
    frames = math.ceil((n_samples / SAMPLE_RATE + SILENCE_BEHIND) * FRAMES_PER_SECOND / 8) * 8
    return max(LEAST_CONTEXT, frames) if frames < FULL_CONTEXT else 0


def trusted_times(times: Sequence[tuple[int, int]], limits: tuple[int, int]) -> list[bool]:
    """Which of a segment's tokens have a believable time by attention.

    Where a phrase occurs twice in a window, attention may follow the wrong one: times then pile
    up in one place or leave the segment. Such tokens, and neighbours far from whisper.cpp's own
    coarse estimate, are better placed by that estimate.

    Args:
        times: (coarse start, time by attention) of each token in 1/100 s; the latter -1 if none.
        limits: Start and end of the segment in 1/100 s.
    """
    n = len(times)
    trusted = [at >= 0 and limits[0] - OUTSIDE <= at - 15 <= limits[1] + OUTSIDE for _, at in times]
    first = 0
    for i in range(1, n + 1):
        if i < n and abs(times[i][1] - times[i - 1][1]) <= 2:
            continue
        if i - first >= PILE:
            trusted[first:i] = [False] * (i - first)
        first = i
    for order in (range(1, n), range(n - 2, -1, -1)):
        for i in order:
            beside = i - 1 if order.step > 0 else i + 1
            if not trusted[beside] and abs(times[i][1] - times[i][0]) > FAR:
                trusted[i] = False
    return trusted


def _words(tokens: Iterator[Token]) -> Iterator[Word]:
    """Join tokens to words; a blank, or a character of an unspaced script, begins one."""
    held: list[Token] = []
    for token in tokens:
        is_new = token.text.startswith(b" ") or _begins_unspaced(token.text, held)
        if held and is_new and _is_whole(held):
            yield from _word(held)
            held = []
        held.append(token)
    if held:
        yield from _word(held)


def _word(tokens: list[Token]) -> Iterator[Word]:
    """The word of some tokens, nothing when it has no text."""
    text = b"".join(token.text for token in tokens).decode("utf-8", "replace").strip()
    text = text.replace("�", "")
    if text:
        # The pause after a word belongs to its punctuation, not to the word.
        spoken = [token for token in tokens if _has_letters(token.text)] or tokens[:1]
        probability = float(np.exp(np.mean([np.log(max(t.probability, 1e-6)) for t in spoken])))
        start = tokens[0].start
        end = max(start + MIN_WORD, *(token.end for token in spoken))
        yield Word(start, end, text, min(1.0, probability))


def _has_letters(text: bytes) -> bool:
    """Anything but punctuation; half a character counts."""
    return any(byte > 127 for byte in text) or any(chr(byte).isalnum() for byte in text)


def _is_whole(tokens: list[Token]) -> bool:
    """Whether these bytes end between two characters."""
    try:
        b"".join(token.text for token in tokens).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _begins_unspaced(text: bytes, held: list[Token]) -> bool:
    """A token that starts with an ideograph or kana stands alone."""
    from engine.speech.merge import is_unspaced

    if not held or not _is_whole(held):
        return False
    first = text.decode("utf-8", "ignore")[:1]
    return is_unspaced(first) and first.isalpha()


def _prepared(samples: FloatArray) -> FloatArray:
    """1-D, contiguous, finite and long enough; anything else makes whisper.cpp talk nonsense."""
    audio = np.nan_to_num(np.asarray(samples, dtype=np.float32).reshape(-1))
    if len(audio) < _MIN_SAMPLES:
        audio = np.pad(audio, (0, _MIN_SAMPLES - len(audio)))
    return np.ascontiguousarray(audio)


def _context_params(path: Path) -> Any:
    """Load options: word times by attention need the heads of this size of model, and no flash."""
    import _pywhispercpp as pw

    heads = _alignment_heads(path)
    if not heads:
        return {"use_gpu": False}
    return {
        "use_gpu": False,
        "flash_attn": False,
        "dtw_token_timestamps": True,
        "dtw_aheads_preset": getattr(pw, f"WHISPER_AHEADS_{heads}"),
        "dtw_mem_size": 128 << 20,
    }


def _alignment_heads(path: Path) -> str:
    """Name of the preset for the model in this file, "" for a size without one."""
    with path.open("rb") as file:
        shape = struct.unpack("<12i", file.read(48))
    n_vocab, audio_layers, text_layers, n_mels = shape[1], shape[5], shape[9], shape[10]
    if audio_layers == 32:
        version = {80: "LARGE_V2", 128: "LARGE_V3"}.get(n_mels, "")
        return "LARGE_V3_TURBO" if text_layers == 4 else version
    size = {4: "TINY", 6: "BASE", 12: "SMALL", 24: "MEDIUM"}.get(audio_layers, "")
    # Distilled models keep the encoder and lose decoder layers, and with them these heads.
    if not size or text_layers != audio_layers:
        return ""
    return size if n_vocab > ENGLISH_VOCABULARY else f"{size}_EN"


def _check_header(path: Path) -> None:
    """Refuse what is no ggml file: whisper.cpp accepts it and crashes later."""
    try:
        with path.open("rb") as file:
            magic = int.from_bytes(file.read(4), "little")
    except OSError as error:
        raise ModelBroken(f"The model file {path} cannot be read.", str(error)) from error
    if magic != GGML_MAGIC:
        raise ModelBroken(
            f"{path.name} is not a whisper.cpp model.", "Fetch it again in the model manager."
        )
