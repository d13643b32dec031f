"""Checks that this machine can do the work, and that nothing leaves it.

Native libraries are tried in children, since a broken one ends its process instead of raising.
"""

from __future__ import annotations

import ast
import importlib
import multiprocessing
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from engine import paths, vault
from engine.errors import EngineError
from engine.graph import care
from engine.graph.database import DATABASE_NAME
from engine.weights.machine import memory_bytes
from engine.weights.status import BROKEN, MISSING, model_rows

LIBRARIES = {
    "av": "reads recordings of any format",
    "soundfile": "reads and writes sound",
    "soxr": "changes sample rates",
    "onnxruntime": "runs the search model",
    "sherpa_onnx": "tells speakers apart",
    "pywhispercpp.model": "writes down speech",
    "llama_cpp": "runs the language model",
    "hnswlib": "searches the library",
    "tokenizers": "splits text for the search model",
    "sqlcipher3": "opens encrypted libraries",
    "cryptography.hazmat.primitives.ciphers.aead": "encrypts sound and recordings",
}
PORTAUDIO = "sounddevice"
_CHILD_SECONDS = 60.0
_WANTED_FLAGS = {"avx2", "fma", "f16c"}
_LIBRARY_BYTES = 1 << 30
_MEMORY_BYTES = 4 << 30
_SPEAKS_HTTP = {"urllib.request", "http.client", "socket", "requests", "httpx", "aiohttp", "ssl"}
_MAY_SPEAK = {"weights/publisher.py"}


@dataclass(frozen=True, slots=True)
class Check:
    """One finding.

    Attributes:
        name: What was looked at.
        is_ok: Nothing needs doing.
        message: What was found, one line.
        hint: What to do, or "".
    """

    name: str
    is_ok: bool
    message: str
    hint: str = ""


def checks(library_dir: Path) -> list[Check]:
    """Look at Python, libraries, sound, models, folders, memory and processor.

    Takes a few seconds: every native library is loaded once in a child.

    Args:
        library_dir: The library folder to try; it is made if it is missing.
    """
    return [
        _python(),
        *_libraries(),
        *_models(),
        _writable("Library folder", library_dir),
        library_check(library_dir),
        _writable("Model folder", paths.weights_dir()),
        _disk(library_dir),
        _memory(),
        _processor(),
    ]


def _python() -> Check:
    version = platform.python_version()
    is_ok = sys.version_info >= (3, 11)
    return Check("Python", is_ok, version, "" if is_ok else "Install Python 3.11 or later.")


def _try_import(name: str, answer: Connection) -> None:
    """Child: import a library and say how it went; a crash says nothing."""
    paths.keep_runtimes_quiet()
    try:
        module = importlib.import_module(name)
        found = str(getattr(module, "__version__", "") or "loads")
        if name == PORTAUDIO:
            inputs = [d for d in module.query_devices() if d["max_input_channels"] > 0]
            found = f"PortAudio works, {len(inputs)} input(s)"
        answer.send((True, found))
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        answer.send((False, str(error).splitlines()[0] if str(error) else repr(error)))


def _libraries() -> list[Check]:
    """Every native library, each in its own child, all started at once."""
    context = multiprocessing.get_context("spawn")
    started = []
    for name in (*LIBRARIES, PORTAUDIO):
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_try_import, args=(name, theirs), daemon=True)
        child.start()
        theirs.close()
        started.append((name, child, ours))
    deadline = time.monotonic() + _CHILD_SECONDS
    return [_verdict(name, child, answer, deadline) for name, child, answer in started]


def _verdict(name: str, child: BaseProcess, answer: Connection, deadline: float) -> Check:
    title = "Microphones" if name == PORTAUDIO else name.partition(".")[0]
    is_frozen = hasattr(sys, "frozen")
    setup = "Run `python packaging/bootstrap.py run` again to install it."
    hint = "Install Earwitness again." if is_frozen else setup
    if name == PORTAUDIO:
        hint = "Recording needs PortAudio (Debian: libportaudio2); everything else works without."
    try:
        is_ok, message = (
            answer.recv()
            if answer.poll(max(0.0, deadline - time.monotonic()))
            else (False, f"does not load within {_CHILD_SECONDS:.0f} s")
        )
    except EOFError:
        child.join(5)
        is_ok, message = False, f"crashes when it is loaded ({_ending(child.exitcode)})"
    answer.close()
    if child.is_alive():
        child.join(2)
        child.kill()
    child.join()
    return Check(title, is_ok, message, "" if is_ok else hint)


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"


def _models() -> list[Check]:
    try:
        rows = model_rows()
    except EngineError as error:
        return [Check("Models", False, error.message, error.hint)]
    faults = [
        row for row in rows if row.state == BROKEN or (row.is_default and row.state == MISSING)
    ]
    if not faults:
        n_present = sum(row.state not in (BROKEN, MISSING) for row in rows)
        return [Check("Models", True, f"the default set is here ({n_present} models)")]
    return [
        Check(f"Model {row.id}", False, row.state, f"earwitness models fetch {row.id}")
        for row in faults
    ]


def _writable(name: str, folder: Path) -> Check:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        return Check(name, False, f"{folder}: {error.strerror}", "Choose or repair the folder.")
    return Check(name, True, f"{folder} can be written")


