"""Sounds that recognisers write in brackets, such as ``[laughter]``: events, not words."""

from __future__ import annotations

from collections.abc import Sequence

from engine.types import Event, Word

_OPEN, _CLOSE = "[(*♪<", "])*♪>"
_PAIRS = dict(zip(_OPEN, _CLOSE, strict=True))
MAX_TAG_WORDS = 6
MAX_LYRICS = 40  # what is sung between two notes
_LABELS = {
    "laugh": "laughter",
    "chuckl": "laughter",
    "giggl": "laughter",
    "applau": "applause",
    "clap": "applause",
    "music": "music",
    "♪": "music",
    "♫": "music",
    "sing": "music",
    "noise": "noise",
    "static": "noise",
    "cough": "noise",
    "sneez": "noise",
    "typing": "noise",
    "click": "noise",
    "knock": "noise",
    "door": "noise",
    "beep": "noise",
    "ring": "noise",
    "blank": "silence",
    "silence": "silence",
}


def label_of(tag: str) -> str:
    """Our event label for a bracketed tag, "" for one that names no sound we report."""
    lowered = tag.lower()
    for part, label in _LABELS.items():
        if part in lowered:
            return label
    return ""


def split_tags(words: Sequence[Word]) -> tuple[list[Word], list[Event]]:
    """Separate spoken words from bracketed tags.

    Tags that name no sound (``[speaking Chinese]``, ``[inaudible]``) are dropped altogether, so
    that a placeholder never stands for speech. A bracket that is not closed within
    ``MAX_TAG_WORDS`` words is text. Lone dashes and ``>>`` that mark a change of speaker go too.

    Args:
        words: In order, seconds.

    Returns:
        (words, events with source ``whisper``).
    """
    kept: list[Word] = []
    tags: list[Event] = []
    i = 0
    while i < len(words):
        n = _tag_length(words, i)
        if n:
            part = words[i : i + n]
            label = label_of(" ".join(word.text for word in part))
            if label:
                start, end = part[0].start, max(word.end for word in part)
                tags.append(Event(start, end, label, part[0].probability, "whisper"))
            i += n
            continue
        text = words[i].text.lstrip("->–—♪♫ ") if words[i].text[:1] in "->–—♪♫" else words[i].text
        if any(character.isalnum() for character in text):
            kept.append(Word(words[i].start, words[i].end, text, words[i].probability))
        elif kept and text and not set(text) & set("[]()*"):
            last = kept[-1]  # punctuation on its own belongs to the word before
            kept[-1] = Word(last.start, last.end, last.text + text, last.probability)
        i += 1
    return kept, tags


def _tag_length(words: Sequence[Word], i: int) -> int:
    """How many words the tag at ``i`` has, 0 for none."""
    close = _PAIRS.get(words[i].text[:1])
    if close is None:
        return 0
    is_music = words[i].text[0] == "♪"
    for n in range(1, (MAX_LYRICS if is_music else MAX_TAG_WORDS) + 1):
        if i + n > len(words):
            break
        text = words[i + n - 1].text.rstrip(".,!?:")
        if text.endswith(close) and (n > 1 or len(text) > 1):
            return n
    return int(is_music)
