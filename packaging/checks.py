"""The project's own checks, in the order in which they fail fastest."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass

from console import say
from environment import Environment


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        title: What it is called in the summary.
        command: A program of the environment and its arguments.
        is_slow: Needs the models and minutes; left out by ``--quick``.
    """

    title: str
    command: tuple[str, ...]
    is_slow: bool = False


CHECKS = (
    Check("lint", ("ruff", "check", ".")),
    Check("format", ("ruff", "format", "--check", ".")),
    Check("types", ("mypy",)),
    Check("quick tests", ("pytest", "-q")),
    Check("end-to-end tests", ("pytest", "-q", "-m", "end2end"), is_slow=True),
)

VARIABLES = {
    "PYTHONUNBUFFERED": "1",
    # kept, so that each worker does not rewrite the assertions of every test anew
    "PYTHONDONTWRITEBYTECODE": "",
}


def run_checks(environment: Environment, is_quick: bool) -> int:
    """Run every check, also after one failed, and close with one summary line.

    Args:
        environment: Where the tools are installed.
        is_quick: Leave out what needs models.

    Returns:
        The exit code: 0 when all passed.
    """
    chosen = [check for check in CHECKS if not (check.is_slow and is_quick)]
    failed = []
    for check in chosen:
        say(f"\n== {check.title}: {' '.join(check.command)}")
        began = time.monotonic()
        program = str(environment.program(check.command[0]))
        code = subprocess.run(
            [program, *check.command[1:]],
            cwd=environment.root,
            env={**os.environ, **VARIABLES},
            stdin=subprocess.DEVNULL,
            check=False,
        ).returncode
        seconds = time.monotonic() - began
        say(f"== {check.title}: {'passed' if code == 0 else f'FAILED ({code})'} in {seconds:.0f} s")
        if code != 0:
            failed.append(check.title)
    say("")
    if failed:
        say(f"Failed: {', '.join(failed)}")
    say(f"checks: {len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0
