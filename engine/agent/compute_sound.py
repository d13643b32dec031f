"""Computed answers about how something sounded: counts, moments and who, of cues and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from engine.agent.evidence import as_evidence
from engine.agent.execute import Found
from engine.agent.locate import event_rows
from engine.agent.scene import (
    MOST_SHOWN,
    Scene,
    asked_about,
    clock_of,
    draft,
    name_of,
    nothing,
    quote,
    times,
)
from engine.agent.schema import AnswerForm, Draft, Operation
from engine.agent.times import clock
from engine.types import Cue


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
    who = f"{asked_about(scene)}: " if scene.intent.speakers else ""
    moments = "1 moment" if len(rows) == 1 else f"{len(rows)} moments"
    places = ", ".join(clock_of(scene, row) for row in sorted(rows)[:MOST_SHOWN])
    where = f", at {places}" if rows else ""
    return draft(scene, f"{who}{moments} with {cue}{where}.", rows)


def _has_cue(scene: Scene, row: int) -> bool:
    acoustics = scene.corpus.utterances[row].acoustics
    return acoustics is not None and any(cue in acoustics.cues for cue in scene.intent.cues)


def _who_cue(scene: Scene) -> Draft | None:
    rows = [item.row for item in scene.found if _has_cue(scene, item.row)]
    rows = rows or [item.row for item in scene.found[:1]]
    if not rows:
        return nothing(scene, "nothing was measured that sounded so")
    counts = Counter(name_of(scene, row) for row in rows)
    name, n = counts.most_common(1)[0]
    cue = scene.intent.cues[0].value.replace("_", " ")
    if "est" in scene.intent.question.split("loud")[-1][:3]:
        row = max(rows, key=lambda r: _loudness(scene, r))
        return draft(
            scene,
            f"{name_of(scene, row)} is loudest, at {clock_of(scene, row)}: {quote(scene, row)}.",
            [row],
        )
    own = [row for row in rows if name_of(scene, row) == name]
    others = ", ".join(f"{other} {times(k)}" for other, k in counts.most_common()[1:])
    more = f" (also {others})" if others else ""
    return draft(scene, f"{name}: {cue} {times(n)}{more}.", own)


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
        scene,
        f"At {clock_of(scene, row)}: {name_of(scene, row)} ({note}), {quote(scene, row)}.",
        [row],
    )


def _loudness(scene: Scene, row: int) -> float:
    acoustics = scene.corpus.utterances[row].acoustics
    return acoustics.loudness_db if acoustics else -100.0


def _when_event(scene: Scene) -> Draft | None:
    events = _events(scene)
    label = " or ".join(scene.intent.events)
    if "silence" in scene.intent.events and "longest" in scene.intent.question.lower():
        return _longest_silence(scene)
    if not events:
        return nothing(scene, f"no {label} was heard")
    times = ", ".join(clock(at) for _, at in events[:MOST_SHOWN])
    return draft(scene, f"{label.capitalize()} is heard at {times}.", [row for row, _ in events])


def _before_event(scene: Scene) -> Draft | None:
    """What was said last before each sound: a joke before the laughter, seldom about it."""
    events = _events(scene)
    label = " or ".join(scene.intent.events)
    if not events:
        return None if scene.intent.speakers else nothing(scene, f"no {label} was heard")
    parts = [
        f"at {clock(at)}, after {name_of(scene, row)} said {quote(scene, row)}"
        for row, at in events[:_MOST_TOLD]
    ]
    more = f"; and {len(events) - len(parts)} more" if len(events) > len(parts) else ""
    text = f"{label.capitalize()} is heard {'; '.join(parts)}{more}."
    return draft(scene, text, [row for row, _ in events[:_MOST_TOLD]])


_MOST_TOLD = 4


def _longest_silence(scene: Scene) -> Draft | None:
    """Between what two people, or one, say; it need not be long enough to be an event."""
    corpus, rows = scene.corpus, scene.rows
    ends = np.maximum.accumulate(corpus.end)
    gaps = {
        row: float(corpus.start[row] - ends[row - 1]) for row in rows if row > corpus.first_row(row)
    }
    if not gaps or max(gaps.values()) <= 0:
        return nothing(scene, "nobody is silent between two utterances")
    row = max(gaps, key=lambda r: gaps[r])
    return draft(
        scene,
        f"The longest silence is {gaps[row]:.1f} s, at {clock(float(ends[row - 1]))}, "
        f"before {name_of(scene, row)} says {quote(scene, row)}.",
        [row],
    )


SOUND_FUNCTIONS: dict[Operation, Callable[[Scene], Draft | None]] = {
    Operation.COUNT_EVENTS: _count_events,
    Operation.COUNT_CUE: _count_cue,
    Operation.WHO_CUE: _who_cue,
    Operation.CUE_MOMENT: _cue_moment,
    Operation.WHEN_EVENT: _when_event,
    Operation.BEFORE_EVENT: _before_event,
}
