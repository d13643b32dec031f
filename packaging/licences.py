#!/usr/bin/env python3
"""Write the licences of every package in this environment into one file, for what is shipped.

Run with the build environment's Python: ``python licences.py TARGET``.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine.weights.licences import licence_table


def licence_texts(distribution: metadata.Distribution) -> list[str]:
    """The licence files a package carries."""
    texts = []
    for file in distribution.files or []:
        name = file.name.upper()
        is_text = name.startswith(("LICEN", "COPYING", "NOTICE")) and file.suffix != ".py"
        if is_text and "dist-info" in str(file):
            path = Path(str(distribution.locate_file(file)))
            if path.is_file():
                texts.append(path.read_text("utf-8", errors="replace").strip())
    return texts


def shipped() -> list[metadata.Distribution]:
    """Earwitness's dependencies and theirs, by name; what only builds and tests is left out."""
    waiting, found = ["earwitness"], dict[str, metadata.Distribution]()
    while waiting:
        try:
            distribution = metadata.distribution(waiting.pop())
        except metadata.PackageNotFoundError:
            continue  # for another system
        name = distribution.metadata["Name"].lower()
        if name not in found:
            found[name] = distribution
            wanted = [Requirement(text) for text in distribution.requires or []]
            waiting += [r.name for r in wanted if r.marker is None or r.marker.evaluate()]
    return [found[name] for name in sorted(found.keys() - {"earwitness", "pip"})]


def report() -> str:
    """The table of what is used, then the licence text of every package that ships."""
    lines = [licence_table(Path(__file__).resolve().parent.parent / "pyproject.toml")]
    for item in shipped():
        for text in licence_texts(item):
            lines += ["", "-" * 78, f"{item.metadata['Name']} {item.version}", "-" * 78, text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(report(), encoding="utf-8")
