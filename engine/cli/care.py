"""Commands that look after a whole library: its health, its copies, its place, its encryption."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine import settings, vault
from engine.cli import output, passphrase, session
from engine.cli.output import ProgressLine
from engine.errors import StoreError
from engine.graph import care, encryption, transfer
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


def _other_library(arguments: argparse.Namespace) -> Path:
    """The folder that the user named, unlocked where it is an encrypted library."""
    return passphrase.unlocked(_folder(arguments))


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
    kept = care.restore(_other_library(arguments), session.library_path(arguments))
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
    other, own = _other_library(arguments), session.library_path(arguments)
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
    target_dir = _other_library(arguments)
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


def encrypt(arguments: argparse.Namespace) -> int:
    """Encrypt the library with a new passphrase."""
    folder = session.library_folder(arguments)
    if vault.is_encrypted(folder):
        raise StoreError("The library is encrypted already.")
    chosen = passphrase.new()
    line = ProgressLine("encrypt")
    encryption.encrypt(folder, chosen, Report(line))
    line.close()
    return _done(arguments, f"{folder} is encrypted. {encryption.WITHOUT} {encryption.OLD_BLOCKS}")


def decrypt(arguments: argparse.Namespace) -> int:
    """Write the library back as plain files."""
    folder = _existing(arguments)
    line = ProgressLine("decrypt")
    encryption.decrypt(folder, Report(line))
    line.close()
    return _done(arguments, f"{folder} can be read without a passphrase again.")


def change_passphrase(arguments: argparse.Namespace) -> int:
    """Change the passphrase of the library."""
    folder = session.library_folder(arguments)
    if not vault.is_encrypted(folder):
        raise StoreError("The library is not encrypted.", "Run `earwitness library encrypt`.")
    old = passphrase.old()
    vault.unlock(folder, old)  # a wrong one is told before the new one is asked for
    vault.change_passphrase(folder, old, passphrase.new(line=1))
    return _done(arguments, "The passphrase is changed. Backups keep the old one.")


def _done(arguments: argparse.Namespace, text: str) -> int:
    output.print_json({"done": text}) if arguments.json else print(text)
    return 0
