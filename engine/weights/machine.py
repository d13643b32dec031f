"""What this machine can hold, and how its native loaders want to see a path."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def memory_bytes() -> int:
    """Memory of this machine, 0 where it cannot be told."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def loadable(path: Path) -> Path:
    """The path in a form that native loaders open.

    On Windows some of them pass names through the old code page and fail on a user name in another
    script; such a path is given in its short form. Elsewhere, and where a volume keeps no short
    names, it is returned as it is.
    """
    if sys.platform == "win32" and not str(path).isascii():
        return _short_path(path)
    return path


def _windows_memory() -> int:
    """Ask Windows for MEMORYSTATUSEX: its own length, the load, then counts; first is the total."""
    import ctypes

    status = (ctypes.c_uint64 * 8)(64)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent elsewhere
    return int(status[1]) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else 0


def _short_path(path: Path) -> Path:
    """Ask Windows for the 8.3 form of a path."""
    import ctypes

    buffer = ctypes.create_unicode_buffer(1024)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent elsewhere
    length = kernel.GetShortPathNameW(str(path), buffer, len(buffer))
    is_known = 0 < length < len(buffer) and buffer.value.isascii()
    return Path(buffer.value) if is_known else path
