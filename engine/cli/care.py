"""Commands that look after a whole library: check, repair, backup, restore, move, merge, send."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine import settings
from engine.cli import output, session
from engine.cli.output import ProgressLine
from engine.errors import StoreError
from engine.graph import care, transfer
from engine.graph.database import DATABASE_NAME
from engine.graph.store import Store
from engine.progress import Report


def _existing(arguments: argparse.Namespace) -> Path:
    """The library of this call, which must be there: looking after one makes none.

    Raises:
        StoreError: There is no library.
    """
    folder = session.library_path(arguments)
    if not (folder / DATABASE_NAME).is_file():
        raise StoreError(f"There is no library in {folder}.")
    return folder


def _folder(arguments: argparse.Namespace) -> Path:
    folder: Path = arguments.folder
    return folder.expanduser().resolve()


def check(arguments: argparse.Namespace) -> int:
    """Print what is wrong with the library; 1 when anything is."""
    problems, n_meetings = care.examined(_existing(arguments))
    if arguments.json:
        output.print_json(problems)
    elif problems:
        print("\n".join(problems))
        print("To mend it: earwitness library repair")
    else:
        print(f"The library is whole: {n_meetings} meetings.")
    return 1 if problems else 0


def repair(arguments: argparse.Namespace) -> int:
    """Mend the library and print what was done."""
    done = care.repair(_existing(arguments))
    output.print_json(done) if arguments.json else print("\n".join(done) or "Nothing was wrong.")
    return 0


def backup(arguments: argparse.Namespace) -> int:
    """Copy the library into a new folder."""
    with Store(_existing(arguments)) as store:
        folder = care.backup(store, _folder(arguments))
    output.print_json({"path": folder}) if arguments.json else print(f"Copied to {folder}.")
    return 0


def restore(arguments: argparse.Namespace) -> int:
    """Put a backup in the place of the library."""
    kept = care.restore(_folder(arguments), session.library_path(arguments))
    if arguments.json:
        output.print_json({"kept": kept})
        return 0
    print("Restored." + (f" What was there before is kept as {kept}." if kept else ""))
    return 0


def move(arguments: argparse.Namespace) -> int:
    """Move the library; the usual one is found at its new place from now on."""
    source, target = _existing(arguments), _folder(arguments)
    care.move(source, target)
    if arguments.library is None:
        settings.remember_library(target)
    output.print_json({"path": target}) if arguments.json else print(f"Moved to {target}.")
    return 0


def merge(arguments: argparse.Namespace) -> int:
    """Copy every meeting of another library that this one does not hold.

    Raises:
        StoreError: The other folder is no library, or this very one.
    """
    other, own = _folder(arguments), session.library_path(arguments)
    if other == own:
        raise StoreError("A library cannot be merged with itself.")
    line = ProgressLine("merge")
    with Store(other, read_only=True) as source, Store(own) as target:
        copied = transfer.merge_library(source, target, Report(line))
    line.close()
    if arguments.json:
        output.print_json(copied)
        return 0
    print(f"{len(copied)} meetings came from {other}.")
    return 0


def send(arguments: argparse.Namespace) -> int:
    """Move one meeting into another library, which is made if it is not there."""
    target_dir = _folder(arguments)
    line = ProgressLine("send")
    with Store(_existing(arguments)) as source:
        meeting = source.meeting(arguments.meeting)
        with Store(target_dir) as target:
            copied = transfer.move_meeting(source, target, meeting.id, Report(line))
    line.close()
    if arguments.json:
        output.print_json(copied)
        return 0
    print(f"{meeting.title} is now in {target_dir}.")
    return 0
