"""A second recogniser hears the same span; words on which the two differ deserve a listen."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from engine.progress import Report
from engine.speech.asr import AsrOptions, Recogniser, transcribe
from engine.types import Span, Word


def cross_check(
    second: Recogniser,
    timeline_path: Path,
    words: Sequence[Word],
    spans: Sequence[Span],
    options: AsrOptions,
    report: Report,
) -> tuple[int, ...]:
    """Hear spans again with another recogniser.

    Args:
        second: Another model than the one that wrote ``words``.
        timeline_path: FLAC written by ``engine.audio.decode``.
        words: The transcription, ascending by start.
        spans: What to check, disjoint and ascending, seconds.
        options: As for the first hearing.
        report: As for ``transcribe``.

    Returns:
        Ascending indices into ``words`` of those inside the spans that the second recogniser
        heard differently or not at all.

    Raises:
        Cancelled: The user asked to stop.
        AudioError: The timeline cannot be read.
    """
    inside = [
        i for i, word in enumerate(words) if any(s.start <= word.start < s.end for s in spans)
    ]
    again = transcribe(second, timeline_path, spans, options, report).words
    differing = differences([words[i] for i in inside], again)
    return tuple(inside[i] for i in differing)


def differences(first: Sequence[Word], second: Sequence[Word]) -> list[int]:
    """Indices of the words of ``first`` that ``second`` does not have in the same order.

    Case and punctuation do not count.
    """
    said = [_plain(word.text) for word in first]
    heard = [_plain(word.text) for word in second]
    agreed: set[int] = set()
    for match in SequenceMatcher(None, said, heard, autojunk=False).get_matching_blocks():
        agreed.update(range(match.a, match.a + match.size))
    return [i for i, text in enumerate(said) if text and i not in agreed]


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
