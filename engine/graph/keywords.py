"""Looking words up in the full-text tables; the only module that writes FTS5 expressions.

Every token is quoted, so that no text of a user is ever an operator. A query without any
searchable token is looked up as it stands; a failure raises and is never "nothing found".
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.graph.lexicon import (
    clean,
    content_tokens,
    dense_phrase,
    dense_runs,
    has_dense,
    quoted,
    tokens,
)
from engine.graph.store import Store
from engine.graph.vectors import meeting_index

# A generated question says what an utterance answers, not what was said.
QUESTION_WEIGHT = 0.7


def match_expression(query: str) -> str:
    """Build the FTS5 expression for ``utterances_fts``: any content word, each quoted.

    Words in double quotes are kept together. "" when the query has no searchable word.
    """
    pieces = clean(query).split('"')
    phrases = [" ".join(tokens(piece)) for piece in pieces[1::2]] if len(pieces) > 2 else []
    terms = [quoted(phrase) for phrase in phrases if " " in phrase]
    terms += [quoted(token) for token in content_tokens(query)]
    return " OR ".join(dict.fromkeys(terms))


def dense_expression(query: str) -> str:
    """Build the FTS5 expression for ``utterances_dense``, "" when it could find nothing new."""
    runs = dense_runs(query)
    is_dense = any(has_dense(run) for run in runs)
    if is_dense:
        return " OR ".join(dense_phrase(run) for run in runs)
    return " OR ".join(quoted(token) for token in content_tokens(query))


def keyword_scores(
    store: Store, meeting_ids: Sequence[str], query: str, limit: int
) -> dict[int, float]:
    """Scores by ``utterances.id``; at least the best ``limit`` of them."""
    if not query.strip():
        return {}
    scores: dict[int, float] = {}
    for table, expression, weight in (
        ("utterances_fts", match_expression(query), 1.0),
        ("utterances_dense", dense_expression(query), 1.0),
    ):
        for key, rank in _matches(store, table, expression, meeting_ids, limit):
            scores[key] = max(scores.get(key, 0.0), -rank * weight)
    asked = _matches(store, "expansions_fts", match_expression(query), (), limit)
    if asked:
        ranks = {key: -rank for key, rank in asked}
        marks = ", ".join("?" * len(ranks))
        sql = f"SELECT id, utterance_id, meeting_id FROM expansions WHERE id IN ({marks})"
        for key, owner, meeting_id in store.rows(sql, tuple(ranks)):
            if not meeting_ids or meeting_id in meeting_ids:
                scores[owner] = max(scores.get(owner, 0.0), QUESTION_WEIGHT * ranks[key])
    return scores or _substrings(store, meeting_ids, query, limit)


def _matches(
    store: Store, table: str, expression: str, meeting_ids: Sequence[str], limit: int
) -> list[tuple[int, float]]:
    """(rowid, rank) of the rows of a full-text table; smaller ranks are better."""
    if not expression:
        return []
    if len(meeting_ids) == 1 and table != "expansions_fts":
        keys = meeting_index(store, meeting_ids[0]).keys
        if not len(keys):
            return []
        # Utterances of one meeting lie close together, so most of the index is never touched.
        found = store.rows(
            f"SELECT rowid, bm25({table}) FROM {table} WHERE {table} MATCH ? "
            "AND rowid BETWEEN ? AND ?",
            (expression, int(keys.min()), int(keys.max())),
        )
        place = meeting_index(store, meeting_ids[0]).place
        inside = [(key, rank) for key, rank in found if key in place]
        return sorted(inside, key=lambda row: row[1])[:limit]
    if not meeting_ids:
        return store.rows(
            # Named, the score is kept for the best rows only; as "rank" all rows would be sorted.
            f"SELECT rowid, bm25({table}) AS score FROM {table} WHERE {table} MATCH ? "
            "ORDER BY score LIMIT ?",
            (expression, limit),
        )
    owners = "expansions" if table == "expansions_fts" else "utterances"
    marks = ", ".join("?" * len(meeting_ids))
    return store.rows(
        f"SELECT f.rowid, bm25({table}) AS score FROM {table} f JOIN {owners} u ON u.id = f.rowid "
        f"WHERE {table} MATCH ? AND u.meeting_id IN ({marks}) ORDER BY score LIMIT ?",
        (expression, *meeting_ids, limit),
    )


def _substrings(
    store: Store, meeting_ids: Sequence[str], query: str, limit: int
) -> dict[int, float]:
    """Rows that hold the query as it stands: signs, emoji, parts of words."""
    needle = clean(query).strip()
    pattern = "%" + needle.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
    marks = ", ".join("?" * len(meeting_ids))
    condition = f"AND meeting_id IN ({marks}) " if meeting_ids else ""
    # LIKE ignores case but refuses long patterns.
    is_short = len(pattern) < 1000
    test = "text LIKE ? ESCAPE '!'" if is_short else "instr(text, ?) > 0"
    found = store.rows(
        f"SELECT id FROM utterances WHERE {test} {condition}LIMIT ?",
        (pattern if is_short else needle, *meeting_ids, limit),
    )
    return {row[0]: 0.5 for row in found}
