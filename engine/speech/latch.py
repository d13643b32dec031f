"""Trying what may crash: a note on disk says that it was tried, and whether we survived.

Native code that crashes takes its process with it, and would do so again at every restart. A
second crash in a row closes the latch until this version of the library is replaced.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine import paths

MAX_CRASHES = 2

_lock = threading.Lock()
_inside: dict[str, list[int]] = {}
"""For a step that threads of this process are in: the crashes before each of them entered."""


def is_open(name: str) -> bool:
    """Whether the risky step ``name`` (with its library version in it) may be tried."""
    with _lock:
        return _crashes(name) < MAX_CRASHES


@contextmanager
def tried(name: str) -> Iterator[None]:
    """Note that a risky step begins, and that it ended without a crash. Exceptions are no crash."""
    path = paths.config_dir() / "latches" / name
    with _lock:
        count = _crashes(name)
        _inside.setdefault(name, []).append(count)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(count + 1), "utf-8")
    try:
        yield
    finally:
        with _lock:
            _inside[name].pop()
            if not _inside[name]:
                del _inside[name]
                with suppress(OSError):
                    path.unlink(missing_ok=True)


def _crashes(name: str) -> int:
    """How often the step was begun and not ended, by processes that are gone."""
    if name in _inside:
        return _inside[name][0]
    try:
        return int((paths.config_dir() / "latches" / name).read_text("utf-8"))
    except (OSError, ValueError):
        return 0
