"""Small lists the window keeps beside the library, so that a restart forgets none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(path: Path) -> Any:
    """What an earlier session left; an unreadable file is as good as none, which gives None."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def write(path: Path, value: object) -> None:
    """Replace what is kept, in one go.

    A full disk must not stop the work in hand; what is kept is only a convenience.
    """
    temporary = path.with_suffix(".part")
    try:
        temporary.write_text(json.dumps(value), "utf-8")
        temporary.replace(path)
    except OSError:
        pass
