"""Exact parsers for how something sounded, what else was heard, and the shape of the answer."""

# ruff: noqa: E501 - tables of patterns

from __future__ import annotations

import re

from engine.agent.schema import AnswerForm
from engine.agent.words import WHETHER
from engine.types import Cue

_CUES: tuple[tuple[Cue, str], ...] = (
    (
        Cue.LOUD,
        r"loud(?:ly|er|est)?|shout(?:s|ed|ing)?|yell(?:s|ed|ing)?|scream(?:s|ed|ing)?|"
        r"rais(?:e|es|ed|ing) (?:\w+ )?voice|at the top of (?:\w+ )?(?:voice|lungs)|louder voice",
    ),
    (
        Cue.QUIET,
        r"quiet(?:ly|er|est)?|whisper(?:s|ed|ing)?|soft(?:ly|er|est)?|softly spoken|low(?:er)? voice|"
        r"under (?:\w+ )?breath|murmur(?:s|ed|ing)?|mumbl(?:e|es|ed|ing)",
    ),
    (
        Cue.RAISED,
        r"high(?:er|est)?[- ]pitch(?:ed)?|pitch (?:rose|rise|went up|jump\w*)|pitch|excited(?:ly)?",
    ),
    (Cue.FAST, r"fast(?:er|est)?|quick(?:ly|er|est)|rapid(?:ly)?|hurried(?:ly)?|rush(?:ed|ing)?"),
    (Cue.SLOW, r"slow(?:ly|er|est)?"),
    (
        Cue.INTERRUPTION,
        r"interrupt(?:s|ed|ing|ions?)?|cut(?:s|ting)? (?:\w+ )?(?:off|in|short)|talk(?:ed)? over",
    ),
    (
        Cue.OVERLAP,
        r"overlap(?:s|ped|ping)?|at (?:the same time|once)|simultaneously|talking over each other|crosstalk",
    ),
    (Cue.LONG_PAUSE, r"(?:long |longest )?(?:pause[ds]?|hesitat\w+|silence before)"),
)
_EVENTS: tuple[tuple[str, str], ...] = (
    ("laughter", r"laugh(?:s|ed|ing|ter)?|giggl\w+|chuckl\w+|what (?:is|was) (?:so |that )?funny"),
    ("applause", r"applau(?:se|d\w*)|clap(?:s|ped|ping)?"),
    ("music", r"music|jingle|melody"),
    ("noise", r"noise|bang|door (?:slam\w*|clos\w*)|crash|knock(?:s|ing)?"),
    ("silence", r"silences?|silent"),
)
_STRIP_CUE = re.compile(r"\b(?:sudden(?:ly)?|very|so|unusually|especially|voice)\b", re.I)


def parse_cues(question: str) -> tuple[Cue, ...]:
    """Cues of the voice that a question names, in a fixed order."""
    return tuple(cue for cue, pattern in _CUES if re.search(rf"\b(?:{pattern})\b", question, re.I))


def parse_events(question: str) -> tuple[str, ...]:
    """Non-speech sounds that a question names."""
    return tuple(
        label for label, pattern in _EVENTS if re.search(rf"\b(?:{pattern})\b", question, re.I)
    )


def strip_cues(text: str) -> str:
    """Remove cue words, which are never part of what was talked about."""
    for _, pattern in _CUES:
        text = re.sub(rf"\b(?:{pattern})\b", " ", text, flags=re.I)
    return re.sub(r"\s{2,}", " ", _STRIP_CUE.sub(" ", text)).strip()


_CHOICE = re.compile(r"(?:^|[\s(])\(?([A-F])[).:]\s+(.+?)(?=(?:[\s;,]+\(?[A-F][).:]\s)|$)", re.S)


def parse_choices(question: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """Split a multiple-choice question into its options (letter, text) and its stem."""
    found = list(_CHOICE.finditer(question))
    letters = [match[1] for match in found]
    if len(found) < 2 or letters != list("ABCDEF"[: len(letters)]):
        return (), question
    stem = question[: found[0].start()].strip(" \n:(")
    return tuple((match[1], match[2].strip(" \n;,.")) for match in found), stem


def parse_form(question: str) -> AnswerForm:
    """The shape of the answer a question asks for (choices apart)."""
    text = question.strip().lower()
    if re.search(r"\bhow (?:many|often|much time|long)\b|\bcount\b|\bnumber of\b", text):
        return AnswerForm.NUMBER
    if re.match(
        r"(?:and |so |but )?(?:in the meeting,? )?(?:when|at (?:what|which) (?:time|point|minute))\b",
        text,
    ):
        return AnswerForm.TIME
    if re.search(r"\b(?:at what time|at which (?:time|minute|point)|what time)\b", text):
        return AnswerForm.TIME
    if re.match(
        r"(?:and |so |but )?(?:who|whose|whom|which (?:speaker|person|participant|of (?:them|the speakers)))\b",
        text,
    ):
        return AnswerForm.SPEAKER
    if (
        re.match(
            rf"(?:and |so |but )?{WHETHER}\b",
            text,
        )
        and " or " not in text
    ):
        return AnswerForm.YES_NO
    if re.match(
        r"(?:please )?(?:list|name all|enumerate|which (?:topics|people|speakers|items|things))\b",
        text,
    ):
        return AnswerForm.LIST
    return AnswerForm.TEXT
