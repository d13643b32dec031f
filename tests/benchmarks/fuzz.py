"""Hostile inputs by the thousand: how many were taken, refused, and did harm.

    python tests/benchmarks/fuzz.py [--inputs 2000] [DOOR ...]

Each door of ``tests/hostile_inputs.py`` runs in a child process that says which input it is at.
An input is lost when the child dies of it, when it takes longer than 20 seconds, or when it ends
in anything but an error of ours; the seed is printed, and the next child goes on after it.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
SECONDS = 20


def work(door: str, first: int, n_inputs: int) -> None:
    """Child: try inputs and print a line for each outcome."""
    from hostile_inputs import DOORS

    with tempfile.TemporaryDirectory(prefix="earwitness-fuzz-") as folder:
        attempt = DOORS[door](Path(folder) / "door")
        for number in range(first, n_inputs):
            print("at", number, flush=True)
            if hasattr(signal, "alarm"):
                signal.alarm(SECONDS)
            try:
                is_taken = attempt(random.Random(f"{door} {number}"))
            except Exception:  # noqa: BLE001 - whatever it is, it is what we look for
                traceback.print_exc()
                print(f"{door}: input {number} went wrong", file=sys.stderr, flush=True)
                print("wrong", number, flush=True)
                continue
            print("taken" if is_taken else "refused", number, flush=True)


def tried(door: str, n_inputs: int) -> dict[str, int]:
    """Run a door to its end, with as many children as it takes."""
    counts = {"taken": 0, "refused": 0, "wrong": 0, "crashed": 0, "hung": 0}
    first = 0
    while first < n_inputs:
        command = [sys.executable, __file__, "--child", door, str(first), str(n_inputs)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout
        at = first - 1
        for line in child.stdout:
            word, _, number = line.partition(" ")
            if word == "at":
                at = int(number)
            elif word in counts:
                counts[word] += 1
        status = child.wait()
        if status == 0:
            break
        kind = "hung" if status == -getattr(signal, "SIGALRM", 14) else "crashed"
        print(f"{door}: input {at} {kind} (exit {status})", file=sys.stderr, flush=True)
        if at < first:
            raise SystemExit(f"{door}: the child does not start")
        counts[kind] += 1
        first = at + 1
    return counts


def main() -> int:
    """Print the table; 1 when anything was lost."""
    if sys.argv[1:2] == ["--child"]:
        work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return 0
    from hostile_inputs import DOORS

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=2000, help="for each door")
    parser.add_argument("doors", nargs="*", choices=[*DOORS, []], metavar="DOOR")
    arguments = parser.parse_args()
    print("| inputs | tried | taken | clear error | crashed, hung or wrong | seconds |")
    print("|---|---|---|---|---|---|")
    lost = 0
    for door in arguments.doors or DOORS:
        began = time.monotonic()
        found = tried(door, arguments.inputs)
        bad = found["wrong"] + found["crashed"] + found["hung"]
        lost += bad
        spent = time.monotonic() - began
        total = found["taken"] + found["refused"] + bad
        row = (door, total, found["taken"], found["refused"], bad, f"{spent:.0f}")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
