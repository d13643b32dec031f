"""Trying what may crash: a note on disk says that it was tried, and whether we survived.

Native code that crashes takes its process with it, and would do so again at every restart. A
second crash in a row closes the latch until this version of the library is replaced.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine import paths

MAX_CRASHES = 2

_lock = threading.Lock()
_inside: Counter[str] = Counter()
"""Threads of this process that are in a step; together they have begun it once."""


def is_open(name: str) -> bool:
    """Whether the risky step ``name`` (with its library version in it) may be tried."""
    with _lock:
        return _begun(name) - min(1, _inside[name]) < MAX_CRASHES


@contextmanager
def tried(name: str) -> Iterator[None]:
    """Note that a risky step begins, and that it ended without a crash. Exceptions are no crash."""
    path = paths.config_dir() / "latches" / name
    with _lock, suppress(OSError):
        _inside[name] += 1
        if _inside[name] == 1:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(_begun(name) + 1), "utf-8")
    try:
        yield
    finally:
        with _lock, suppress(OSError):
            _inside[name] -= 1
            if not _inside[name]:
                path.unlink(missing_ok=True)


def _begun(name: str) -> int:
    """How often the step was begun and not ended."""
    try:
        return int((paths.config_dir() / "latches" / name).read_text("utf-8"))
    except (OSError, ValueError):
        return 0
