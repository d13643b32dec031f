"""Recording and playing through a real sound server (field reports E1, E3)."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

sys.path.insert(0, str(Path(__file__).parent))

import pulse_server
from pulse_server import RATE, ROOT, noise, offset_of

from engine.audio import devices, take
from engine.audio.record import Recorder, State

pytestmark = pytest.mark.end2end


@pytest.fixture(scope="module")
def pulse(tmp_path_factory):
    """One server for all: PortAudio looks for devices once in a process."""
    folder = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch, pulse_server.server(folder) as address:
        patch.setenv("PULSE_SERVER", address)
        yield address


@pytest.fixture
def recorder(pulse, tmp_path):
    """A running recorder of the null sink, stopped whatever happens."""
    made = Recorder(devices.inputs(), tmp_path / "takes")
    made.start()
    while made.status().state == State.WAITING:
        time.sleep(0.02)
    yield made
    made.stop()


def test_what_is_played_is_recorded_without_gap_or_drift(recorder, tmp_path):
    (device,) = devices.inputs()
    assert (device.kind, device.is_pulse) == (devices.Kind.SYSTEM, True)
    source = noise(tmp_path / "noise.wav", 20)
    subprocess.run(["paplay", "--device=meet", str(tmp_path / "noise.wav")], check=True)
    time.sleep(0.5)
    assert abs(recorder.status().tracks[0].drift) < 0.5
    recorded, _rate = soundfile.read(recorder.stop() / "system.wav", dtype="int16")
    first, fit = offset_of(source, recorded.astype(float))
    assert fit > 0.999
    for second in range(0, 20, 2):
        part = source[second * RATE : (second + 1) * RATE]
        heard = recorded[first + second * RATE - 800 : first + (second + 1) * RATE + 800]
        shift, _fit = offset_of(part, heard.astype(float))
        assert abs(shift - 800) <= 0.02 * RATE


def test_fifty_pauses_add_nothing(recorder):
    expected, began = recorder.status().elapsed, time.monotonic()
    for _ in range(50):
        time.sleep(0.06)
        expected += time.monotonic() - began
        recorder.pause()
        time.sleep(0.03)
        began = time.monotonic()
        recorder.resume()
    expected += time.monotonic() - began
    found = take.read_take(recorder.stop())
    assert found.duration == pytest.approx(expected, abs=0.35)


def test_a_kill_at_a_random_moment_loses_less_than_a_second(pulse, tmp_path):
    expected = pulse_server.killed(tmp_path / "takes", random.uniform(1.0, 3.0))
    (found,) = take.unfinished(tmp_path / "takes")
    assert expected - found.duration < 1.0
    assert soundfile.info(take.joined(found)).duration == pytest.approx(found.duration)


PLAY = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from gui.audio_output import DeviceOutput
from gui.player import Player
application = QCoreApplication([])
player = Player(lambda rate: (DeviceOutput(rate), True))
player.load(Path(sys.argv[2]))
player.span_finished.connect(application.quit)
player.play(2.0, 4.0)
application.exec()
"""


def test_a_played_span_is_heard_exactly(recorder, tmp_path):
    """The window's player into the null sink, recorded from its monitor.

    It plays in a process of its own: Qt keeps its connection to the sound server for as long as a
    process lives, and would look for this one again, with warnings, in whichever test comes later.
    """
    source = noise(tmp_path / "noise.wav", 6)
    command = [sys.executable, "-c", PLAY, str(ROOT), str(tmp_path / "noise.wav")]
    subprocess.run(command, check=True, timeout=60)
    time.sleep(0.6)
    recorded, _rate = soundfile.read(recorder.stop() / "system.wav", dtype="int16")
    span = source[2 * RATE : 4 * RATE]
    first, fit = offset_of(span, recorded.astype(float))
    assert fit > 0.99
    # Nothing before and nothing after the span.
    margin = RATE // 20
    assert np.abs(recorded[: first - margin]).max() <= 4
    assert np.abs(recorded[first + len(span) + margin :]).max() <= 4
