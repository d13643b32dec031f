"""Answers that are computed, not written: counts, firsts and lasts, orders, times, shares.

Every function returns a draft whose citations are what was counted, or None when the question is
better searched for. The words are ours, so nothing in them needs a model's good will.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.agent.corpus import Corpus
from engine.agent.evidence import as_evidence
from engine.agent.execute import Found
from engine.agent.locate import event_rows, literal_rows, mention_rows, stretch_of
from engine.agent.schema import AnswerForm, Claim, Draft, Intent, Operation
from engine.agent.times import clock
from engine.embed import Embedder
from engine.types import Cue

MOST_SHOWN = 12
"""Moments cited for one count at most; the number itself counts all."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a computation works on.

    Attributes:
        intent: The question.
        corpus: The meetings.
        found: What the counting plan returned: filtered by time, speaker, sound.
        embedder: Finds a topic that is not said in its own words.
    """

    intent: Intent
    corpus: Corpus
    found: Sequence[Found]
    embedder: Embedder

    @property
    def rows(self) -> list[int]:
        """Rows inside the time asked about, by anybody."""
        time = self.intent.time
        every = range(len(self.corpus))
        if time is None:
            return list(every)
        return [
            r for r in every if self.corpus.end[r] > time.start and self.corpus.start[r] < time.end
        ]

    @property
    def own_rows(self) -> list[int]:
        """Of these, what the speakers asked about say; everybody's when none is named."""
        ids = self.intent.speaker_ids
        rows = self.rows
        return [r for r in rows if self.corpus.utterances[r].speaker_id in ids] if ids else rows


def compute(scene: Scene) -> Draft | None:
    """Answer a structural question exactly, or None when it is not one."""
    function = _FUNCTIONS.get(scene.intent.operation)
    return function(scene) if function else None


def draft(scene: Scene, text: str, rows: Sequence[int]) -> Draft:
    """A draft of one computed sentence that rests on rows."""
    shown = sorted(rows)[:MOST_SHOWN]
    paths = {item.row: item for item in scene.found}
    evidence = tuple(
        as_evidence(scene.corpus, paths.get(row, Found(row, 1.0, (scene.intent.operation.value,))))
        for row in shown
    )
    return Draft((Claim(text, tuple(range(len(shown)))),), evidence, is_computed=True)


def nothing(scene: Scene, text: str) -> Draft:
    """An abstention with its reason."""
    return Draft((), (), is_abstention=True, reason=text, is_computed=True)


def _who(scene: Scene) -> str:
    return " and ".join(dict.fromkeys(scene.intent.speakers))


def _quote(scene: Scene, row: int, longest: int = 25) -> str:
    tokens = scene.corpus.utterances[row].text.split()
    return "“" + " ".join(tokens[:longest]) + ("…”" if len(tokens) > longest else "”")


def _name(scene: Scene, row: int) -> str:
    return scene.corpus.utterances[row].speaker or "somebody"


def _at(scene: Scene, row: int) -> str:
    return clock(float(scene.corpus.start[row]))


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def _count_word(scene: Scene) -> Draft | None:
    target = scene.intent.target
    counted = literal_rows(scene.corpus, scene.own_rows, target)
    if not counted and len(target.split()) > 3:
        return None
    total = sum(n for _, n in counted)
    who = f" by {_who(scene)}" if scene.intent.speakers else ""
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
    who = _who(scene) or "All together"
    return draft(scene, f"{who} spoke {len(turns)} times.", turns)


def _count_events(scene: Scene) -> Draft | None:
    events = _events(scene)
    label = " or ".join(scene.intent.events)
    rows = [row for row, _ in events]
    return draft(
        scene,
        f"There are {len(events)} moments of {label}."
        if len(events) != 1
        else f"There is 1 moment of {label}.",
        rows,
    )


def _events(scene: Scene) -> list[tuple[int, float]]:
    """(nearest row, time) of each sound asked for."""
    corpus, time, ids = scene.corpus, scene.intent.time, scene.intent.speaker_ids
    return [
        (row, at)
        for row, at in event_rows(corpus, scene.intent.events)
        if (time is None or time.start <= at <= time.end)
        and (not ids or corpus.utterances[row].speaker_id in ids)
    ]


def _count_cue(scene: Scene) -> Draft | None:
    rows = [item.row for item in scene.found if _has_cue(scene, item.row)]
    cue = scene.intent.cues[0].value.replace("_", " ")
    who = f"{_who(scene)}: " if scene.intent.speakers else ""
    return draft(scene, f"{who}{len(rows)} moments with {cue}.", rows)


def _has_cue(scene: Scene, row: int) -> bool:
    acoustics = scene.corpus.utterances[row].acoustics
    return acoustics is not None and any(cue in acoustics.cues for cue in scene.intent.cues)


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
        f"{_name(scene, row)}{what} {place}, at {_at(scene, row)}: {_quote(scene, row)}.",
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
        return draft(scene, f"{name} says “{target}” most often, {_times(int(amount))}.", rows)
    longest = sorted(own, key=lambda r: corpus.start[r] - corpus.end[r])[:3]
    how = "most" if is_most else "least"
    others = ", ".join(f"{other} {clock(seconds)}" for other, seconds in ranked[1:MOST_NAMED])
    more = f"; then {others}" if others else ""
    return draft(
        scene,
        f"{name} speaks {how}, {clock(amount)} of {clock(sum(totals.values()))}{more}.",
        longest,
    )


