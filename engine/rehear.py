"""An answer's evidence heard once more: does the recording say what the citation shows?

A transcript can be wrong where it matters most, in a name or a number, and then the answer is
wrong with a faultless citation. Hearing the cited moments alone, cut otherwise than the first time,
brings out such words; the user decides with a click which hearing is right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.progress import Report
from engine.speech.cross_check import differences
from engine.types import Span, Word
from engine.types_answer import Answer, Citation, Reheard

if TYPE_CHECKING:
    from engine.graph.store import Store
    from engine.speech.asr import AsrOptions
    from engine.speech.recogniser import Recogniser

MARGIN = 0.3
"""Seconds heard before and after a cited moment, so that its first and last word are whole."""


def rehear(
    answer: Answer, store: Store, recogniser: Recogniser, options: AsrOptions, report: Report
) -> tuple[Reheard, ...]:
    """Hear every cited moment of an answer again.

    Args:
        answer: With its citations.
        store: The library.
        recogniser: Any; another than the first one tells more.
        options: Language and vocabulary; without a language, the meeting's.
        report: Called once a moment.

    Returns:
        One entry a cited utterance, in order of the answer. Moments of meetings without sound are
        left out.

    Raises:
        Cancelled: The user asked to stop.
        AudioError: A recording cannot be read.
    """
    cited = answer.citations()
    found = []
    for number, citation in enumerate(cited):
        part = report.part(number / len(cited), (number + 1) / len(cited))
        heard = _heard(citation, store, recogniser, options, part)
        if heard is not None:
            found.append(compared(citation, heard))
    report("hear", 1, 1)
    return tuple(found)


def compared(citation: Citation, heard: Iterable[str]) -> Reheard:
    """Say which words of a citation the second hearing does not have, and the other way round."""
    said = [Word(0.0, 0.0, text) for text in citation.quote.split()]
    again = [Word(0.0, 0.0, text) for text in heard]
    return Reheard(
        citation=citation,
        text=" ".join(word.text for word in again),
        unheard=tuple(said[i].text for i in differences(said, again)),
        new=tuple(again[i].text for i in differences(again, said)),
    )


def _heard(
    citation: Citation, store: Store, recogniser: Recogniser, options: AsrOptions, report: Report
) -> list[str] | None:
    """The words of one moment, None where there is no sound."""
    from engine.speech.asr import transcribe

    path = store.sound_of(citation.meeting_id)
    if path is None:
        return None
    meeting = store.meeting(citation.meeting_id)
    span = Span(max(0.0, citation.start - MARGIN), min(meeting.duration, citation.end + MARGIN))
    hearing = replace(options, language=options.language or meeting.language)
    words = transcribe(recogniser, path, [span], hearing, report).words
    # The margins may hold a neighbour's word.
    return [w.text for w in words if citation.start <= (w.start + w.end) / 2 <= citation.end]
