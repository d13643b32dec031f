"""Copying out of a damaged database file whatever can still be read."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from engine.errors import StoreError
from engine.graph.connections import connect
from engine.graph.database import DAMAGE, DATABASE_NAME, explained, guarded
from engine.graph.library_index import FACTS_NAME, INDEX_NAME
from engine.graph.removal import FULL_TEXT_TABLES, REPAIR_NAME
from engine.graph.store import Store

# Filled by triggers or made anew; copying them out of a damaged file would carry the damage.
_DERIVED = (*FULL_TEXT_TABLES, "sqlite_")


def salvage(library_dir: Path, mend: Callable[[Store], list[str]]) -> list[str]:
    """Copy every row that can still be read into a new file and put it in the old one's place.

    Args:
        library_dir: Nobody has it open.
        mend: Makes the copy consistent and says what it did.

    Returns:
        What was done, one line each.

    Raises:
        StoreError: Nothing can be read.
    """
    path = library_dir / DATABASE_NAME
    fresh_dir = library_dir / REPAIR_NAME
    shutil.rmtree(fresh_dir, ignore_errors=True)
    lost = 0
    try:
        with Store(fresh_dir) as fresh, closing(_opened_damaged(path)) as damaged:
            fresh.connection.execute("PRAGMA foreign_keys = OFF")
            with fresh.transaction() as target:
                for table in _tables(target):
                    lost += _copy_readable(damaged, target, table)
            fresh.connection.execute("PRAGMA foreign_keys = ON")
            done = mend(fresh)
            n_meetings = len(fresh.meetings())
            fresh.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if lost and not n_meetings:
            raise StoreError(
                f"Nothing can be read from {path} any more.", "Restore the last backup."
            )
        kept = library_dir / f"{DATABASE_NAME}.damaged-{int(time.time())}"
        with guarded(path):
            path.rename(kept)
            for ending in ("-wal", "-shm"):
                with suppress(FileNotFoundError):
                    path.with_name(path.name + ending).rename(kept.with_name(kept.name + ending))
            (fresh_dir / DATABASE_NAME).rename(path)
    except DAMAGE as error:
        raise explained(error, path) from error
    finally:
        shutil.rmtree(fresh_dir, ignore_errors=True)
    for name in (INDEX_NAME, FACTS_NAME):
        (library_dir / name).unlink(missing_ok=True)
    saved = f"saved {n_meetings} meetings into a new file; the damaged one is kept as {kept.name}"
    return [saved, f"{lost} stretches of rows could not be read", *done]


def _opened_damaged(path: Path) -> sqlite3.Connection:
    connection = connect(path, "mode=ro")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
    ).fetchall()
    return [row[0] for row in found if not row[0].startswith(_DERIVED)]


def _copy_readable(damaged: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    """Copy the rows of a table; returns how many stretches could not be read."""
    columns = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
    names = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" * len(columns))
    insert = f"INSERT OR IGNORE INTO {table}({names}) VALUES ({marks})"
    lost = 0
    for rows in _readable(damaged, table, names):
        if rows is None:
            lost += 1
            continue
        for row in rows:
            try:
                target.execute(insert, row)
            except (sqlite3.IntegrityError, sqlite3.InterfaceError):
                lost += 1
    return lost


def _readable(
    damaged: sqlite3.Connection, table: str, names: str
) -> Iterator[list[tuple[object, ...]] | None]:
    """Rows from both ends of a table towards the damage; None where it lies."""
    seen: set[object] = set()
    for order in ("ASC", "DESC"):
        found: list[tuple[object, ...]] = []
        is_whole = True
        try:
            try:
                rows = damaged.execute(f"SELECT rowid, {names} FROM {table} ORDER BY rowid {order}")
            except (sqlite3.OperationalError, UnicodeDecodeError):
                # A table without rowid is known by its first columns.
                rows = damaged.execute(f"SELECT NULL, {names} FROM {table}")
            for row in rows:
                identity = row[0] if row[0] is not None else row[1:3]
                if identity not in seen:
                    seen.add(identity)
                    found.append(tuple(row[1:]))
        except DAMAGE:
            is_whole = False
        yield found
        if is_whole:
            return
        yield None
