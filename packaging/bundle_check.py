"""Try the frozen program the way a stranger's machine would: no Python, no settings, no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from console import Stop, say

QUESTION = "What did Daniel promise, and by when?"
START_LIMIT_SECONDS = 3.0


def _isolation() -> list[str]:
    """How to run without a network; empty where namespaces are not allowed."""
    # By their full paths: the program is tried with a search path that leads nowhere.
    unshare, true = shutil.which("unshare"), shutil.which("true")
    for options in (["-n"], ["-rn"]):
        if unshare and true:
            command = [unshare, *options]
            if subprocess.run([*command, true], check=False, capture_output=True).returncode == 0:
                return command
    say("  (network namespaces are not allowed here: the network stays reachable)")
    return []


@dataclass(frozen=True)
class Bundle:
    """A frozen program and the empty home it is tried in."""

    program: Path
    home: Path
    models: Path | None
    prefix: tuple[str, ...]

    def variables(self) -> dict[str, str]:
        """An environment with nothing of ours in it, and a search path that holds no Python."""
        found = {
            "HOME": str(self.home),
            "PATH": str(self.home / "no-programs"),
            "LANG": "C.UTF-8",
            "QT_QPA_PLATFORM": "offscreen",
        }
        if self.models is not None:
            found["EARWITNESS_MODELS"] = str(self.models)
        return found

    def run(self, *arguments: str) -> str:
        """Run the program and return what it printed.

        Raises:
            Stop: It failed or showed a traceback.
        """
        done = subprocess.run(
            [*self.prefix, str(self.program), *arguments],
            env=self.variables(),
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 or "Traceback" in done.stderr:
            raise Stop(
                f"earwitness {' '.join(arguments)}: exit {done.returncode}", done.stderr[-2000:]
            )
        return done.stdout


def _models_beside(folder: Path) -> Path | None:
    """The user's models, unless the bundle carries its own."""
    if (folder / "_internal" / "weights").is_dir():
        return None
    override = os.environ.get("EARWITNESS_MODELS")
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(override) if override else Path(base) / "Earwitness" / "models"


def _starts_fast(bundle: Bundle) -> str:
    bundle.run("--version")  # once, so that the disk is not what is measured
    began = time.monotonic()
    bundle.run("--version")
    seconds = time.monotonic() - began
    if seconds > START_LIMIT_SECONDS:
        raise Stop(f"It took {seconds:.1f} s to start.")
    return f"{seconds:.1f} s"


def _hears(bundle: Bundle) -> str:
    sample = next((bundle.program.parent / "_internal" / "resources" / "sample").glob("meeting.*"))
    began = time.monotonic()
    bundle.run("analyse", str(sample), "--title", "Sample", "--json")
    meeting = json.loads(bundle.run("show", "Sample", "--json"))
    if len(meeting["utterances"]) < 10:
        raise Stop("The sample meeting has hardly any utterances.")
    return f"{len(meeting['utterances'])} utterances in {time.monotonic() - began:.0f} s"


def _answers(bundle: Bundle) -> str:
    began = time.monotonic()
    answer = json.loads(bundle.run("ask", "Sample", QUESTION, "--json"))
    cited = [citation for sentence in answer["sentences"] for citation in sentence["citations"]]
    if not cited:
        raise Stop("The answer cites nothing.")
    return f"{len(cited)} citations in {time.monotonic() - began:.0f} s"


CHECKS: tuple[tuple[str, Callable[[Bundle], str]], ...] = (
    ("starts", _starts_fast),
    ("doctor", lambda bundle: bundle.run("doctor").strip().splitlines()[-1]),
    ("hears the sample meeting", _hears),
    ("answers with citations", _answers),
)


def check(folder: Path) -> int:
    """Try the program in ``folder``; return the exit code.

    Raises:
        Stop: There is no program.
    """
    program = folder / "earwitness"
    if not program.exists():
        raise Stop("Nothing is built yet.", "  Run: python3 packaging/build.py")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="earwitness-check-") as home:
        bundle = Bundle(program, Path(home), _models_beside(folder), tuple(_isolation()))
        for title, test in CHECKS:
            try:
                say(f"  {title}: {test(bundle)}")
            except Stop as stop:
                failed += 1
                say(f"  {title}: FAILED: {stop.message}\n{stop.hint}")
    say(f"bundle: {len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0
