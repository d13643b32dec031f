"""Exact parser for the times a question names: clock times, marks, relative stretches.

Times are read as positions in the meeting ("15:00" is minute 15). A phrase that is understood is
also cut out of the question, so that "ten minutes" does not disturb the search.
"""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Callable

from engine.agent.schema import TimeRange

BEFORE_POINT = 30.0
AFTER_POINT = 60.0
"""Seconds read around a point in time: people name a moment a little late or early."""

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"a": 1, "an": 1, "half": 0.5, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}

_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5}
_ORDINALS = {
    "first": 0,
    "opening": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "last": -1,
    "final": -1,
}

_NUMBER = r"(?:\d+(?:\.\d+)?|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + ")"
_UNIT = r"(?:hours?|hrs?|h|minutes?|mins?|min|seconds?|secs?|sec)(?!\w)"
_CLOCK = r"(?:\d{1,2}:)?\d{1,3}:\d{2}"
_AMOUNT = rf"{_NUMBER}(?:\s+and\s+a\s+half)?[\s-]+{_UNIT}"
_POINT = (
    rf"(?:{_CLOCK}|(?:the\s+)?(?:minute|min)\s+{_NUMBER}|(?:the\s+)?\d+(?:st|nd|rd|th)\s+minute"
    rf"|half\s+an\s+hour|(?:the\s+)?{_AMOUNT}(?:[\s-]+mark)?)"
)
_IN_MEETING = (
    r"(?:\s+(?:in|into|of|through)(?:\s+(?:the|this)\s+(?:meeting|recording|call|talk))?)?"
)


def _number(text: str) -> float:
    text = text.strip().lower()
    return float(NUMBER_WORDS[text]) if text in NUMBER_WORDS else float(text)


def _amount_seconds(text: str) -> float:
    match = re.search(rf"({_NUMBER})(\s+and\s+a\s+half)?[\s-]+({_UNIT})", text, re.I)
    assert match is not None
    value = _number(match[1]) + (0.5 if match[2] else 0.0)
    return value * _UNIT_SECONDS[match[3][0].lower()]


def point_seconds(text: str) -> float:
    """Read one point: ``15:00``, ``1:02:03``, ``minute 25``, ``30-minute mark``, ``half an hour``.

    Raises:
        ValueError: It is none of these.
    """
    text = text.strip().lower()
    if clock := re.fullmatch(_CLOCK, text):
        seconds = 0.0
        for part in clock[0].split(":"):
            seconds = seconds * 60 + float(part)
        return seconds
    if "half an hour" in text:
        return 1800.0
    if minute := re.search(rf"(?:minute|min)\s+({_NUMBER})$", text):
        return _number(minute[1]) * 60
    if ordinal := re.search(r"(\d+)(?:st|nd|rd|th)\s+minute", text):
        return (float(ordinal[1]) - 1) * 60
    if re.search(_AMOUNT, text):
        return _amount_seconds(text)
    raise ValueError(f"not a point in time: {text!r}")


def _around(seconds: float) -> tuple[float, float]:
    return max(0.0, seconds - BEFORE_POINT), seconds + AFTER_POINT


def _between(match: re.Match[str], duration: float) -> tuple[float, float]:
    first, second = match["a"], match["b"]
    if re.fullmatch(_NUMBER, first.strip(), re.I):
        # "between 10 and 20 minutes": the unit stands with the second number only.
        unit = re.search(_UNIT, second, re.I)
        first = f"{first} {unit[0] if unit else 'minutes'}"
    if re.fullmatch(_NUMBER, second.strip(), re.I):
        second = f"minute {second}"
    return tuple(sorted((point_seconds(first), point_seconds(second))))  # type: ignore[return-value]


def _edge(match: re.Match[str], duration: float) -> tuple[float, float]:
    amount = match["amount"]
    seconds = _amount_seconds(amount if re.search(_AMOUNT, amount, re.I) else f"one {amount}")
    is_first = match["edge"].lower() in ("first", "opening", "initial")
    return (0.0, seconds) if is_first else (max(0.0, duration - seconds), duration)


def _fraction(match: re.Match[str], duration: float) -> tuple[float, float]:
    n = _PARTS[match["part"].lower()]
    k = _ORDINALS[match["ordinal"].lower()] % n
    return duration * k / n, duration * (k + 1) / n


