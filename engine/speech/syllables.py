"""How many syllables a word has, roughly, in any script."""

from __future__ import annotations

import re
import unicodedata

from engine.speech.merge import is_unspaced


def syllables(word: str) -> int:
    """Roughly how many syllables a word has: its groups of vowels, or its ideographs.

    Words per second would call a sentence of short words fast.
    """
    ideographs = sum(is_unspaced(character) for character in word)
    letters = unicodedata.normalize("NFD", word.casefold())
    groups = len(re.findall(r"[aeiouyаеёиоуыэюяαεηιουω]+", letters))
    digits = sum(character.isdigit() for character in word)
    return max(1, ideographs + groups + 2 * digits)
