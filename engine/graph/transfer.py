"""Copying a meeting with all that hangs on it from one library into another.

What hangs on a meeting is read from the foreign keys of the schema, so a table added by a later
migration is copied without a change here. Keys are made anew in the target: every table with an
integer key is moved by one number, which keeps the order of its rows.

A copy is whole or not there: rows arrive in one transaction, files in a folder that carries the
mark ``ARRIVING`` until the rows are committed. ``sweep`` removes what a killed copy left behind.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import numpy as np

from engine import sealed, swap
from engine.errors import StoreError
from engine.graph.database import explained, guarded
from engine.graph.ownership import Table, owned_tables, schema
from engine.graph.store import Store
from engine.progress import Report, silent

ARRIVING = ".arriving"
TEMPORARY = "temporary-"
BATCH_ROWS = 2_000
LEFT_BEHIND = frozenset({"edits"})
"""Undo speaks of rows by keys of the library it was done in, also of rows that are gone."""

_COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy brought into the target.

    Attributes:
        meeting_id: In the target; the same as before unless it was taken there.
        rows: Number of rows by table, without empty ones.
        n_files: Files of the media folder.
        n_bytes: Their size.
    """

    meeting_id: str
    rows: dict[str, int]
    n_files: int
    n_bytes: int


@dataclass(slots=True)
class _Keys:
    """How keys change on their way: the meeting's id by name, integers by a number per table."""

    old_id: str
    new_id: str
    shift: dict[str, int] = field(default_factory=dict)

    def moved(self, table: str, value: Any) -> Any:
        """The key in the target of a row of ``table``."""
        if value is None:
            return None
        return self.new_id if table == "meetings" else value + self.shift[table]


def _moved_owners(value: Any, keys: _Keys) -> bytes:
    owners = np.frombuffer(value, "<i8") + keys.shift["utterances"]
    return owners.astype("<i8").tobytes()


def _moved_quotes(value: Any, keys: _Keys) -> str:
    return str(value).replace(keys.old_id, keys.new_id)


# Columns that hold keys which no foreign key tells of. A test compares the packed columns of the
# schema with this table and PLAIN_COLUMNS, so that a new one is not forgotten.
KEYED_COLUMNS: dict[tuple[str, str], Callable[[Any, _Keys], Any]] = {
    ("vectors", "owners"): _moved_owners,
    ("answers", "payload"): _moved_quotes,
}


def copy_meeting(
    source: Store, target: Store, meeting_id: str, report: Report | None = None
) -> Copied:
    """Copy a meeting, its rows in every table and its media folder into another library.

    Args:
        source: May be open for reading only.
        target: Open for writing, another folder than the source's.
        meeting_id: In the source.
        report: Called for each file and each table; cancelling leaves the target as it was.

    Returns:
        What was copied, and under which id.

    Raises:
        MeetingNotFound: The source has no such meeting.
        StoreError: The target cannot be written, or is full; it is as it was before. Or the
            source calls a path an id.
    """
    report = report or silent()
    if source.library_dir.resolve() == target.library_dir.resolve():
        raise StoreError("A meeting cannot be copied into its own library.")
    meeting = source.meeting(meeting_id)
    media = source.media_dir(meeting.id)
    sweep(target)
    keys = _Keys(meeting.id, _free_id(target, meeting.id))
    with arriving(target, keys.new_id) as folder:
        n_files, n_bytes = _copy_files(media, folder, report.part(0.0, 0.6))
        rows = _copy_rows(source, target, keys, report.part(0.6, 1.0))
    return Copied(keys.new_id, rows, n_files, n_bytes)


def move_meeting(
    source: Store, target: Store, meeting_id: str, report: Report | None = None
) -> Copied:
    """Copy a meeting, then remove every trace of it from the source; see ``copy_meeting``."""
    copied = copy_meeting(source, target, meeting_id, report)
    source.delete_meeting(meeting_id, with_recordings=True)
    return copied


def merge_library(source: Store, target: Store, report: Report | None = None) -> list[Copied]:
    """Copy every meeting of one library that the other does not hold yet.

    A meeting counts as held when one of the target was made at the same time from the same file,
    so that an interrupted merge can be run again.

    Raises:
        StoreError: The target cannot be written; meetings copied before stay.
    """
    report = report or silent()
    held = {(m.created, m.source_name, m.duration) for m in target.meetings()}
    coming = [
        m for m in reversed(source.meetings()) if (m.created, m.source_name, m.duration) not in held
    ]
    return [
        copy_meeting(source, target, m.id, report.part(i / len(coming), (i + 1) / len(coming)))
        for i, m in enumerate(coming)
    ]


def sweep(store: Store) -> int:
    """Remove the folders of copies that were killed on their way; returns how many.

    A copy that another process is making at this moment is left alone.
    """
    removed = 0
    for mark in (store.library_dir / "media").glob(f"*/{ARRIVING}"):
        try:
            with mark.open("r+b") as file:
                is_abandoned = swap.locked(file)
        except OSError:
            continue
        if not is_abandoned:
            continue
        if store.value("SELECT 1 FROM meetings WHERE id = ?", (mark.parent.name,)) is None:
            shutil.rmtree(mark.parent, ignore_errors=True)
            removed += 1
        else:
            mark.unlink(missing_ok=True)
    return removed


