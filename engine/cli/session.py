"""What every command needs: the library it works on and an engine to ask."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import messages, process, settings
from engine.cli import passphrase
from engine.cli.output import ProgressLine
from engine.graph.store import Store


def library_path(arguments: argparse.Namespace) -> Path:
    """The library folder of this call, unlocked.

    Raises:
        StoreError: It is encrypted, and the passphrase is wrong or cannot be asked for.
    """
    return passphrase.unlocked(library_folder(arguments))


def library_folder(arguments: argparse.Namespace) -> Path:
    """The library folder the user named, or the default one."""
    chosen: Path | None = arguments.library
    return (chosen or settings.library_dir()).expanduser().resolve()


def open_store(arguments: argparse.Namespace, *, read_only: bool = True) -> Store:
    """Open the library of this call.

    Raises:
        StoreError: It cannot be read or written.
    """
    return Store(library_path(arguments), read_only=read_only)


def find_meeting(arguments: argparse.Namespace, reference: str) -> str:
    """Return the id of the meeting a user means.

    Raises:
        MeetingNotFound: None has this id or title.
    """
    with open_store(arguments) as store:
        return store.meeting(reference).id


def perform(
    request: messages.Request,
    label: str,
    engine: process.EngineProcess | None = None,
    on_partial: Callable[[object], None] | None = None,
) -> Any:
    """Run one request in an engine process, with a progress line, and return its result.

    Args:
        request: What to do.
        label: Stands before the progress.
        engine: One to use and leave running; None for one of its own.
        on_partial: Gets the pieces of the result.

    Raises:
        EngineError: It failed.
        Cancelled: The user pressed Ctrl-C.
    """
    own = process.EngineProcess() if engine is None else engine
    line = ProgressLine(label)
    try:
        return process.run(own, request, line, on_partial)
    finally:
        line.close()
        if engine is None:
            own.close()
