"""Run first in the frozen program: let sounddevice find the PortAudio that lies in the bundle.

sounddevice asks ``ctypes.util.find_library``, which on Linux knows only what is installed on the
system. Waiting threads of ggml are told to sleep, here as well as in a development checkout.
"""

import ctypes.util
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
_find_on_system = ctypes.util.find_library


def _find_library(name: str) -> str | None:
    """Prefer the bundled library to the system's, which may be missing or older."""
    bundled = sorted(Path(sys._MEIPASS).glob(f"lib{name}.so*"))  # type: ignore[attr-defined]
    return str(bundled[0]) if bundled else _find_on_system(name)


if sys.platform.startswith("linux"):
    ctypes.util.find_library = _find_library