def _copy_rows(source: Store, target: Store, keys: _Keys, report: Report) -> dict[str, int]:
    """Copy all rows in one transaction of the target, over one snapshot of the source."""
    tables = schema(source.connection)
    owned = owned_tables(source.connection)
    conditions = {name: sql for name, sql in owned.items() if name not in LEFT_BEHIND}
    known = schema(target.connection)
    counts: dict[str, int] = {}
    with target.transaction() as connection, _snapshot(source):
        for i, (name, condition) in enumerate(conditions.items()):
            report("copy", i, len(conditions))
            if known.get(name) != tables[name]:
                raise StoreError(
                    "The two libraries have different formats.", "Open both once, then retry."
                )
            _set_shift(source, connection, tables[name], condition, keys)
            n = 0
            for batch in _batches(source, tables[name], condition, keys):
                _insert(connection, tables[name], batch, keys)
                n += len(batch)
            if n:
                counts[name] = n
    return counts


@contextmanager
def _snapshot(source: Store) -> Iterator[None]:
    """Hold one state of the source while it is read."""
    source.connection.execute("BEGIN")
    try:
        yield
    finally:
        source.connection.execute("ROLLBACK")


def _set_shift(
    source: Store, connection: Connection, table: Table, condition: str, keys: _Keys
) -> None:
    """Find the number that moves the keys of a table behind those of the target."""
    if not table.key:
        return
    lowest = _select(source, f'min("{table.key}")', table, condition, keys).fetchone()[0]
    highest = connection.execute(f'SELECT max("{table.key}") FROM {table.name}').fetchone()[0] or 0
    # Keys of deleted rows count too, where the table says they must not come again.
    used = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,))
    highest = max(highest, *(row[0] for row in used), 0)
    keys.shift[table.name] = highest + 1 - (lowest or 0)


def _select(source: Store, what: str, table: Table, condition: str, keys: _Keys) -> Any:
    order = f' ORDER BY "{table.key}"' if table.key else ""
    sql = f"SELECT {what} FROM {table.name} WHERE {condition}{order}"
    return source.connection.execute(sql, {"meeting": keys.old_id})


def _batches(
    source: Store, table: Table, condition: str, keys: _Keys
) -> Iterator[list[tuple[Any, ...]]]:
    what = ", ".join(f'"{column}"' for column in table.columns)
    with guarded(source.path):
        rows = _select(source, what, table, condition, keys)
    while True:
        with guarded(source.path):
            batch = rows.fetchmany(BATCH_ROWS)
        if not batch:
            return
        yield batch


def _insert(connection: Connection, table: Table, rows: list[tuple[Any, ...]], keys: _Keys) -> None:
    """Insert rows with their keys moved."""
    change: dict[int, Callable[[Any], Any]] = {}
    for i, column in enumerate(table.columns):
        if column == table.key or (table.name, column) == ("meetings", "id"):
            change[i] = lambda value: keys.moved(table.name, value)
        elif column in table.parents:
            parent = table.parents[column]
            change[i] = lambda value, parent=parent: keys.moved(parent, value)  # type: ignore[misc]
        elif keyed := KEYED_COLUMNS.get((table.name, column)):
            change[i] = lambda value, keyed=keyed: keyed(value, keys)  # type: ignore[misc]
    moved = (
        tuple(change[i](value) if i in change else value for i, value in enumerate(row))
        for row in rows
    )
    columns = ", ".join(f'"{column}"' for column in table.columns)
    marks = ", ".join("?" * len(table.columns))
    connection.executemany(f"INSERT INTO {table.name}({columns}) VALUES ({marks})", moved)


def _free_id(target: Store, wanted: str) -> str:
    """The id itself, or a new one when the target has a meeting or a folder of that name."""
    taken = target.value("SELECT 1 FROM meetings WHERE id = ?", (wanted,)) is not None
    if not taken and not (target.library_dir / "media" / wanted).exists():
        return wanted
    return target._new_id()


@contextmanager
def arriving(target: Store, name: str) -> Iterator[Path]:
    """Make a folder below ``media`` that is not there yet; it goes again on any failure.

    Until the block has ended well it is marked as unfinished.

    Raises:
        StoreError: The folder cannot be made.
    """
    folder = target.library_dir / "media" / name
    with _marked(folder, target.path):
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    # Should this fail, the next sweep removes the mark: the rows are there.
    with suppress(OSError):
        (folder / ARRIVING).unlink()


@contextmanager
def temporary_folder(store: Store) -> Iterator[Path]:
    """A folder on the library's own disk that is gone after the block, or after a ``sweep``.

    Raises:
        StoreError: The folder cannot be made.
    """
    folder = store.library_dir / "media" / f"{TEMPORARY}{secrets.token_hex(4)}"
    try:
        with _marked(folder, store.path):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _marked(folder: Path, database: Path) -> Iterator[None]:
    """Make a folder with a mark in it that this process holds locked."""
    try:
        folder.mkdir(parents=True)
        mark = (folder / ARRIVING).open("wb")
    except OSError as error:
        raise explained(error, database) from error
    with mark:
        swap.locked(mark)
        yield


def _copy_files(media: Path, folder: Path, report: Report) -> tuple[int, int]:
    """Copy the media folder; returns the number of files and of bytes."""
    paths = [p for p in sorted(media.rglob("*")) if p.is_file() and p.name != ARRIVING]
    n_bytes = sum(path.stat().st_size for path in paths)
    done = 0
    try:
        for path in paths:
            place = folder / path.relative_to(media)
            place.parent.mkdir(parents=True, exist_ok=True)
            with sealed.open_file(path, "rb") as reader, sealed.open_file(place, "wb") as writer:
                while block := reader.read(_COPY_BYTES):
                    report("copy", done, n_bytes)
                    writer.write(block)
                    done += len(block)
                writer.flush()
                os.fsync(writer.fileno())
    except OSError as error:
        raise explained(error, media if not os.access(media, os.R_OK) else folder) from error
    return len(paths), done
