"""The licences of what Earwitness uses: models from the catalogue, packages from their metadata.

``models/LICENCES.md`` is written by ``write``; a test says when it is out of date.
"""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from collections.abc import Iterable, Iterator
from email.message import Message
from pathlib import Path

from engine import paths
from engine.errors import EngineError
from engine.weights.catalogue import ModelSpec, shipped

# What wheels carry besides the package itself, where that changes what one may do.
_INSIDE = {
    "av": "its wheel carries FFmpeg with x264 and x265 (GPL-2.0-or-later), which then govern a"
    " packaged app that ships it; a build of FFmpeg without them is LGPL-2.1-or-later",
    "llama-cpp-python": "llama.cpp and ggml, MIT",
    "onnxruntime": "further notices are in its own folder",
    "pyside6-addons": "Qt, LGPL-3.0-only; used as separate libraries that can be replaced",
    "pyside6-essentials": "Qt, LGPL-3.0-only; used as separate libraries that can be replaced",
    "pywhispercpp": "whisper.cpp and ggml, MIT",
    "sherpa-onnx-core": "onnxruntime, MIT; kaldi-native-fbank, Apache-2.0",
    "sounddevice": "PortAudio, MIT, on Windows and macOS",
    "cryptography": "OpenSSL, Apache-2.0",
    "soundfile": "libsndfile, LGPL-2.1-or-later",
    "soxr": "libsoxr, LGPL-2.1-or-later",
    "sqlcipher3": "SQLite, public domain; SQLCipher, BSD-3-Clause; OpenSSL, Apache-2.0",
}
# Packages whose metadata name no licence; read from their own licence files.
_UNNAMED = {"hnswlib": "Apache-2.0", "sqlcipher3": "Zlib"}
_INTRODUCTION = """# Licences

Earwitness itself is under Apache-2.0. Models are downloaded by you, from their publishers or from
packages that carry the same bytes; none is part of this repository. Their notices and licence texts
are in `licences/`. Packages come from the package index, each under its own licence.
"""


def licence_text(entry: ModelSpec) -> str:
    """The notice of a model, and the licence text where it is only referred to.

    Raises:
        EngineError: The file is missing.
    """
    folder = paths.catalogue_path().parent / "licences"
    try:
        text = (folder / entry.licence_file).read_text("utf-8")
        if "Apache-2.0.txt" in text:
            text += "\n" + (folder / "Apache-2.0.txt").read_text("utf-8")
    except OSError as error:
        raise EngineError(f"The licence of {entry.title} is missing.", str(error)) from error
    return text


def model_rows() -> Iterator[str]:
    """One line of Markdown per model."""
    for entry in shipped():
        mark = "default" if entry.is_default else "your choice"
        notice = f"[notice](licences/{entry.licence_file})"
        yield f"| {entry.title} | {entry.task} | {entry.licence} | {notice} | {mark} |"


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def _shipped(roots: Iterable[str]) -> dict[str, Message]:
    """Metadata of the packages that are needed, and of those that they need, as installed here."""
    found: dict[str, Message] = {}
    waiting = [_name(root) for root in roots]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system or Python
        found[name] = distribution.metadata  # type: ignore[assignment]
        needed = distribution.requires or []
        waiting += [_name(line) for line in needed if not re.search(r";.*\bextra\b", line)]
    return found


def _licence(name: str, metadata: Message) -> str:
    """What the metadata call the licence, in one line."""
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [c.rpartition(" :: ")[2] for c in metadata.get_all("Classifier") or []
                   if c.startswith("License ::")]  # fmt: skip
    named = (metadata.get("License") or "").strip().splitlines()
    if named and len(named[0]) < 60:
        return named[0]
    return classifiers[0] if classifiers else _UNNAMED.get(name, "see its own files")


def package_rows(pyproject: Path) -> Iterator[str]:
    """One line of Markdown per package that ``pyproject.toml`` leads to.

    Args:
        pyproject: The project's file; only run-time dependencies count.
    """
    roots = tomllib.loads(pyproject.read_text("utf-8"))["project"]["dependencies"]
    for name, metadata in sorted(_shipped(roots).items()):
        yield f"| {name} | {_licence(name, metadata)} | {_INSIDE.get(name, '')} |"


def licence_table(pyproject: Path) -> str:
    """The whole document."""
    lines = [
        _INTRODUCTION,
        "## Models\n",
        "| model | task | licence | | |",
        "|---|---|---|---|---|",
    ]
    lines += [*model_rows(), "\n## Python packages\n", "| package | licence | also inside |"]
    lines += ["|---|---|---|", *package_rows(pyproject)]
    return "\n".join(lines) + "\n"


def write() -> Path:
    """Write ``models/LICENCES.md``, in a checkout where the packages are installed."""
    folder = paths.catalogue_path().parent
    target = folder / "LICENCES.md"
    target.write_text(licence_table(folder.parent / "pyproject.toml"), "utf-8")
    return target
