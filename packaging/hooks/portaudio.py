"""Run first in the frozen program: let sounddevice find the PortAudio that lies in the bundle.

sounddevice asks ``ctypes.util.find_library``, which on Linux knows only what is installed on the
system. How waiting threads behave is set here too, before any library can be loaded; modules of the
program can be imported by now.
"""

import ctypes.util
import sys
from pathlib import Path

from engine import openmp

openmp.configure()
_find_on_system = ctypes.util.find_library


def _find_library(name: str) -> str | None:
    """Prefer the bundled library to the system's, which may be missing or older."""
    bundled = sorted(Path(sys._MEIPASS).glob(f"lib{name}.so*"))  # type: ignore[attr-defined]
    return str(bundled[0]) if bundled else _find_on_system(name)


if sys.platform.startswith("linux"):
    ctypes.util.find_library = _find_library
