"""Which library loads which kind of recogniser."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import EngineError
from engine.speech.backend import Backend
from engine.weights.catalogue import spec
from engine.weights.locate import locate

SMALL_MB = 500
"""Memory of models that are loaded twice, at most."""


def most_at_once(model_id: str) -> int:
    """How many windows a recogniser may hear at the same time, each with a copy of the weights."""
    entry = spec(model_id)
    return 2 if entry.kind == "whisper.cpp" and entry.memory_mb <= SMALL_MB else 1


def load_backend(model_id: str, threads: int, is_cancelled: Callable[[], bool]) -> Backend:
    """Load the recogniser ``model_id``.

    Args:
        model_id: Catalogue id.
        threads: At most the physical cores.
        is_cancelled: Asked now and then while a window is recognised.

    Raises:
        ModelMissing: The weights are not on this machine.
        ModelBroken: They are not what the catalogue promises.
        EngineError: No such model, or it is no recogniser.
    """
    kind = spec(model_id).kind
    if kind == "whisper.cpp":
        from engine.speech.whisper import WhisperBackend

        return WhisperBackend(locate(model_id), threads, is_cancelled)
    if kind.startswith("sherpa-") and spec(model_id).task == "transcription":
        from engine.speech.sherpa_asr import SherpaBackend

        return SherpaBackend(model_id, threads)
    raise EngineError(f"{spec(model_id).title} cannot transcribe.", "Choose another model.")
