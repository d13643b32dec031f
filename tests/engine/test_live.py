"""The live transcript with made-up models: what is read, when lines end, what is taken back."""

import struct

import numpy as np
import pytest

from engine.audio.growing import GrowingWav
from engine.audio.take import TrackFile
from engine.errors import AudioError, Cancelled
from engine.progress import Report, silent
from engine.speech import live, vad
from engine.speech.live_voices import LiveVoices
from engine.types import Span, Word

RATE = 16_000


def voice(direction):
    vector = np.zeros(192, np.float32)
    vector[direction] = 1
    return vector


class Detector:
    """Stands in for silero: loud samples are speech, 0.3 s of quiet end it."""

    def __init__(self):
        self.seen, self.began, self.quiet, self.spans = 0, None, 0, []

    def accept_waveform(self, window):
        if np.abs(window).max() > 0.1:
            self.began, self.quiet = self.began if self.began is not None else self.seen, 0
        elif self.began is not None:
            self.quiet += len(window)
            if self.quiet > 0.3 * RATE:
                self.spans.append(Span(self.began / RATE, (self.seen - self.quiet) / RATE + 0.04))
                self.began = None
        self.seen += len(window)

    def is_speech_detected(self):
        return self.began is not None


def drain(detector):
    found, detector.spans = detector.spans, []
    return found


