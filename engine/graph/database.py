"""Opening, guarding and closing the one SQLite file of a library.

Nothing here knows about meetings. Failures of the file system and of SQLite leave this module
as ``StoreError`` with a plain message; nothing is retried and nothing is swallowed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine import sealed, swap, vault
from engine.errors import KeyMissing, StoreError
from engine.graph import lexicon, migrations
from engine.graph.connections import connect

DATABASE_NAME = "library.db"
BUSY_TIMEOUT_MS = 10_000
SYNCHRONOUS = "NORMAL"
"""Never damages a write-ahead log; a power cut may lose the last transaction only."""

_PLAIN = b"SQLite format 3\0"
NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "fuse.sshfs", "fuse.rclone"}
)

DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What a damaged file raises: SQLite quotes it in its messages, and not all of it can be read."""


def file_system_of(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Return the file system type that holds ``path``; "" where the system does not say."""
    try:
        lines = mounts.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    # As texts, since there can be many mounts and every opening of a library asks.
    resolved = str(path.resolve())
    best, kind = -1, ""
    for line in lines:
        parts = line.split()
        if len(parts) < 3:
            continue
        mount = parts[1].replace("\\040", " ").rstrip("/")
        is_above = resolved == mount or resolved.startswith(f"{mount}/")
        if is_above and len(mount) >= best:
            best, kind = len(mount), parts[2]
    return kind


def is_network_folder(path: Path) -> bool:
    """Whether write-ahead logging is unsafe in this folder (it needs shared memory)."""
    return str(path).startswith("\\\\") or file_system_of(path) in NETWORK_FILE_SYSTEMS


def explained(error: BaseException, path: Path) -> StoreError:
    """Turn an SQLite or file system failure into what the user can do about it."""
    text = str(error)
    low = text.lower()
    if "full" in low or "no space" in low:
        return StoreError(
            "The disk with the library is full.", "Nothing was changed. Free some space and retry."
        )
    if "locked" in low or "busy" in low:
        return StoreError(
            "Another program is writing to the library.", "Wait until it is done and retry."
        )
    is_garbled = isinstance(error, UnicodeDecodeError)
    if is_garbled or any(word in low for word in ("malformed", "not a database", "corrupt")):
        return StoreError(
            f"The library file {path} is damaged.", "Run `earwitness library repair`."
        )
    if "readonly" in low or "read-only" in low or "permission" in low:
        return StoreError(f"The library {path} cannot be written.", "Check its permissions.")
    if "unable to open" in low and path.parent.is_dir() and not os.access(path.parent, os.W_OK):
        return StoreError(f"The library {path} cannot be written.", "Its folder is read-only.")
    if "unable to open" in low:
        return StoreError(f"The library {path} cannot be opened.", "Check that the folder exists.")
    if "disk i/o" in low:
        return StoreError(f"The disk failed while using {path}.", text)
    return StoreError(f"The library {path} cannot be used.", text)


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Translate what SQLite and the file system raise; bugs of ours pass through."""
    try:
        yield
    except (*DAMAGE, OSError) as error:
        if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
            raise
        raise explained(error, path) from error


class Database:
    """One connection to ``library.db``; belongs to the thread that made it.

    Attributes:
        library_dir: The folder of the library.
        is_read_only: No write is possible.
        is_network: The folder lies on a network, so a rollback journal is used instead of WAL.
    """

    def __init__(self, library_dir: Path, *, read_only: bool = False) -> None:
        self.library_dir = Path(library_dir)
        self.path = self.library_dir / DATABASE_NAME
        self.is_read_only = read_only
        self.is_network = is_network_folder(self.library_dir)
        self._depth = 0
        with guarded(self.path):
            self._connection = self._open_read_only() if read_only else self._open()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for read-only SQL."""
        return self._connection

    def close(self) -> None:
        """Close the connection; closing twice is allowed."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block whole or not at all; inner transactions join the outer one.

        Raises:
            StoreError: The disk is full, the file is locked, damaged or read-only.
        """
        if self._depth:
            yield self._connection
            return
        with guarded(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite may have rolled back by itself (disk full); a second ROLLBACK would
                # hide the real error.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a query and return all its rows.

        Raises:
            StoreError: The file is locked or damaged.
        """
        with guarded(self.path):
            return self._connection.execute(sql, values).fetchall()

    def value(self, sql: str, values: tuple[Any, ...] = ()) -> Any:
        """Return the first column of the first row, or None."""
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def _open(self) -> sqlite3.Connection:
        self.library_dir.mkdir(parents=True, exist_ok=True)
        swap.settle(self.library_dir)
        key = vault.key_for(self.path, "database")
        _refuse_without_key(self.path, key)
        connection = connect(self.path, isolation_level=None)
        try:
            _configure(connection)
            # First, since a new file is written by the choice of its journal already.
            connection.execute(f"PRAGMA synchronous = {'FULL' if self.is_network else SYNCHRONOUS}")
            mode = "TRUNCATE" if self.is_network else "WAL"
            connection.execute(f"PRAGMA journal_mode = {mode}")
            connection.execute("PRAGMA secure_delete = ON")
            self._refuse_if_converted(key)
            self._keep_old_format(connection)
            migrations.migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _refuse_if_converted(self, key: bytes | None) -> None:
        """A file that was waited for may have been replaced meanwhile by one with another key."""
        is_new = (self.library_dir / swap.STAGING_NAME).exists()
        if is_new or vault.key_for(self.path, "database") != key:
            raise StoreError(f"The library {self.library_dir} was just converted.", "Try again.")

    def _keep_old_format(self, connection: sqlite3.Connection) -> None:
        """Copy a library of an older format beside it before it is changed."""
        found = migrations.version(connection)
        if not 0 < found < migrations.latest():
            return
        kept = self.path.with_name(f"{self.path.name}.format-{found}")
        with closing(connect(kept)) as copy:
            connection.backup(copy)

    def _open_read_only(self) -> sqlite3.Connection:
        swap.settle(self.library_dir)
        if not self.path.is_file():
            raise StoreError(f"There is no library in {self.library_dir}.")
        _refuse_without_key(self.path, vault.key_for(self.path, "database"))
        connection = connect(self.path, "mode=ro", isolation_level=None)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # WAL needs a writable folder for its shared memory; on a read-only medium nobody
            # can be writing, so the file may be taken as it is.
            connection.close()
            connection = connect(self.path, "mode=ro&immutable=1", isolation_level=None)
        except BaseException:
            connection.close()
            raise
        try:
            _configure(connection)
            connection.execute("PRAGMA query_only = ON")
            migrations.check_version(connection, is_read_only=True)
        except BaseException:
            connection.close()
            raise
        return connection


def _refuse_without_key(path: Path, key: bytes | None) -> None:
    """An encrypted library whose key was lost is not damaged, and must not be repaired away."""
    if key is not None or not path.is_file():
        return
    with path.open("rb") as file:
        start = file.read(len(_PLAIN))
    if start in (b"", _PLAIN):
        return
    others = (p for p in sorted(path.parent.rglob("*")) if p.is_file() and p != path)
    if any(map(sealed.is_sealed, others)):
        raise KeyMissing(
            f"The library {path.parent} is encrypted and its {vault.HEADER_NAME} is missing.",
            f"Put {vault.HEADER_NAME} back from a copy of the library; nothing else opens it.",
        )


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.create_function("dense_tokens", 1, lexicon.dense_tokens, deterministic=True)
