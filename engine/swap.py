"""Replacing many files of a folder at once: all of them or none, whatever happens meanwhile.

New files are made in a staging folder inside the folder. One small file, written last, makes them
count; from then on they are moved into place, by whoever opens the folder next if need be.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from engine.errors import StoreError

STAGING_NAME = ".converting"
_LOCK, _FILES, _READY = "lock", "files", "ready.json"


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Make a staging folder that nobody else uses; it is gone after the block.

    Yields:
        Where the new files go, with the same relative paths as in ``folder``.

    Raises:
        StoreError: Another program is replacing files at this moment.
        OSError: The folder cannot be written.
    """
    settle(folder)
    staging = folder / STAGING_NAME
    staging.mkdir()
    with (staging / _LOCK).open("wb") as lock:
        _take(lock, folder)
        files = staging / _FILES
        files.mkdir()
        try:
            yield files
        finally:
            if not (staging / _READY).exists():
                _remove(staging)


def commit(folder: Path, drop: list[str]) -> None:
    """Put the staged files in the place of the old ones; call it inside ``staged``, at its end.

    Args:
        folder: The folder.
        drop: Relative paths of old files that have no place any more.

    Raises:
        OSError: Before anything was replaced, or after: then ``settle`` goes on.
    """
    staging = folder / STAGING_NAME
    for path in staging.rglob("*"):
        _to_disk(path)
    part = staging / f"{_READY}.part"
    part.write_text(json.dumps(drop), "utf-8")
    _to_disk(part)
    part.replace(staging / _READY)
    _to_disk(staging)
    _finish(folder)


def settle(folder: Path) -> None:
    """Finish or undo a replacement that was interrupted; does nothing where there is none.

    Raises:
        StoreError: Another program is at it, or the folder cannot be written.
    """
    staging = folder / STAGING_NAME
    if not staging.is_dir():
        return
    try:
        with (staging / _LOCK).open("ab") as lock:
            _take(lock, folder)
            if (staging / _READY).exists():
                _finish(folder)
            else:
                _remove(staging)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"An interrupted change of {folder} cannot be finished.", str(error)
        ) from error


def locked(file: IO[bytes]) -> bool:
    """Take the lock of an open file that nobody else holds; it ends when the file is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _take(lock: IO[bytes], folder: Path) -> None:
    if not locked(lock):
        raise StoreError(
            f"{folder} is being encrypted or decrypted by another program.",
            "Wait until it is done and retry.",
        )


def _finish(folder: Path) -> None:
    """Drop and move; every step may have been done before."""
    staging = folder / STAGING_NAME
    files = staging / _FILES
    # A log of the old database must be gone before the new one lies beside it.
    for name in _dropped(json.loads((staging / _READY).read_text("utf-8"))):
        (folder / name).unlink(missing_ok=True)
    for path in sorted(files.rglob("*")):
        if path.is_file():
            place = folder / path.relative_to(files)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
            _to_disk(place.parent)
    _to_disk(folder)
    _remove(staging)


def _dropped(names: object) -> list[Path]:
    """The files to drop, all inside the folder; ValueError when the list is none of ours.

    The folder may come from somebody else, and opening it must not delete files elsewhere.
    """
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise ValueError("the list of files to drop is damaged")
    paths = [Path(name) for name in names]
    for path in paths:
        if path.anchor or ".." in path.parts:
            raise ValueError(f"{path} lies outside of the folder")
    return paths


def _remove(staging: Path) -> None:
    """Remove the staging folder; what makes it count goes first."""
    if not staging.is_dir():
        return
    (staging / _READY).unlink(missing_ok=True)
    _to_disk(staging)
    shutil.rmtree(staging, ignore_errors=True)


def _to_disk(path: Path) -> None:
    """Bring a file or, where the system knows how, a folder's entries to the disk."""
    if path.is_dir() and sys.platform == "win32":
        return
    with suppress(PermissionError):
        handle = os.open(path, os.O_RDONLY if sys.platform != "win32" else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