def library_check(library_dir: Path) -> Check:
    """Read the whole library and say whether it is sound; no library is made."""
    name = "Library"
    if not (library_dir / DATABASE_NAME).is_file():
        return Check(name, True, "no meeting yet")
    try:
        if vault.is_locked(library_dir):
            return Check(name, True, "encrypted; not looked into without its passphrase")
        problems, n_meetings = care.examined(library_dir)
    except EngineError as error:
        return Check(name, False, error.message, error.hint)
    if problems:
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        return Check(name, False, problems[0] + more, "Run `earwitness library repair`.")
    return Check(name, True, f"whole: {n_meetings} meetings")


def _existing(folder: Path) -> Path:
    """The folder or its nearest parent that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _disk(library_dir: Path) -> Check:
    free = shutil.disk_usage(_existing(library_dir)).free
    hours = int(free / 115e6)  # an hour is about 115 MB of 16 kHz FLAC and its rows
    is_ok = free > _LIBRARY_BYTES
    message = f"{free / 1e9:.0f} GB free, room for about {hours} hours of meetings"
    return Check("Disk", is_ok, message, "" if is_ok else "Free some space.")


def _memory() -> Check:
    total = memory_bytes()
    if not total:
        return Check("Memory", True, "unknown")
    is_ok = total >= _MEMORY_BYTES
    hint = "" if is_ok else "Use whisper-tiny.en and a small language model."
    return Check("Memory", is_ok, f"{total / 1e9:.0f} GB", hint)


def _cpu_flags() -> set[str]:
    """Instruction sets of the processor on Linux; empty elsewhere."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith(("flags", "Features")):
                return set(line.partition(":")[2].split())
    except OSError:
        pass
    return set()


def _processor() -> Check:
    machine, cores = platform.machine(), os.cpu_count() or 1
    flags = _cpu_flags()
    if machine.lower() not in ("x86_64", "amd64") or not flags:
        return Check("Processor", True, f"{machine}, {cores} core(s)")
    lacking = sorted(_WANTED_FLAGS - flags)
    hint = (
        "Ready-made speech and language libraries need them; build from source." if lacking else ""
    )
    lack = f"without {', '.join(lacking)}" if lacking else "with AVX2"
    return Check("Processor", not lacking, f"{machine}, {cores} core(s), {lack}", hint)


def privacy_checks() -> list[Check]:
    """Look for open connections and for code that could make one.

    Sockets are those of this process, its children and every other running Earwitness process, as
    the Linux kernel lists them; elsewhere that check says it cannot tell.
    """
    return [_sockets(), _speakers(), _environment()]


def _sockets() -> Check:
    if not Path("/proc/net/tcp").exists():
        return Check("Connections", True, "this system does not let a program list them")
    remote = list(open_connections(our_processes()))
    if remote:
        hint = "Only a model download may have one; tell us if none is running."
        return Check("Connections", False, "open: " + "; ".join(remote), hint)
    return Check("Connections", True, "no open connection to another machine")


def our_processes() -> set[int]:
    """This process, its relatives below, and every other Earwitness process."""
    parents: dict[int, int] = {}
    wanted = {os.getpid()}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text("utf-8", "replace")
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        pid = int(folder.name)
        parents[pid] = int(stat.rpartition(")")[2].split()[1])
        if any(Path(os.fsdecode(a)).name == "earwitness" for a in arguments[:2]):
            wanted.add(pid)
    while more := {p for p, parent in parents.items() if parent in wanted} - wanted:
        wanted |= more
    return wanted


def open_connections(processes: set[int]) -> Iterator[str]:
    """Internet sockets of these processes whose other end is not this machine."""
    owners: dict[str, int] = {}
    for pid in processes:
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                target = str(link.readlink())
            except OSError:
                continue
            if target.startswith("socket:["):
                owners[target[8:-1]] = pid
    for table in ("tcp", "tcp6", "udp", "udp6"):
        try:
            lines = Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            address, _, port = fields[2].partition(":")
            if fields[9] in owners and not _is_local(address):
                yield f"process {owners[fields[9]]} {table} to {address} port {int(port, 16)}"


def _is_local(address: str) -> bool:
    """Whether a kernel-format address is unset or loopback (IPv4, IPv6 or mapped)."""
    if len(address) == 8:
        return address == "00000000" or address.endswith("7F")
    if address == "0" * 32 or address == "0" * 24 + "01000000":
        return True
    return address.startswith("0" * 16 + "FFFF0000") and address.endswith("7F")


def _speakers() -> Check:
    """Modules of ours that import anything that can open a connection."""
    found = set()
    root = Path(__file__).parent
    files = list(root.rglob("*.py"))
    if not files:
        return Check("Code", True, "the packaged app does not carry its source to look at")
    for path in files:
        name = path.relative_to(root).as_posix()
        if name == "doctor.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
            if _SPEAKS_HTTP & set(names):
                found.add(name)
    extra = sorted(found - _MAY_SPEAK)
    if extra:
        return Check(
            "Code", False, f"can open connections: {', '.join(extra)}", "Please report it."
        )
    return Check("Code", True, "only the model download can open a connection, when you ask for it")


def _environment() -> Check:
    proxies = [k for k in os.environ if k.lower() in ("http_proxy", "https_proxy", "all_proxy")]
    return Check(
        "Environment",
        True,
        f"downloads would go through {', '.join(sorted(proxies))}"
        if proxies
        else "no proxy is set",
    )
