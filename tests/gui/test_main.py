"""Which arguments open the window and which are the command line's."""

from __future__ import annotations

import pytest

from gui import __main__ as entry


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Run the entry point with arguments; say what they led to."""
    (tmp_path / "talk.m4a").touch()
    (tmp_path / "list").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(entry, "_has_display", lambda: True)
    monkeypatch.setattr(entry, "_demo", lambda arguments: "demo")
    monkeypatch.setattr("gui.app.main", lambda arguments: "window")
    monkeypatch.setattr("engine.__main__.main", lambda arguments: "command")

    def run(*arguments: str) -> str:
        monkeypatch.setattr(entry.sys, "argv", ["earwitness", *arguments])
        return entry.main()

    return run


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "window"),
        (("--library", "/x", "--meeting", "Talk"), "window"),
        (("talk.m4a",), "window"),
        (("absent.m4a",), "command"),
        (("list",), "command"),  # also where a file of that name lies
        (("analyse", "talk.m4a"), "command"),
        (("demo",), "demo"),
        (("--library", "/x", "demo"), "demo"),
        (("demo", "--no-window"), "command"),
        (("show", "demo"), "command"),
        (("--help",), "command"),
    ],
)
def test_arguments(opened, arguments, expected) -> None:
    assert opened(*arguments) == expected
