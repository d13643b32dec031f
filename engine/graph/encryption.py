"""Encrypting a library, and taking the encryption off again: all of it or nothing.

Every file is written anew beside the old ones, read back and compared; then the new ones take
their place, see ``engine.swap``. Until that moment the library is as it was.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from sqlite3 import Connection

from engine import sealed, swap, vault
from engine.audio import take
from engine.errors import StoreError
from engine.graph import care, connections, lexicon
from engine.graph.database import DAMAGE, DATABASE_NAME, guarded
from engine.graph.library_index import FACTS_NAME, INDEX_NAME
from engine.graph.store import Store
from engine.progress import Report, silent

_COPY_BYTES = 1 << 20
# Made anew when they are missing; a log belongs to the database it lies beside.
_DROPPED = (INDEX_NAME, FACTS_NAME, f"{DATABASE_NAME}-wal", f"{DATABASE_NAME}-shm")
_SPARE_BYTES = 50_000_000
WITHOUT = "Without the passphrase nobody can read it again, not even its maker."
OLD_BLOCKS = (
    "The plain files were deleted, but a disk may keep what was in them until it needs the room;"
    " solid-state disks decide this themselves. Backups made before stay as they were."
)
"""What, with ``WITHOUT``, a user must know who encrypts a library."""


def encrypt(library_dir: Path, passphrase: str, report: Report | None = None) -> None:
    """Encrypt a library that nobody has open; its key is then at hand.

    Args:
        library_dir: Made if it is not there.
        passphrase: At least ``vault.MIN_LENGTH`` characters. Nothing can replace it.
        report: Called for each file; cancelling leaves the library as it was.

    Raises:
        StoreError: It is encrypted already, open in another program, being recorded into, damaged,
            or there is no room for a second copy; it is as it was.
        EngineError: The passphrase is too short.
    """
    vault.check_passphrase(passphrase)
    if vault.is_encrypted(library_dir):
        raise StoreError("The library is encrypted already.")
    _convert(library_dir, lambda files: vault.write_header(files, passphrase), [], report)


def decrypt(library_dir: Path, report: Report | None = None) -> None:
    """Write an unlocked library back as plain files; see ``encrypt``.

    Raises:
        StoreError: It is not encrypted, open in another program, or there is no room; it is as it
            was.
        LibraryLocked: The passphrase was not given yet.
    """
    if not vault.is_encrypted(library_dir):
        raise StoreError("The library is not encrypted.")
    drop = [vault.HEADER_NAME]
    _convert(library_dir, lambda files: vault.write_plain_header(files.parent), drop, report)


def _convert(
    library_dir: Path, begin: Callable[[Path], None], drop: list[str], report: Report | None
) -> None:
    """Write every file anew below a staging folder that ``begin`` has given its header."""
    report = report or silent()
    care.refuse_if_open(library_dir)
    Store(library_dir).close()  # made where it is missing, brought to the present format
    _refuse_while_recording(library_dir)
    with guarded(library_dir / DATABASE_NAME):
        _refuse_without_room(library_dir)
        with swap.staged(library_dir) as files:
            begin(files)
            with _alone(library_dir / DATABASE_NAME) as connection:
                _copy_database(connection, files / DATABASE_NAME)
                paths = _other_files(library_dir)
                for done, path in enumerate(paths):
                    report("convert", done, len(paths))
                    _copy_kept(path, files / path.relative_to(library_dir))
                report("convert", len(paths), len(paths))
            swap.commit(library_dir, [*_DROPPED, *drop])


def _refuse_while_recording(library_dir: Path) -> None:
    found = take.takes(library_dir / "recordings")
    if any(take.is_growing(recording) for recording in found):
        raise StoreError("A recording is being made.", "Stop it first.")


def _refuse_without_room(library_dir: Path) -> None:
    needed = sum(path.stat().st_size for path in library_dir.rglob("*") if path.is_file())
    free = shutil.disk_usage(library_dir).free
    if free < needed + _SPARE_BYTES:
        raise StoreError(
            f"There is no room for a second copy of the library: {needed / 1e9:.1f} GB are needed.",
            "Free some space and retry.",
        )


@contextmanager
def _alone(path: Path) -> Iterator[Connection]:
    """A connection that shuts everybody else out until it is closed, with the log emptied."""
    library = connections.cipher_library()
    patience = care.SECONDS_ALONE
    with closing(library.connect(str(path), isolation_level=None, timeout=patience)) as connection:
        connections.apply_key(connection, vault.key_for(path, "database"))
        connection.create_function("dense_tokens", 1, lexicon.dense_tokens, deterministic=True)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        yield connection


def _copy_database(connection: Connection, target: Path) -> None:
    """Copy table by table into a file with another key, and compare every row.

    Raises:
        StoreError: The copy differs.
    """
    key = vault.key_for(target, "database")
    quoted = "''" if key is None else connections.quoted(key)
    connection.execute(f"ATTACH DATABASE ? AS fresh KEY {quoted}", (str(target),))
    # Every table is a commit of its own; ``swap.commit`` brings the file to the disk, once, and
    # a copy that does not get that far is thrown away.
    connection.execute("PRAGMA fresh.synchronous = OFF")
    connection.execute("PRAGMA fresh.journal_mode = MEMORY").fetchall()
    connection.execute("SELECT sqlcipher_export('fresh')").fetchall()
    (version,) = connection.execute("PRAGMA main.user_version").fetchone()
    connection.execute(f"PRAGMA fresh.user_version = {version}")
    names = connection.execute(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' "
        "AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    wrong = [name for (name,) in names if not _is_same(connection, name)]
    ((state,),) = connection.execute("PRAGMA fresh.quick_check(1)").fetchall()
    connection.execute("DETACH DATABASE fresh")
    if wrong or state != "ok":
        raise StoreError("The copy differs from the library; nothing was changed.", f"{wrong}")


def _is_same(connection: Connection, table: str) -> bool:
    """Both tables hold the same rows in the same order; read side by side, not into memory."""
    old, new = (connection.execute(f'SELECT * FROM {name}."{table}"') for name in ("main", "fresh"))
    return all(a == b for a, b in zip_longest(old, new))


def _other_files(library_dir: Path) -> list[Path]:
    """What is copied as it is: sound, recordings, lists, copies kept of older formats."""
    left_out = {*_DROPPED, DATABASE_NAME, vault.HEADER_NAME}
    return [
        path
        for path in sorted(library_dir.rglob("*"))
        if path.is_file()
        and swap.STAGING_NAME not in path.relative_to(library_dir).parts
        and not (path.parent == library_dir and path.name in left_out)
    ]


def _copy_kept(source: Path, target: Path) -> None:
    """Copy a file; a copy of the database that was kept while encrypted needs another key, too."""
    if source.name.startswith(f"{DATABASE_NAME}.") and vault.key_for(source, "database"):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with closing(connections.connect(source)) as connection:
                _copy_database(connection, target)
        except (*DAMAGE, StoreError):
            target.unlink(missing_ok=True)  # no database, or a damaged one
        else:
            return
    _copy_file(source, target)


def _copy_file(source: Path, target: Path) -> None:
    """Copy and compare.

    Raises:
        OSError: The disk is full, or gave back something else than was written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    written = hashlib.sha256()
    with sealed.open_file(source, "rb") as reader, sealed.open_file(target, "wb") as writer:
        while block := reader.read(_COPY_BYTES):
            written.update(block)
            writer.write(block)
    found = hashlib.sha256()
    with sealed.open_file(target, "rb") as reader:
        while block := reader.read(_COPY_BYTES):
            found.update(block)
    if found.digest() != written.digest():
        raise OSError(f"{target} was not written right")
