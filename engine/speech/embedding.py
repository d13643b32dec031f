"""Voices as vectors: CAM++ embeddings of clean stretches of one speaker."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import numpy as np

from engine.audio.decode import SAMPLE_RATE
from engine.types import FloatArray
from engine.weights.locate import locate

DIM = 192
MIN_SECONDS = 0.25  # CAM++ gives NaN on a few frames


class VoiceEmbedder:
    """The loaded speaker embedding model; as many threads as it was made for may use it at once.

    The model is loaded once for each: two that compute one voice each are a third faster than two
    that share the work on one.
    """

    def __init__(self, threads: int) -> None:
        """Load the model.

        Args:
            threads: Voices to compute at the same time.

        Raises:
            ModelMissing: The weights are not on this machine.
        """
        import sherpa_onnx

        config = sherpa_onnx.SpeakerEmbeddingExtractorConfig(
            model=str(locate("campplus")), num_threads=1, provider="cpu"
        )
        self.threads = threads
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(threads):
            self._idle.put(sherpa_onnx.SpeakerEmbeddingExtractor(config))

    def embed(self, samples: FloatArray) -> FloatArray:
        """Describe the voice in a waveform.

        Args:
            samples: (samples,) float32, 16 kHz, one speaker, at least ``MIN_SECONDS``.

        Returns:
            (192,) float32, length 1; all zero where the model gives no usable answer.
        """
        if len(samples) < MIN_SECONDS * SAMPLE_RATE:
            return np.zeros(DIM, dtype=np.float32)
        extractor = self._idle.get()
        try:
            stream = extractor.create_stream()
            stream.accept_waveform(SAMPLE_RATE, np.ascontiguousarray(samples, dtype=np.float32))
            stream.input_finished()
            vector = np.asarray(extractor.compute(stream), dtype=np.float32)
        finally:
            self._idle.put(extractor)
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            return np.zeros(DIM, dtype=np.float32)
        return vector / np.float32(length)
