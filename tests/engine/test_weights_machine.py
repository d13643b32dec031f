"""What Windows is asked, tried with a stand-in for its kernel."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from engine.weights import machine, status


class Kernel:
    """Answers as kernel32 does."""

    short = "C:/MODELS~1/BASE.BIN"

    def GlobalMemoryStatusEx(self, status):  # noqa: N802
        numbers = status._obj
        assert (numbers[0] & 0xFFFFFFFF, ctypes.sizeof(numbers)) == (64, 64)
        numbers[1] = 8 << 30
        return 1

    def GetShortPathNameW(self, path, buffer, size):  # noqa: N802
        buffer.value = self.short
        return len(self.short)


@pytest.fixture
def windows(monkeypatch):
    kernel = Kernel()
    monkeypatch.setattr(ctypes, "windll", type("W", (), {"kernel32": kernel})(), raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    return kernel


def test_a_path_in_another_script_is_shortened_for_native_loaders(windows):
    assert machine.loadable(Path("C:/Users/Zoë/模型.bin")) == Path(windows.short)
    assert machine.loadable(Path("C:/Users/Ann/model.bin")) == Path("C:/Users/Ann/model.bin")
    windows.short = "C:/Users/Zoë/模型.bin"  # a volume without short names
    assert machine.loadable(Path("C:/Users/Zoë/模型.bin")) == Path("C:/Users/Zoë/模型.bin")


@pytest.mark.usefixtures("windows")
def test_windows_tells_its_memory():
    assert machine.memory_bytes() == 8 << 30


def test_elsewhere_paths_stay_as_they_are():
    if sys.platform != "win32":
        assert machine.loadable(Path("/home/zoë/模型.bin")) == Path("/home/zoë/模型.bin")


@pytest.mark.parametrize(
    ("gigabytes", "memory_mb", "fits"),
    [(0, 9000, True), (4, 300, True), (4, 3500, False), (8, 3500, True), (8, 6000, False)],
)
def test_large_models_are_only_offered_where_they_fit(monkeypatch, gigabytes, memory_mb, fits):
    monkeypatch.setattr(status, "memory_bytes", lambda: gigabytes << 30)
    assert status._fits(memory_mb) is fits
