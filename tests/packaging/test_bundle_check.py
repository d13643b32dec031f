"""The try-out of the frozen program, on a program that is a few lines of shell."""

from __future__ import annotations

import ctypes.util
import os
import runpy
import sys
from pathlib import Path

import pytest

import bundle_check
from console import Stop
from engine import openmp

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")

PROGRAM = """#!/bin/sh
case "$1" in
--version) echo "earwitness 0" ;;
doctor) echo "ok   all" ;;
show) printf '{"utterances": ['; for i in 1 2 3 4 5 6 7 8 9; do printf '{},'; done; echo '{}]}' ;;
ask) echo '{"sentences": [{"citations": [1]}]}' ;;
where) echo "$PATH:$HOME" ;;
broken) echo "Traceback (most recent call last)" >&2 ;;
esac
"""


@pytest.fixture
def folder(tmp_path):
    """A frozen folder as far as the try-out looks at it."""
    made = tmp_path / "earwitness"
    sample = made / "_internal" / "resources" / "sample"
    sample.mkdir(parents=True)
    (sample / "meeting.opus").touch()
    (made / "earwitness").write_text(PROGRAM)
    (made / "earwitness").chmod(0o755)
    return made


def test_it_runs_without_anything_of_ours_on_the_way(folder, capsys) -> None:
    assert bundle_check.check(folder) == 0
    assert f"bundle: {len(bundle_check.CHECKS)} passed, 0 failed" in capsys.readouterr().out


def test_the_search_path_leads_nowhere(folder, tmp_path) -> None:
    bundle = bundle_check.Bundle(
        folder / "earwitness", tmp_path, None, tuple(bundle_check._isolation())
    )
    path, home = bundle.run("where").strip().split(":")
    assert not Path(path).exists()
    assert home == str(tmp_path)
    with pytest.raises(Stop):
        bundle.run("broken")


def test_without_a_program_it_says_what_to_run(tmp_path) -> None:
    with pytest.raises(Stop) as stopped:
        bundle_check.check(tmp_path)
    assert "build.py" in stopped.value.hint


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux needs the look-up")
def test_what_runs_first_finds_the_sound_library_and_sets_how_threads_wait(
    tmp_path, monkeypatch
) -> None:
    (tmp_path / "libportaudio.so.2").touch()
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"the system's {name}")
    for name in openmp.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    hook = Path(bundle_check.__file__).parent / "hooks" / "portaudio.py"
    runpy.run_path(str(hook))
    assert ctypes.util.find_library("portaudio") == str(tmp_path / "libportaudio.so.2")
    assert ctypes.util.find_library("asound") == "the system's asound"
    assert {name: os.environ[name] for name in openmp.VARIABLES} == openmp.VARIABLES
