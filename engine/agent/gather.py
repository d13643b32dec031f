"""Plan, run and choose: from an intent to the evidence of one round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.agent.causes import causes
from engine.agent.corpus import Corpus
from engine.agent.evidence import Selection, as_evidence, select
from engine.agent.execute import Found
from engine.agent.locate import event_rows, mention_rows, stretch_of
from engine.agent.plan import make_plan
from engine.agent.relevance import Relevance
from engine.agent.schema import AnswerForm, Intent, Operation, TimeRange
from engine.agent.session import Session, run_plan
from engine.agent.sound import measured
from engine.agent.words import words
from engine.graph.lexicon import is_question

AFTER_ROWS = 6
"""Utterances read after (or before) a moment that is named by its content."""


def gather(
    intent: Intent, number: int, advice: str, fit_of: Relevance, session: Session
) -> Selection:
    """Find the evidence of one round.

    Args:
        intent: The question.
        number: Of the round, from 1; later rounds reach further.
        advice: What the last verdict missed.
        fit_of: Scores of the question.
        session: Collaborators; plan and SQL go to its trace.
    """
    system = session.system
    wanted = intent
    if not system.has_acoustics:
        wanted = replace(wanted, cues=(), events=())
    if not system.has_plan:
        wanted = Intent(
            intent.question, topic=intent.question, terms=intent.terms, form=intent.form
        )
    found = run_plan(make_plan(wanted, number, system.has_graph, advice), fit_of, session)
    if not found and (wanted.cues or wanted.events):
        found = run_plan(
            make_plan(replace(wanted, cues=(), events=()), number, system.has_graph, advice),
            fit_of,
            session,
        )
    if wanted.operation in (Operation.AFTER, Operation.BEFORE):
        beside = _beside(wanted, session)
        if beside:
            return _chosen(session.corpus, beside)
    if wanted.operation is Operation.CUE_MOMENT and found:
        return measured(_around(session.corpus, found, intent, fit_of), session)
    if not wanted.terms and not wanted.cues and not wanted.events:
        found = _spread(session.corpus, found, wanted.time)
    if intent.is_why and system.has_plan:
        found = _with_causes(found, causes(intent, session.corpus, fit_of))
    if intent.form is AnswerForm.YES_NO and system.has_plan:
        found = _with_replies(session.corpus, found)
    return select(session.corpus, found, session.system.weights.shortest if wanted.terms else 1)


def _with_replies(corpus: Corpus, found: Sequence[Found]) -> list[Found]:
    """What was said right after a question belongs to it: "yes" and "no" hold none of its words."""
    replies = {
        item.row + 1
        for item in found
        if is_question(corpus.utterances[item.row].text) and item.row < corpus.last_row(item.row)
    }
    kept: list[Found] = []
    for item in found:
        if item.row not in replies:
            kept.append(item)
        if item.row + 1 in replies:
            kept.append(replace(item, row=item.row + 1, path=(*item.path, "reply")))
    return kept


def _with_causes(found: Sequence[Found], reasons: Sequence[Found]) -> list[Found]:
    """Likely reasons first: they rarely hold the words of what they explain."""
    top = max((item.score for item in found), default=0.0)
    first = [replace(item, score=top + 1 - rank / 10) for rank, item in enumerate(reasons)]
    known = {item.row for item in first}
    return [*first, *(item for item in found if item.row not in known)]


def _chosen(corpus: Corpus, rows: Sequence[int]) -> Selection:
    items = [Found(row, 1.0 / (1 + rank), ("anchor",)) for rank, row in enumerate(rows)]
    items.sort(key=lambda item: item.row)
    return Selection(tuple(as_evidence(corpus, item) for item in items), 0)


def _beside(intent: Intent, session: Session) -> list[int]:
    """Rows right after or before where the anchor topic is discussed or said, nearest first."""
    corpus = session.corpus
    if intent.anchor is None:
        return []
    is_after = intent.anchor.side == "after"
    edge = _edge(intent, intent.anchor.topic, is_after, session)
    if edge is None:
        return []
    if is_after:
        rows = range(edge + 1, min(corpus.last_row(edge), edge + 4 * AFTER_ROWS) + 1)
    else:
        rows = range(edge - 1, max(corpus.first_row(edge), edge - 4 * AFTER_ROWS) - 1, -1)
    ids = intent.speaker_ids
    kept = [
        r
        for r in rows
        if (not ids or corpus.utterances[r].speaker_id in ids) and corpus.n_words[r] > 2
    ]
    return kept[:AFTER_ROWS]


_DISCUSSION = r"\b(?:discuss\w*|topic|talk\w* about|turn\w* to|mov\w+ on)\b"
"""The question is about the end of a whole discussion, not of the one line that names it."""


def _edge(intent: Intent, topic: str, is_after: bool, session: Session) -> int | None:
    """The row that a moment named by its content ends (or begins) with."""
    corpus = session.corpus
    every = range(len(corpus))
    if intent.events:
        near = [row for row, _ in event_rows(corpus, intent.events)]
        return (near[-1] if is_after else near[0] + 1) if near else None
    is_discussion = re.search(_DISCUSSION, intent.question, re.I)
    if intent.cues:
        heard = _heard(intent, topic, corpus)
        if heard is not None:
            return heard
    spoken = [] if is_discussion else mention_rows(corpus, every, topic)
    if spoken:
        return spoken[0]
    stretch = stretch_of(corpus, every, topic, session.embedder)
    if not len(stretch):
        return None
    return stretch[-1] if is_after else stretch[0]


def _heard(intent: Intent, topic: str, corpus: Corpus) -> int | None:
    """The strongest moment that sounded so, of the people the phrase names."""
    named = {name for name in corpus.roster.ids_by_name if set(words(name)) & set(words(topic))}
    rows = [
        row
        for row, utterance in enumerate(corpus.utterances)
        if utterance.acoustics is not None
        and any(cue in utterance.acoustics.cues for cue in intent.cues)
        and (not named or utterance.speaker in named)
    ]
    return max(rows, key=lambda row: _loudness(corpus, row)) if rows else None


def _loudness(corpus: Corpus, row: int) -> float:
    acoustics = corpus.utterances[row].acoustics
    return acoustics.loudness_z if acoustics is not None else 0.0


def _around(
    corpus: Corpus, found: Sequence[Found], intent: Intent, fit_of: Relevance
) -> list[Found]:
    """The strongest moment, what led to it, and where else its words come up (the reason)."""
    moment = found[0]
    first, last = corpus.first_row(moment.row), corpus.last_row(moment.row)
    rows = {moment.row: moment}
    for offset in (-3, -2, -1, 1, 2):
        row = moment.row + offset
        if first <= row <= last:
            share = 0.9 if offset == -1 else 0.5
            path = ("temporal", f"{moment.row}->{row}")
            rows.setdefault(row, Found(row, moment.score * share, path))
    if intent.is_why:
        for item in causes(intent, corpus, fit_of, moment.row):
            rows[item.row] = replace(item, score=moment.score * 0.95)
    return list(rows.values())


def _spread(corpus: Corpus, found: Sequence[Found], time: TimeRange | None) -> list[Found]:
    """Without a topic: what is nearest to a point in time, or the longest of each part of it."""
    if not found:
        return []
    if time is not None and time.point is not None:
        point = time.point

        def away(item: Found) -> float:
            gap = max(corpus.start[item.row] - point, point - corpus.end[item.row], 0.0)
            return float(gap)

        return [
            Found(item.row, 1.0 / (1.0 + away(item)), item.path) for item in sorted(found, key=away)
        ]
    rows = np.array([item.row for item in found])
    parts = np.array_split(np.arange(len(rows)), min(10, len(rows)))
    chosen: list[Found] = []
    depth = 0
    ranked = [sorted(part, key=lambda i: -corpus.n_words[rows[i]]) for part in parts]
    while any(depth < len(part) for part in ranked):
        for part in ranked:
            if depth < len(part):
                item = found[int(part[depth])]
                chosen.append(Found(item.row, 1.0 / (1 + depth), item.path))
        depth += 1
    return chosen
