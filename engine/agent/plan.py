"""Intent -> Plan: which tools, in which order, over which streams."""

from __future__ import annotations

from engine.agent import tools
from engine.agent.schema import AnswerForm, Exchange, Intent, Operation, Plan, Step, Stream
from engine.types import Cue, Relation


class _Builder:
    """Collects steps and hands out their positions."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.streams: dict[Stream, None] = {Stream.TEXT: None}

    def add(self, step: Step, *streams: Stream) -> tuple[int, ...]:
        """Append a step; returns the reference to it."""
        self.steps.append(step)
        self.streams.update(dict.fromkeys(streams))
        return (len(self.steps) - 1,)

    def plan(self, intent: Intent, purpose: str) -> Plan:
        """The finished plan."""
        return Plan(
            tuple(self.steps), tuple(self.streams), answer_schema=intent.form, purpose=purpose
        )


def make_plan(
    intent: Intent, round_number: int = 1, has_graph: bool = True, advice: str = ""
) -> Plan:
    """Plan the retrieval for a question.

    Later rounds reach further: the graph is walked deeper, then the limits that only make
    something more likely (how it sounded) are dropped.

    Args:
        intent: The question.
        round_number: From 1.
        has_graph: Edges may be followed.
        advice: What the last verdict missed, searched for as well.
    """
    build = _Builder()
    found = _seeds(build, intent, advice)
    found = _within(build, intent, found)
    found = _speakers(build, intent, found)
    if intent.cues and round_number < 3:
        found = build.add(tools.filter_acoustic(intent.cues, found), Stream.ACOUSTICS)
    if intent.events and round_number < 3:
        found = build.add(tools.filter_event(intent.events, found), Stream.EVENTS)
    if has_graph and intent.operation is not Operation.AT_TIME:
        depth = min(round_number, 2)
        relation = Relation.REPLY_TO if not intent.is_why else Relation.TEMPORAL
        linked = build.add(tools.traverse_relations(relation, depth, found))
        if round_number > 1:
            entity = build.add(tools.traverse_relations(Relation.ENTITY, 1, found), Stream.ENTITIES)
            semantic = build.add(
                tools.traverse_relations(Relation.SEMANTIC, 1, found), Stream.ENTITIES
            )
            found = build.add(tools.fuse([*linked, *entity, *semantic]))
        else:
            found = linked
    if intent.time is not None and intent.cues:
        build.add(tools.audio_segment(intent.time.start, intent.time.end, found), Stream.ACOUSTICS)
    return build.plan(intent, _purpose(intent))


def _seeds(build: _Builder, intent: Intent, advice: str) -> tuple[int, ...]:
    """The searches that begin a plan; none when time or sound alone say what is meant."""
    if not intent.terms and (intent.time or intent.cues or intent.events):
        return ()
    topic = intent.topic or intent.question
    found = build.add(tools.hybrid_search(topic))
    if advice:
        beside = build.add(tools.semantic_search(advice, 30))
        found = build.add(tools.fuse([*found, *beside]))
    return found


def _within(build: _Builder, intent: Intent, found: tuple[int, ...]) -> tuple[int, ...]:
    """Keep the stretch of time asked about."""
    if intent.time is None:
        return found
    return build.add(tools.filter_time_range(intent.time.start, intent.time.end, found))


def _speakers(build: _Builder, intent: Intent, found: tuple[int, ...]) -> tuple[int, ...]:
    """Keep the speakers asked about, unless somebody else's reply may be the answer."""
    if not intent.speaker_ids or Cue.INTERRUPTION in intent.cues:
        return found
    return build.add(tools.filter_speaker(intent.speaker_ids, found), Stream.SPEAKER)


def counting_plan(intent: Intent, operation: Operation) -> Plan:
    """The plan of a computed answer: what is collected, and what is done with it."""
    if intent.exchange is not None:
        return _reply_plan(intent, intent.exchange)
    build = _Builder()
    found: tuple[int, ...] = ()
    if intent.target:
        found = build.add(tools.keyword_search(intent.target, 10_000))
    found = _within(build, intent, found)
    if intent.speaker_ids and operation is not Operation.WHO_CUE:
        found = build.add(tools.filter_speaker(intent.speaker_ids, found), Stream.SPEAKER)
    if intent.cues:
        found = build.add(tools.filter_acoustic(intent.cues, found), Stream.ACOUSTICS)
    if intent.events:
        found = build.add(tools.filter_event(intent.events, found), Stream.EVENTS)
    if operation in (Operation.WHO_FIRST, Operation.WHEN, Operation.WHEN_EVENT):
        build.add(tools.first(found))
    elif operation in (Operation.WHO_LAST, Operation.WHEN_LAST):
        build.add(tools.last(found))
    elif intent.form is AnswerForm.NUMBER:
        build.add(tools.count(found))
    else:
        build.add(tools.order("time", found))
    return build.plan(intent, _purpose(intent))


def _reply_plan(intent: Intent, exchange: Exchange) -> Plan:
    """The plan of a reply: where its subject is raised, and on from there by the edges."""
    build = _Builder()
    found = build.add(tools.keyword_search(intent.target))
    found = _within(build, intent, found)
    if exchange.to_ids:
        found = build.add(tools.filter_speaker(exchange.to_ids, found), Stream.SPEAKER)
    found = build.add(tools.replies(found))
    if intent.speaker_ids:
        build.add(tools.filter_speaker(intent.speaker_ids, found), Stream.SPEAKER)
    return build.plan(intent, _purpose(intent))


def _purpose(intent: Intent) -> str:
    """One line that says what the plan is after."""
    parts = [f"find {intent.topic or 'what was said'!r}"]
    if intent.operation is not Operation.NONE:
        parts = [f"{intent.operation.value.replace('_', ' ')} {intent.target!r}".strip()]
    if intent.speakers:
        parts.append("by " + ", ".join(intent.speakers))
    if intent.time:
        parts.append(intent.time.phrase)
    if intent.cues:
        parts.append("sounding " + ", ".join(cue.value for cue in intent.cues))
    if intent.events:
        parts.append("near " + ", ".join(intent.events))
    return " ".join(parts)
