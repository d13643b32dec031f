"""What the command line and the model manager show about models."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import ModelBroken, ModelMissing
from engine.weights.catalogue import ModelSpec, catalogue
from engine.weights.locate import locate, read_manifest

PRESENT, MISSING, BROKEN = "present", "missing", "broken"


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One line of the list of models.

    Attributes:
        id: Catalogue id.
        task: What it does.
        title: Shown name.
        licence: Short name of its licence.
        size: Bytes to download.
        state: ``present``, ``missing`` or ``broken`` (by presence and size; ``verify`` reads all).
        is_default: Part of the set a fresh machine needs.
        memory_mb: What it takes when loaded.
        note: One sentence.
        sha256: Of the installed main source file, "" if not installed or installed converted.
        is_pinned: The catalogue knows its hashes; otherwise the first file is trusted.
        can_download: It has a public source; otherwise it is added from disk.
    """

    id: str
    task: str
    title: str
    licence: str
    size: int
    state: str
    is_default: bool
    memory_mb: int = 0
    note: str = ""
    sha256: str = ""
    is_pinned: bool = True
    can_download: bool = True


def _state(entry: ModelSpec) -> tuple[str, str]:
    """State and recorded hash of a model."""
    try:
        manifest = read_manifest(entry.id)
        for name in manifest.outputs:
            locate(entry.id, name)
    except ModelMissing:
        return MISSING, ""
    except ModelBroken:
        return BROKEN, ""
    return PRESENT, manifest.sources.get(entry.files[0].name, "")


def model_row(entry: ModelSpec) -> ModelRow:
    """The line of one model."""
    state, sha256 = _state(entry)
    return ModelRow(
        id=entry.id,
        task=entry.task,
        title=entry.title,
        licence=entry.licence,
        size=entry.size_bytes,
        state=state,
        is_default=entry.is_default,
        memory_mb=entry.memory_mb,
        note=entry.note,
        sha256=sha256,
        is_pinned=entry.is_pinned,
        can_download=all(file.sources for file in entry.files),
    )


def model_rows() -> list[ModelRow]:
    """Every model of the catalogue, the default set first.

    Raises:
        EngineError: The catalogue cannot be read.
    """
    return [model_row(entry) for entry in catalogue()]
