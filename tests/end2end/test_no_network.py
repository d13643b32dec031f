"""Nothing leaves the machine: the whole product runs where every attempt to connect is counted.

Each command runs in a network namespace of its own that has no route anywhere. The kernel's
counters of that namespace see what native code does as well as what Python does; an audit hook in
every Python process names the culprit. Where namespaces are not allowed, only the hook is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import soundfile

ROOT = Path(__file__).resolve().parents[2]
HEARD_SECONDS = 60

pytestmark = [
    pytest.mark.end2end,
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces and /proc are Linux's"),
]

# Written to a folder on PYTHONPATH: runs at the start of every Python process, spawned ones too.
WATCHER = """
import os, socket, sys
def watch(event, arguments, path=os.environ["SOCKETS_SEEN"]):
    if not event.startswith("socket."):
        return
    family = arguments[1] if event == "socket.__new__" else getattr(arguments[0], "family", None)
    is_name = event in ("socket.getaddrinfo", "socket.gethostbyname")
    if is_name or family in (socket.AF_INET, socket.AF_INET6):
        with open(path, "a") as file:
            file.write(f"{event} {arguments[1:]} in {sys.argv[:3]}\\n")
sys.addaudithook(watch)
"""

# Runs the command, then writes the namespace's own counters.
COUNTED = """
"$@"
code=$?
cat /proc/net/snmp /proc/net/snmp6 > "$COUNTERS"
exit $code
"""

WINDOW = """
import sys
from PySide6.QtCore import QCoreApplication, QTimer, QElapsedTimer
import PySide6.QtWidgets as widgets
class Application(widgets.QApplication):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        QTimer.singleShot(4000, self.quit)
widgets.QApplication = Application
from gui.app import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Run:
    """What a command did.

    Attributes:
        code: Exit code.
        out: What it printed.
        err: What it said.
        sockets: Internet sockets and name look-ups of its Python processes, a line each.
        attempts: Packets and connections counted by the kernel; None where it could not be asked.
    """

    code: int
    out: str
    err: str
    sockets: str
    attempts: dict[str, int] | None


def namespace_prefix() -> list[str]:
    """How to start a command without a network; empty where that is not allowed."""
    for options in (["-n"], ["-rn"]):
        command = ["unshare", *options]
        if shutil.which("unshare"):
            tried = subprocess.run([*command, "true"], capture_output=True, check=False)
            if tried.returncode == 0:
                return command
    return []


def read_attempts(text: str) -> dict[str, int]:
    """Take from /proc/net/snmp and snmp6 what grows when somebody wants to reach something."""
    wanted = {"OutRequests", "OutNoRoutes", "ActiveOpens", "PassiveOpens", "OutDatagrams"}
    wanted |= {"Ip6OutNoRoutes", "Udp6OutDatagrams"}
    found: dict[str, int] = {}
    lines = text.splitlines()
    for names, values in pairwise(lines):
        keys, numbers = names.split(), values.split()
        if keys[0] == numbers[0] and keys[0].endswith(":"):
            found |= {
                f"{keys[0]}{key}": int(number)
                for key, number in zip(keys[1:], numbers[1:], strict=True)
                if key in wanted
            }
    for line in lines:
        key, *rest = line.split()
        if key in wanted and len(rest) == 1:
            found[key] = int(rest[0])
    return {key: number for key, number in found.items() if number}


def run(folder: Path, *command: str, **variables: str) -> Run:
    """Run a command with no network and say what it tried."""
    hook = folder / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(WATCHER)
    seen, counters = folder / "sockets", folder / "counters"
    for path in (seen, counters):
        path.write_text("")
    prefix = namespace_prefix()
    if prefix:
        prefix += ["sh", "-c", COUNTED, "counted"]
    done = subprocess.run(
        [*prefix, *command],
        env={
            **os.environ,
            "PYTHONPATH": str(hook),
            "SOCKETS_SEEN": str(seen),
            "COUNTERS": str(counters),
            **variables,
        },
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=1500,
        check=False,
    )
    attempts = read_attempts(counters.read_text()) if prefix else None
    return Run(done.returncode, done.stdout, done.stderr, seen.read_text(), attempts)


