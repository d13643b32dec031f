"""Small lists the window keeps beside the library, so that a restart forgets none of them.

In an encrypted library they are encrypted too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine import sealed


def read(path: Path) -> Any:
    """What an earlier session left; an unreadable file is as good as none, which gives None."""
    try:
        return json.loads(sealed.read_text(path))
    except (OSError, ValueError):
        return None


def write(path: Path, value: object) -> None:
    """Replace what is kept, in one go.

    A full disk must not stop the work in hand; what is kept is only a convenience.
    """
    temporary = path.with_suffix(".part")
    try:
        sealed.write_text(temporary, json.dumps(value))
        temporary.replace(path)
    except OSError:
        pass
