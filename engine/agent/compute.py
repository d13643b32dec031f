"""Answers that are computed, not written: counts, firsts and lasts, orders, times, shares.

Every function returns a draft whose citations are what was counted, or None when the question is
better searched for. The words are ours, so nothing in them needs a model's good will.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from engine.agent.compute_lists import named, questions
from engine.agent.compute_replies import replied
from engine.agent.compute_sound import SOUND_FUNCTIONS
from engine.agent.final_stance import final_stance
from engine.agent.locate import literal_rows, mention_rows, stretch_of
from engine.agent.scene import (
    Scene,
    asked_about,
    by_whom,
    clock_of,
    draft,
    first_of_each,
    name_of,
    nothing,
    quote,
    times,
    told,
)
from engine.agent.schema import AnswerForm, Draft, Operation
from engine.agent.times import clock


def compute(scene: Scene) -> Draft | None:
    """Answer a structural question exactly, or None when it is not one."""
    function = _FUNCTIONS.get(scene.intent.operation)
    return function(scene) if function else None


def _count_word(scene: Scene) -> Draft | None:
    target = scene.intent.target
    counted = literal_rows(scene.corpus, scene.own_rows, target)
    if not counted and len(target.split()) > 3:
        return None
    total = sum(n for _, n in counted)
    who = by_whom(scene)
    if not total:
        return draft(scene, f"0 times: “{target}” is never said{who}.", [])
    moments = f", in {len(counted)} moments" if len(counted) not in (1, total) else ""
    times = f"{total} time" + ("s" if total != 1 else "")
    return draft(scene, f"“{target}” is said {times}{who}{moments}.", [row for row, _ in counted])


def _count_speakers(scene: Scene) -> Draft | None:
    target, rows = scene.intent.target, scene.rows
    if target:
        rows = mention_rows(scene.corpus, rows, target)
    firsts: dict[str, int] = {}
    for row in rows:
        firsts.setdefault(scene.corpus.utterances[row].speaker, row)
    firsts.pop("", None)
    if not firsts:
        return nothing(scene, f"nobody speaks of {target}" if target else "nobody speaks")
    names = ", ".join(firsts)
    verb = f"mention {target}" if target else "speak"
    if len(firsts) == 1:
        verb = f"mentions {target}" if target else "speaks"
    people = "person" if len(firsts) == 1 else "people"
    return draft(scene, f"{len(firsts)} {people} {verb}: {names}.", list(firsts.values()))


def _count_turns(scene: Scene) -> Draft | None:
    rows = scene.own_rows
    turns = [
        r for i, r in enumerate(rows) if i == 0 or rows[i - 1] != r - 1 or not scene.intent.speakers
    ]
    who = asked_about(scene) or "All together"
    return draft(scene, f"{who} spoke {len(turns)} times.", turns)


def _edge_speaker(scene: Scene) -> Draft | None:
    target = scene.intent.target
    is_first = scene.intent.operation is Operation.WHO_FIRST
    rows = mention_rows(scene.corpus, scene.rows, target) if target else scene.rows
    if not rows:
        return None
    row = rows[0] if is_first else rows[-1]
    what = f" mentions {target}" if target else " speaks"
    place = "first" if is_first else "last"
    return draft(
        scene,
        f"{name_of(scene, row)}{what} {place}, at {clock_of(scene, row)}: {quote(scene, row)}.",
        [row],
    )


MOST_NAMED = 6
"""Speakers named in an answer about who speaks most or least."""


def _extreme_speaker(scene: Scene) -> Draft | None:
    corpus, target = scene.corpus, scene.intent.target
    totals: dict[str, float] = defaultdict(float)
    for row in scene.rows:
        name = corpus.utterances[row].speaker
        if name and not target:
            totals[name] += corpus.end[row] - corpus.start[row]
    if target:
        for row, n in literal_rows(corpus, scene.rows, target):
            totals[corpus.utterances[row].speaker] += n
    if not totals:
        return None
    is_most = scene.intent.operation is Operation.WHO_MOST
    ranked = sorted(totals.items(), key=lambda item: -item[1] if is_most else item[1])
    name, amount = ranked[0]
    own = [r for r in scene.rows if corpus.utterances[r].speaker == name]
    if target:
        rows = [r for r, _ in literal_rows(corpus, own, target)]
        return draft(scene, f"{name} says “{target}” most often, {times(int(amount))}.", rows)
    longest = sorted(own, key=lambda r: corpus.start[r] - corpus.end[r])[:3]
    how = "most" if is_most else "least"
    others = ", ".join(f"{other} {clock(seconds)}" for other, seconds in ranked[1:MOST_NAMED])
    more = f"; then {others}" if others else ""
    return draft(
        scene,
        f"{name} speaks {how}, {clock(amount)} of {clock(sum(totals.values()))}{more}.",
        longest,
    )


def _mentioners(scene: Scene) -> Draft | None:
    firsts = first_of_each(scene, mention_rows(scene.corpus, scene.rows, scene.intent.target))
    if not firsts:
        return None
    return draft(
        scene, f"{', '.join(firsts)} mentioned {scene.intent.target}.", list(firsts.values())
    )


def _when(scene: Scene) -> Draft | None:
    target, is_last = scene.intent.target, scene.intent.operation is Operation.WHEN_LAST
    rows = mention_rows(scene.corpus, scene.own_rows, target, scene.embedder)
    if not rows:
        who = asked_about(scene) or "anybody"
        return nothing(scene, f"nothing that {who} says is about {target}")
    if "discussion" in scene.intent.question.lower() and not is_last:
        stretch = stretch_of(scene.corpus, scene.own_rows, target, scene.embedder)
        rows = list(stretch) or rows
    row = rows[-1] if is_last else rows[0]
    place = "last" if is_last else "first"
    return draft(
        scene,
        f"At {clock_of(scene, row)}, where {name_of(scene, row)} {place} speaks of {target}: "
        f"{quote(scene, row)}.",
        [row],
    )


def _order(scene: Scene) -> Draft | None:
    places: dict[str, int] = {}
    for item in scene.intent.items:
        rows = mention_rows(scene.corpus, scene.own_rows, item, scene.embedder)
        if not rows:
            return nothing(scene, f"nothing is said about {item}")
        places[item] = rows[0]
    ranked = sorted(places, key=lambda item: places[item])
    side = scene.intent.target
    detail = ", then ".join(f"{item} at {clock_of(scene, places[item])}" for item in ranked)
    if scene.intent.form is AnswerForm.YES_NO and len(scene.intent.items) == 2:
        a, b = (places[item] for item in scene.intent.items)
        is_so = a < b if side == "before" else a > b
        return draft(scene, f"{'Yes' if is_so else 'No'}: {detail}.", list(places.values()))
    if side in ("first", "last"):
        chosen = ranked[0] if side == "first" else ranked[-1]
        return draft(
            scene, f"{chosen[0].upper()}{chosen[1:]} came {side}: {detail}.", list(places.values())
        )
    return draft(scene, f"In this order: {', '.join(ranked)} ({detail}).", list(places.values()))


def _talk_time(scene: Scene) -> Draft | None:
    if not scene.intent.speakers:
        return None
    rows = scene.own_rows
    seconds = float(sum(scene.corpus.end[r] - scene.corpus.start[r] for r in rows))
    longest = sorted(rows, key=lambda r: scene.corpus.start[r] - scene.corpus.end[r])[:3]
    return draft(
        scene,
        f"{asked_about(scene)} speaks for {clock(seconds)} ({seconds:.0f} seconds), "
        f"in {len(rows)} utterances.",
        longest,
    )


def _topic_time(scene: Scene) -> Draft | None:
    """How long a topic is talked about at a stretch; None where it is only touched."""
    target = scene.intent.target
    stretch = list(stretch_of(scene.corpus, scene.own_rows, target, scene.embedder))
    if not stretch:
        return None
    seconds = float(scene.corpus.end[stretch[-1]] - scene.corpus.start[stretch[0]])
    text = (
        f"About {clock(seconds)}: {target} is talked about from {clock_of(scene, stretch[0])} to "
        f"{clock(float(scene.corpus.end[stretch[-1]]))}, {len(stretch)} utterances."
    )
    return draft(scene, text, [stretch[0], stretch[-1]])


_AT_AN_EDGE = 3


def _edge(scene: Scene) -> Draft | None:
    """What is said first or last, without the words of one breath."""
    rows = [row for row in scene.own_rows if scene.corpus.n_words[row] > 1] or scene.own_rows
    shown = rows[:_AT_AN_EDGE] if "first" in scene.intent.items else rows[-_AT_AN_EDGE:]
    if not shown:
        return nothing(scene, "nothing is said")
    return draft(scene, f"{told(scene, shown)}.", shown)


def _duration(scene: Scene) -> Draft | None:
    rows = [0, len(scene.corpus) - 1] if len(scene.corpus) else []
    return draft(scene, f"The meeting lasts {clock(scene.corpus.duration)}.", rows)


def _speakers(scene: Scene) -> Draft | None:
    firsts = first_of_each(scene, scene.rows)
    return draft(scene, f"{len(firsts)} people speak: {', '.join(firsts)}.", list(firsts.values()))


_FUNCTIONS: dict[Operation, Callable[[Scene], Draft | None]] = {
    **SOUND_FUNCTIONS,
    Operation.COUNT_WORD: _count_word,
    Operation.COUNT_SPEAKERS: _count_speakers,
    Operation.COUNT_TURNS: _count_turns,
    Operation.WHO_FIRST: _edge_speaker,
    Operation.WHO_LAST: _edge_speaker,
    Operation.WHO_MOST: _extreme_speaker,
    Operation.WHO_LEAST: _extreme_speaker,
    Operation.WHO_MENTIONED: _mentioners,
    Operation.WHEN: _when,
    Operation.WHEN_LAST: _when,
    Operation.ORDER: _order,
    Operation.TALK_TIME: _talk_time,
    Operation.DURATION: _duration,
    Operation.SPEAKERS: _speakers,
    Operation.NAMED: named,
    Operation.EDGE: _edge,
    Operation.TOPIC_TIME: _topic_time,
    Operation.QUESTIONS: questions,
    Operation.REPLY: replied,
    Operation.FINAL_STANCE: final_stance,
}
