"""A PulseAudio server of our own with a null sink, for tests that really record and play."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import soundfile

NEEDED = ("pulseaudio", "pactl", "parec", "paplay")
ROOT = Path(__file__).resolve().parents[2]
RATE = 16_000

# A recorder in a process of its own, which says how much it has and when.
_RECORD = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from engine.audio import devices
from engine.audio.record import Recorder
recorder = Recorder(devices.inputs(), Path(sys.argv[2]))
recorder.start()
while True:
    print(recorder.status().elapsed, time.monotonic(), flush=True)
    time.sleep(0.05)
"""


def noise(path: Path, seconds: int) -> np.ndarray:
    """Write white noise, in which every moment is unlike all others; (n,) float64 of int16."""
    samples = np.random.default_rng(5).normal(0, 0.1, RATE * seconds)
    soundfile.write(path, samples, RATE, subtype="PCM_16")
    return soundfile.read(path, dtype="int16")[0].astype(float)


def offset_of(source: np.ndarray, recorded: np.ndarray) -> tuple[int, float]:
    """Where the source begins in a recording, and how well it fits there."""
    size = 1 << int(np.ceil(np.log2(len(source) + len(recorded))))
    spectrum = np.fft.rfft(recorded, size) * np.conj(np.fft.rfft(source, size))
    first = int(np.argmax(np.fft.irfft(spectrum, size)[: len(recorded)]))
    piece = recorded[first : first + len(source)]
    return first, float(np.corrcoef(piece, source[: len(piece)])[0, 1])


def killed(takes_dir: Path, seconds: float) -> float:
    """Record in another process and kill it; how many seconds it should have recorded by then."""
    command = [sys.executable, "-c", _RECORD, str(ROOT), str(takes_dir)]
    began = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            elapsed, moment = map(float, line.split())
            if elapsed and began is None:
                began = moment - elapsed
            if began is not None and moment - began > seconds:
                break
        child.kill()
    assert began is not None, "nothing was recorded"
    return moment - began


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Run it; gives the address for ``PULSE_SERVER``."""
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    socket = folder / "pulse" / "native"
    for name in ("pulse", "state"):
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    environment = os.environ | {
        "XDG_RUNTIME_DIR": str(folder),
        "PULSE_RUNTIME_PATH": str(folder / "pulse"),
        "PULSE_STATE_PATH": str(folder / "state"),
        "PULSE_COOKIE": str(folder / "cookie"),
        "HOME": str(folder),
    }
    command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"]
    command += ["--disallow-exit", f"--log-target=file:{folder / 'pulse.log'}"]
    command += ["-L", f"module-native-protocol-unix socket={socket} auth-anonymous=1"]
    sink = "module-null-sink sink_name=meet rate=16000 channels=1 format=s16le"
    address = f"unix:{socket}"
    listen = ["parec", "-s", address, "--device=meet.monitor", "--latency-msec=20", "--raw"]
    with subprocess.Popen([*command, "-L", sink], env=environment) as pulse:
        try:
            _wait(address)
            # An idle null sink ticks every two seconds only; a listener keeps it awake.
            with subprocess.Popen(listen, env=environment, stdout=subprocess.DEVNULL) as keeper:
                yield address
                keeper.kill()
        finally:
            pulse.kill()


def _wait(address: str) -> None:
    for _ in range(100):
        answer = subprocess.run(["pactl", "-s", address, "info"], capture_output=True, check=False)
        if answer.returncode == 0:
            return
        time.sleep(0.1)
    pytest.skip("PulseAudio does not start here")
