"""Computed lists: what dates, sums and names were named, and what was asked."""

from __future__ import annotations

import re
from collections import Counter

from engine.agent.scene import (
    MOST_SHOWN,
    Scene,
    asked_about,
    by_whom,
    clock_of,
    draft,
    name_of,
    nothing,
    times,
    told,
)
from engine.agent.schema import AnswerForm, Draft
from engine.graph.entities import find_entities

_WORDS = {"money": "sum of money", "speaker": ""}  # of the other kinds: the kind itself
_MOST_QUOTED = 5


def named(scene: Scene) -> Draft | None:
    """What of some kinds was named, in the order of its first mention, each with its moments."""
    rows, kinds = scene.own_rows, scene.intent.items
    found = find_entities([scene.corpus.utterances[row] for row in rows])
    # A Thursday has a capital too.
    dates = " ".join(name.casefold() for name, kind in found if kind == "date")
    places = {
        name.casefold(): (name, [rows[i] for i in indices])
        for (name, kind), indices in found.items()
        if kind in kinds and not (kind == "name" and name.casefold() in dates)
    }
    if not places:
        words = " and no ".join(word for kind in kinds if (word := _WORDS.get(kind, kind)))
        return nothing(scene, f"no {words} is named{by_whom(scene)}")
    in_order = sorted(places.values(), key=lambda place: place[1][0])
    parts = [
        f"{_as_said(scene, name, own[0])} ({', '.join(clock_of(scene, row) for row in own[:3])}"
        f"{', …' if len(own) > 3 else ''})"
        for name, own in in_order[:MOST_SHOWN]
    ]
    more = f", and {len(in_order) - len(parts)} more" if len(in_order) > len(parts) else ""
    firsts = list(dict.fromkeys(own[0] for _, own in in_order[:MOST_SHOWN]))
    return draft(scene, f"In the order in which they come up: {', '.join(parts)}{more}.", firsts)


def _as_said(scene: Scene, name: str, row: int) -> str:
    """A name as the row has it: lists are kept in small letters."""
    pattern = r"\s+".join(map(re.escape, name.split()))
    match = re.search(pattern, scene.corpus.utterances[row].text, re.I)
    return match[0] if match else name


def questions(scene: Scene) -> Draft | None:
    """How many questions were asked, by whom, or which; counted by their marks."""
    counts = {
        row: n
        for row in scene.own_rows
        if (n := len(re.findall(r"[?？]", scene.corpus.utterances[row].text)))
    }
    if not counts:
        return nothing(scene, f"no question is asked{by_whom(scene)}")
    total, rows = sum(counts.values()), sorted(counts)
    by = Counter({name_of(scene, row): 0 for row in scene.own_rows})
    for row, n in counts.items():
        by[name_of(scene, row)] += n
    in_order = by.most_common()
    if "least" in scene.intent.items:
        in_order.reverse()
    shares = ", ".join(f"{name} {n}" for name, n in in_order)
    if scene.intent.items:
        own = [row for row in rows if name_of(scene, row) == in_order[0][0]]
        return draft(scene, f"Of {total} questions: {shares}.", own or rows)
    if scene.intent.form is AnswerForm.NUMBER:
        who = f"{asked_about(scene)} asks" if scene.intent.speakers else "They ask"
        word = "question" if total == 1 else "questions"
        shared = f": {shares}" if len(by) > 1 else ""
        return draft(scene, f"{who} {total} {word}{shared}.", rows)
    shown = rows[:_MOST_QUOTED]
    more = f"; and {times(len(rows) - _MOST_QUOTED)} more" if len(rows) > _MOST_QUOTED else ""
    return draft(scene, f"{told(scene, shown)}{more}.", shown)
