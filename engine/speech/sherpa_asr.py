"""Recognisers of sherpa-onnx: Whisper, Parakeet, SenseVoice, Moonshine, Zipformer.

Each kind has its own loading code and files; what comes out has one form. Kinds without times
(Moonshine, Whisper) get theirs by spreading the words over the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio.decode import SAMPLE_RATE
from engine.errors import EngineError, ModelBroken
from engine.speech.backend import Heard
from engine.speech.merge import is_unspaced
from engine.speech.tags import split_tags
from engine.types import FloatArray, Word
from engine.weights.catalogue import spec
from engine.weights.locate import locate

_WORD_MARKS = ("▁", " ")
_LAST_TOKEN_SECONDS = 0.25
_LONGEST_TOKEN_SECONDS = 0.6


class SherpaBackend:
    """A sherpa-onnx recogniser behind our interface; used by one thread at a time.

    Attributes:
        is_multilingual: Always False: none of these can be told a language window by window.
        language: The only language it knows, "" when it finds out by itself.
    """

    is_multilingual = False

    def __init__(self, model_id: str, threads: int) -> None:
        """Load the model.

        Raises:
            ModelMissing: A file is not on this machine.
            ModelBroken: sherpa-onnx does not accept the files.
            EngineError: No loader for this kind.
        """
        entry = spec(model_id)
        self.language = entry.languages[0] if len(entry.languages) == 1 else ""
        try:
            loader = LOADERS[entry.kind]
        except KeyError as error:
            raise EngineError(f"No recogniser can load models of kind {entry.kind}.") from error
        names = [output.name for output in entry.outputs]
        files = {name: str(locate(model_id, name)) for name in names}
        self.threads = threads  # fixed when it was loaded
        self._is_streaming = entry.kind.endswith("streaming")
        try:
            self._recogniser: Any = loader(files, threads)
        except (RuntimeError, ValueError) as error:
            raise ModelBroken(
                f"{entry.title} cannot be loaded.", "Fetch it again in the model manager."
            ) from error

    def hear(self, samples: FloatArray, language: str, prompt: str, temperature: float) -> Heard:
        """Recognise (samples,) float32 at 16 kHz; language, prompt and temperature have no use."""
        audio = np.ascontiguousarray(samples, dtype=np.float32)
        seconds = len(audio) / SAMPLE_RATE
        stream = self._recogniser.create_stream()
        stream.accept_waveform(SAMPLE_RATE, audio)
        if self._is_streaming:
            stream.accept_waveform(SAMPLE_RATE, np.zeros(SAMPLE_RATE // 2, dtype=np.float32))
            stream.input_finished()
            while self._recogniser.is_ready(stream):
                self._recogniser.decode_stream(stream)
            result = self._recogniser.get_result_all(stream)
        else:
            self._recogniser.decode_stream(stream)
            result = stream.result
        words = words_of(
            list(result.tokens),
            list(result.timestamps),
            list(getattr(result, "ys_log_probs", None) or getattr(result, "ys_probs", None) or []),
            str(result.text),
            seconds,
        )
        kept, tags = split_tags(words)
        code = str(getattr(result, "lang", "") or "").strip("<|>")
        return Heard(tuple(kept), tuple(tags), code or self.language)

    def detect(self, samples: FloatArray) -> dict[str, float]:
        """These recognisers do not tell languages apart beforehand."""
        return {}


def words_of(
    tokens: Sequence[str],
    starts: Sequence[float],
    log_probabilities: Sequence[float],
    text: str,
    seconds: float,
) -> list[Word]:
    """Words of a sherpa-onnx result.

    Args:
        tokens: Pieces of text; ``▁`` or a blank marks the beginning of a word.
        starts: Start of each token in seconds, empty when the model gives none.
        log_probabilities: Of each token, empty when the model gives none.
        text: The whole text, used when there are no times.
        seconds: Length of the window.
    """
    if len(starts) != len(tokens) or not tokens:
        return spread(text, seconds)
    groups: list[list[int]] = []
    for i, token in enumerate(tokens):
        begins = token.startswith(_WORD_MARKS) or (is_unspaced(token[:1]) and token[:1].isalpha())
        if not groups or begins:
            groups.append([])
        groups[-1].append(i)
    words = []
    for group in groups:
        written = "".join(tokens[i] for i in group).replace("▁", " ").strip()
        if not written or (written.startswith("<|") and written.endswith("|>")):
            continue
        after = group[-1] + 1
        last = starts[group[-1]] + _LAST_TOKEN_SECONDS
        if after < len(starts):
            last = min(starts[after], starts[group[-1]] + _LONGEST_TOKEN_SECONDS)
        known = [log_probabilities[i] for i in group if i < len(log_probabilities)]
        probability = float(np.exp(np.mean(known))) if known else 1.0
        start = float(starts[group[0]])
        words.append(Word(start, max(start, min(last, seconds)), written, min(1.0, probability)))
    return words


def spread(text: str, seconds: float) -> list[Word]:
    """Words of a text without times, spread over ``seconds`` in proportion to their letters."""
    written = text.split()
    if len(written) == 1 and is_unspaced(text.strip()[:1]):
        written = list(text.strip())
    total = sum(len(word) + 1 for word in written)
    words, at = [], 0.0
    for word in written:
        length = seconds * (len(word) + 1) / total
        words.append(Word(at, at + length, word))
        at += length
    return words


def _find(files: dict[str, str], *parts: str) -> str:
    """The file whose name contains one of the parts, in their order of preference."""
    for part in parts:
        for name, path in files.items():
            if part in name:
                return path
    raise ModelBroken(f"The model lacks a file called like {parts[0]}.", "Fetch it again.")


def _whisper(files: dict[str, str], threads: int) -> Any:
    import sherpa_onnx

    return sherpa_onnx.OfflineRecognizer.from_whisper(
        encoder=_find(files, "encoder"),
        decoder=_find(files, "decoder"),
        tokens=_find(files, "tokens"),
        language="",
        num_threads=threads,
    )


def _nemo_transducer(files: dict[str, str], threads: int) -> Any:
    return _transducer(files, threads, "nemo_transducer")


def _transducer(files: dict[str, str], threads: int, model_type: str = "transducer") -> Any:
    import sherpa_onnx

    return sherpa_onnx.OfflineRecognizer.from_transducer(
        encoder=_find(files, "encoder"),
        decoder=_find(files, "decoder"),
        joiner=_find(files, "joiner"),
        tokens=_find(files, "tokens"),
        num_threads=threads,
        model_type=model_type,
    )


def _streaming(files: dict[str, str], threads: int) -> Any:
    import sherpa_onnx

    return sherpa_onnx.OnlineRecognizer.from_transducer(
        tokens=_find(files, "tokens"),
        encoder=_find(files, "encoder"),
        decoder=_find(files, "decoder"),
        joiner=_find(files, "joiner"),
        num_threads=threads,
    )


def _sense_voice(files: dict[str, str], threads: int) -> Any:
    import sherpa_onnx

    return sherpa_onnx.OfflineRecognizer.from_sense_voice(
        model=_find(files, "model"),
        tokens=_find(files, "tokens"),
        num_threads=threads,
        use_itn=True,
    )


def _moonshine(files: dict[str, str], threads: int) -> Any:
    import sherpa_onnx

    return sherpa_onnx.OfflineRecognizer.from_moonshine(
        preprocessor=_find(files, "preprocess"),
        encoder=_find(files, "encode"),
        uncached_decoder=_find(files, "uncached"),
        cached_decoder=_find_cached(files),
        tokens=_find(files, "tokens"),
        num_threads=threads,
    )


def _find_cached(files: dict[str, str]) -> str:
    """Moonshine's ``cached`` decoder, whose name is part of the other one's."""
    return _find({n: p for n, p in files.items() if not Path(n).name.startswith("un")}, "cached")


LOADERS: dict[str, Callable[[dict[str, str], int], Any]] = {
    "sherpa-whisper": _whisper,
    "sherpa-nemo-transducer": _nemo_transducer,
    "sherpa-zipformer": _transducer,
    "sherpa-zipformer-streaming": _streaming,
    "sherpa-sense-voice": _sense_voice,
    "sherpa-moonshine": _moonshine,
}
"""Loader of each catalogue kind, by its name."""
