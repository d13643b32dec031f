"""One Chinese script for a meeting: recognisers mix simplified and traditional characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import Any

from engine.types import Word

SIMPLIFIED, TRADITIONAL = "simplified", "traditional"
SCRIPTS = (SIMPLIFIED, TRADITIONAL)
LANGUAGES = ("zh", "yue")


@cache
def _converter(script: str) -> Any:
    import opencc

    return opencc.OpenCC("t2s" if script == SIMPLIFIED else "s2t")


def in_one_script(words: Sequence[Word], preferred: str = "") -> tuple[Word, ...]:
    """Write all words in one script.

    Args:
        words: Of one meeting, in order; other languages stay as they are.
        preferred: ``simplified`` or ``traditional``; anything else stands for the one that most
            of the words are in already.

    Returns:
        The words with their times; only characters differ.

    Source:
        OpenCC's tables ``t2s`` and ``s2t``, which look at whole phrases (one simplified character
        can stand for several traditional ones).
    """
    text = "".join(word.text for word in words)
    forms = {script: _converter(script).convert(text) for script in SCRIPTS}
    nearest = min(SCRIPTS, key=lambda name: _n_differing(text, forms[name]))
    script = preferred if preferred in SCRIPTS else nearest
    if len(forms[script]) != len(text):  # no table is known to do so
        return tuple(replace(w, text=_converter(script).convert(w.text)) for w in words)
    ends = accumulate(len(word.text) for word in words)
    return tuple(
        replace(word, text=forms[script][end - len(word.text) : end])
        for word, end in zip(words, ends, strict=True)
    )


def _n_differing(text: str, other: str) -> int:
    return sum(a != b for a, b in zip(text, other, strict=False))
