"""Trying what may crash: a note on disk says that it was tried, and whether we survived.

Native code that crashes takes its process with it, and would do so again at every restart. A
second crash in a row closes the latch until this version of the library is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine import paths

MAX_CRASHES = 2


def is_open(name: str) -> bool:
    """Whether the risky step ``name`` (with its library version in it) may be tried."""
    return _crashes(name) < MAX_CRASHES


@contextmanager
def tried(name: str) -> Iterator[None]:
    """Note that a risky step begins, and that it ended without a crash. Exceptions are no crash."""
    path = paths.config_dir() / "latches" / name
    count = _crashes(name)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(count + 1), "utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _crashes(name: str) -> int:
    """How often the step was begun and not ended."""
    try:
        return int((paths.config_dir() / "latches" / name).read_text("utf-8"))
    except (OSError, ValueError):
        return 0
