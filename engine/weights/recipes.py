"""How downloaded weights become what the runtimes load: one function per recipe name.

A recipe gets its source files by name and an empty folder, and leaves the model's output files
there. Raise ``VERSION`` when an output changes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.errors import EngineError
from engine.progress import Report

VERSION = 1

Sources = Mapping[str, Path]
Recipe = Callable[[Sources, Path, str, Report], None]


def _copy(sources: Sources, folder: Path, main: str, report: Report) -> None:
    """The files are used as they are; moved where the disk allows it."""
    del main, report
    for name, path in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, folder / name)


def _whisper(sources: Sources, folder: Path, main: str, report: Report) -> None:
    from engine.weights import ggml
    from engine.weights.whisper import write_whisper

    ftype = ggml.FTYPE_Q8_0 if "q8_0" in main else ggml.FTYPE_F16
    write_whisper(sources["model.bin"], sources["tokenizer.json"], folder / main, report, ftype)


def _segmentation(sources: Sources, folder: Path, main: str, report: Report) -> None:
    from engine.weights.segmentation import write_segmentation

    write_segmentation(sources["pytorch_model.bin"], folder / main, report)


def _campplus(sources: Sources, folder: Path, main: str, report: Report) -> None:
    from engine.weights.campplus import write_campplus

    write_campplus(sources["campplus_cn_en_common.pt"], folder / main, report)


def _minilm(sources: Sources, folder: Path, main: str, report: Report) -> None:
    from engine.weights.minilm import write_minilm

    write_minilm(sources["model.safetensors"], folder / main, report)
    shutil.copyfile(sources["tokenizer.json"], folder / "tokenizer.json")


RECIPES: Mapping[str, Recipe] = {
    "copy": _copy,
    "whisper": _whisper,
    "segmentation": _segmentation,
    "campplus": _campplus,
    "minilm": _minilm,
}


def convert(name: str, sources: Sources, folder: Path, main: str, report: Report) -> None:
    """Run a recipe.

    Args:
        name: Of the recipe.
        sources: Source files by the name the catalogue gives them.
        folder: Empty folder for the outputs.
        main: Name of the main output.
        report: Progress and cancellation.

    Raises:
        ModelBroken: The weights are not what the recipe expects.
        EngineError: There is no such recipe.
        Cancelled: The user asked to stop.
    """
    try:
        recipe = RECIPES[name]
    except KeyError as error:
        raise EngineError(f"There is no recipe called {name!r}.") from error
    recipe(sources, folder, main, report)
