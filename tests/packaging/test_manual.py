"""Man page, completions and desktop files agree with the program."""

from __future__ import annotations

import configparser
import os
import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import appimage
import debian
import manual
from engine.cli.parser import build_parser

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    return manual.documents(build_parser())


def test_every_command_has_an_example_in_its_help() -> None:
    for name, (command, _) in manual.commands(build_parser()).items():
        assert f"earwitness {name}" in (command.epilog or ""), name


def test_every_command_and_option_is_in_the_manual(documents) -> None:
    page = documents["earwitness.1"].replace("\\-", "-")
    for name, (command, _) in manual.commands(build_parser()).items():
        assert f".SS {name}" in page
        for action in manual.options(command):
            assert all(option in page for option in action.option_strings)


def test_the_manual_is_sound_roff(documents) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"],
        input=documents["earwitness.1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


def complete(script: str, *words: str) -> list[str]:
    """What bash offers for the last word."""
    typed = " ".join(f"'{word}'" for word in words)
    line = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _earwitness; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True, cwd="/"
    )
    return done.stdout.split()


@pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_values(documents) -> None:
    script = documents["earwitness.bash"]
    assert complete(script, "earwitness", "anal") == ["analyse"]
    assert complete(script, "earwitness", "analyse", "--spe") == ["--speakers"]
    assert complete(script, "earwitness", "export", "talk", "--format", "doc") == ["docx"]
    assert "fetch" in complete(script, "earwitness", "models", "fe")


def test_zsh_and_fish_know_every_command(documents) -> None:
    for name in manual.commands(build_parser()):
        assert f"'{name}:" in documents["_earwitness"]
        assert f"-a {name} " in documents["earwitness.fish"]


def test_the_desktop_entry_opens_files_with_the_program() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(PACKAGING / "linux" / "earwitness.desktop", encoding="utf-8")
    section = entry["Desktop Entry"]
    assert section["Exec"] == "earwitness %F"
    assert section["MimeType"].endswith(";")
    assert {"audio/mpeg", "video/mp4", "text/vtt"} <= set(section["MimeType"].split(";"))


def test_descriptions_for_other_systems_parse() -> None:
    ElementTree.parse(PACKAGING / "linux" / "app.earwitness.Earwitness.metainfo.xml")
    plist = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert plist["com.apple.security.device.audio-input"] is True


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout with a frozen program that only says how it was called."""
    root = tmp_path / "checkout"
    program = root / "dist" / "earwitness" / "earwitness"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho started: "$@"\n')
    program.chmod(0o755)
    shutil.copytree(PACKAGING / "linux", root / "packaging" / "linux")
    shutil.copytree(PACKAGING.parent / "resources" / "icons", root / "resources" / "icons")
    (root / "LICENSE").touch()
    return root


SHARED = (
    "usr/share/applications/earwitness.desktop",
    "usr/share/icons/hicolor/256x256/apps/earwitness.png",
    "usr/share/man/man1/earwitness.1.gz",
    "usr/share/bash-completion/completions/earwitness",
    "usr/share/zsh/vendor-completions/_earwitness",
    "usr/share/fish/vendor_completions.d/earwitness.fish",
    "usr/share/doc/earwitness/copyright",
)


def test_the_package_puts_every_file_in_its_place(tmp_path, checkout, documents) -> None:
    stage = tmp_path / "stage"
    debian.lay_out(checkout, stage, documents)
    assert (stage / "usr/bin/earwitness").readlink() == Path("/opt/earwitness/earwitness")
    for place in ("opt/earwitness/earwitness", *SHARED):
        assert (stage / place).is_file(), place


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_an_image_has_what_its_format_asks_for_and_starts_from_anywhere(
    tmp_path, checkout, documents
) -> None:
    stage = tmp_path / "an odd 'place'" / "Earwitness.AppDir"
    appimage.lay_out(checkout, stage, documents)
    for place in SHARED:
        assert (stage / place).is_file(), place
    (entry,) = stage.glob("*.desktop")
    section = configparser.ConfigParser(interpolation=None)
    section.read(entry, encoding="utf-8")
    # The icon is named in the entry and lies beside it; the command is a program of that name.
    assert (stage / f"{section['Desktop Entry']['Icon']}.png").is_file()
    assert section["Desktop Entry"]["Exec"].split()[0] == Path(appimage.PROGRAM).name
    assert (stage / ".DirIcon").resolve() == stage / "earwitness.png"
    (tmp_path / "link").symlink_to(stage / "AppRun")
    for start in (stage / "AppRun", tmp_path / "link"):
        done = subprocess.run([start, "a b", "c"], capture_output=True, text=True, cwd="/")
        assert done.stdout == "started: a b c\n", done.stderr


def test_without_its_tool_no_image_is_made(checkout, monkeypatch) -> None:
    monkeypatch.setattr(appimage.shutil, "which", lambda _: None)
    assert appimage.make_image(checkout, None) is None


@pytest.mark.parametrize(
    "command",
    [
        ["desktop-file-validate", "earwitness.desktop"],
        ["appstreamcli", "validate", "--no-net", "app.earwitness.Earwitness.metainfo.xml"],
    ],
    ids=lambda command: command[0],
)
def test_the_descriptions_are_valid(command) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=PACKAGING / "linux", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
