"""Turns verified source files into an installed model: convert, check, rename."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from engine import paths
from engine.errors import ModelBroken
from engine.progress import Report
from engine.weights import recipes
from engine.weights.catalogue import ModelSpec
from engine.weights.inspect import wanted_form
from engine.weights.locate import (
    InstalledFile,
    Manifest,
    model_dir,
    sha256_of,
    write_manifest,
)


def install(entry: ModelSpec, sources: Mapping[str, Path], report: Report) -> None:
    """Convert source files and put the result in place, whole or not at all.

    Args:
        entry: The model.
        sources: Its source files by catalogue name; ``copy`` models move them.
        report: Progress and cancellation.

    Raises:
        ModelBroken: The weights cannot be converted, or the result is not what it should be.
        Cancelled: The user asked to stop.
        OSError: The disk is full or cannot be written.
    """
    hashes = {name: sha256_of(path, report.part(0, 0.1)) for name, path in sources.items()}
    workshop = paths.weights_dir() / ".partial"
    workshop.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=workshop, prefix=f"make-{entry.id}-") as scratch:
        made = Path(scratch) / "model"
        made.mkdir()
        recipes.convert(entry.recipe, sources, made, entry.main, report.part(0.1, 0.9))
        outputs = {
            output.name: InstalledFile(
                (made / output.name).stat().st_size,
                sha256_of(made / output.name, report.part(0.9, 1)),
            )
            for output in entry.outputs
        }
        check_outputs(entry, made, outputs)
        manifest = Manifest(
            model_id=entry.id,
            recipe=entry.recipe,
            recipe_version=recipes.VERSION,
            sources=hashes,
            outputs=outputs,
            is_pinned=entry.is_pinned,
            form=wanted_form(entry.kind, entry.main) if entry.is_own else "",
        )
        write_manifest(made, manifest)
        put_in_place(made, entry.id, Path(scratch))


def put_in_place(made: Path, model_id: str, scratch: Path) -> None:
    """Rename a finished folder to its final name; an older one is moved aside and deleted."""
    final = model_dir(model_id)
    if final.exists():
        shutil.move(final, scratch / "old")
    made.rename(final)


def check_outputs(entry: ModelSpec, folder: Path, outputs: Mapping[str, InstalledFile]) -> None:
    """Compare converted files with the recorded hashes, or by their numbers where that fails.

    Another version of the ONNX library may lay out the same graph differently; then the graph must
    give the recorded numbers.

    Raises:
        ModelBroken: Neither fits.
    """
    for output in entry.outputs:
        if not output.sha256 or outputs[output.name].sha256 == output.sha256:
            continue
        if entry.recipe != "copy" and output.name.endswith(".onnx"):
            from engine.weights.selfcheck import gives_recorded_numbers

            if gives_recorded_numbers(entry.id, folder / output.name):
                continue
        raise ModelBroken(f"{output.name} came out different from what was recorded.")
