"""Which tables have rows that hang on a meeting, read from the schema of an open library.

A table added by a later migration is found by its foreign keys, without a change here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from sqlite3 import Connection

# Answers hang on meetings through ``answer_meetings``: those that rest on this meeting alone come
# along, those about several stay, since half of their moments would lead nowhere.
_ANSWERS = (
    "SELECT answer_id FROM answer_meetings WHERE meeting_id = :meeting AND answer_id NOT IN "
    "(SELECT answer_id FROM answer_meetings WHERE meeting_id <> :meeting) AND answer_id NOT IN "
    "(SELECT id FROM answers WHERE is_whole_library)"
)
_ROWS_OF: dict[str, str] = {
    "meetings": "id = :meeting",
    "answers": f"id IN ({_ANSWERS})",
    "answer_meetings": f"meeting_id = :meeting AND answer_id IN ({_ANSWERS})",
    "chats": f"id IN (SELECT chat_id FROM answers WHERE id IN ({_ANSWERS}))",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the schema.

    Attributes:
        name: As in SQL.
        columns: In their order.
        key: The integer primary key column, or "" where it is not the table's own.
        parents: Referenced table by column.
    """

    name: str
    columns: tuple[str, ...]
    key: str
    parents: dict[str, str]


def owned_tables(connection: Connection) -> dict[str, str]:
    """Every table with rows that hang on a meeting, parents before children.

    Returns:
        The condition that selects the rows of meeting ``:meeting``, by name of the table.
    """
    tables = schema(connection)
    conditions = {name: sql for name, sql in _ROWS_OF.items() if name in tables}
    while True:
        found = {
            name: condition
            for name, table in tables.items()
            if name not in conditions and (condition := _condition(table, conditions))
        }
        if not found:
            break
        conditions |= found
    return {name: conditions[name] for name in _in_order(tables, conditions)}


def _condition(table: Table, known: dict[str, str]) -> str:
    """What selects the rows of a table that hang on the meeting, "" when none can."""
    owners = [(column, parent) for column, parent in table.parents.items() if parent in known]
    for column, parent in owners:
        if parent == "meetings":
            return f'"{column}" = :meeting'
    for column, parent in owners:
        return f'"{column}" IN (SELECT id FROM {parent} WHERE {known[parent]})'
    return ""


def _in_order(tables: dict[str, Table], wanted: dict[str, str]) -> Iterator[str]:
    done: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop(0)
        before = {p for p in tables[name].parents.values() if p in wanted and p != name} - done
        if before:
            waiting.append(name)
        else:
            done.add(name)
            yield name


def schema(connection: Connection) -> dict[str, Table]:
    """The ordinary tables by name; full-text tables follow by their triggers."""
    names = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    virtual = [name for name, sql in names if sql.upper().startswith("CREATE VIRTUAL")]
    found = {}
    for name, _ in names:
        if any(name == v or name.startswith(f"{v}_") for v in virtual):
            continue
        facts = connection.execute(f"PRAGMA table_info({name})").fetchall()
        keys = [column for _, column, kind, _, _, pk in facts if pk and kind == "INTEGER"]
        links = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
        parents = {link[3]: link[2] for link in links}
        is_own = sum(1 for fact in facts if fact[5]) == 1 and keys and keys[0] not in parents
        found[name] = Table(
            name,
            tuple(fact[1] for fact in facts),
            keys[0] if is_own else "",
            parents,
        )
    return found
