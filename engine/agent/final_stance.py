"""Where somebody stands in the end: "did Ann support the plan at last?".

Who changed their mind has said both, and either line alone would bear out an answer. So the last
line counts in which the person takes a side on the matter, and it is read for which side.
"""

from __future__ import annotations

import re

from engine.agent.locate import mention_rows
from engine.agent.operations import clean_target
from engine.agent.scene import Scene, asked_about, clock_of, draft, quote
from engine.agent.schema import Draft, Roster
from engine.agent.speakers import find_speakers
from engine.agent.words import WHETHER, fold, on_one_line

_END = r"(?:(?:in|at|by) the end|at last|finally|eventually|ultimately|after all|now|still)"
_PRO = r"(?:support|back|approve of|agree (?:with|to)|like|favou?r|accept|want|for|in favou?r of)"
_CONTRA = r"(?:oppose|reject|dislike|refuse|disagree with|object to|against|opposed to)"
_QUESTION = re.compile(
    rf"{WHETHER} (?P<by>.{{1,40}}?) (?:(?P<end>{_END}) )?(?:(?P<pro>{_PRO})|{_CONTRA}) "
    rf"(?P<x>.+?)(?: (?P<late>{_END}))?$",
    re.I,
)
_SIDE = re.compile(
    r"(?P<contra>\b(?:against|oppos\w+|reject\w*|disagree\w*|refuse\w*|object to|bad idea|"
    r"(?:not|never|no longer|cannot|can't|don't|won't|wouldn't) (?:\w+ )?"
    r"(?:support|agree|like|want|accept|approve|back|convinced|for it|in favou?r))\b)|"
    r"(?P<pro>\b(?:support\w*|in favou?r|all for|(?:am|'m|are|'re) for|agree\w*|approv\w+|"
    r"accept\w*|(?:i|we)(?: do| really)? (?:like|want|back)|good idea|convinced)\b)"
)


def parse_final_stance(question: str, roster: Roster) -> tuple[tuple[str, ...], str] | None:
    """(who, on what) of a question about somebody's final stance; None for any other.

    Args:
        question: Whole: its end may look like a time.
        roster: Who speaks.
    """
    match = _read(question)
    if match is None:
        return None
    named = find_speakers(match["by"], roster)
    who = named.speakers + named.mentioned
    return (who, clean_target(match["x"])) if who else None


def _read(question: str) -> re.Match[str] | None:
    match = _QUESTION.fullmatch(on_one_line(question))
    return match if match and (match["end"] or match["late"]) else None


def final_stance(scene: Scene) -> Draft | None:
    """Yes or no by the last line in which the person takes a side, or None without one."""
    match = _read(scene.intent.question)
    rows = mention_rows(scene.corpus, scene.own_rows, scene.intent.target)
    sides = {row: is_for for row in rows if (is_for := _is_for(scene, row)) is not None}
    if match is None or not sides:
        return None
    last = max(sides)
    word = "Yes" if sides[last] == bool(match["pro"]) else "No"
    who = asked_about(scene)
    text = f"{word}. At {clock_of(scene, last)} {who} says of it at last: {quote(scene, last)}."
    return draft(scene, text, [last])


def _is_for(scene: Scene, row: int) -> bool | None:
    """The side that a line takes in the end; None when it takes none."""
    found = list(_SIDE.finditer(fold(scene.corpus.utterances[row].text)))
    return found[-1]["pro"] is not None if found else None