class Hearing:
    """Hears one word for each half second of loudness; the level tells the voice apart."""

    def __init__(self):
        self.n_heard = 0

    def words(self, samples):
        self.n_heard += 1
        n = int(np.sum(np.abs(samples) > 0.1) // (RATE // 2))
        return [Word(i / 2, i / 2 + 0.4, f"word{i}", 0.9) for i in range(n)]

    def voice(self, samples):
        loud = samples[np.abs(samples) > 0.1]
        return voice(int(np.abs(loud).mean() * 10)) if len(loud) else np.zeros(192, np.float32)


@pytest.fixture
def following(tmp_path, monkeypatch):
    """A listener on two tracks, the second of them silent unless a test speaks on it."""
    monkeypatch.setattr(vad, "new_detector", lambda options: Detector())
    monkeypatch.setattr(vad, "drain", drain)
    following = Following(tmp_path)
    yield following
    for track in following.tracks:
        track.close()


class Following:
    def __init__(self, folder):
        self.tracks = [TrackFile(folder / f"{i}.wav", RATE) for i in range(2)]
        self.hearing = Hearing()
        self.said = []
        paths = [track.path for track in self.tracks]
        self.listener = live.Listener(paths, self.hearing, self.said.append)

    def hear(self, *parts, track=0, step=1.0):
        """Append (seconds, level) parts and let the listener look once a second."""
        sound = np.concatenate([np.full(int(s * RATE), level * 32767) for s, level in parts])
        for i in range(0, len(sound), int(step * RATE)):
            self.tracks[track].append(sound[i : i + int(step * RATE)].astype(np.int16))
            self.listener.step(silent())

    @property
    def lines(self):
        return {line.key: line for line in self.said}

    def texts(self):
        return [line.text for line in sorted(self.lines.values(), key=lambda line: line.start)]


def test_a_line_grows_and_is_final_after_a_pause(following):
    following.hear((3, 0.5), (2, 0))
    assert [line.is_final for line in following.said][-1]
    assert not following.said[0].is_final
    assert len(following.lines) == 1
    (line,) = following.lines.values()
    assert line.text == "word0 word1 word2 word3 word4 word5"
    assert line.speaker == "Speaker 1"
    assert line.start == pytest.approx(0, abs=0.5)
    assert line.end == pytest.approx(3, abs=0.2)


def test_another_voice_begins_another_line(following):
    following.hear((3, 0.5), (0.5, 0), (3, 0.9), (0.5, 0), (3, 0.5), (2, 0))
    ordered = sorted(following.lines.values(), key=lambda line: line.start)
    assert [line.speaker for line in ordered] == ["Speaker 1", "Speaker 2", "Speaker 1"]
    assert all(line.is_final for line in ordered)


def test_a_long_speech_becomes_several_lines_without_losing_words(following):
    following.hear(*[(4, 0.5), (0.5, 0)] * 8, (2, 0))
    assert len(following.lines) >= 3
    assert sum(len(text.split()) for text in following.texts()) == 8 * 8


def test_memory_does_not_grow_with_the_meeting(following):
    following.hear(*[(4, 0.5), (1.5, 0)] * 40, step=4.0)
    assert len(following.listener._tracks[0].recent) < 40 * RATE
    assert len(following.listener._finals) <= 31


def test_silence_says_nothing_and_asks_no_model(following):
    following.hear((20, 0))
    assert following.said == []
    assert following.hearing.n_heard == 0


def test_a_listener_far_behind_skips_and_goes_on(following):
    track = following.tracks[0]
    track.append(np.full(100 * RATE, 9000).astype(np.int16))
    following.listener.step(silent())
    assert following.listener._tracks[0].file.behind() < live.READ_SECONDS
    following.hear((1, 0), (3, 0.5), (3, 0))
    last = max(following.lines.values(), key=lambda line: line.start)
    assert last.start == pytest.approx(101, abs=1.0)


def test_what_the_microphone_hears_from_the_loudspeaker_is_taken_back(following):
    following.hear((3, 0.5), (2, 0), track=0)
    following.hear((3, 0.9), (2, 0), track=1)
    by_track = {line.track: line for line in following.lines.values()}
    assert by_track[0].text == ""
    assert by_track[1].text


@pytest.mark.parametrize(
    ("microphone", "system", "expected"),
    [
        ("the budget is forty thousand", "So the budget is forty thousand euros.", True),
        ("no I do not agree with that", "The budget is forty thousand euros.", False),
        ("yes", "Yes.", False),  # two people may say yes at once
    ],
)
def test_echoes_are_told_by_their_words(microphone, system, expected):
    """Field reports E9, E10: only the same words are an echo."""
    assert live.is_echo(microphone, system) is expected


def test_it_ends_when_the_recording_does(tmp_path, monkeypatch):
    monkeypatch.setattr(vad, "new_detector", lambda options: Detector())
    left = iter([False] * 3 + [True] * 9)
    with pytest.raises(Cancelled):
        live.listen([tmp_path / "a.wav"], Hearing(), Report(None, lambda: next(left)), print)


def test_voices_are_numbered_as_they_appear_and_drift():
    voices = LiveVoices(threshold=0.5, eta=0.5)
    assert [voices.place(voice(i), 2.0) for i in (0, 1, 0)] == [0, 1, 0]
    between = (voice(0) + voice(2)) / np.sqrt(2).astype(np.float32)
    for _ in range(6):
        assert voices.place(between, 2.0) == 0
    assert voices.place(voice(2), 2.0) == 0  # the centroid went there
    assert voices.place(voice(5), 0.5) is None  # too short to found a voice
    assert voices.place(np.zeros(192, np.float32), 3.0) is None


def test_the_number_of_voices_is_bounded():
    voices = LiveVoices(max_voices=3)
    assert {voices.place(voice(i), 2.0) for i in range(10)} == {0, 1, 2}


def test_a_growing_file_is_read_piece_by_piece(tmp_path):
    reader = GrowingWav(tmp_path / "a.wav")
    assert len(reader.read(1)) == 0
    track = TrackFile(tmp_path / "a.wav", RATE)
    track.append(np.arange(20_000, dtype=np.int16))
    assert len(reader.read(1)) == RATE
    assert reader.behind() == pytest.approx(0.25)
    rest = reader.read(1)
    assert rest[0] * 32768 == pytest.approx(RATE)
    track.sync()
    track.append(np.full(10, 7, np.int16))
    assert list(reader.read(1) * 32768) == [7] * 10
    track.close()


def test_a_torn_header_is_waited_for_and_a_wrong_one_refused(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(b"RIFF")
    reader = GrowingWav(path)
    assert len(reader.read(1)) == 0
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 2, 44_100, 176_400, 4, 16)
    path.write_bytes(b"RIFF" + b"\0" * 4 + b"WAVE" + fmt + b"data" + b"\0" * 4)
    with pytest.raises(AudioError, match="mono"):
        reader.read(1)
    path.write_bytes(b"ID3 something else")
    with pytest.raises(AudioError):
        reader.read(1)
