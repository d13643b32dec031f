"""Which words of two texts differ, for showing them beside each other."""

from __future__ import annotations

import difflib
from html import escape

Piece = tuple[str, bool]
"""Words that stand together, and whether the other text has them not."""


def word_difference(then: str, now: str) -> tuple[list[Piece], list[Piece]]:
    """Cut two texts into pieces that both have and pieces that only one has."""
    before, after = then.split(" "), now.split(" ")
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    old: list[Piece] = []
    new: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if a < b:
            old.append((" ".join(before[a:b]), kind != "equal"))
        if c < d:
            new.append((" ".join(after[c:d]), kind != "equal"))
    return old, new


def as_html(pieces: list[Piece], colour: str, *, is_struck: bool) -> str:
    """Write pieces down; what only this text has stands out by colour and by a line."""
    line = "line-through" if is_struck else "underline"
    written = []
    for text, is_own in pieces:
        safe = escape(text).replace("\n", "<br>")
        style = f"color:{colour}; text-decoration:{line}"
        written.append(f'<span style="{style}">{safe}</span>' if is_own else safe)
    return " ".join(written)
