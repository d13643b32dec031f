"""What the README tells people to type exists, and what it links to is there."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import bootstrap
import build
from engine.cli.parser import build_parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "packaging/README.md", ".github/CONTRIBUTING.md")
PROGRAM = re.compile(r"(?:\.venv/bin/)?earwitness ([a-z][^`\n]*|--[^`\n]*)")


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def code(text: str) -> list[str]:
    """Lines of code blocks without their trailing explanations, and code inside sentences."""
    blocks = re.findall(r"(?ms)^```\n(.*?)^```", text)
    lines = [re.split(r"\s{3,}|\s+#", line)[0] for block in blocks for line in block.splitlines()]
    return [line for line in lines if line] + re.findall(r"`([^`\n]+)`", text)


def program_lines() -> list[str]:
    """Arguments of every earwitness command on any page."""
    found = []
    for name in PAGES:
        for line in code(page(name)):
            match = PROGRAM.fullmatch(line.strip())
            if match:
                found.append(match.group(1))
    return sorted(set(found))


@pytest.mark.parametrize("line", program_lines())
def test_every_earwitness_command_is_understood(line) -> None:
    words = shlex.split(line)
    if words[0].startswith("--"):  # --help and --version print and end
        with pytest.raises(SystemExit, match=r"^0$"):
            build_parser().parse_args(words)
    else:
        build_parser().parse_args(words)


@pytest.mark.parametrize("script", ["bootstrap", "build"])
def test_every_set_up_command_is_understood(script) -> None:
    read = {"bootstrap": bootstrap.arguments, "build": build.parser().parse_args}[script]
    lines = [line for name in PAGES for line in code(page(name)) if f"{script}.py " in f"{line} "]
    assert lines
    for line in lines:
        read(shlex.split(line.partition(f"{script}.py")[2]))


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name) -> None:
    text = page(name)
    headings = {
        re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-")
        for h in re.findall(r"(?m)^#+ (.*)$", text)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in headings, target
        elif "://" not in target:
            assert (ROOT / name).parent.joinpath(target.partition("#")[0]).exists(), target


def test_every_folder_the_readme_explains_exists() -> None:
    folders = re.findall(r"(?m)^\| `([\w/]+/)` \|", page("README.md"))
    assert len(folders) > 8
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


def test_ci_runs_the_test_command() -> None:
    script = page(".ci/run")
    assert "python3 packaging/bootstrap.py test" in script
    checked = subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=False)
    assert checked.returncode == 0
