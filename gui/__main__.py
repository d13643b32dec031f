"""Entry point of the program: the window without arguments, the command line with them."""

from __future__ import annotations

import multiprocessing
import sys


def main() -> int:
    """Open the window or run a command; return the exit code."""
    multiprocessing.freeze_support()
    arguments = sys.argv[1:]
    if "demo" in arguments and "--no-window" not in arguments and _has_display():
        return _demo(arguments)
    if not _wants_window(arguments):
        from engine.__main__ import main as run_command

        return run_command(arguments)
    from gui.app import main as open_window

    return open_window(arguments)


def _wants_window(arguments: list[str]) -> bool:
    """Whether there is nothing but the options of the window: a library and a meeting."""
    return all(
        argument in {"--library", "--meeting"} or before in {"--library", "--meeting"}
        for before, argument in zip(["", *arguments], arguments, strict=False)
    )


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
