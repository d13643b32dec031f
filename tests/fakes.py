"""Stand-ins with scripts: a language model, a sentence encoder. No weights, no waiting."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from engine.agent.words import STOP, stem, words
from engine.errors import Cancelled
from engine.llm import Completion, Message
from engine.types import FloatArray


class FakeChat:
    """Answers from a queue of replies; a callable reply gets the messages.

    Attributes:
        prompts: Every conversation it was given, in order.
        grammars: The grammar of each.
    """

    model_id = "fake"
    context_tokens = 4096

    def __init__(self, *replies: str | Callable[[Sequence[Message]], str]) -> None:
        self.replies = list(replies)
        self.prompts: list[tuple[Message, ...]] = []
        self.grammars: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text) // 4 + 1

    def complete(
        self,
        messages: Sequence[Message],
        *,
        grammar: str = "",
        max_tokens: int,
        stop: Sequence[str] = (),
        on_text: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        if is_cancelled is not None and is_cancelled():
            raise Cancelled
        self.prompts.append(tuple(messages))
        self.grammars.append(grammar)
        reply = self.replies.pop(0) if self.replies else "NOT STATED"
        text = reply if isinstance(reply, str) else reply(messages)
        if on_text is not None:
            for piece in text.split(" "):
                on_text(piece + " ")
        size = sum(self.count_tokens(m.content) for m in messages)
        return Completion(text, size, self.count_tokens(text), 0.0, "stop")


class FakeEmbedder:
    """Texts with common stems are near each other; everything else is at right angles."""

    model_id = "fake"
    dim = 256

    def encode(self, texts: Sequence[str]) -> FloatArray:
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = _encoded(text, self.dim)
        return rows


@cache
def _encoded(text: str, dim: int) -> FloatArray:
    """Tests say the same few sentences again and again."""
    row = np.zeros(dim, np.float32)
    for word in words(text):
        if word not in STOP:
            digest = hashlib.blake2b(stem(word).encode(), digest_size=4).digest()
            row[int.from_bytes(digest, "little") % dim] += 1.0
    length = float(np.linalg.norm(row))
    if length:
        row /= length
    return row
