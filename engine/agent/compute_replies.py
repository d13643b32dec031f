"""What was answered to something: found by the reply edges, told in both sides' own words."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.agent.evidence import excerpt
from engine.agent.execute import Found
from engine.agent.locate import mention_rows
from engine.agent.scene import Scene, draft, first_of_each, name_of, quote
from engine.agent.schema import Claim, Draft, Exchange
from engine.agent.words import stems, words
from engine.graph.lexicon import is_back_channel, is_question

MOST_EXCHANGES = 2
"""Moments told, where a subject was raised more than once in the same way."""

MOST_REPLIES = 3
"""People whose reply to a proposal is told; a question is settled by the first."""

MOVE_WORDS = 25
"""Words told of what was asked or proposed, about."""

_SENTENCE = re.compile(r"[^.!?。？！]+[.!?。？！]*")
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
    answers: dict[int, list[int]] = {}
    n_links: dict[int, int] = {}
    for item in sorted(scene.found, key=lambda item: item.row):
        origin, way = _way(scene, item)
        answers.setdefault(origin, []).append(item.row)
        n_links.setdefault(origin, way)
    said = mention_rows(scene.corpus, sorted(answers), scene.intent.target)
    if not said:
        return None
    fits = {row: _fit(scene, row, exchange.is_question, n_links[row]) for row in said}
    best = [row for row in said if fits[row] == max(fits.values())][:MOST_EXCHANGES]
    chosen = {row: _telling(scene, answers[row], exchange) for row in best}
    rows = [row for origin in best for row in (origin, *chosen[origin])]
    place = {row: i for i, row in enumerate(sorted(rows))}
    told = draft(scene, "", list(place))
    claims = [
        Claim(_told(scene, origin, chosen[origin]), tuple(place[r] for r in (origin, *own)))
        for origin, own in chosen.items()
    ]
    return replace(told, claims=tuple(claims))


def _told(scene: Scene, origin: int, rows: Sequence[int]) -> str:
    """One exchange as a sentence."""
    answers = ", ".join(f"{name_of(scene, row)} answered: {quote(scene, row, 40)}" for row in rows)
    asked = excerpt(_text(scene, origin), scene.intent.terms, MOVE_WORDS)
    end = "" if answers[-2] in ".?!…" else "."
    return f"To what {name_of(scene, origin)} said, “{asked}”, {answers}{end}"


def _fit(scene: Scene, row: int, is_asked: bool, n_links: int) -> tuple[float, ...]:
    """How much of the topic a line asks about (or proposes), and how much of it it holds at all.

    Then the one with the nearest reply fits best, and where none asks or proposes in so many words
    the one that speaks of little else.
    """
    wanted, text = set(stems(scene.intent.target)), _text(scene, row)
    is_move = is_question if is_asked else _PROPOSING.search
    moves = [sentence for sentence in _SENTENCE.findall(text) if is_move(sentence)]
    moved, held = (
        max((len(wanted & set(stems(part))) / max(1, len(wanted)) for part in parts), default=0.0)
        for parts in (moves, [text])
    )
    return moved, held, -n_links, 0.0 if moved else held / (1 + len(stems(text)))


def _way(scene: Scene, item: Found) -> tuple[int, int]:
    """The row a walk to a reply began at, and its number of links.

    The path holds the indices of the meeting.
    """
    links = [step for step in item.path if "->" in step]
    began = int(links[0].partition("->")[0])
    return item.row - (scene.corpus.utterances[item.row].index - began), len(links)


def _telling(scene: Scene, rows: Sequence[int], exchange: Exchange) -> list[int]:
    """The first reply of each person, of those who took the side if one is asked for.

    One that only says yes or no counts where there is nothing else.
    """
    telling = [row for row in rows if not is_back_channel(_text(scene, row))] or rows
    if exchange.side:
        telling = [row for row in telling if _takes(exchange.side, _text(scene, row))] or telling
    return list(first_of_each(scene, telling).values())[
        : 1 if exchange.is_question else MOST_REPLIES
    ]


def _takes(side: str, text: str) -> bool:
    """Whether a reply has words that speak for, or against, what it replies to."""
    return bool((_AGAINST if side == "against" else _FOR) & set(words(text)))


def _text(scene: Scene, row: int) -> str:
    return scene.corpus.utterances[row].text
