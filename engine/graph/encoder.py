"""What the graph asks of a sentence encoder; it knows no model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.types import FloatArray


class Encoder(Protocol):
    """What turns texts into vectors; ``engine.embed.Embedder`` and fakes in tests."""

    model_id: str
    dim: int

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts: (n, dim) float32, rows of length 1."""
        ...
