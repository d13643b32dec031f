"""Mechanical checks against what recognisers are known to get wrong. Pure functions.

Text on silence, repetition loops, times that run backwards or leave the speech, speech without
words: each has a function here and a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from engine.types import Span, Word

LOOP_REPEATS = 4  # the same phrase this often in a row is a loop ...
LOOP_MAX_WORDS = 12  # ... for phrases up to this length
SINGLE_REPEATS = 8  # one word alone may be stuttered or counted
WORD_REACH = 0.5  # a word vouches for the speech this close to it, seconds
MIN_UNHEARD = 1.0  # shorter stretches of speech without words are not reported, seconds
MIN_HOLE = 1.5  # ... and between two words, where slow speech hides the end of a word
MAX_RATE = 9.0  # words per second that nobody speaks
DOUBTFUL = 0.45  # mean probability below which few words on little speech are not believed
DOUBTFUL_SECONDS = 1.2
SHORTEST_WORD = 0.02
ECHO = 0.8  # share of a window's words that stand in the vocabulary in this very order
NEARBY = 6.0  # words this close to a stretch heard again may be its own, mistimed; seconds
SAME_WORDS = 0.6  # share of equal words from which they are
ONSET_REACH, ONSET_PAD = 0.5, 0.05  # seconds


def find_loop(words: Sequence[Word]) -> tuple[int, int, int] | None:
    """Find a phrase that repeats without end.

    Returns:
        (index of the first word, words in the phrase, repeats) of the longest loop, or None.
    """
    texts = [_plain(word.text) for word in words]
    best: tuple[int, int, int] | None = None
    for length in range(1, min(LOOP_MAX_WORDS, len(texts) // 2) + 1):
        run = 0
        for i in range(length, len(texts) + 1):
            if i < len(texts) and texts[i] == texts[i - length]:
                run += 1
                continue
            repeats = run // length + 1
            needed = SINGLE_REPEATS if length == 1 else LOOP_REPEATS
            if repeats >= needed and (best is None or run > best[1] * (best[2] - 1)):
                best = (i - run - length, length, repeats)
            run = 0
    return best


def cut_loops(words: Sequence[Word]) -> list[Word]:
    """Keep the first occurrence of each looping phrase; the rest becomes a gap."""
    kept = list(words)
    while (loop := find_loop(kept)) is not None:
        first, length, repeats = loop
        del kept[first + length : first + length * repeats]
    return kept


def is_doubtful(words: Sequence[Word], speech_seconds: float) -> bool:
    """Whether the words of one window are more likely invented than heard.

    Few words on a moment of sound, all with low probability, or more words than anybody can say.
    """
    if not words:
        return False
    mean = sum(word.probability for word in words) / len(words)
    if len(words) / max(speech_seconds, 0.1) > MAX_RATE and len(words) > 4:
        return True
    return speech_seconds < DOUBTFUL_SECONDS and mean < DOUBTFUL


def echoes(words: Sequence[Word], prompt: str) -> bool:
    """Whether the recogniser only recites the vocabulary it was given."""
    said = [_plain(word.text) for word in words]
    given = [_plain(text) for text in prompt.replace(",", " ").split()]
    if len(said) < 3:
        return bool(said) and said[0] == given[0] if given else False
    matches = SequenceMatcher(None, given, said, autojunk=False).get_matching_blocks()
    return max(match.size for match in matches) >= ECHO * len(said)


def order(words: Sequence[Word], spans: Sequence[Span]) -> list[Word]:
    """Make times monotone and keep them inside the speech.

    Starts never go backwards, a word ends before the next begins, and a word that lies outside
    all speech is moved to the nearest edge of it.

    Args:
        words: In spoken order; seconds.
        spans: Disjoint, ascending; empty means times are only made monotone.
    """
    ordered: list[Word] = []
    i = 0
    for word in words:
        start, end = word.start, max(word.end, word.start + SHORTEST_WORD)
        while i < len(spans) - 1 and _gap(start, end, spans[i]) >= _gap(start, end, spans[i + 1]):
            i += 1
        if spans:
            span = spans[i]
            start = min(max(start, span.start), span.end - SHORTEST_WORD)
            is_first = not ordered or ordered[-1].end <= span.start
            if is_first and start - span.start <= ONSET_REACH:
                # Attention is late after a pause; the voice activity knows when speech began.
                start = min(start, span.start + ONSET_PAD)
            end = max(min(end, span.end), start + SHORTEST_WORD)
        if ordered:
            start = max(start, ordered[-1].start)
            end = max(end, start + SHORTEST_WORD)
            if ordered[-1].end > start:
                ordered[-1] = replace(ordered[-1], end=max(ordered[-1].start, start))
        ordered.append(replace(word, start=start, end=end))
    return ordered


def unheard(words: Sequence[Word], spans: Sequence[Span]) -> list[Span]:
    """Find speech that produced no words.

    Args:
        words: Ascending by start.
        spans: Speech, disjoint and ascending.

    Returns:
        Parts of the spans further than ``WORD_REACH`` from any word and at least ``MIN_UNHEARD``
        long, between two words ``MIN_HOLE``; a span without any word counts from half that.
    """
    missing: list[Span] = []
    i = 0
    for span in spans:
        while i < len(words) and words[i].end + WORD_REACH <= span.start:
            i += 1
        position, j, has_words = span.start, i, False
        while j < len(words) and words[j].start - WORD_REACH < span.end:
            needed = MIN_HOLE if has_words else MIN_UNHEARD
            if words[j].start - WORD_REACH - position >= needed:
                missing.append(Span(position, words[j].start - WORD_REACH))
            position, has_words = max(position, words[j].end + WORD_REACH), True
            j += 1
        needed = MIN_UNHEARD if has_words else MIN_UNHEARD / 2
        if span.end - position >= needed:
            missing.append(Span(position, span.end))
    return missing


def reconcile(words: Sequence[Word], again: Sequence[Word], span: Span) -> list[Word]:
    """Add what a second hearing of ``span`` found.

    Where the second hearing says what the first one said nearby, the first was right about the
    words and wrong about their times: the words stay once and take the new times.

    Args:
        words: First hearing, ascending by start.
        again: Second hearing, ascending by start.
        span: What was heard again, seconds.

    Returns:
        All words ascending by start.
    """
    if not again:
        return list(words)
    near = [
        i for i, word in enumerate(words) if span.start - NEARBY <= word.start <= span.end + NEARBY
    ]
    first = [_plain(words[i].text) for i in near]
    second = [_plain(word.text) for word in again]
    matches = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    if sum(match.size for match in matches) < SAME_WORDS * len(second):
        return sorted([*words, *again], key=lambda word: word.start)
    moved = list(words)
    for match in matches:
        for k in range(match.size):
            old, new = near[match.a + k], again[match.b + k]
            moved[old] = replace(moved[old], start=new.start, end=new.end)
    return sorted(moved, key=lambda word: word.start)


def _plain(text: str) -> str:
    return text.casefold().strip(".,!?…-")


def coverage(spans: Sequence[Span], gaps: Sequence[Span]) -> float:
    """Seconds of speech with words / seconds of speech; 1 where nobody speaks."""
    total = sum(span.duration for span in spans)
    return 1.0 if total <= 0 else max(0.0, 1 - sum(gap.duration for gap in gaps) / total)


def _gap(start: float, end: float, span: Span) -> float:
    """Distance of a word from a span; negative by the length they share."""
    return max(span.start - end, start - span.end)
