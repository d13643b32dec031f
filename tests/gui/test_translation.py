"""One more language proves that every string can be another."""

import ast
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from engine import paths
from engine.settings import Settings
from engine.weights import catalogue
from gui.translation import TsTranslator

GUI = Path(__file__).resolve().parent.parent.parent / "gui"


@pytest.fixture(scope="module")
def czech():
    return TsTranslator(paths.resource("i18n/earwitness_cs.ts"))


@cache
def strings():
    """Every literal that is handed to a translating function."""
    return tuple(_strings())


def _strings():
    for path in GUI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name not in ("tr", "translate", "QT_TRANSLATE_NOOP") or not node.args:
                continue
            last = node.args[-1]
            if isinstance(last, ast.Constant) and isinstance(last.value, str):
                yield path.name, last.value


def test_every_string_of_the_window_is_translated(czech):
    found = strings()
    assert len(found) > 250
    missing = {text for _path, text in found if not czech.translate("", text)}
    assert not missing


def test_every_setting_is_translated(czech):
    for declared in fields(Settings):
        for key in ("title", "help", "group"):
            assert czech.translate("settings", declared.metadata[key]), declared.name


def test_every_model_is_translated(czech):
    for entry in catalogue.shipped():
        for text in (entry.task, entry.note):
            assert not text or czech.translate("models", text), text


def test_placeholders_survive(czech):
    import re

    for _path, text in strings():
        names = sorted(re.findall(r"{[^}]*}", text))
        assert sorted(re.findall(r"{[^}]*}", czech.translate("", text))) == names, text


def test_the_window_speaks_it(dressed, czech, clients, library_dir, qtbot):
    from gui.app import App

    dressed.installTranslator(czech)
    try:
        made = App(library_dir, clients, Settings(theme="light"))
        assert made.window.parts.actions["undo"].text() == "Zpět"
        assert made.window.menuBar().actions()[0].text() == "&Soubor"
        made.close()
        made.window.deleteLater()
    finally:
        dressed.removeTranslator(czech)
