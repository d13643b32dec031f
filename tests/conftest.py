"""Rules for every test: no screen, no network, no reach into the user's own folders."""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# Both are read when Qt and ggml are loaded, so they are set before any test module is imported.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ROOT = Path(__file__).resolve().parent.parent
# speech_maker, odd_files: makers of fixtures that tests of several folders share. The sources come
# first, or the folders tests/engine and tests/gui would be taken for the packages of these names.
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from engine import openmp  # noqa: E402
from engine.graph import database  # noqa: E402

openmp.configure()
# As the window does: with so many objects about, looking through them all is felt.
gc.set_threshold(50_000, 20, 50)
LOOPBACK = ("127.", "::1", "localhost")
THREAD_GRACE_SECONDS = 2.0


class NetworkUsed(AssertionError):
    """A test reached for another machine."""


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: let tests talk to themselves and to nobody else."""
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""  # a str is a local socket file
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host or "")
    if host and not host.startswith(LOOPBACK):
        raise NetworkUsed(f"a test tried to reach {host}")


sys.addaudithook(_refuse_network)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Quick tests run one process a core; what loads the models, and a single file, runs alone."""
    chosen = str(config.option.markexpr)
    is_heavy = any(
        mark in chosen and f"not {mark}" not in chosen for mark in ("end2end", "benchmark")
    )
    is_whole = not any(Path(argument.split("::")[0]).is_file() for argument in config.args)
    return (os.cpu_count() or 1) if is_whole and not is_heavy else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make Qt's warnings failures, as Python's are."""
    for item in items:
        if "qtbot" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            # the offscreen screen says this for every window; it means nothing there
            item.add_marker(
                pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True)
            )


def pytest_collection_finish() -> None:
    """Spare the search for garbage the tests themselves, which stay until the end."""
    gc.freeze()


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Places for folders; few tests need one, and ``mktemp`` looks through all there are."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _own_folders(request: pytest.FixtureRequest, _homes: Iterator[Path]) -> Iterator[None]:
    """Give each test an empty library, settings and logs; and no models unless it is end2end."""
    base = next(_homes)
    folders = {"LIBRARY": "library", "CONFIG": "config", "LOGS": "logs"}
    if request.node.get_closest_marker("end2end") is None:
        folders["MODELS"] = "models"
    with pytest.MonkeyPatch.context() as patch:
        for variable, name in folders.items():
            patch.setenv(f"EARWITNESS_{variable}", str(base / name))
        yield


@pytest.fixture
def synced_disk() -> None:
    """For tests that want libraries to wait for the disk as they do in the product."""


@pytest.fixture(autouse=True)
def _no_power_cuts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Spare libraries the waiting for the disk, which helps against power cuts only.

    What a killed process wrote is in the system's hands and is there with or without it.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "synced_disk" not in request.fixturenames:
            patch.setattr(database, "SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(autouse=True)
def _no_threads_left() -> Iterator[None]:
    """Fail a test that leaves a thread running which would keep the program from ending."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + THREAD_GRACE_SECONDS
    while left := [t for t in set(threading.enumerate()) - before if not t.daemon]:
        if time.monotonic() > deadline:
            pytest.fail(f"threads left running: {left}")
        left[0].join(0.05)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The evaluation data, kept beside the checkout and never in it; skips where it is absent."""
    beside = os.environ.get("EARWITNESS_SHARED") or ROOT.parent / "shared"
    folder = Path(beside) / "data"
    if not folder.is_dir():
        pytest.skip(f"the evaluation data is not in {folder}")
    return folder