def _position(match: re.Match[str], duration: float) -> tuple[float, float]:
    place = match["place"].lower()
    if place in ("middle", "halfway"):
        return duration * 0.4, duration * 0.6
    if place in ("end", "close", "ending"):
        return max(0.0, duration - max(120.0, duration * 0.1)), duration
    return 0.0, max(120.0, duration * 0.1)


def _side(match: re.Match[str], duration: float) -> tuple[float, float]:
    seconds = point_seconds(match["point"])
    is_before = match["side"].lower() in ("before", "until", "till", "up to", "prior to")
    return (0.0, seconds) if is_before else (seconds, max(duration, seconds))


def match_point(match: re.Match[str]) -> float:
    """The moment a phrase names."""
    return point_seconds(match["point"])


def _at(match: re.Match[str], duration: float) -> tuple[float, float]:
    return _around(point_seconds(match["point"]))


_RULES: tuple[tuple[str, Callable[[re.Match[str], float], tuple[float, float]]], ...] = (
    (
        rf"\b(?:between|from)\s+(?P<a>{_POINT}|{_NUMBER})\s+(?:and|to|until)\s+(?P<b>{_POINT})"
        rf"{_IN_MEETING}",
        _between,
    ),
    (
        rf"\b(?:between|from)\s+(?P<a>(?:the\s+)?(?:minutes?)\s+{_NUMBER})\s+(?:and|to|until)\s+"
        rf"(?P<b>{_NUMBER})\b",
        _between,
    ),
    (
        rf"\b(?:in|during|within|over|for)?\s*(?:the\s+)?(?:very\s+)?(?P<edge>first|opening|initial|"
        rf"last|final|closing)\s+(?P<amount>{_AMOUNT}|minute|hour){_IN_MEETING}",
        _edge,
    ),
    (
        r"\b(?:in|during|over)\s+the\s+(?P<ordinal>first|second|third|fourth|last|final)\s+"
        rf"(?P<part>half|third|quarter|fifth){_IN_MEETING}",
        _fraction,
    ),
    (
        r"\b(?:at|in|towards?|near|around|right at)\s+the\s+(?:very\s+)?(?P<place>beginning|start|"
        r"opening|end|close|ending|middle)(?:\s+of\s+(?:the|this)\s+(?:meeting|recording|call))?"
        r"(?=\s*[?.,]|\s*$|\s+(?:did|was|were|who|what|why|how))",
        _position,
    ),
    (
        rf"\b(?P<side>before|after|until|till|up\s+to|prior\s+to|since)\s+(?P<point>{_POINT})"
        rf"{_IN_MEETING}",
        _side,
    ),
    (
        rf"\b(?:at|around|about|near|by|in)\s+(?:about\s+|around\s+|approximately\s+)?"
        rf"(?P<point>{_POINT}){_IN_MEETING}",
        _at,
    ),
    (rf"\b(?P<point>{_AMOUNT}|half\s+an\s+hour)\s+(?:in|into)\b(?:\s+the\s+\w+)?", _at),
    (rf"(?P<point>{_CLOCK})", _at),
)


def parse_time(question: str, duration: float) -> tuple[TimeRange | None, str]:
    """Find the stretch of time a question names.

    Args:
        question: Any text.
        duration: Of the meeting, seconds.

    Returns:
        The stretch (None when none is named) and the question without the phrase. A stretch that
        begins after the meeting ends is marked, so that it is answered as such.
    """
    for pattern, read in _RULES:
        match = re.search(pattern, question, re.I)
        if match is None:
            continue
        # "by 5 minutes", "for ten minutes of silence" are amounts, not places.
        try:
            start, end = read(match, duration)
        except (ValueError, KeyError):
            continue
        point = match_point(match) if read is _at else start
        phrase = match[0].strip()
        rest = (question[: match.start()] + " " + question[match.end() :]).strip()
        rest = re.sub(r"\s+([?.,!])", r"\1", re.sub(r"\s{2,}", " ", rest))
        is_past = duration > 0 and point > duration
        if not is_past:
            end = min(end, max(duration, start))
        exact = match_point(match) if read is _at else None
        return TimeRange(start, end, phrase, is_past, exact), rest
    return None, question


def clock(seconds: float) -> str:
    """Show a time as ``m:ss`` or ``h:mm:ss``."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, second = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{second:02d}" if hours else f"{minutes}:{second:02d}"
