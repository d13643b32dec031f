"""Which characters of a shown text are which spoken word, also after an edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.types import Utterance, Word

_UNSURE = 0.45


@dataclass(frozen=True, slots=True)
class Place:
    """A word and the characters that show it."""

    start: int
    length: int
    word: Word


def places(text: str, words: Sequence[Word]) -> list[Place]:
    """Find each word in the text, in order; words edited away have no place."""
    found, cursor = [], 0
    for word in words:
        at = text.find(word.text, cursor) if word.text else -1
        # Far away means another occurrence of a word that was edited here.
        if at < 0 or at - cursor > 60:
            continue
        found.append(Place(at, len(word.text), word))
        cursor = at + len(word.text)
    return found


def time_of(utterance: Utterance, known: Sequence[Place], character: int) -> float:
    """When the word at a character is spoken; in proportion where words are not known."""
    for place in known:
        if character <= place.start + place.length:
            return place.word.start
    if known:
        return known[-1].word.start
    share = character / max(1, len(utterance.text))
    return utterance.start + share * (utterance.end - utterance.start)


def word_at(known: Sequence[Place], position: float) -> tuple[int, int] | None:
    """Characters (start, length) of the word heard at a time."""
    for place in known:
        if place.word.start <= position < place.word.end + 0.12:
            current = place
            if position < place.word.end:
                return current.start, current.length
            break
    return None


def unsure(known: Sequence[Place]) -> tuple[tuple[int, int], ...]:
    """Characters of the words the recogniser doubts."""
    return tuple((p.start, p.length) for p in known if p.word.probability < _UNSURE)
