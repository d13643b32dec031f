"""What is played is what was recorded, sample by sample."""

import numpy as np
import pytest
import soundfile

from gui.player import Player
from gui.stretch import Stretcher

RATE = 16_000


class Tape:
    """An output that takes everything at once and keeps it."""

    def __init__(self, rate_hz):
        self.rate_hz = rate_hz
        self.pieces = []
        self.is_closed = False

    def free(self):
        return 1000

    def write(self, samples):
        self.pieces.append(samples)

    def played(self):
        return sum(len(piece) for piece in self.pieces) / self.rate_hz

    def close(self):
        self.is_closed = True


@pytest.fixture
def tapes():
    return []


@pytest.fixture
def player(qapp, tapes):
    def opener(rate_hz):
        tapes.append(Tape(rate_hz))
        return tapes[-1], True

    made = Player(opener)
    yield made
    made.close()


@pytest.fixture
def noise(tmp_path):
    pcm = (np.random.default_rng(0).normal(0, 0.1, RATE * 6) * 32767).astype(np.int16)
    soundfile.write(tmp_path / "audio.flac", pcm, RATE)
    return tmp_path / "audio.flac", pcm.astype(np.float32) / 32768


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.5), (1.2345, 2.0), (5.5, 6.0)])
def test_a_span_is_played_to_the_sample(player, tapes, noise, qtbot, start, end):
    path, samples = noise
    assert player.load(path)
    with qtbot.waitSignal(player.span_finished):
        player.play(start, end)
    heard = np.concatenate(tapes[-1].pieces)
    first, last = round(start * RATE), round(end * RATE)
    np.testing.assert_array_equal(heard[: last - first], samples[first:last])
    assert not heard[last - first :].any()
    assert player.position == pytest.approx(end, abs=1e-3)
    assert tapes[-1].is_closed


def test_seeking_while_playing_goes_on_from_there(player, tapes, noise):
    path, samples = noise
    player.load(path)
    player.play(0.0)
    player.seek(3.0)
    assert player.is_playing
    np.testing.assert_array_equal(tapes[-1].pieces[0], samples[3 * RATE : 3 * RATE + 1000])


def test_an_unreadable_file_is_refused(player, tmp_path):
    (tmp_path / "broken.flac").write_bytes(b"fLaC and nothing else")
    assert not player.load(tmp_path / "broken.flac")
    player.play(0.0)
    assert not player.is_playing


def test_without_a_device_the_clock_runs_and_says_so(qapp, noise, qtbot):
    from gui.audio_output import ClockOutput

    player = Player(lambda rate: (ClockOutput(rate), False))
    player.load(noise[0])
    with qtbot.waitSignals([player.device_missing, player.span_finished]):
        player.play(1.0, 1.2)
    assert player.position == pytest.approx(1.2, abs=0.01)
    player.close()


@pytest.mark.parametrize("speed", [0.5, 1.25, 2.0, 3.0])
def test_another_speed_keeps_the_pitch(speed):
    moments = np.arange(RATE * 4) / RATE
    source = (0.5 * np.sin(2 * np.pi * 220 * moments)).astype(np.float32)
    place = 0

    def pull(count):
        nonlocal place
        piece = source[place : place + count]
        place += len(piece)
        return piece

    stretcher = Stretcher(pull, speed)
    pieces = []
    while len(piece := stretcher.read(700)):
        pieces.append(piece)
    heard = np.concatenate(pieces)
    assert len(heard) == pytest.approx(len(source) / speed, rel=0.03)
    middle = heard[RATE // 4 : -RATE // 4]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert np.argmax(spectrum) * RATE / len(middle) == pytest.approx(220, abs=3)
    # A clean sine stays clean: no clicks at the joints.
    assert np.abs(np.diff(middle)).max() < 0.08


def test_speed_one_is_untouched():
    source = np.random.default_rng(1).normal(0, 0.1, 5000).astype(np.float32)
    stretcher = Stretcher(lambda count: source[:count], 1.0)
    np.testing.assert_array_equal(stretcher.read(3000), source[:3000])
