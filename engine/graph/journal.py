"""The edit journal: every change of the user as rows before and after, so it can be taken back.

``edits.changes`` is a JSON list; an element is one of

* ``{"table": T, "where": {column: value}, "before": {...} | null, "after": {...} | null}``: a row
  changed, appeared (before is null) or went (after is null), found by its key columns;
* ``{"shift": {"meeting": M, "after": I, "by": N}}``: utterances behind index I moved by N.

``edits.is_undone`` is 0 for what can be taken back, 1 for what was, and 2 for a removed note from
before the meeting was heard again. Keys in it are keys of this library. Hearing a meeting again
empties its journal but for these, since the rows it speaks of are gone; the version that was
replaced stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.graph.meetings import now
from engine.graph.store import Store

MAX_EDITS = 500
_UNDO_ORDER = "is_undone = 0 ORDER BY id DESC"
_REDO_ORDER = "is_undone = 1 ORDER BY id"
# What hangs on an utterance and goes with it.
_DEPENDENTS = (
    ("words", "utterance_id", ("id",)),
    ("acoustics", "utterance_id", ("utterance_id",)),
    ("edges", "source", ("id",)),
    ("edges", "target", ("id",)),
    ("mentions", "utterance_id", ("entity_id", "utterance_id")),
    ("expansions", "utterance_id", ("id",)),
    ("roles", "utterance_id", ("id",)),
)


class Journal:
    """Changes rows and remembers how; use it through ``recorded``."""

    def __init__(self, store: Store, meeting_id: str) -> None:
        self.store = store
        self.meeting_id = meeting_id
        self.changes: list[dict[str, Any]] = []

    def update(self, table: str, where: dict[str, Any], **columns: Any) -> None:
        """Change columns of one row; nothing is recorded when they have these values already."""
        condition, values = _condition(where)
        names = ", ".join(f'"{name}"' for name in columns)
        found = self.store.rows(f"SELECT {names} FROM {table} WHERE {condition}", values)
        if not found:
            return
        before = dict(zip(columns, found[0], strict=True))
        if before != columns:
            self._apply({"table": table, "where": where, "before": before, "after": columns})

    def insert(self, table: str, **columns: Any) -> int:
        """Add a row and return its key."""
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" * len(columns))
        cursor = self.store.connection.execute(
            f"INSERT INTO {table}({names}) VALUES ({marks})", tuple(columns.values())
        )
        key = int(cursor.lastrowid or 0)
        row = {"id": key, **columns}
        self.changes.append({"table": table, "where": {"id": key}, "before": None, "after": row})
        return key

    def add_row(self, table: str, where: dict[str, Any], row: dict[str, Any]) -> None:
        """Add a row whose key is known."""
        self._apply({"table": table, "where": where, "before": None, "after": row})

    def delete(self, table: str, where: dict[str, Any]) -> None:
        """Remove the rows found by ``where``, one by one."""
        condition, values = _condition(where)
        cursor = self.store.connection.execute(f"SELECT * FROM {table} WHERE {condition}", values)
        names = [column[0] for column in cursor.description]
        for row in cursor.fetchall():
            before = dict(zip(names, row, strict=True))
            keys = next((k for t, _, k in _DEPENDENTS if t == table), ("id",))
            key = {name: before[name] for name in keys}
            self._apply({"table": table, "where": key, "before": before, "after": None})

    def delete_utterance(self, key: int) -> None:
        """Remove an utterance and all that hangs on it."""
        for table, column, _ in _DEPENDENTS:
            self.delete(table, {column: key})
        self.delete("utterances", {"id": key})

    def shift(self, after: int, by: int) -> None:
        """Move the utterances behind an index."""
        self._apply({"shift": {"meeting": self.meeting_id, "after": after, "by": by}})

    def _apply(self, change: dict[str, Any]) -> None:
        apply_change(self.store, change)
        self.changes.append(change)


@contextmanager
def recorded(store: Store, meeting_id: str, operation: str) -> Iterator[Journal]:
    """Run an edit in one transaction and put it into the journal; what was undone is forgotten."""
    with store.transaction() as connection:
        store.meeting(meeting_id)
        journal = Journal(store, meeting_id)
        yield journal
        if not journal.changes:
            return
        connection.execute(
            "DELETE FROM edits WHERE meeting_id = ? AND is_undone = 1", (meeting_id,)
        )
        connection.execute(
            "INSERT INTO edits(meeting_id, created, operation, changes) VALUES (?, ?, ?, ?)",
            (meeting_id, now(), operation, json.dumps(journal.changes, ensure_ascii=False)),
        )
        connection.execute(
            "DELETE FROM edits WHERE meeting_id = ? AND is_undone <> 2 AND id NOT IN (SELECT id "
            "FROM edits WHERE meeting_id = ? ORDER BY id DESC LIMIT ?)",
            (meeting_id, meeting_id, MAX_EDITS),
        )
        _settle(store, meeting_id, journal.changes)


def undo(store: Store, meeting_id: str) -> str:
    """Take back the last edit; returns what it was, "" when there is none."""
    return _step(store, meeting_id, _UNDO_ORDER, is_undo=True)


def redo(store: Store, meeting_id: str) -> str:
    """Repeat the edit taken back last; returns what it was, "" when there is none."""
    return _step(store, meeting_id, _REDO_ORDER, is_undo=False)


def pending(store: Store, meeting_id: str) -> tuple[str, str]:
    """The operations that undo and redo would concern, "" for none."""
    names = [
        store.value(f"SELECT operation FROM edits WHERE meeting_id = ? AND {order}", (meeting_id,))
        for order in (_UNDO_ORDER, _REDO_ORDER)
    ]
    return str(names[0] or ""), str(names[1] or "")


def apply_change(store: Store, change: dict[str, Any]) -> None:
    """Make one change; part of the caller's transaction."""
    connection = store.connection
    if "shift" in change:
        shift = change["shift"]
        connection.execute(
            "UPDATE utterances SET idx = idx + ? WHERE meeting_id = ? AND idx > ?",
            (shift["by"], shift["meeting"], shift["after"]),
        )
        return
    table, after = change["table"], change["after"]
    condition, values = _condition(change["where"])
    if after is None:
        connection.execute(f"DELETE FROM {table} WHERE {condition}", values)
    elif change["before"] is None:
        names = ", ".join(f'"{name}"' for name in after)
        marks = ", ".join("?" * len(after))
        connection.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", tuple(after.values()))
    else:
        assignments = ", ".join(f'"{name}" = ?' for name in after)
        connection.execute(
            f"UPDATE {table} SET {assignments} WHERE {condition}", (*after.values(), *values)
        )


