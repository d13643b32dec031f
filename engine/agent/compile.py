"""Plan -> one read-only SQL statement with parameters.

Every step becomes a common table expression with the columns ``id, score, path``. Nothing of a
question is ever spelled into the statement: all values travel as parameters, lists as JSON. The
same plan gives the same text, and it is shown to the user on request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.agent.schema import Plan, Step
from engine.types import Cue

SEARCHES = ("keyword_search", "semantic_search", "hybrid_search")
WALK_FROM = 12
"""How many of the best a graph traversal starts from."""
DEEPEST = 4
"""Steps a traversal may take: every one multiplies the ways."""
MOST_ROWS = 1_000_000

_MEASURES = {
    Cue.LOUD: "a.loudness_z",
    Cue.QUIET: "-a.loudness_z",
    Cue.RAISED: "a.pitch_z",
    Cue.FAST: "a.rate_z",
    Cue.SLOW: "-a.rate_z",
    Cue.OVERLAP: "3 * a.overlap",
    Cue.INTERRUPTION: "2.0 * a.is_interruption",
    Cue.LONG_PAUSE: "a.pause_before / 2",
}
# From the utterance f that a walk w has come to, to the one t at the other end of an edge e.
_ALONG_AN_EDGE = """JOIN edges e ON w.id IN (e.source, e.target)
        JOIN utterances f ON f.id = w.id
        JOIN utterances t
          ON t.id = CASE WHEN e.source = w.id THEN e.target ELSE e.source END
