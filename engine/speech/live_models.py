"""The models behind a live transcript: a small recogniser and the voice embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.audio.decode import SAMPLE_RATE
from engine.progress import Report
from engine.speech.embedding import VoiceEmbedder
from engine.speech.recogniser import Recogniser
from engine.types import FloatArray, Word
from engine.weights.locate import is_present

ENGLISH_MODEL = "whisper-tiny.en"
OTHER_MODEL = "whisper-base"
DETECT_SECONDS = 2.0
"""Speech needed before the language is guessed."""


class LiveModels:
    """Hears pieces of a recording that is still going on.

    Args:
        recogniser: Gives the loaded recogniser of a model id, dropping another one.
        language: ISO 639-1 code, "" to detect it from the first words.
        report: Ends a recognition that is under way.
    """

    def __init__(
        self, recogniser: Callable[[str], Recogniser], language: str, report: Report
    ) -> None:
        self._recogniser = recogniser
        self._report = report
        self._language = language
        if not language and not is_present(OTHER_MODEL):
            self._language = "en"
        self._voices = VoiceEmbedder(1)

    def words(self, samples: FloatArray) -> Sequence[Word]:
        """Recognise (samples,) float32 at 16 kHz, at most 30 s.

        Raises:
            ModelMissing: The recogniser is not on this machine.
            Cancelled: The recording is over.
        """
        language = self._language or self._detected(samples)
        model_id = ENGLISH_MODEL if language == "en" else OTHER_MODEL
        heard = self._recogniser(model_id).hear(samples, self._report, language=language)
        return heard.words

    def voice(self, samples: FloatArray) -> FloatArray:
        """Describe the voice in (samples,) float32 at 16 kHz."""
        return self._voices.embed(samples)

    def _detected(self, samples: FloatArray) -> str:
        """The language of these samples; kept once there was enough to tell."""
        probabilities = self._recogniser(OTHER_MODEL).detect(samples)
        language = max(probabilities, key=lambda code: probabilities[code], default="en")
        if len(samples) >= DETECT_SECONDS * SAMPLE_RATE and probabilities[language] > 0.5:
            self._language = language
        return language
