"""Names people give themselves: "I am Emma, and I lead the project".

A speaker who says who they are is shown under that name from the start. It stays a suggestion: it
is marked as coming from the recording, and a name the user gives always wins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from engine.types import Utterance

EARLY = 3
"""An introduction stands among this many of a speaker's first utterances."""

# Name: one to three capitalised words in any script that has capitals.
_NAME = r"(?P<name>[^\W\d_a-zà-ÿ][\w'’-]+(?: [^\W\d_a-zà-ÿ][\w'’-]+){0,2})"
_STRONG = re.compile(
    rf"\b(?:[Mm]y name is|[Mm]ein Name ist|[Jj]e m'appelle|[Mm]e llamo|[Jj]menuji se|"
    rf"[Mm]i chiamo|[Ii]ch hei(?:ß|ss)e) {_NAME}"
)
_WEAK = re.compile(
    rf"\b(?:I am|I'm|I’m|[Tt]his is|[Ii]ch bin|[Jj]e suis|[Ss]oy|[Jj]á jsem|[Ss]ono) {_NAME}"
    r"(?= and\b| und\b| et\b| y\b| a\b| from\b| here\b| speaking\b|[,.!?;]|$)"
)
_NEVER_A_NAME = """
Sorry Sure Afraid Glad Happy Okay Ok Not Just The That This Here There English German French
American British Spanish Italian Czech Chinese Yes No Well Fine Good Great So Very Monday Tuesday
Wednesday Thursday Friday Saturday Sunday I
"""
_NOT_NAMES = frozenset(_NEVER_A_NAME.split())


def introduced_names(utterances: Sequence[Utterance]) -> dict[int, tuple[str, int]]:
    """Find who says their own name.

    Args:
        utterances: In order, with speaker ids.

    Returns:
        Speaker id -> (name, index of the utterance that says it). A name that two speakers claim
        goes to neither: one of them was only talking about the other.
    """
    seen: Counter[int] = Counter()
    found: dict[int, tuple[str, int]] = {}
    for utterance in utterances:
        speaker = utterance.speaker_id
        if speaker is None:
            continue
        seen[speaker] += 1
        name = _introduced(utterance.text, is_early=seen[speaker] <= EARLY)
        if name and speaker not in found:
            found[speaker] = (name, utterance.index)
    claims = Counter(name for name, _ in found.values())
    return {speaker: claim for speaker, claim in found.items() if claims[claim[0]] == 1}


def _introduced(text: str, *, is_early: bool) -> str:
    """The name an utterance introduces its speaker by, or ""."""
    match = _STRONG.search(text) or (_WEAK.search(text) if is_early else None)
    if match is None or match["name"].split()[0] in _NOT_NAMES:
        return ""
    return match["name"]
