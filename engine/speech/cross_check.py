"""A second recogniser hears doubtful speech; words on which the two differ deserve a listen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from engine.progress import Report
from engine.speech.asr import AsrOptions, transcribe
from engine.speech.recogniser import Recogniser
from engine.types import Span, Word

DOUBT = 0.5  # a word below this probability makes its stretch of speech doubtful
MARK = 0.35  # no word that the second recogniser heard otherwise is believed more than this
SLACK = 0.5  # the two place a word no closer than this, seconds


def doubtful(words: Sequence[Word], spans: Sequence[Span]) -> list[Span]:
    """The spans with a word that the recogniser itself doubts, or with no word at all.

    Args:
        words: Ascending by start, seconds.
        spans: Speech, disjoint and ascending, seconds.
    """
    starts = [word.start for word in words]

    def is_doubtful(span: Span) -> bool:
        inside = words[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        return min((word.probability for word in inside), default=0.0) < DOUBT

    return [span for span in spans if is_doubtful(span)]


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
    again = transcribe(second, timeline_path, spans, options, report).words
    # Channels may talk at the same time, so each is compared with itself.
    channels = {word.channel for word in words}
    return tuple(sorted(i for c in channels for i in _differing(words, again, spans, c)))


def marked(words: Sequence[Word], indices: Sequence[int]) -> tuple[Word, ...]:
    """The words, those at ``indices`` with a probability of at most ``MARK``."""
    found = list(words)
    for i in indices:
        found[i] = replace(words[i], probability=min(words[i].probability, MARK))
    return tuple(found)


def differences(first: Sequence[Word], second: Sequence[Word]) -> list[int]:
    """Indices of the words of ``first`` that ``second`` does not have in the same order.

    Case and punctuation do not count. Quadratic at worst, so give it short stretches.
    """
    said = [_plain(word.text) for word in first]
    heard = [_plain(word.text) for word in second]
    agreed: set[int] = set()
    for match in SequenceMatcher(None, said, heard, autojunk=False).get_matching_blocks():
        agreed.update(range(match.a, match.a + match.size))
    return [i for i, text in enumerate(said) if text and i not in agreed]


def _differing(
    words: Sequence[Word], again: Sequence[Word], spans: Sequence[Span], channel: int | None
) -> Iterator[int]:
    """Indices of the differing words of one channel, span by span."""
    own = [i for i, word in enumerate(words) if word.channel == channel]
    other = [word for word in again if word.channel == channel]
    own_starts = [words[i].start for i in own]
    other_starts = [word.start for word in other]
    for span in spans:
        part = own[bisect_left(own_starts, span.start) : bisect_left(own_starts, span.end)]
        first = bisect_left(other_starts, span.start - SLACK)
        end = bisect_left(other_starts, span.end + SLACK)
        for i in differences([words[i] for i in part], other[first:end]):
            yield part[i]


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
