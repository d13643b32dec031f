"""What the command line and the model manager show about models."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import ModelBroken, ModelMissing
from engine.weights.catalogue import ModelSpec, catalogue
from engine.weights.locate import locate, read_manifest
from engine.weights.machine import memory_bytes

_RESERVE_BYTES = 3 << 30
_SMALL_MB = 1000
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
        fits: This machine has the memory for it, with room for everything else.
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
    fits: bool = True


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


def _fits(memory_mb: int) -> bool:
    """Whether a model leaves 3 GB to the system and the other models; True if nobody can tell."""
    total = memory_bytes()
    return total == 0 or (memory_mb << 20) + _RESERVE_BYTES <= total or memory_mb < _SMALL_MB


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
        fits=_fits(entry.memory_mb),
    )


def model_rows() -> list[ModelRow]:
    """Every model of the catalogue, the default set first.

    Raises:
        EngineError: The catalogue cannot be read.
    """
    return [model_row(entry) for entry in catalogue()]