def _reversed(change: dict[str, Any]) -> dict[str, Any]:
    if "shift" in change:
        shift = change["shift"]
        return {"shift": {**shift, "after": shift["after"] + shift["by"], "by": -shift["by"]}}
    return {**change, "before": change["after"], "after": change["before"]}


def _step(store: Store, meeting_id: str, order: str, *, is_undo: bool) -> str:
    with store.transaction() as connection:
        found = store.rows(
            f"SELECT id, operation, changes FROM edits WHERE meeting_id = ? AND {order} LIMIT 1",
            (meeting_id,),
        )
        if not found:
            return ""
        key, operation, packed = found[0]
        changes = json.loads(packed)
        if is_undo:
            changes = [_reversed(change) for change in reversed(changes)]
        for change in changes:
            apply_change(store, change)
        connection.execute("UPDATE edits SET is_undone = ? WHERE id = ?", (int(is_undo), key))
        _settle(store, meeting_id, changes)
    return str(operation)


def _settle(store: Store, meeting_id: str, changes: list[dict[str, Any]]) -> None:
    """Counts and vectors after a change."""
    touched = {
        int(change["where"]["id"])
        for change in changes
        if change.get("table") == "utterances"
        and ("text" in (change["after"] or {}) or "text" in (change["before"] or {}))
    }
    if touched:
        store.forget_vectors(meeting_id, touched)
    store.recount(meeting_id)


def _condition(where: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    return " AND ".join(f'"{name}" = ?' for name in where), tuple(where.values())
