"""Record from a real sound server for a long time, and see whether a single sample is missing.

    python tests/benchmarks/recording.py [SECONDS] [KILLS]

White noise is played into the null sink of a PulseAudio server of our own and recorded from its
monitor by a process that is killed at its end; the first second, in which the server lets the
stream in, is not looked at. Printed: samples that differ from what was played, the largest shift
of any second of it, what the kill cost; then the same cost for KILLS kills at random moments, and
what fifty pauses add.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import soundfile

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end2end"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pulse_server
from pulse_server import RATE, noise, offset_of

from engine.audio import devices, take
from engine.audio.record import Recorder, State

_LEAD_SECONDS = 3
_MARGIN = RATE // 10


def long_take(folder: Path, n_seconds: int) -> dict[str, float]:
    """Play and record for a long time, then kill the recorder."""
    played = noise(folder / "noise.wav", n_seconds + 1)[RATE:]
    command = ["paplay", "--device=meet", str(folder / "noise.wav")]
    player = threading.Timer(_LEAD_SECONDS, subprocess.run, (command,), {"check": True})
    player.start()
    span = n_seconds + 1 + 2 * _LEAD_SECONDS + random.uniform(2, 4)
    expected = pulse_server.killed(folder / "takes", span)
    player.join()
    (found,) = take.unfinished(folder / "takes")
    recorded = soundfile.read(take.joined(found), dtype="int16")[0].astype(float)
    first, _fit = offset_of(played[:RATE], recorded[: (10 + _LEAD_SECONDS) * RATE])
    same = recorded[first : first + len(played)]
    return {
        "seconds played": n_seconds,
        "samples that differ": int(np.sum(same != played[: len(same)])) + len(played) - len(same),
        "largest shift, ms": max(shifts(played, recorded, first)),
        "lost by the kill, s": expected - found.duration,
        "losses noted in the journal": sum(note.kind == "dropped" for note in found.notes),
    }


def shifts(played: np.ndarray, recorded: np.ndarray, first: int) -> list[float]:
    """By how many ms each second is earlier or later in the recording than it should be."""
    found = []
    for start in range(0, len(played) - RATE + 1, RATE):
        at = max(0, first + start - _MARGIN)
        heard = recorded[at : first + start + RATE + _MARGIN]
        place, _fit = offset_of(played[start : start + RATE], heard)
        found.append(abs(at + place - first - start) / RATE * 1000)
    return found


def kills(folder: Path, number: int) -> dict[str, float]:
    """Kill recorders at random moments; how much of what they had is not on the disk."""
    lost = []
    for attempt in range(number):
        takes_dir = folder / f"killed-{attempt}"
        expected = pulse_server.killed(takes_dir, random.uniform(0.5, 8))
        (found,) = take.unfinished(takes_dir)
        lost.append(expected - soundfile.info(take.joined(found)).duration)
    return {"kills": number, "largest loss, s": max(lost), "median loss, s": np.median(lost)}


def pauses(folder: Path, number: int) -> dict[str, float]:
    """Pause and go on again and again; how much longer than the talk the recording is."""
    recorder = Recorder(devices.inputs(), folder / "paused")
    recorder.start()
    while recorder.status().state == State.WAITING:
        time.sleep(0.02)
    expected, began = recorder.status().elapsed, time.monotonic()
    for _ in range(number):
        time.sleep(random.uniform(0.05, 0.6))
        expected += time.monotonic() - began
        recorder.pause()
        time.sleep(random.uniform(0.05, 0.6))
        began = time.monotonic()
        recorder.resume()
    time.sleep(0.3)
    expected += time.monotonic() - began
    found = take.read_take(recorder.stop())
    assert found is not None
    return {"pauses": number, "recorded": found.duration, "added, s": found.duration - expected}


def main(n_seconds: int, n_kills: int) -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory() as name, pulse_server.server(Path(name)) as address:
        os.environ["PULSE_SERVER"] = address
        for measure, amount in ((long_take, n_seconds), (kills, n_kills), (pauses, 50)):
            for what, value in measure(Path(name), amount).items():
                print(f"{what:>30}  {value:.3f}", flush=True)


if __name__ == "__main__":
    arguments = [int(value) for value in sys.argv[1:]]
    main(*(arguments + [600, 20][len(arguments) :]))
