"""A PulseAudio server of our own with a null sink, for tests that really record and play."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NEEDED = ("pulseaudio", "pactl", "parec", "paplay")


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
