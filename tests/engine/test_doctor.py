"""The doctor reports what is wrong, and survives it."""

from __future__ import annotations

import os
import socket
from multiprocessing import Pipe

import pytest

from engine import doctor
from engine.weights import machine


def run_child(name):
    ours, theirs = Pipe(duplex=False)
    doctor._try_import(name, theirs)
    return ours.recv()


def test_a_library_that_is_missing_or_broken_is_reported(tmp_path, monkeypatch):
    assert run_child("json")[0]
    is_ok, message = run_child("no_such_library_anywhere")
    assert not is_ok
    assert "no_such_library_anywhere" in message
    (tmp_path / "broken_library.py").write_text("raise OSError('libmissing.so.1: cannot open')")
    monkeypatch.syspath_prepend(tmp_path)
    assert run_child("broken_library") == (False, "libmissing.so.1: cannot open")


def test_a_library_that_crashes_takes_only_its_child(tmp_path, monkeypatch):
    (tmp_path / "crashing_library.py").write_text("import os; os.abort()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(doctor, "LIBRARIES", {"crashing_library": "", "json": ""})
    monkeypatch.setattr(doctor, "PORTAUDIO", "wave")
    crashed, whole, _ = doctor._libraries()
    assert not crashed.is_ok
    assert "SIGABRT" in crashed.message
    assert crashed.hint
    assert whole.is_ok


def test_missing_models_are_named_with_the_command_that_helps():
    found = doctor._models()
    assert "Model whisper-base" in [check.name for check in found]
    assert all(not check.is_ok and "models fetch" in check.hint for check in found)


def test_folders(tmp_path):
    assert doctor._writable("Library folder", tmp_path / "new" / "library").is_ok
    (tmp_path / "file").write_text("")
    check = doctor._writable("Library folder", tmp_path / "file")
    assert not check.is_ok
    assert check.hint
    assert doctor._disk(tmp_path / "absent" / "deep").message


def test_the_machine():
    assert doctor._python().is_ok
    assert machine.memory_bytes() > 1 << 28
    assert "core" in doctor._processor().message


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        ("0100007F", True),
        ("00000000", True),
        ("0A00000A", False),
        ("0" * 32, True),
        ("0" * 24 + "01000000", True),
        ("0000000000000000FFFF00000100007F", True),
        ("0000000000000000FFFF00000A00000A", False),
        ("B80D01200000000067452301EFCDAB89", False),
    ],
)
def test_kernel_addresses(address, is_local):
    assert doctor._is_local(address) is is_local


@pytest.mark.skipif(not os.path.exists("/proc/net/tcp"), reason="needs Linux")  # noqa: PTH110
def test_open_connections_are_seen(monkeypatch):
    monkeypatch.setattr(doctor, "_is_local", lambda address: address in ("00000000", "0" * 32))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            seen = list(doctor.open_connections({os.getpid()}))
    assert any(f"port {port}" in line for line in seen)


def test_this_process_has_none_and_only_the_download_could():
    assert os.getpid() in doctor.our_processes()
    assert all(check.is_ok for check in doctor.privacy_checks())