def earwitness(folder: Path, *arguments: str, **variables: str) -> Run:
    """Run the command line, and fail if it does."""
    return run(folder, sys.executable, "-m", "gui", *arguments, **variables)


def assert_silent(done: Run) -> None:
    """The command worked and reached for nothing."""
    assert done.code == 0, done.err
    assert done.sockets == ""
    assert not done.attempts


def test_the_watchers_see_an_attempt(tmp_path) -> None:
    """Otherwise the tests below would prove nothing."""
    code = "import socket; socket.create_connection(('192.0.2.1', 80), 1)"
    done = run(tmp_path, sys.executable, "-c", code)
    assert done.code != 0
    assert "socket.connect" in done.sockets
    if done.attempts is not None:
        assert done.attempts


def test_native_code_is_seen_by_the_kernels_counters(tmp_path) -> None:
    if not namespace_prefix():
        pytest.skip("network namespaces are not allowed here")
    code = (
        "import ctypes, struct; c = ctypes.CDLL(None); s = c.socket(2, 1, 0); "
        "a = struct.pack('=HBB4s8x', 2, 0, 80, bytes([192, 0, 2, 1])); c.connect(s, a, 16)"
    )
    done = run(tmp_path, sys.executable, "-c", code)
    assert done.sockets == ""
    assert done.attempts


@pytest.fixture(scope="module")
def heard(tmp_path_factory) -> tuple[Path, Run]:
    """The first minute of the sample meeting, analysed without a network."""
    folder = tmp_path_factory.mktemp("quiet")
    sample = next(iter((ROOT / "resources" / "sample").glob("meeting.*")))
    with soundfile.SoundFile(sample) as sound:
        minute = sound.read(HEARD_SECONDS * sound.samplerate, dtype="float32")
        soundfile.write(folder / "minute.flac", minute, sound.samplerate)
    library = str(folder / "library")
    talk = str(folder / "minute.flac")
    return folder, earwitness(folder, "--library", library, "analyse", talk, "--json")


def test_hearing_a_recording_reaches_for_nothing(heard) -> None:
    assert_silent(heard[1])
    assert "Traceback" not in heard[1].err


def test_asking_searching_showing_and_exporting_reach_for_nothing(heard) -> None:
    folder, _ = heard
    at = ("--library", str(folder / "library"))
    listed = earwitness(folder, *at, "list", "--json")
    assert_silent(listed)
    (meeting,) = json.loads(listed.out)
    assert_silent(earwitness(folder, *at, "ask", meeting["id"], "Why were the panels dropped?"))
    assert_silent(earwitness(folder, *at, "search", "battery"))
    assert_silent(earwitness(folder, *at, "show", meeting["id"]))
    target = str(folder / "talk.html")
    assert_silent(
        earwitness(folder, *at, "export", meeting["id"], "--format", "html", "-o", target)
    )
    # a page that loads something when it is opened would be a leak as well
    assert not any(sign in Path(target).read_text("utf-8") for sign in ("http://", 'src="//'))
    assert_silent(earwitness(folder, *at, "models", "list"))


def test_the_open_window_reaches_for_nothing(heard) -> None:
    folder, _ = heard
    done = run(
        folder,
        sys.executable,
        "-c",
        WINDOW,
        "--library",
        str(folder / "library"),
        EARWITNESS_CONFIG=str(folder / "config"),
    )
    assert_silent(done)


def test_only_fetching_a_model_tries_to_connect(tmp_path) -> None:
    done = earwitness(
        tmp_path,
        "models",
        "fetch",
        "silero-vad",
        EARWITNESS_MODELS=str(tmp_path / "models"),
        PIP_RETRIES="0",
        PIP_NO_INDEX="",
    )
    assert done.code == 1
    assert "Traceback" not in done.err
    assert done.sockets
    if done.attempts is not None:
        assert done.attempts
    assert not list((tmp_path / "models").rglob("*.onnx"))