"""
_MIDDLE = '(u.start + u."end") / 2'


@dataclass(frozen=True, slots=True)
class Statement:
    """A compiled plan.

    Attributes:
        sql: One SELECT that returns meeting_id, idx, id, score, path.
        parameters: Named values; the results of searches are put in by ``execute``.
        searches: Parameter name -> the step that fills it.
    """

    sql: str
    parameters: dict[str, object]
    searches: dict[str, Step]


@dataclass(slots=True)
class _Context:
    plan: Plan
    parameters: dict[str, object]
    searches: dict[str, Step]

    def bind(self, name: str, value: object) -> str:
        self.parameters[name] = value
        return f":{name}"


def compile_plan(plan: Plan, meeting_ids: Sequence[str]) -> Statement:
    """Compile a plan. Deterministic and pure.

    Args:
        plan: At least one step.
        meeting_ids: Whose utterances may be returned.

    Raises:
        ValueError: A step refers to a later one, names no tool, or has an argument out of bounds.
    """
    if not plan.steps:
        raise ValueError("a plan needs a step")
    context = _Context(plan, {"meetings": json.dumps(list(meeting_ids))}, {})
    parts = [
        "everything(id, score, path) AS (SELECT id, 0.0, '' FROM utterances\n"
        "    WHERE meeting_id IN (SELECT value FROM json_each(:meetings)))"
    ]
    for position, step in enumerate(plan.steps):
        if any(not 0 <= given < position for given in step.inputs):
            raise ValueError(f"step {position} refers to a step that is not before it")
        if step.tool not in _WRITERS:
            raise ValueError(f"{step.tool} is not a tool")
        source = f"s{step.inputs[0]}" if step.inputs else "everything"
        body = _WRITERS[step.tool](step, position, source, context)
        parts.append(f"s{position}(id, score, path) AS ({body})")
    last = len(plan.steps) - 1
    by_time = plan.steps[-1].tool in ("first", "last", "count") or (
        plan.steps[-1].tool == "order" and plan.steps[-1].arguments["by"] == "time"
    )
    ordering = "u.start, u.id" if by_time else "s.score DESC, u.start, u.id"
    sql = (
        "WITH RECURSIVE\n  "
        + ",\n  ".join(parts)
        + f"\nSELECT u.meeting_id, u.idx, u.id, s.score, s.path FROM s{last} s\n"
        "  JOIN utterances u ON u.id = s.id\n"
        "  WHERE u.meeting_id IN (SELECT value FROM json_each(:meetings))\n"
        f"  ORDER BY {ordering}"
    )
    return Statement(sql, context.parameters, context.searches)


def _search(step: Step, position: int, source: str, context: _Context) -> str:
    name = f"hits{position}"
    context.searches[name] = step
    context.parameters[name] = "[]"
    return (
        f"SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), '{step.tool}'\n"
        f"    FROM json_each(:{name})"
    )


def _time_range(step: Step, position: int, source: str, context: _Context) -> str:
    start = context.bind(f"start{position}", _seconds(step, "start"))
    end = context.bind(f"end{position}", _seconds(step, "end"))
    return (
        f"SELECT s.id, s.score, trim(s.path || ' filter_time_range') FROM {source} s\n"
        f'    JOIN utterances u ON u.id = s.id WHERE u."end" > {start} AND u.start < {end}'
    )


def _speaker(step: Step, position: int, source: str, context: _Context) -> str:
    wanted = context.bind(
        f"speakers{position}", json.dumps(_items(step, "speaker_ids"), allow_nan=False)
    )
    return (
        f"SELECT s.id, s.score, trim(s.path || ' filter_speaker') FROM {source} s\n"
        f"    JOIN utterances u ON u.id = s.id\n"
        f"    WHERE u.speaker_id IN (SELECT value FROM json_each({wanted}))"
    )


def _acoustic(step: Step, position: int, source: str, context: _Context) -> str:
    cues = [Cue(str(cue)) for cue in _items(step, "cues")]
    measure = " + ".join(_MEASURES[cue] for cue in cues) or "0"
    tests = [
        f"(',' || a.cues || ',') LIKE {context.bind(f'cue{position}_{i}', f'%,{cue.value},%')}"
        for i, cue in enumerate(cues)
    ]
    condition = " OR ".join(tests) or "1"
    return (
        f"SELECT s.id, s.score + {measure}, trim(s.path || ' filter_acoustic') FROM {source} s\n"
        f"    JOIN acoustics a ON a.utterance_id = s.id WHERE {condition} OR {measure} >= 1.5"
    )


def _event(step: Step, position: int, source: str, context: _Context) -> str:
    labels = context.bind(f"labels{position}", json.dumps(_items(step, "labels")))
    reach = context.bind(f"fusion{position}", context.plan.fusion_seconds)
    middle = '(e.start + e."end") / 2'
    # The nearest sound within reach of the utterance: 0 inside it, else the gap to its middle.
    distance = f'max(u.start - {middle}, {middle} - u."end", 0)'
    return (
        f"SELECT s.id, s.score + 1 - min({distance}) / (2 * {reach}),\n"
        f"      trim(s.path || ' filter_event ' || e.label) FROM {source} s\n"
        f"    JOIN utterances u ON u.id = s.id JOIN events e ON e.meeting_id = u.meeting_id\n"
        f"    WHERE e.label IN (SELECT value FROM json_each({labels})) AND {distance} <= {reach}\n"
        f"    GROUP BY s.id"
    )


def _walk(step: Step, position: int, source: str, context: _Context) -> str:
    relation = context.bind(f"relation{position}", str(step.arguments["relation"]))
    depth = context.bind(f"depth{position}", _whole(step, "depth", DEEPEST))
    walk = f"walk{position}"
    step_text = (
        f"' {step.arguments['relation']} '"
        if str(step.arguments["relation"]).isidentifier()
        else "' '"
    )
    return (
        f"WITH RECURSIVE {walk}(id, score, path, depth) AS (\n"
        f"      SELECT * FROM (SELECT id, score, path, 0 FROM {source}\n"
        f"        ORDER BY score DESC LIMIT {WALK_FROM})\n"
        f"      UNION ALL\n"
        f"      SELECT t.id, w.score * 0.5 * min(e.weight, 1.0),\n"
        f"        w.path || {step_text} || f.idx || '->' || t.idx, w.depth + 1\n"
        f"      FROM {walk} w {_ALONG_AN_EDGE}"
        f"      WHERE e.relation = {relation} AND w.depth < {depth})\n"
        f"    SELECT id, max(score), path FROM\n"
        f"      (SELECT id, score, path FROM {source}\n"
        f"       UNION ALL SELECT id, score, path FROM {walk})\n"
        f"    GROUP BY id"
    )


def _replies(step: Step, position: int, source: str, context: _Context) -> str:
    """Down the reply edges, and along what one person goes on to say, until another one speaks."""
    depth = context.bind(f"depth{position}", DEEPEST)
    walk = f"walk{position}"
    return (
        f"WITH RECURSIVE {walk}(id, score, path, began, depth) AS (\n"
        f"      SELECT * FROM (SELECT id, score, path, id, 0 FROM {source}\n"
        f"        ORDER BY score DESC LIMIT {WALK_FROM})\n"
        f"      UNION ALL\n"
        f"      SELECT t.id, w.score * 0.8 * min(e.weight, 1.0),\n"
        f"        w.path || ' ' || e.relation || ' ' || f.idx || '->' || t.idx, w.began,\n"
        f"        w.depth + 1\n"
        f"      FROM {walk} w {_ALONG_AN_EDGE}"
        f"      WHERE w.depth < {depth} AND t.idx > f.idx AND (e.relation = 'reply_to'\n"
        f"        OR e.relation = 'temporal' AND t.speaker_id = f.speaker_id))\n"
        f"    SELECT w.id, max(w.score), w.path FROM {walk} w\n"
        f"      JOIN utterances u ON u.id = w.id JOIN utterances b ON b.id = w.began\n"
        f"    WHERE w.depth > 0 AND u.speaker_id IS NOT b.speaker_id GROUP BY w.id"
    )


def _fuse(step: Step, position: int, source: str, context: _Context) -> str:
    if not step.inputs:
        raise ValueError("there is nothing to fuse")
    reach = context.bind(f"fusion{position}", context.plan.fusion_seconds)
    union = " UNION ALL ".join(
        f"SELECT {given} AS k, id, score, path FROM s{given}" for given in step.inputs
    )
    # A hit gains from the nearest hit of every other stream whose middle is within reach.
    return (
        f"WITH found AS ({union}),\n"
        f"      timed AS (SELECT f.*, u.meeting_id, {_MIDDLE} AS middle FROM found f\n"
        f"        JOIN utterances u ON u.id = f.id),\n"
        f"      gained AS (SELECT x.id, x.score, x.path,\n"
        f"        coalesce((SELECT max(y.score) FROM timed y\n"
        f"        WHERE y.k <> x.k AND y.meeting_id = x.meeting_id\n"
        f"        AND abs(y.middle - x.middle) <= {reach}), 0) AS gain FROM timed x)\n"
        f"    SELECT id, max(score + gain), path FROM gained GROUP BY id"
    )


def _order(step: Step, position: int, source: str, context: _Context) -> str:
    return f"SELECT id, score, path FROM {source}"


def _first(step: Step, position: int, source: str, context: _Context) -> str:
    limit = context.bind(f"n{position}", _whole(step, "n", MOST_ROWS))
    direction = "DESC" if step.tool == "last" else "ASC"
    return (
        f"SELECT s.id, s.score, trim(s.path || ' {step.tool}') FROM {source} s\n"
        f"    JOIN utterances u ON u.id = s.id\n"
        f"    ORDER BY u.start {direction}, u.id {direction} LIMIT {limit}"
    )


def _audio(step: Step, position: int, source: str, context: _Context) -> str:
    start = context.bind(f"start{position}", _seconds(step, "start"))
    end = context.bind(f"end{position}", _seconds(step, "end"))
    return (
        f"SELECT s.id, s.score, trim(s.path || ' audio_segment') FROM {source} s\n"
        f'    JOIN utterances u ON u.id = s.id WHERE u."end" > {start} AND u.start < {end}'
    )


_WRITERS: Mapping[str, Callable[[Step, int, str, _Context], str]] = {
    "keyword_search": _search,
    "semantic_search": _search,
    "hybrid_search": _search,
    "filter_time_range": _time_range,
    "filter_speaker": _speaker,
    "filter_acoustic": _acoustic,
    "filter_event": _event,
    "traverse_relations": _walk,
    "replies": _replies,
    "fuse": _fuse,
    "order": _order,
    "first": _first,
    "last": _first,
    "count": _order,
    "audio_segment": _audio,
}


def _items(step: Step, name: str) -> list[object]:
    values = step.arguments[name]
    assert isinstance(values, list | tuple)
    return list(values)


def _seconds(step: Step, name: str) -> float:
    value = step.arguments[name]
    if not isinstance(value, int | float):
        raise ValueError(f"{step.tool}: {name} is no time")
    return float(value)


def _whole(step: Step, name: str, most: int) -> int:
    """An argument that counts something."""
    value = step.arguments[name]
    if not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{step.tool}: {name} must be a whole number up to {most}")
    return value
