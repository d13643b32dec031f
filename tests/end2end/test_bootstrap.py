"""The run command as a newcomer meets it: here quickly, and by hand from a fresh clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
N_DEMO_QUESTIONS = 3


def bootstrap(checkout: Path, *arguments: str, **variables: str) -> tuple[str, float]:
    """Run the set-up script without a display; return what it printed and how long it took."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    inherited = {name: value for name, value in os.environ.items() if name not in hidden}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "packaging/bootstrap.py", *arguments],
        cwd=checkout,
        env={**inherited, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout + done.stderr
    assert done.returncode == 0, shown[-3000:]
    assert "Traceback" not in shown
    return done.stdout, time.monotonic() - began


def assert_answered(shown: str) -> None:
    """Three questions, each answered with at least one moment."""
    questions = re.findall(r"(?m)^.*\?$", shown)
    assert len(questions) == N_DEMO_QUESTIONS, shown
    for answer in re.split(r"(?m)^.*\?$", shown)[1:]:
        assert re.search(r"\d+:\d\d", answer), f"no moment is cited in {answer!r}"


@pytest.mark.end2end
def test_run_answers_about_the_sample_and_does_nothing_twice(tmp_path) -> None:
    if not (ROOT / ".venv" / "setup.json").is_file():
        pytest.skip("this checkout was not set up by packaging/bootstrap.py")
    library = str(tmp_path / "library")
    shown, _ = bootstrap(ROOT, "run", EARWITNESS_LIBRARY=library)
    assert_answered(shown)
    shown, _ = bootstrap(ROOT, "setup", EARWITNESS_LIBRARY=library)
    assert "Setting up" not in shown
    assert "All models are here." in shown


@pytest.mark.benchmark
def test_fresh_clone(tmp_path, capsys) -> None:
    """Run by hand: clone, set up, run; prints the times."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    shown, first = bootstrap(clone, "run", EARWITNESS_LIBRARY=str(tmp_path / "library"))
    assert_answered(shown)
    _, second = bootstrap(clone, "run", EARWITNESS_LIBRARY=str(tmp_path / "library"))
    with capsys.disabled():
        print(f"\nfirst run {first:.0f} s, second run {second:.0f} s")
