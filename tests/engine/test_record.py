import errno
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine import sealed, vault
from engine.audio import record, take, track
from engine.audio.devices import InputDevice, Kind
from engine.audio.record import Recorder, State
from engine.errors import AudioError

MIC = InputDevice("Desk microphone", "mic", Kind.MICROPHONE)
SYSTEM = InputDevice("Monitor of Speakers", "sys", Kind.SYSTEM)
ROOT = Path(__file__).resolve().parent.parent.parent


class FakeStream:
    """A device a test feeds by hand."""

    def __init__(self, on_block, rate):
        self.on_block = on_block
        self.samplerate = rate
        self.active = False
        self.is_closed = False

    def start(self):
        self.active = True

    def abort(self):
        self.active = False

    def close(self):
        self.is_closed = True

    def feed(self, samples):
        self.on_block(np.asarray(samples, np.float32))


class FakeDevices:
    """Opens fake streams; ``refusals`` makes the next attempts fail."""

    def __init__(self, rate=record.RATE_HZ):
        self.streams = []
        self.refusals = 0
        self.rate = rate

    def __call__(self, device, rate_hz, on_block):
        if self.refusals:
            self.refusals -= 1
            raise AudioError("gone")
        self.streams.append(FakeStream(on_block, self.rate))
        return self.streams[-1]


@pytest.fixture(autouse=True)
def _patient_but_quick(monkeypatch):
    """A busy test machine is no dead device, and nobody waits a tenth of a second."""
    monkeypatch.setattr(track, "_STALL_SECONDS", 30)
    monkeypatch.setattr(record, "_TICK_SECONDS", 0.005)
    monkeypatch.setattr(record, "_SYNC_SECONDS", 0.02)


@pytest.fixture
def opened():
    """Recorders that are stopped at the end of a test whatever happens."""
    started = []

    def make(devices, folder, opener, **options):
        recorder = Recorder(devices, folder, opener=opener, **options)
        started.append(recorder)
        recorder.start()
        return recorder

    yield make
    for recorder in started:
        recorder.stop()


