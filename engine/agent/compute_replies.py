"""What was answered to something: found by the reply edges, told in both sides' own words."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.agent.execute import Found
from engine.agent.locate import mention_rows
from engine.agent.scene import Scene, draft, name_of, quote
from engine.agent.schema import Draft
from engine.agent.words import words
from engine.graph.lexicon import is_back_channel, is_question

MOST_REPLIES = 3
"""People whose reply is told."""

_PROPOSING = re.compile(
    r"\b(?:propos\w+|suggest\w*|could|should|let us|let's|what if|how about|what about|why not|"
    r"idea|plan\w*|we can|want to|would like|going to)\b",
    re.I,
)
_AGAINST = frozenset(
    "no not never against rather instead but cannot can't don't won't doesn't isn't wouldn't "
    "shouldn't too disagree problem worse refuse leave doubt afraid unfortunately however "
    "nobody nothing".split()
)
_FOR = frozenset(
    "yes yeah agree agreed good great fine sure support like love perfect excellent okay ok "
    "exactly absolutely gladly happy definitely nice brilliant".split()
)


def replied(scene: Scene) -> Draft | None:
    """Tell the reply that is asked for, or None when no link leads to one."""
    exchange = scene.intent.exchange
    if exchange is None:
        return None
    origins = {item.row: _origin(scene, item) for item in scene.found}
    said = mention_rows(scene.corpus, sorted(set(origins.values())), scene.intent.target)
    is_move = is_question if exchange.is_question else _proposes
    moves = [row for row in said if is_move(scene.corpus.utterances[row].text)] or said
    if not moves:
        return None
    ids = scene.intent.speaker_ids
    rows = [
        row
        for row in sorted(origins)
        if origins[row] in moves and (not ids or scene.corpus.utterances[row].speaker_id in ids)
    ]
    rows = _telling(scene, rows)
    if exchange.side:
        rows = [row for row in rows if _takes(exchange.side, _text(scene, row))] or rows
    if not rows:
        return None
    # One exchange: the first one of those that the question fits.
    origin = origins[rows[0]]
    firsts: dict[str, int] = {}
    for row in rows:
        if origins[row] == origin:
            firsts.setdefault(name_of(scene, row), row)
    chosen = list(firsts.values())[: 1 if exchange.side or ids else MOST_REPLIES]
    told = ", ".join(f"{name_of(scene, row)} answered: {quote(scene, row, 40)}" for row in chosen)
    text = f"To what {name_of(scene, origin)} said, {quote(scene, origin)}, {told}."
    return draft(scene, text, [origin, *chosen])


def _origin(scene: Scene, item: Found) -> int:
    """The row a walk to a reply began at; its path holds the indices of the meeting."""
    links = [step for step in item.path if "->" in step]
    began = int(links[0].partition("->")[0])
    return item.row - (scene.corpus.utterances[item.row].index - began)


def _telling(scene: Scene, rows: Sequence[int]) -> list[int]:
    """Replies with something in them; those that only say yes or no where there is nothing else."""
    return [row for row in rows if not is_back_channel(_text(scene, row))] or list(rows)


def _takes(side: str, text: str) -> bool:
    """Whether a reply has words that speak for, or against, what it replies to."""
    return bool((_AGAINST if side == "against" else _FOR) & set(words(text)))


def _proposes(text: str) -> bool:
    return _PROPOSING.search(text) is not None


def _text(scene: Scene, row: int) -> str:
    return scene.corpus.utterances[row].text
