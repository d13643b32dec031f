"""Run a compiled plan: searches in memory, everything else in one read-only SQL statement."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.agent.compile import Statement
from engine.agent.corpus import Corpus
from engine.agent.relevance import Relevance, cosines
from engine.agent.schema import Plan, Step
from engine.agent.words import stems
from engine.embed import Embedder
from engine.graph.store import Store

_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


@dataclass(frozen=True, slots=True)
class Found:
    """A row of the corpus that a plan returned, with its score and the way to it."""

    row: int
    score: float
    path: tuple[str, ...]


@contextmanager
def _read_only(connection: sqlite3.Connection) -> Iterator[None]:
    """Let a connection do nothing but read, whatever the statement says."""

    def allow(action: int, *_: str | None) -> int:
        return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY

    # json_each makes its (virtual) table on first use, which counts as writing the schema.
    connection.execute("SELECT 1 FROM json_each('[]')").fetchall()
    connection.set_authorizer(allow)
    try:
        yield
    finally:
        connection.set_authorizer(None)


def run_statement(store: Store, statement: Statement) -> list[tuple[str, int, int, float, str]]:
    """Run compiled SQL: (meeting_id, idx, id, score, path) of each row.

    Raises:
        sqlite3.DatabaseError: The statement does anything but read; a fault of ours.
    """
    with _read_only(store.connection):
        return list(store.connection.execute(statement.sql, statement.parameters))


def execute(
    plan: Plan,
    statement: Statement,
    corpus: Corpus,
    store: Store,
    embedder: Embedder,
    relevance: Relevance,
) -> list[Found]:
    """Run a plan.

    Args:
        plan: What was compiled.
        statement: Its SQL.
        corpus: The meetings asked about, as they are in the store.
        store: Where the SQL runs.
        embedder: For semantic searches.
        relevance: Scores of the question, which ``hybrid_search`` hands out.

    Returns:
        In the order of the plan.
    """
    parameters = dict(statement.parameters)
    for name, step in statement.searches.items():
        mask = _reachable(plan, plan.steps.index(step), corpus)
        scores = _scores(step, corpus, embedder, relevance)
        parameters[name] = _hits(scores, mask, int(str(step.arguments["k"])), corpus)
    filled = Statement(statement.sql, parameters, statement.searches)
    place = {int(key): row for row, key in enumerate(corpus.row_ids)}
    return [
        Found(place[key], float(score), tuple(path.split(" ")) if path else ())
        for _, _, key, score, path in run_statement(store, filled)
        if key in place
    ]


def _scores(
    step: Step, corpus: Corpus, embedder: Embedder, relevance: Relevance
) -> NDArray[np.float64]:
    query = str(step.arguments["query"])
    if step.tool == "hybrid_search":
        return relevance.scores
    if step.tool == "keyword_search":
        scores = corpus.bm25(stems(query))
        return np.where(scores > 0, scores, -np.inf)
    return cosines(corpus, embedder.encode([query])[0])[0]


def _reachable(plan: Plan, position: int, corpus: Corpus) -> NDArray[np.bool_]:
    """Rows that the filters right behind a search let through.

    The search returns a limited number, so the filters must be known to it; the statement
    filters again and so stays the whole truth.
    """
    mask = np.ones(len(corpus), np.bool_)
    current = position
    for later, step in enumerate(plan.steps[position + 1 :], position + 1):
        if step.inputs != (current,):
            continue
        if step.tool in ("traverse_relations", "replies"):
            break  # what is reached from a hit need not pass as a hit
        mask &= _passes(step.tool, step.arguments, corpus)
        current = later
    return mask


def _passes(tool: str, arguments: Mapping[str, object], corpus: Corpus) -> NDArray[np.bool_]:
    if tool == "filter_time_range":
        start, end = float(str(arguments["start"])), float(str(arguments["end"]))
        return (corpus.end > start) & (corpus.start < end)
    if tool == "filter_speaker":
        wanted = arguments["speaker_ids"]
        assert isinstance(wanted, tuple)
        return np.array([u.speaker_id in wanted for u in corpus.utterances], np.bool_)
    return np.ones(len(corpus), np.bool_)


def _hits(scores: NDArray[np.float64], mask: NDArray[np.bool_], k: int, corpus: Corpus) -> str:
    """The best k rows as JSON pairs of SQL key and score."""
    rows = np.flatnonzero(mask & np.isfinite(scores))
    best = rows[np.argsort(-scores[rows], kind="stable")[:k]]
    return json.dumps([[int(corpus.row_ids[row]), round(float(scores[row]), 4)] for row in best])