def until(condition, seconds=5.0):
    """Wait for the writer thread, which works every tenth of a second."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.01)


def tone(seconds, level=0.3):
    moments = np.arange(int(seconds * record.RATE_HZ)) / record.RATE_HZ
    return np.rint(level * 32767 * np.sin(2 * np.pi * 330 * moments)).astype(np.int16)


def test_every_sample_that_arrives_is_in_the_file(tmp_path, opened):
    devices, pcm = FakeDevices(), tone(1.0)
    recorder = opened([MIC], tmp_path, devices)
    for piece in np.split(pcm, 20):
        devices.streams[0].feed(piece / 32768)
    folder = recorder.stop()
    samples, rate = soundfile.read(folder / "microphone.wav", dtype="int16")
    assert rate == record.RATE_HZ
    np.testing.assert_array_equal(samples, pcm)


def test_it_waits_until_samples_are_written(tmp_path, opened):
    """Field reports E5, E14: what is shown follows from what was written."""
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    assert recorder.status().state == State.WAITING
    devices.streams[0].feed(tone(0.1) / 32768)
    until(lambda: recorder.status().state == State.RECORDING)
    assert recorder.status().tracks[0].peak_db > -12


def test_pauses_leave_nothing_behind(tmp_path, opened):
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    stream, kept = devices.streams[0], 0
    for _ in range(50):
        time.sleep(0.006)  # The block below is captured after the pause ended.
        stream.feed(np.full(80, 0.25))
        kept += 80
        recorder.pause()
        time.sleep(0.006)  # And this one after it began.
        stream.feed(np.full(80, -0.5))
        recorder.resume()
    samples, _rate = soundfile.read(recorder.stop() / "microphone.wav")
    assert len(samples) == kept
    assert samples.min() > 0


def test_two_devices_become_two_channels(tmp_path, opened):
    devices = FakeDevices()
    recorder = opened([MIC, SYSTEM], tmp_path, devices)
    devices.streams[0].feed(np.full(1600, 0.5))
    devices.streams[1].feed(np.full(800, -0.5))
    found = take.read_take(recorder.stop())
    assert [path.name for path in found.tracks] == ["microphone.wav", "system.wav"]
    samples, _rate = soundfile.read(take.joined(found))
    assert samples.shape == (1600, 2)
    assert samples[:, 0].min() > 0.49
    assert samples[:800, 1].max() < -0.49
    assert not samples[800:, 1].any()


def test_a_device_that_vanishes_comes_back_with_the_gap_filled(tmp_path, opened, monkeypatch):
    """Field report E4."""
    monkeypatch.setattr(track, "_RETRY_SECONDS", 0.2)
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    devices.streams[0].feed(np.full(1600, 0.5))
    until(lambda: recorder.status().state == State.RECORDING)
    devices.streams[0].active = False
    until(lambda: len(devices.streams) == 2)
    until(lambda: {n.kind for n in recorder.take_notices()} & {"found"})
    devices.streams[1].feed(np.full(1600, 0.5))
    found = take.read_take(recorder.stop())
    assert {note.kind for note in found.notes} == {"lost", "found"}
    samples, _rate = soundfile.read(found.tracks[0])
    assert len(samples) > 3200
    assert samples[-1] > 0.4
    assert samples[0] > 0.4


def test_a_source_that_stalls_is_aborted_not_stopped(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(track, "_STALL_SECONDS", 0.2)
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    devices.streams[0].feed(np.full(160, 0.5))
    until(lambda: devices.streams[0].is_closed)
    assert "lost" in {notice.kind for notice in recorder.take_notices()}
    assert not recorder.status().tracks[0].is_alive


def test_a_microphone_that_gives_no_first_sample_is_told(tmp_path, opened, monkeypatch):
    """Field report E5."""
    monkeypatch.setattr(track, "_FIRST_SAMPLE_SECONDS", 0.1)
    recorder = opened([MIC], tmp_path, FakeDevices())
    until(lambda: "waiting" in {notice.kind for notice in recorder.take_notices()})
    assert recorder.status().state == State.WAITING


def test_a_track_of_zeros_raises_the_alarm_once(tmp_path, opened):
    """Field report E8."""
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    for _ in range(8):
        devices.streams[0].feed(np.zeros(record.RATE_HZ // 2))
    until(lambda: recorder.status().tracks[0].is_silent)
    notices = recorder.take_notices()
    assert [notice.kind for notice in notices].count("silent") == 1


def test_a_full_disk_ends_the_recording_and_keeps_it(tmp_path, opened, monkeypatch):
    """Field report E11."""
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    devices.streams[0].feed(np.full(16_000, 0.5))
    until(lambda: recorder.status().elapsed >= 1)

    def refuse(_self, _samples):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(take.TrackFile, "append", refuse)
    devices.streams[0].feed(np.full(160, 0.5))
    until(lambda: recorder.status().state == State.FAILED)
    assert "No space left" in recorder.status().problem
    assert take.read_take(recorder.stop()).duration == pytest.approx(1.0)


def test_little_room_is_refused_before_and_noticed_during(tmp_path, opened):
    with pytest.raises(AudioError, match="nearly full"):
        Recorder([MIC], tmp_path, opener=FakeDevices(), free_bytes=lambda _p: 1_000_000).start()
    room, devices = [10**10], FakeDevices()
    recorder = opened([MIC], tmp_path, devices, free_bytes=lambda _p: room[0])
    room[0] = 1_000
    until(lambda: recorder.status().state == State.FAILED)


def test_nothing_is_left_when_no_device_opens(tmp_path):
    devices = FakeDevices()
    devices.refusals = 1
    with pytest.raises(AudioError, match="gone"):
        Recorder([MIC], tmp_path, opener=devices).start()
    assert not list(tmp_path.iterdir())


def test_one_of_two_devices_is_enough(tmp_path, opened):
    devices = FakeDevices()
    devices.refusals = 1
    recorder = opened([MIC, SYSTEM], tmp_path, devices)
    assert [notice.kind for notice in recorder.take_notices()] == ["lost"]
    devices.streams[0].feed(np.full(160, 0.5))
    until(lambda: recorder.status().state == State.RECORDING)


def test_another_rate_is_brought_to_ours(tmp_path, opened):
    devices = FakeDevices(rate=48_000)
    recorder = opened([MIC], tmp_path, devices)
    moments = np.arange(48_000) / 48_000
    for piece in np.split(np.sin(2 * np.pi * 440 * moments) * 0.4, 20):
        devices.streams[0].feed(piece)
    samples, rate = soundfile.read(recorder.stop() / "microphone.wav")
    assert rate == 16_000
    assert len(samples) == pytest.approx(16_000, abs=400)
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.argmax(spectrum) * rate / len(samples) == pytest.approx(440, abs=3)


def test_bookmarks_are_kept_apart_from_speech(tmp_path, opened):
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    devices.streams[0].feed(np.full(8000, 0.5))
    until(lambda: recorder.status().elapsed == 0.5)
    assert recorder.note("Ask about the budget") == 0.5
    found = take.read_take(recorder.stop())
    assert found.notes == (take.Note(0.5, "bookmark", "Ask about the budget"),)
    assert found.is_finished


def test_memory_stays_bounded_when_the_disk_hangs(tmp_path, monkeypatch):
    """Field report E13."""
    hold = threading.Event()
    monkeypatch.setattr(take.TrackFile, "append", lambda *_: hold.wait(5))
    devices = FakeDevices()
    recorder = Recorder([MIC], tmp_path, opener=devices)
    recorder.start()
    for _ in range(2000):
        devices.streams[0].feed(np.full(800, 0.5))
    assert len(recorder._tracks[0]._blocks) <= 400
    hold.set()
    recorder.stop()
    assert recorder.status().elapsed == pytest.approx(2000 * 800 / 16_000)
    assert "dropped" in {notice.kind for notice in recorder.take_notices()}


def test_a_long_recording_takes_no_more_memory_than_a_short_one(tmp_path, opened):
    """Field report E13: twenty minutes of sound, far quicker than it is spoken.

    What is kept once a minute is written counts, not what waits for a busy disk meanwhile.
    """
    devices, minute = FakeDevices(), tone(60.0) / np.float32(32768)
    recorder = opened([MIC], tmp_path, devices)
    kept = []
    tracemalloc.start()
    try:
        for number in range(1, 21):
            for second in np.split(minute, 60):
                devices.streams[0].feed(second)
            until(lambda n=number: recorder.status().elapsed == 60 * n, seconds=60)
            kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(kept[10:]) < max(kept[:10]) + 1_000_000
    assert not recorder.take_notices()


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_killed_recordings_are_found_and_whole(tmp_path, monkeypatch, is_encrypted):
    """Field report E1."""
    if is_encrypted:
        monkeypatch.setattr(vault, "_SCRYPT_N", 1 << 10)
        vault.write_header(tmp_path, "correct horse battery")
    script = textwrap.dedent(
        """
        import sys, time
        import numpy as np
        sys.path[:0] = [sys.argv[1], sys.argv[2]]
        from test_record import FakeDevices, MIC
        from pathlib import Path
        from engine import vault
        from engine.audio.record import Recorder
        if vault.is_encrypted(Path(sys.argv[3])):
            vault.unlock(Path(sys.argv[3]), "correct horse battery")
        devices = FakeDevices()
        recorder = Recorder([MIC], Path(sys.argv[3]), opener=devices)
        recorder.start()
        began, n = time.monotonic(), 0
        while True:
            devices.streams[0].feed(np.full(800, 0.5))
            n += 800
            print(n, flush=True)
            time.sleep(max(0, began + n / 16_000 - time.monotonic()))
        """
    )
    arguments = [sys.executable, "-c", script, str(ROOT), str(Path(__file__).parent)]
    with subprocess.Popen([*arguments, str(tmp_path)], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            if int(line) >= 24_000:
                break
        child.kill()
        fed = max(int(text) for text in [line, *child.stdout.read().split()])
    (found,) = take.unfinished(tmp_path)
    assert not found.is_finished
    assert fed / 16_000 - found.duration < 1.0
    with sealed.open_file(take.joined(found), "rb") as file:
        samples, _rate = soundfile.read(file)
    assert len(samples) == pytest.approx(found.duration * 16_000)
    assert samples.min() == pytest.approx(0.5, abs=1e-3)
    vault.lock_all()


def test_a_live_recording_of_another_window_is_left_alone(tmp_path):
    folder = tmp_path / "one"
    folder.mkdir()
    take.Journal(folder).write("start", tracks=[], pid=os.getppid())
    assert take.unfinished(tmp_path) == []


def test_a_taken_recording_is_not_offered_again(tmp_path, opened):
    devices = FakeDevices()
    recorder = opened([MIC], tmp_path, devices)
    devices.streams[0].feed(np.full(1600, 0.5))
    folder = recorder.stop()
    assert [found.folder for found in take.unfinished(tmp_path)] == [folder]
    take.Journal(folder).write("taken")
    assert take.unfinished(tmp_path) == []


def test_a_journal_cut_in_its_last_line_is_read(tmp_path):
    journal = take.Journal(tmp_path)
    journal.write("start", tracks=["microphone.wav"], pid=0)
    with (tmp_path / take.JOURNAL).open("a") as file:
        file.write(json.dumps({"event": "bookmark"})[:9])
    assert take.read_take(tmp_path).notes == ()


def test_an_empty_take_says_so(tmp_path):
    take.Journal(tmp_path).write("start", tracks=["microphone.wav"], pid=0)
    (tmp_path / "microphone.wav").write_bytes(take.header(16_000, 1, 0))
    with pytest.raises(AudioError, match="no sound"):
        take.joined(take.read_take(tmp_path))
