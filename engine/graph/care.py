"""Keeping a library whole: checking it, repairing it, backing it up, moving it."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from engine import vault
from engine.errors import KeyMissing, StoreError
from engine.graph import transfer
from engine.graph.connections import connect
from engine.graph.database import DAMAGE, DATABASE_NAME, guarded
from engine.graph.library_index import FACTS_NAME, INDEX_NAME
from engine.graph.removal import FULL_TEXT_TABLES
from engine.graph.salvage import salvage
from engine.graph.store import Store

_MAX_SHOWN = 20
SECONDS_ALONE = 2.0


def examined(library_dir: Path) -> tuple[list[str], int]:
    """``check`` a library that nobody has opened yet.

    Returns:
        One line for each problem, and how many meetings a whole library holds.

    Raises:
        StoreError: It is missing, or too damaged to be opened.
    """
    with _opened_to_check(library_dir) as store:
        problems = check(store)
        return problems, 0 if problems else len(store.meetings())


def _opened_to_check(library_dir: Path) -> Store:
    """The library, for reading only where it cannot be written."""
    try:
        return Store(library_dir)
    except StoreError:
        return Store(library_dir, read_only=True)


def refuse_if_open(library_dir: Path) -> None:
    """Make sure that no other program has the library open before its files change place.

    Raises:
        StoreError: One has.
    """
    path = Path(library_dir) / DATABASE_NAME
    if not path.is_file():
        return
    with closing(connect(path, isolation_level=None, timeout=SECONDS_ALONE)) as connection:
        try:
            # Without shared memory a write-ahead log belongs to one connection or to none.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise StoreError(
                    f"The library {library_dir} is open in another program.",
                    "Close the window of Earwitness and retry.",
                ) from error
        except DAMAGE:
            return  # damaged: nobody can have it open, and the caller will say so


def check(store: Store) -> list[str]:
    """Look for damage; reads the whole database.

    Returns:
        One line for each problem; empty when the library is whole.
    """
    problems: list[str] = []
    try:
        connection = store.connection
        found = connection.execute(f"PRAGMA integrity_check({_MAX_SHOWN})").fetchall()
        problems += [f"database: {row[0]}" for row in found if row[0] != "ok"]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        problems += [
            f"{table}: row {row} belongs to nothing" for table, row, _, _ in orphans[:_MAX_SHOWN]
        ]
        if not problems:
            problems += _full_text_problems(store) + _content_problems(store)
    except DAMAGE as error:
        problems.append(f"database: {error}")
    return problems


def _full_text_problems(store: Store) -> list[str]:
    if store.is_read_only:
        return []
    problems = []
    for table in FULL_TEXT_TABLES:
        try:
            # Rank 1 compares an external-content table with its content as well.
            store.connection.execute(
                f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)"
            )
        except DAMAGE:
            problems.append(f"{table}: the full-text index does not fit its texts")
    return problems


def _content_problems(store: Store) -> list[str]:
    problems = [
        f"meeting {meeting_id}: {counted} utterances where {said} are said to be"
        for meeting_id, said, counted in store.rows(
            "SELECT m.id, m.n_utterances, count(u.id) FROM meetings m LEFT JOIN utterances u "
            "ON u.meeting_id = m.id GROUP BY m.id HAVING m.n_utterances <> count(u.id)"
        )
    ]
    problems += [
        f"meeting {meeting_id}: utterances are numbered with gaps"
        for (meeting_id,) in store.rows(
            "SELECT meeting_id FROM utterances GROUP BY meeting_id "
            "HAVING min(idx) <> 0 OR max(idx) <> count(*) - 1 OR count(DISTINCT idx) <> count(*)"
        )
    ]
    known = {row[0] for row in store.rows("SELECT id FROM meetings")}
    problems += [f"media/{name}: belongs to no meeting" for name in sorted(_media(store) - known)]
    return problems


def _media(store: Store) -> set[str]:
    folder = store.library_dir / "media"
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def repair(library_dir: Path) -> list[str]:
    """Mend a library as far as it goes; what was there is kept beside it under another name.

    Returns:
        What was done, one line each; empty when nothing was wrong.

    Raises:
        StoreError: Nothing can be read from the file and no way is left.
    """
    library_dir = Path(library_dir)
    try:
        with Store(library_dir) as store:
            problems = check(store)
            if not problems:
                return []
            if not any(problem.startswith("database:") for problem in problems):
                return _mend(store)
    except KeyMissing:
        raise
    except StoreError as error:
        if "newer" in error.message or not (library_dir / DATABASE_NAME).exists():
            raise
    refuse_if_open(library_dir)
    return salvage(library_dir, _mend)


def _mend(store: Store) -> list[str]:
    """Rebuild what follows from the rest, and drop what belongs to nothing."""
    done = []
    with store.transaction() as connection:
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        for table, row, _, _ in orphans:
            if row is not None:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        if orphans:
            done.append(f"removed {len(orphans)} rows that belonged to nothing")
        _rebuild_full_text(connection)
        for (meeting_id,) in store.rows("SELECT id FROM meetings"):
            keys = store.utterance_ids(meeting_id)
            connection.executemany(
                "UPDATE utterances SET idx = ? WHERE id = ?", list(enumerate(keys))
            )
            store.recount(meeting_id)
    done.append("rebuilt the full-text index and the counts")
    n_swept = transfer.sweep(store)
    if n_swept:
        done.append(f"removed {n_swept} unfinished copies")
    done += _rescue_sound(store)
    return done


def _rescue_sound(store: Store) -> list[str]:
    """Give sound without a meeting a meeting, so that it can be heard again."""
    known = {row[0] for row in store.rows("SELECT id FROM meetings")}
    done = []
    for name in sorted(_media(store) - known):
        folder = store.library_dir / "media" / name
        if not any(folder.glob("*.flac")):
            continue
        meeting = store.create_meeting(f"Recovered recording {name}")
        store.media_dir(meeting.id).rmdir()
        folder.rename(store.library_dir / "media" / meeting.id)
        done.append(f"kept the sound of {name} as a meeting to be analysed again")
    return done


def _rebuild_full_text(connection: sqlite3.Connection) -> None:
    # All of them first: the one that keeps its own texts looks by them for the entries to
    # remove, and finds all only when both agree.
    for table in FULL_TEXT_TABLES:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('rebuild')")
    connection.execute("DELETE FROM utterances_dense")
    connection.execute(
        "INSERT INTO utterances_dense(rowid, tokens) SELECT id, dense_tokens(text) "
        "FROM utterances WHERE dense_tokens(text) <> ''"
    )


def backup(store: Store, folder: Path) -> Path:
    """Copy the whole library into a new folder while it is in use.

    Raises:
        StoreError: The folder exists, or the copy cannot be written.
    """
    folder = Path(folder)
    if folder.exists():
        raise StoreError(f"{folder} exists already.", "Choose another name for the backup.")
    temporary = folder.with_name(f".{folder.name}.part")
    try:
        with guarded(folder):
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
            vault.copy_header(store.library_dir, temporary)
            with closing(connect(temporary / DATABASE_NAME)) as copy:
                store.connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
                (state,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            if state != "ok":
                raise StoreError("The backup is damaged.", "Check the disk and try again.")
            if (store.library_dir / "media").is_dir():
                shutil.copytree(store.library_dir / "media", temporary / "media")
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def restore(backup_dir: Path, library_dir: Path) -> str:
    """Put a backup in the place of a library; the present one is kept under another name.

    Returns:
        The name of the folder that holds what was there, "" when there was nothing.

    Raises:
        StoreError: It is no backup, it is damaged, it cannot be copied, or the library is open.
    """
    backup_dir, library_dir = Path(backup_dir), Path(library_dir)
    with Store(backup_dir, read_only=True) as store:
        problems = [problem for problem in check(store) if problem.startswith("database")]
    if problems:
        raise StoreError(f"The backup {backup_dir} is damaged.", problems[0])
    refuse_if_open(library_dir)
    arriving = library_dir.with_name(f".{library_dir.name}.arriving")
    kept = ""
    with guarded(library_dir):
        shutil.rmtree(arriving, ignore_errors=True)
        shutil.copytree(backup_dir, arriving)
        if library_dir.exists() and any(library_dir.iterdir()):
            aside = library_dir.with_name(f"{library_dir.name}.before-{int(time.time())}")
            library_dir.rename(aside)
            kept = aside.name
        elif library_dir.exists():
            library_dir.rmdir()
        arriving.rename(library_dir)
    return kept


def move(library_dir: Path, target: Path) -> None:
    """Move a library that nobody has open to another folder, on another disk too.

    Raises:
        StoreError: The target exists, is inside the library, or cannot be written, or the library
            is open.
    """
    library_dir, target = Path(library_dir).resolve(), Path(target).resolve()
    if library_dir == target or library_dir in target.parents:
        raise StoreError(f"{target} lies inside the library.", "Choose a folder outside of it.")
    refuse_if_open(library_dir)
    if target.is_dir() and not any(target.iterdir()):
        with guarded(target):
            target.rmdir()
    with Store(library_dir) as store:
        backup(store, target)
    with Store(target, read_only=True) as moved:
        n_meetings = len(moved.meetings())
    with Store(library_dir) as store:
        if len(store.meetings()) != n_meetings:
            shutil.rmtree(target)
            raise StoreError("The library changed while it was being moved.", "Close it first.")
    with guarded(library_dir):
        for path in list(library_dir.iterdir()):
            if path.name == "media":
                shutil.rmtree(path)
            elif path.name.startswith((DATABASE_NAME, INDEX_NAME, FACTS_NAME)):
                path.unlink()
        # Recordings in progress stay, and with them the key that opens them.
        if [path.name for path in library_dir.iterdir()] == [vault.HEADER_NAME]:
            (library_dir / vault.HEADER_NAME).unlink()
        with suppress(OSError):
            library_dir.rmdir()
