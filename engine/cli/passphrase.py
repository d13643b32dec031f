"""Where the command line has the passphrase of an encrypted library from.

The keyboard, or the file that ``EARWITNESS_PASSPHRASE_FILE`` names: its first line, and for
``change-passphrase`` the new one in its second. ``/dev/fd/3`` is such a file, too.
"""

from __future__ import annotations

import getpass
import os
import sys
from functools import cache
from pathlib import Path

from engine import vault
from engine.errors import EngineError, LibraryLocked, StoreError

VARIABLE = "EARWITNESS_PASSPHRASE_FILE"
_TRIES = 3


def unlocked(library_dir: Path) -> Path:
    """The same folder; where it is an encrypted library, its passphrase was asked for.

    Raises:
        StoreError: The passphrase is wrong, or there is nobody to ask.
    """
    if not vault.is_locked(library_dir):
        return library_dir
    lines = _lines()
    for _ in range(1 if lines else _TRIES):
        try:
            vault.unlock(library_dir, lines[0] if lines else _typed("Passphrase: "))
        except StoreError as error:
            if lines or isinstance(error, LibraryLocked):
                raise
            print(f"earwitness: {error}", file=sys.stderr)
        else:
            return library_dir
    raise StoreError("The passphrase is wrong.")


def new(line: int = 0) -> str:
    """A new passphrase, typed twice, or the line of the file.

    Raises:
        EngineError: The two differ, or there is nobody to ask.
    """
    lines = _lines()
    if lines:
        if len(lines) <= line:
            raise EngineError(f"The file in {VARIABLE} has no line {line + 1}.")
        return lines[line]
    first = _typed("New passphrase: ")
    vault.check_passphrase(first)
    if first != _typed("Once more: "):
        raise EngineError("The two passphrases differ.", "Nothing was changed.")
    return first


def old() -> str:
    """The passphrase that is to be changed."""
    return (_lines() or [""])[0] or _typed("Passphrase: ")


@cache
def _lines() -> list[str]:
    """The lines of the file, none where no file is named; a pipe can be read only once."""
    name = os.environ.get(VARIABLE)
    if not name:
        return []
    try:
        lines = Path(name).read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise EngineError(f"The file in {VARIABLE} cannot be read.", str(error)) from error
    if not lines or not lines[0]:
        raise EngineError(f"The file in {VARIABLE} is empty.")
    return lines


def _typed(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise LibraryLocked(
            "The library is encrypted, and there is no terminal to ask for its passphrase.",
            f"Name a file that holds it in {VARIABLE}.",
        )
    return getpass.getpass(prompt)
