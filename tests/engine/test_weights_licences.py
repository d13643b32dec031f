"""Every licence is at hand, and the list of them is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.weights.catalogue import shipped
from engine.weights.licences import licence_text, model_rows, package_rows

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "models" / "LICENCES.md"
RENEW = "renew it: python -c 'from engine.weights.licences import write; write()'"


@pytest.mark.parametrize("entry", shipped(), ids=lambda entry: entry.id)
def test_every_model_has_its_notice_and_its_licence(entry):
    text = licence_text(entry)
    assert "Copyright" in text
    if entry.licence == "MIT":
        assert "Permission is hereby granted" in text
    elif entry.licence == "Apache-2.0":
        assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in text
    else:
        assert "model's page" in text


def test_the_list_names_every_model():
    listed = set(LIST.read_text("utf-8").splitlines())
    assert [row for row in model_rows() if row not in listed] == [], RENEW


def test_the_list_names_every_package():
    listed = {line.split("|")[1].strip() for line in LIST.read_text("utf-8").splitlines()
              if line.startswith("| ")}  # fmt: skip
    rows = list(package_rows(ROOT / "pyproject.toml"))
    assert rows
    assert [row for row in rows if row.split("|")[1].strip() not in listed] == [], RENEW
    assert not any("see its own files" in row for row in rows)
