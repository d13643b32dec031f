"""The grammar of the command line. Man page and shell completion are made from it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path

from engine import __version__
from engine.cli import answers, care, demo, hear, library, models

Handler = Callable[[argparse.Namespace], int]

EXPORT_FORMATS = ("md", "txt", "docx", "pdf", "srt", "vtt", "csv", "json", "html")


@cache
def build_parser() -> argparse.ArgumentParser:
    """Return the parser; every sub-command sets ``handler`` to the function that runs it."""
    parser = argparse.ArgumentParser(
        prog="earwitness",
        description="Hear meetings, ask them questions, hear the evidence. All on this machine.",
        epilog="Without a command the window opens. Example: earwitness analyse talk.m4a",
    )
    _add_library_option(parser, default=None)
    parser.add_argument("--version", action="version", version=f"earwitness {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_hearing(commands)
    _add_library(commands)
    _add_care(commands)
    _add_answers(commands)
    _add_machine(commands)
    return parser


def _add_library_option(parser: argparse.ArgumentParser, default: object) -> None:
    """Add ``--library``, which may stand before or after the command."""
    parser.add_argument(
        "--library",
        type=Path,
        metavar="DIR",
        default=default,
        help="the library folder (default: your own)",
    )


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help_text: str,
    example: str,
    handler: Handler,
) -> argparse.ArgumentParser:
    """Add one command with what all of them share."""
    command = commands.add_parser(
        name,
        help=help_text,
        description=help_text[0].upper() + help_text[1:] + ".",
        epilog=f"Example: earwitness {example}",
    )
    # Suppressed, or the sub-command's default would overwrite what stood before the command.
    _add_library_option(command, default=argparse.SUPPRESS)
    command.add_argument("--json", action="store_true", help="print JSON on stdout")
    command.set_defaults(handler=handler)
    return command


def _add_hearing(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _command(
        commands, "analyse", "hear recordings", "analyse talk.m4a --speakers 3", hear.analyse
    )
    command.add_argument("files", nargs="+", type=Path, metavar="FILE|DIR")
    command.add_argument("--speakers", type=int, default=0, metavar="N", help="how many, if known")
    command.add_argument("--language", default="", metavar="L", help="two letters, if known")
    command.add_argument("--model", default="", metavar="M", help="transcription model")
    command.add_argument(
        "--check-model", default="", metavar="M", help="second model, hears doubtful speech again"
    )
    command.add_argument("--vocabulary", default="", help="names and terms, with commas")
    command.add_argument(
        "--channels",
        choices=("auto", "mix", "speakers"),
        default="auto",
        help="mix the channels, or take each as one speaker",
    )
    command.add_argument("--title", default="", help="title of the meeting")
    command.add_argument("--force", action="store_true", help="hear it again from the start")
    command.add_argument(
        "--cluster", default="", metavar="ADDRESS", help="spread the files over a Dask cluster"
    )

    command = _command(
        commands,
        "import-transcript",
        "read a transcript (json, vtt, srt)",
        "import-transcript talk.vtt --audio talk.m4a",
        hear.import_transcript,
    )
    command.add_argument("file", type=Path, metavar="FILE")
    command.add_argument("--audio", type=Path, metavar="FILE", help="the recording it belongs to")
    command.add_argument("--title", default="", help="title of the meeting")

    command = _command(commands, "record", "record a meeting", "record --seconds 60", hear.record)
    command.add_argument("--device", default="", metavar="D", help="part of the device's name")
    command.add_argument("--seconds", type=float, default=0.0, metavar="N", help="0: until Ctrl-C")
    command.add_argument("--list-devices", action="store_true", help="name the devices and stop")


def _add_library(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    _command(commands, "list", "list the meetings", "list --json", library.list_meetings)
    for name, help_text, handler in (
        ("show", "show a meeting's transcript", library.show),
        ("delete", "delete a meeting and every trace of it", library.delete),
        ("enrich", "find topics, decisions and action items", library.enrich),
    ):
        command = _command(commands, name, help_text, f"{name} talk", handler)
        command.add_argument("meeting", metavar="MEETING", help="title, id or start of the id")
        if name == "show":
            command.add_argument(
                "--seconds", action="store_true", help="with --json: how every second sounded"
            )
    command = _command(
        commands, "search", "search by words and meaning", 'search "delivery date"', library.search
    )
    command.add_argument("text", metavar="WORDS")
    command.add_argument("--meeting", metavar="M", help="only in this meeting")
    command.add_argument("--speaker", default="", metavar="NAME", help="only what NAME said")
    command.add_argument("--limit", type=int, default=20, metavar="N")

    command = _command(
        commands,
        "export",
        "write a meeting to a file",
        "export talk --format md -o talk.md",
        library.export,
    )
    command.add_argument("meeting", metavar="MEETING")
    command.add_argument("--format", choices=EXPORT_FORMATS, default="md")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="PATH")

    command = _command(
        commands, "voices", "list or forget remembered voices", "voices forget Ann", library.voices
    )
    command.add_argument("action", choices=("list", "forget"))
    command.add_argument("name", nargs="?", default="", metavar="NAME")


def _add_care(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "library",
        help="check, repair, back up, move, merge or encrypt the library",
        description="Look after the library as a whole.",
        epilog="Example: earwitness library backup /media/disk/meetings",
    )
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    _command(actions, "check", "look for damage", "library check", care.check)
    _command(
        actions, "repair", "mend what can be mended, losing nothing", "library repair", care.repair
    )
    for name, help_text, place, handler in (
        ("backup", "copy the library into a new folder", "/media/disk/meetings", care.backup),
        ("restore", "put a backup in the library's place", "/media/disk/meetings", care.restore),
        ("move", "move the library to another folder", "~/Documents/meetings", care.move),
        ("merge", "copy another library's meetings into this one", "old-library", care.merge),
    ):
        action = _command(actions, name, help_text, f"library {name} {place}", handler)
        action.add_argument("folder", type=Path, metavar="FOLDER")
    for name, help_text, handler in (
        ("encrypt", "let nobody read the library without a passphrase", care.encrypt),
        ("decrypt", "write an encrypted library back as plain files", care.decrypt),
        ("change-passphrase", "change the passphrase of the library", care.change_passphrase),
    ):
        _command(actions, name, help_text, f"library {name}", handler)
    action = _command(
        actions,
        "send",
        "move a meeting into another library",
        "library send talk ~/Documents/shared",
        care.send,
    )
    action.add_argument("meeting", metavar="MEETING", help="title, id or start of the id")
    action.add_argument("folder", type=Path, metavar="FOLDER", help="made if it is not there")


def _add_answers(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _command(
        commands, "ask", "ask a question", 'ask talk "Why was it postponed?"', answers.ask
    )
    command.add_argument("words", nargs="+", metavar="[MEETING] QUESTION")
    command.add_argument("--all", action="store_true", help="ask all meetings")
    command.add_argument("--system", default="agent", metavar="S", help="agent or a baseline")
    command.add_argument(
        "--hear-again", action="store_true", help="hear the cited moments once more and compare"
    )

    command = _command(
        commands,
        "evaluate",
        "cite for every question of a folder of meetings",
        "evaluate qa --system hybrid --out pred.json",
        answers.evaluate,
    )
    command.add_argument("qa_dir", type=Path, metavar="QA_DIR")
    command.add_argument("--system", default="agent", metavar="S")
    command.add_argument("--limit", type=int, default=0, metavar="N", help="only N questions")
    command.add_argument("--out", type=Path, metavar="FILE", help="write the predictions here")
    command.add_argument("--judge", default="", metavar="MODEL", help="let MODEL mark the answers")


def _add_machine(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _command(
        commands, "models", "list, fetch, verify or add models", "models fetch", models.models
    )
    command.add_argument("action", choices=("list", "fetch", "verify", "add", "remove"))
    command.add_argument("names", nargs="*", metavar="MODEL|FILE", help="default: the default set")
    command.add_argument("--all", action="store_true", help="every model that can be fetched")
    command.add_argument("--as", dest="model_id", default="", metavar="ID", help="add FILE as ID")

    command = _command(commands, "demo", "try the sample meeting", "demo", demo.demo)
    command.add_argument("--no-window", action="store_true", help="print answers, open nothing")
    command.add_argument("--prepare-only", action="store_true", help="hear it, ask nothing")

    command = _command(commands, "doctor", "check this machine", "doctor --privacy", models.doctor)
    command.add_argument("--privacy", action="store_true", help="show every open connection")