def _who_cue(scene: Scene) -> Draft | None:
    rows = [item.row for item in scene.found if _has_cue(scene, item.row)]
    rows = rows or [item.row for item in scene.found[:1]]
    if not rows:
        return nothing(scene, "nothing was measured that sounded so")
    counts = Counter(_name(scene, row) for row in rows)
    name, n = counts.most_common(1)[0]
    cue = scene.intent.cues[0].value.replace("_", " ")
    if "est" in scene.intent.question.split("loud")[-1][:3]:
        row = max(rows, key=lambda r: _loudness(scene, r))
        return draft(
            scene,
            f"{_name(scene, row)} is loudest, at {_at(scene, row)}: {_quote(scene, row)}.",
            [row],
        )
    own = [row for row in rows if _name(scene, row) == name]
    others = ", ".join(f"{other} {_times(k)}" for other, k in counts.most_common()[1:])
    more = f" (also {others})" if others else ""
    return draft(scene, f"{name}: {cue} {_times(n)}{more}.", own)


def _cue_moment(scene: Scene) -> Draft | None:
    """When it sounded so; why it did is for the model to read from what was said around it."""
    if scene.intent.is_why or (
        scene.intent.form is not AnswerForm.TIME and "moment" not in scene.intent.question
    ):
        return None
    rows = [item.row for item in scene.found if _has_cue(scene, item.row)]
    if not rows:
        return nothing(scene, "nothing was measured that sounded so")
    row = max(rows, key=lambda r: _loudness(scene, r)) if Cue.LOUD in scene.intent.cues else rows[0]
    note = as_evidence(scene.corpus, Found(row, 1.0, ())).note
    return draft(
        scene, f"At {_at(scene, row)}: {_name(scene, row)} ({note}), {_quote(scene, row)}.", [row]
    )


def _loudness(scene: Scene, row: int) -> float:
    acoustics = scene.corpus.utterances[row].acoustics
    return acoustics.loudness_db if acoustics else -100.0


def _mentioners(scene: Scene) -> Draft | None:
    firsts: dict[str, int] = {}
    for row in mention_rows(scene.corpus, scene.rows, scene.intent.target):
        firsts.setdefault(_name(scene, row), row)
    if not firsts:
        return None
    return draft(
        scene, f"{', '.join(firsts)} mentioned {scene.intent.target}.", list(firsts.values())
    )


def _when(scene: Scene) -> Draft | None:
    target, is_last = scene.intent.target, scene.intent.operation is Operation.WHEN_LAST
    rows = mention_rows(scene.corpus, scene.own_rows, target, scene.embedder)
    if not rows:
        who = _who(scene) or "anybody"
        return nothing(scene, f"nothing that {who} says is about {target}")
    if "discussion" in scene.intent.question.lower() and not is_last:
        stretch = stretch_of(scene.corpus, scene.own_rows, target, scene.embedder)
        rows = list(stretch) or rows
    row = rows[-1] if is_last else rows[0]
    place = "last" if is_last else "first"
    return draft(
        scene,
        f"At {_at(scene, row)}, where {_name(scene, row)} {place} speaks of {target}: "
        f"{_quote(scene, row)}.",
        [row],
    )


def _when_event(scene: Scene) -> Draft | None:
    events = _events(scene)
    label = " or ".join(scene.intent.events)
    if not events:
        return nothing(scene, f"no {label} was heard")
    times = ", ".join(clock(at) for _, at in events[:MOST_SHOWN])
    return draft(scene, f"{label.capitalize()} is heard at {times}.", [row for row, _ in events])


def _order(scene: Scene) -> Draft | None:
    places: dict[str, int] = {}
    for item in scene.intent.items:
        rows = mention_rows(scene.corpus, scene.own_rows, item, scene.embedder)
        if not rows:
            return nothing(scene, f"nothing is said about {item}")
        places[item] = rows[0]
    ranked = sorted(places, key=lambda item: places[item])
    side = scene.intent.target
    detail = ", then ".join(f"{item} at {_at(scene, places[item])}" for item in ranked)
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
        f"{_who(scene)} speaks for {clock(seconds)} ({seconds:.0f} seconds), "
        f"in {len(rows)} utterances.",
        longest,
    )


def _duration(scene: Scene) -> Draft | None:
    rows = [0, len(scene.corpus) - 1] if len(scene.corpus) else []
    return draft(scene, f"The meeting lasts {clock(scene.corpus.duration)}.", rows)


def _speakers(scene: Scene) -> Draft | None:
    firsts: dict[str, int] = {}
    for row in scene.rows:
        firsts.setdefault(_name(scene, row), row)
    return draft(scene, f"{len(firsts)} people speak: {', '.join(firsts)}.", list(firsts.values()))


_FUNCTIONS: dict[Operation, Callable[[Scene], Draft | None]] = {
    Operation.COUNT_WORD: _count_word,
    Operation.COUNT_SPEAKERS: _count_speakers,
    Operation.COUNT_TURNS: _count_turns,
    Operation.COUNT_EVENTS: _count_events,
    Operation.COUNT_CUE: _count_cue,
    Operation.WHO_FIRST: _edge_speaker,
    Operation.WHO_LAST: _edge_speaker,
    Operation.WHO_MOST: _extreme_speaker,
    Operation.WHO_LEAST: _extreme_speaker,
    Operation.WHO_CUE: _who_cue,
    Operation.CUE_MOMENT: _cue_moment,
    Operation.WHO_MENTIONED: _mentioners,
    Operation.WHEN: _when,
    Operation.WHEN_LAST: _when,
    Operation.WHEN_EVENT: _when_event,
    Operation.ORDER: _order,
    Operation.TALK_TIME: _talk_time,
    Operation.DURATION: _duration,
    Operation.SPEAKERS: _speakers,
}
