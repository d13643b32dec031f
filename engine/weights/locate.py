"""Where installed models lie, and whether they are whole. Reads only; ``fetch`` writes.

Each model has a folder ``weights_dir()/<id>/`` with its runtime files and ``manifest.json``,
which records sizes and SHA-256 of what was installed. Folders appear by one rename, so a folder
without a readable manifest was not made by us.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engine import paths
from engine.errors import EngineError, ModelBroken, ModelMissing
from engine.progress import Report, silent
from engine.weights.catalogue import ModelSpec, spec
from engine.weights.inspect import check_file, wanted_form
from engine.weights.machine import loadable

MANIFEST = "manifest.json"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class InstalledFile:
    """Size and hash of a file as it was installed."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was installed, and from what.

    Attributes:
        model_id: Catalogue id.
        recipe: Name of the recipe.
        recipe_version: Raised when a recipe changes its output.
        sources: SHA-256 of each source file by name.
        outputs: What lies in the folder, by name.
        is_pinned: False when the hash was not known beforehand but recorded on first use.
        form: ``gguf`` or ``ggml`` for a model under a name of the user's own, else "".
    """

    model_id: str
    recipe: str
    recipe_version: int
    sources: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, InstalledFile] = field(default_factory=dict)
    is_pinned: bool = True
    form: str = ""


def model_dir(model_id: str) -> Path:
    """Where a model is installed to, whether it is there or not."""
    return paths.weights_dir() / model_id


def found_dir(model_id: str) -> Path:
    """Where a model is read from: the user's own, else what the packaged app brought along."""
    own, bundled = model_dir(model_id), paths.bundled_weights_dir() / model_id
    is_bundled = not (own / spec(model_id).main).exists() and (bundled / MANIFEST).exists()
    return bundled if is_bundled else own


def sha256_of(path: Path, report: Report | None = None, stage: str = "verify") -> str:
    """SHA-256 of a file, lower-case hex.

    Raises:
        Cancelled: The user asked to stop.
        OSError: The file cannot be read.
    """
    report = report or silent()
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            report(stage, done, total)
    return digest.hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest.json`` into a folder that is being prepared."""
    text = json.dumps(asdict(manifest), indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text, "utf-8")


def read_manifest(model_id: str) -> Manifest:
    """The manifest of an installed model.

    Raises:
        ModelMissing: The model is not installed, or in a form of an earlier version of the app.
        ModelBroken: The manifest is damaged.
    """
    path = found_dir(model_id) / MANIFEST
    try:
        raw = json.loads(path.read_text("utf-8"))
        outputs = {name: InstalledFile(**entry) for name, entry in raw["outputs"].items()}
        manifest = Manifest(**{**raw, "outputs": outputs})
    except FileNotFoundError as error:
        raise _missing(spec(model_id)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _broken(model_id, "its manifest cannot be read") from error
    if spec(model_id).main not in outputs:
        raise _missing(spec(model_id), "on this machine in the form this version needs")
    return manifest


def locate(model_id: str, name: str = "") -> Path:
    """The file a runtime loads: the model's main file, or the one called ``name``.

    The size is compared with what was installed, so an interrupted copy or a full disk is caught
    before a native library opens the file, and so is its structure: those libraries crash on what
    is no model, or say nothing of which one it was. ``verify`` compares the hash too.

    Raises:
        ModelMissing: The model is not installed.
        ModelBroken: The file is gone or has another size.
        EngineError: The catalogue has no such model, or the model no such file.
    """
    manifest = read_manifest(model_id)
    name = name or spec(model_id).main
    if name not in manifest.outputs:
        raise EngineError(f"Model {model_id} has no file {name}.")
    path = found_dir(model_id) / name
    _check_size(model_id, path, manifest.outputs[name])
    try:
        check_file(path, wanted_form(spec(model_id).kind, name))
    except ModelBroken as error:
        raise _broken(model_id, f"{path.name} is no model any more") from error
    return loadable(path)


def is_present(model_id: str) -> bool:
    """Whether the model is installed and each file has its size."""
    try:
        manifest = read_manifest(model_id)
        for name, installed in manifest.outputs.items():
            _check_size(model_id, found_dir(model_id) / name, installed)
    except (ModelMissing, ModelBroken):
        return False
    return True


def verify(model_id: str, report: Report | None = None) -> None:
    """Read every file of an installed model and compare its hash.

    Raises:
        ModelMissing: The model is not installed.
        ModelBroken: A file is gone, cut or changed.
        Cancelled: The user asked to stop.
    """
    manifest = read_manifest(model_id)
    for name, installed in manifest.outputs.items():
        path = found_dir(model_id) / name
        _check_size(model_id, path, installed)
        try:
            found = sha256_of(path, report)
        except OSError as error:
            raise _broken(model_id, f"{name} cannot be read") from error
        if found != installed.sha256:
            raise _broken(model_id, f"{name} has changed")


def remove(model_id: str) -> bool:
    """Delete an installed model; False if there was none.

    Raises:
        EngineError: The catalogue has no such model, or the folder cannot be deleted.
    """
    folder = model_dir(spec(model_id).id)
    if not folder.exists():
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise EngineError(f"Model {model_id} cannot be deleted.", str(error)) from error
    return True


def _check_size(model_id: str, path: Path, installed: InstalledFile) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise _broken(model_id, f"{path.name} is gone") from error
    if size != installed.size_bytes:
        raise _broken(model_id, f"{path.name} has {size} bytes, not {installed.size_bytes}")


def _missing(entry: ModelSpec, where: str = "on this machine") -> ModelMissing:
    return ModelMissing(
        f"{entry.title} is not {where}.",
        f"`earwitness models fetch {entry.id}` downloads it"
        f" ({entry.size_bytes / 1e6:.0f} MB); `earwitness models add FILE` takes it from disk.",
    )


def _broken(model_id: str, why: str) -> ModelBroken:
    return ModelBroken(
        f"Model {model_id} is damaged: {why}.", f"`earwitness models fetch {model_id}` repairs it."
    )
