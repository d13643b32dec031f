"""How the set-up talks: plain lines, one clear message when it stops, long commands watched."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

QUIET_SECONDS = 30.0
"""Without a terminal, a long step says once in this time that it is still at work."""

TAIL_LINES = 12


class Stop(Exception):
    """The set-up cannot go on.

    Attributes:
        message: One line: what is wrong.
        hint: What to do about it; may have several lines.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint


def say(text: str) -> None:
    """Print one line at once, also into a pipe."""
    print(text, flush=True)


def _show_pace(label: str, began: float, told: float) -> float:
    """Say that a step is still at work; return when that was last said."""
    now = time.monotonic()
    if sys.stdout.isatty():
        print(f"\r  {label} ... {now - began:.0f} s ", end="", flush=True)
        return now
    if now - told >= QUIET_SECONDS:
        say(f"  {label} ... {now - began:.0f} s")
        return now
    return told


def _watch(process: subprocess.Popen[bytes], label: str, began: float) -> int:
    """Wait for a command, showing that it is alive; it does not outlive an interruption."""
    told = began
    try:
        while True:
            try:
                return process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                told = _show_pace(label, began, told)
    except BaseException:
        process.kill()
        process.wait()
        raise


def _tail(log_path: Path, start: int) -> str:
    """The last lines written to a log after byte ``start``, indented."""
    with log_path.open("rb") as log:
        log.seek(start)
        lines = log.read().decode("utf-8", "replace").splitlines()
    kept = [line.rstrip() for line in lines if line.strip()][-TAIL_LINES:]
    return "\n".join(f"    {line}" for line in kept)


def run_logged(
    label: str,
    command: Sequence[object],
    log_path: Path,
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command with its output in a log, showing that it is alive and how long it took.

    Args:
        label: What the user reads, such as ``Installing packages``.
        command: Program and arguments; paths and strings.
        log_path: Output is appended here.
        cwd: Where it runs.
        environment: Added to the present environment.

    Raises:
        Stop: The program is missing or ended with an error; carries the end of its output.
    """
    began = time.monotonic()
    log_path.parent.mkdir(parents=True, exist_ok=True)
    parts = [str(part) for part in command]
    with log_path.open("ab") as log:
        log.write(f"\n$ {' '.join(parts)}\n".encode())
        log.flush()
        start = log.tell()
        try:
            process = subprocess.Popen(
                parts,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise Stop(f"{parts[0]} cannot be started: {error.strerror}.") from error
        code = _watch(process, label, began)
    if code != 0:
        raise Stop(
            f"{label}: failed (exit {code}).", f"{_tail(log_path, start)}\n  Full log: {log_path}"
        )
    lead = "\r" if sys.stdout.isatty() else ""
    say(f"{lead}  {label}: done in {time.monotonic() - began:.0f} s    ".rstrip())
