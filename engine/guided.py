"""Greedy decoding under a grammar that costs next to nothing.

llama.cpp asks the grammar about each of 152,000 tokens before it takes one, which halves the speed
of a small model. Here the grammar is asked about the likeliest token alone, and about more only
when it refuses that: the token taken is the same.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]

AT_FIRST = (1, 64)
"""Likeliest tokens that the grammar is asked about before it is asked about all."""


def quicken(llama: Any) -> None:
    """Make a loaded ``Llama`` decode greedily, and fast under a grammar too."""
    model = llama._model

    def sampler(*_: Any, grammar: Any = None, **__: Any) -> GreedySampler:
        return GreedySampler(model, grammar)

    llama._init_sampler = sampler


class GreedySampler:
    """Takes the likeliest token that the grammar allows.

    Args:
        model: The loaded model, for its vocabulary.
        grammar: A ``LlamaGrammar``, or None for no limits.
    """

    def __init__(self, model: Any, grammar: Any) -> None:
        from llama_cpp import llama_cpp as api

        self._api = api
        self._n_vocab = model.n_vocab()
        self._grammar = None
        if grammar is not None:
            self._grammar = api.llama_sampler_init_grammar(
                model.vocab, grammar._grammar.encode("utf-8"), grammar._root.encode("utf-8")
            )

    def __del__(self) -> None:
        if self._grammar is not None:
            self._api.llama_sampler_free(self._grammar)

    def sample(self, ctx: Any, idx: int = -1) -> int:
        """Return the id of the next token; -1 stands for the last position evaluated."""
        pointer = self._api.llama_get_logits_ith(ctx.ctx, idx)
        logits = np.ctypeslib.as_array(pointer, shape=(self._n_vocab,))
        token = int(np.argmax(logits))
        if self._grammar is None:
            return token
        for n in (*AT_FIRST, self._n_vocab):
            allowed = self._likeliest_allowed(logits, n)
            if allowed is not None:
                token = allowed
                break
        self._api.llama_sampler_accept(self._grammar, token)
        return token

    def _likeliest_allowed(self, logits: FloatArray, n: int) -> int | None:
        """The best of the ``n`` likeliest tokens that the grammar lets pass, None if none does."""
        ids = np.argpartition(logits, -n)[-n:] if n < len(logits) else np.arange(len(logits))
        candidates = (self._api.llama_token_data * n)()
        table = np.frombuffer(candidates, dtype=[("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
        table["id"], table["logit"] = ids, logits[ids]
        array = self._api.llama_token_data_array(candidates, n, -1, False)
        self._api.llama_sampler_apply(self._grammar, ctypes.byref(array))
        best = int(np.argmax(table["logit"]))
        return int(table["id"][best]) if np.isfinite(table["logit"][best]) else None
