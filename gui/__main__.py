"""Entry point of the program: the window without arguments, the command line with them."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path


def main() -> int:
    """Open the window or run a command; return the exit code."""
    multiprocessing.freeze_support()
    arguments = sys.argv[1:]
    if _is_demo(arguments) and _has_display():
        return _demo(arguments)
    if not _wants_window(arguments):
        from engine.__main__ import main as run_command

        return run_command(arguments)
    from gui.app import main as open_window

    return open_window(arguments)


def _is_demo(arguments: list[str]) -> bool:
    """Whether the demonstration is asked for, and not a meeting of that name."""
    if arguments[:1] == ["--library"]:
        arguments = arguments[2:]
    return arguments[:1] == ["demo"] and not {"--no-window", "--help", "-h"} & set(arguments)


def _wants_window(arguments: list[str]) -> bool:
    """Whether there is nothing but files ("Open with") and the options of the window."""
    options = {"--library", "--meeting"}
    return all(
        argument in options or before in options or _is_file(argument)
        for before, argument in zip(["", *arguments], arguments, strict=False)
    )


def _is_file(argument: str) -> bool:
    """Whether this is a file to open; commands have neither a dot nor a slash in them."""
    path = Path(argument)
    return (bool(path.suffix) or len(path.parts) > 1) and path.is_file()


def _has_display() -> bool:
    """Whether a window can be shown here."""
    import os

    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _demo(arguments: list[str]) -> int:
    """Hear the sample meeting, then open the window on it."""
    from engine.__main__ import main as run_command

    status = run_command([*arguments, "--prepare-only"])
    if status:
        return status
    from gui.app import main as open_window

    library = arguments[arguments.index("--library") + 1 :][:1] if "--library" in arguments else []
    chosen = ["--library", library[0]] if library else []
    return open_window([*chosen, "--meeting", "Sample meeting"])


if __name__ == "__main__":
    sys.exit(main())
