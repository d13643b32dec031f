"""Opening SQLite files: plain ones with Python's own SQLite, encrypted ones with SQLCipher.

Source:
    SQLCipher 4: each page AES-256-CBC with an HMAC, https://www.zetetic.net/sqlcipher/design/.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path
from typing import Any, cast

from engine import vault

_ERRORS = (
    "DataError",
    "IntegrityError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
)


def connect(path: Path, mode: str = "", **options: Any) -> sqlite3.Connection:
    """Open an SQLite file; with the key of its library where that is encrypted.

    Args:
        path: Made if it is not there and ``mode`` is empty.
        mode: The query of a file URI, such as ``mode=ro``.
        options: For ``sqlite3.connect``.

    Raises:
        sqlite3.Error: It cannot be opened.
        LibraryLocked: The passphrase was not given yet.
    """
    key = vault.key_for(path, "database")
    target = f"{path.resolve().as_uri()}?{mode}" if mode else str(path)
    if key is None:
        plain: sqlite3.Connection = sqlite3.connect(target, uri=bool(mode), **options)
        return plain
    connection: sqlite3.Connection = cipher_library().connect(target, uri=bool(mode), **options)
    try:
        apply_key(connection, key)
    except BaseException:
        connection.close()
        raise
    return connection


def apply_key(connection: sqlite3.Connection, key: bytes | None) -> None:
    """Tell a connection of SQLCipher the key of its file; None for a plain file."""
    # It would write to stderr what guarded() says better.
    connection.execute("PRAGMA cipher_log_level = NONE").fetchall()
    if key is not None:
        connection.execute(f"PRAGMA key = {quoted(key)}")


def quoted(key: bytes) -> str:
    """A key as SQLCipher wants it, taken as it is and not as a passphrase."""
    return f"\"x'{key.hex()}'\""


@cache
def cipher_library() -> Any:
    """SQLCipher with the interface of ``sqlite3``, and with its errors too.

    Its error classes are its own; made children of Python's, they are caught where those are.
    """
    import sqlcipher3.dbapi2 as library

    library.DatabaseError.__bases__ = (library.Error, sqlite3.DatabaseError)
    library.InterfaceError.__bases__ = (library.Error, sqlite3.InterfaceError)
    for name in _ERRORS:
        getattr(library, name).__bases__ = (library.DatabaseError, getattr(sqlite3, name))
    return cast(Any, library)
