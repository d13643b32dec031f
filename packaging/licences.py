#!/usr/bin/env python3
"""Write the licences of every package in this environment into one file, for what is shipped.

Run with the build environment's Python: ``python licences.py TARGET``.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

FILE_NAME = "LICENCES.txt"

BUNDLED = """\
Libraries inside these packages have licences of their own, in particular:

  Qt 6 (in PySide6): LGPL-3.0. It lies beside the program as separate shared libraries, which may
  be replaced by others of the same version.
  FFmpeg (in PySide6 and in av): LGPL-2.1 or later; the copy in av also holds x264 and x265, which
  are GPL-2.0 or later. An installation that may not carry them can leave `av` out and convert
  recordings to WAV or FLAC first.
  whisper.cpp, ggml, llama.cpp: MIT. onnxruntime: MIT. sherpa-onnx: Apache-2.0. PortAudio: MIT.
  libsndfile: LGPL-2.1. SQLite: public domain. CPython: PSF-2.0.

The models are listed with their licences by `earwitness models list`; the texts of the default ones
are in _internal/models/licences.
"""


def licence_of(distribution: metadata.Distribution) -> str:
    """The licence a package declares, in its own words."""
    declared = distribution.metadata.json
    classifiers = declared.get("classifier") or []
    named = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License ::")]
    free_text = str(declared.get("license") or "")
    stated = str(declared.get("license_expression") or free_text.split("\n")[0])
    return stated if 0 < len(stated) < 80 else ", ".join(named) or "see its text"


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
    """One line a package, then the texts."""
    lines = ["What Earwitness is made of", "==========================", ""]
    lines.append("Earwitness itself: Apache-2.0")
    ordered = shipped()
    for item in ordered:
        lines.append(f"{item.metadata['Name']} {item.version}: {licence_of(item)}")
    lines += ["", BUNDLED]
    for item in ordered:
        for text in licence_texts(item):
            lines += ["", "-" * 78, f"{item.metadata['Name']} {item.version}", "-" * 78, text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(report(), encoding="utf-8")
