"""Texts to vectors with a sentence encoder; the only user of onnxruntime for text.

The encoder is loaded on first use and kept. Equal texts always give equal vectors, whatever
they are batched with.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import ModelBroken
from engine.types import FloatArray
from engine.weights.locate import locate
from engine.weights.runtime import onnx_runtime

MAX_TOKENS = 256
BATCH_ROWS = 32
DIMENSION = 384


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    input_names: tuple[str, ...]


class Embedder:
    """A sentence encoder, cheap to make and loaded on first use.

    Attributes:
        model_id: Key in the catalogue; stored beside every vector.
        dim: Length of a vector.
    """

    def __init__(self, model_id: str = "minilm", threads: int = 0) -> None:
        self.model_id = model_id
        self.dim = DIMENSION
        self._threads = threads or min(4, os.cpu_count() or 1)
        self._loaded: _Loaded | None = None

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts.

        Texts are cut after 256 tokens. Empty texts give zero rows, which match nothing.

        Returns:
            (n, dim) float32, rows of length 1.

        Raises:
            ModelMissing: The weights are not on this machine.
            ModelBroken: They cannot be loaded.
        """
        vectors = np.zeros((len(texts), self.dim), np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        if not wanted:
            return vectors
        loaded = self._load()
        # Neighbours of like length waste little on padding.
        wanted.sort(key=lambda i: len(texts[i]))
        for first in range(0, len(wanted), BATCH_ROWS):
            rows = wanted[first : first + BATCH_ROWS]
            vectors[rows] = _encoded(loaded, [_encodable(texts[i]) for i in rows])
        return vectors

    def _load(self) -> _Loaded:
        if self._loaded is None:
            model_path = locate(self.model_id)
            tokenizer_path = locate(self.model_id, "tokenizer.json")
            from tokenizers import Tokenizer

            onnxruntime = onnx_runtime()
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.log_severity_level = 3
            # Spinning threads starve the recogniser that may run beside.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            try:
                session = onnxruntime.InferenceSession(
                    str(model_path), options, providers=["CPUExecutionProvider"]
                )
                tokenizer = Tokenizer.from_str(tokenizer_path.read_text("utf-8"))
            # Both libraries raise bare classes of their own.
            except Exception as error:
                raise ModelBroken(
                    f"The text encoder {self.model_id} cannot be loaded.",
                    "Run `earwitness models verify`.",
                ) from error
            tokenizer.no_padding()
            tokenizer.enable_truncation(MAX_TOKENS)
            names = tuple(item.name for item in session.get_inputs())
            self._loaded = _Loaded(session, tokenizer, names)
        return self._loaded


def _encodable(text: str) -> str:
    """Text without lone surrogates, which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _encoded(loaded: _Loaded, texts: list[str]) -> FloatArray:
    """Run one batch; (n, dim) float32 unit rows."""
    encodings = loaded.tokenizer.encode_batch(texts)
    longest = max(len(e.ids) for e in encodings)
    ids = np.zeros((len(texts), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (output, *_) = loaded.session.run(None, {name: feeds[name] for name in loaded.input_names})
    vectors: FloatArray = np.asarray(output, np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.maximum(norms, 1e-12)
    return vectors
