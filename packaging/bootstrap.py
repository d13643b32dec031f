#!/usr/bin/env python3
"""Set up Earwitness from a fresh clone and run it, with nothing but the system's Python.

    python3 packaging/bootstrap.py run      set up, fetch the models, analyse the sample, open it
    python3 packaging/bootstrap.py test     the same set-up, then every check and test
    python3 packaging/bootstrap.py setup    only set up

Each can be repeated and interrupted at any time. ``.venv`` in the checkout holds everything that
is installed; the models lie in the user's data folder. On Windows write ``py -3.11`` instead of
``python3``. Only packages and models are fetched; nothing is ever sent.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
import interpreter

if __name__ == "__main__":
    interpreter.ensure_suitable()

import argparse
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from checks import run_checks
from console import Stop, say
from environment import Environment
from system_packages import ensure_system

ROOT = Path(__file__).resolve().parent.parent


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line; no command means ``run``."""
    parser = argparse.ArgumentParser(
        prog="bootstrap.py",
        description="Set up Earwitness in this checkout and run or test it.",
        epilog="example: python3 packaging/bootstrap.py run",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("run", help="set up, fetch the models, open the sample meeting (default)")
    test = commands.add_parser("test", help="set up with the test tools, run every check and test")
    test.add_argument("--quick", action="store_true", help="leave out what needs the models")
    commands.add_parser("setup", help="make .venv and fetch the models, run nothing")
    chosen = parser.parse_args(given)
    chosen.command = chosen.command or "run"
    return chosen


def set_up(environment: Environment, for_tests: bool) -> None:
    """Bring system packages and the virtual environment up to date."""
    if environment.is_ready(for_tests):
        return
    began = time.monotonic()
    say(f"Setting up Earwitness in {environment.root}")
    environment.log_path.unlink(missing_ok=True)
    ensure_system(for_tests, environment.log_path)
    environment.prepare(for_tests)
    say(f"Set up in {time.monotonic() - began:.0f} s")


def fetch_models(environment: Environment) -> None:
    """Fetch what the catalogue marks as default; finished models are not fetched again.

    Raises:
        Stop: The models could not be had; the command has said why.
    """
    command = [str(environment.program("earwitness")), "models", "fetch"]
    code = subprocess.run(command, cwd=environment.root, check=False).returncode
    if code != 0:
        raise Stop("The models are not complete.", "  Run this again to go on where it stopped.")


def main(given: Sequence[str] | None = None) -> int:
    """Do what the command line asks; return the exit code."""
    chosen = arguments(given)
    environment = Environment(ROOT)
    is_test = chosen.command == "test"
    try:
        set_up(environment, is_test)
        if not (is_test and chosen.quick):
            fetch_models(environment)
        if is_test:
            return run_checks(environment, chosen.quick)
        if chosen.command == "run":
            command = [str(environment.program("earwitness")), "demo"]
            return subprocess.run(command, cwd=environment.root, check=False).returncode
    except Stop as stop:
        print(f"bootstrap: {stop.message}\n{stop.hint}".rstrip(), file=sys.stderr)
        return 1
    except OSError as error:
        print(f"bootstrap: {error.strerror}: {error.filename}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbootstrap: interrupted; the same command goes on from here.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
