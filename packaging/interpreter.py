"""Find a Python new enough to run Earwitness. Must itself run on older ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

OLDEST = (3, 11)
NEWEST = (3, 14)
"""The last version the pinned packages have been published for."""

ADVICE = {
    "linux": "Debian 12+, Ubuntu 24.04+: sudo apt-get install python3 python3-venv. "
    "Ubuntu 22.04: sudo apt-get install python3.11 python3.11-venv python3.11-dev.",
    "darwin": "Install Python 3.11 or newer from its publisher's page, or with Homebrew: "
    "brew install python@3.12.",
    "win32": "Install Python 3.11 or newer from its publisher's page or the Microsoft Store, "
    "then run: py -3.11 packaging\\bootstrap.py run",
}


def is_suitable(version: Sequence[int]) -> bool:
    """Say whether a (major, minor) pair can run Earwitness."""
    return OLDEST <= tuple(version[:2]) <= NEWEST


def candidates() -> list[str]:
    """Names a suitable Python may go by, the best-tried first."""
    minors = [11, 12, 13, 14]
    return [*(f"python3.{minor}" for minor in minors), "python3", "python"]


def version_of(path: str) -> tuple[int, int] | None:
    """Ask an interpreter for its (major, minor); None when it does not answer."""
    code = "import sys; print(sys.version_info[0], sys.version_info[1])"
    try:
        answer = subprocess.run(
            [path, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20
        )
        major, minor = answer.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def find_suitable() -> str | None:
    """Return the path of a suitable Python, the running one if it will do, or None."""
    if is_suitable(sys.version_info[:2]):
        return sys.executable
    for name in candidates():
        path = shutil.which(name)
        if path and is_suitable(version_of(path) or (0, 0)):
            return path
    return None


def ensure_suitable() -> None:
    """Go on under a suitable Python, or say where to get one and exit 1."""
    path = find_suitable()
    if path == sys.executable:
        return
    if path is None:
        advice = ADVICE.get(sys.platform, ADVICE["linux"])
        have = ".".join(map(str, sys.version_info[:2]))
        low, high = (".".join(map(str, v)) for v in (OLDEST, NEWEST))
        print(f"Earwitness needs Python {low} to {high}; this is {have}.")
        print("  " + advice)
        sys.exit(1)
    arguments = [path, *sys.argv]
    if os.name == "nt":  # execv would return to the shell before the work is done
        sys.exit(subprocess.call(arguments))
    os.execv(path, arguments)
