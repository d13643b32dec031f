import numpy as np
import pytest
import soundfile as sf
from tones import RATE, buzz

from engine.progress import silent
from engine.speech import acoustics, tagging
from engine.speech.acoustics import sentences
from engine.speech.events import find_events
from engine.speech.frames import measure_frames
from engine.types import Cue, Event, Span, Turn, Utterance, Word
from engine.weights.catalogue import catalogue


def said(index: int, start: float, end: float, n_words: int = 6, speaker: int = 0) -> Utterance:
    step = (end - start) / n_words
    words = tuple(Word(start + i * step, start + (i + 1) * step, "w") for i in range(n_words))
    text = " ".join("w" for _ in words)
    return Utterance(index, start, end, f"S{speaker}", text, speaker, words)


def measure(path, utterances, turns, report):
    return acoustics.measure(path, utterances, turns, report).utterances


def frames_of(folder, samples: np.ndarray):
    """The frames of some samples, all of them spoken."""
    sf.write(folder / "f.flac", samples, RATE)
    everything = Utterance(0, 0.0, len(samples) / RATE, "", "")
    return measure_frames(folder / "f.flac", [everything], silent())


@pytest.mark.parametrize("hertz", [70, 95, 120, 180, 240, 330])
def test_pitch_of_a_buzz(tmp_path, hertz):
    assert frames_of(tmp_path, buzz(hertz, 1.0)).median_pitch() == pytest.approx(hertz, rel=0.02)


def test_noise_and_silence_have_no_pitch(tmp_path):
    noise = np.random.default_rng(0).standard_normal(RATE).astype(np.float32) * 0.1
    assert frames_of(tmp_path, noise).median_pitch() is None
    assert frames_of(tmp_path, np.zeros(RATE, np.float32)).median_pitch() is None
    assert frames_of(tmp_path, np.zeros(10, np.float32)).median_pitch() is None
    assert frames_of(tmp_path, noise).between(5, 6).median_pitch() is None


def test_a_hum_far_below_the_voice_is_not_its_pitch(tmp_path):
    hum = np.tile(buzz(65, 0.5, 0.0005), 4)
    voice = np.concatenate([buzz(200, 0.5), np.zeros(3 * RATE // 2, np.float32)])
    assert frames_of(tmp_path, voice + hum).median_pitch() == pytest.approx(200, rel=0.02)


def test_frames_are_the_same_across_the_border_of_a_chunk(tmp_path):
    x = buzz(120, 31.0)
    found = frames_of(tmp_path, x)
    assert len(found.power) == len(found.pitch) == 1550
    assert found.pitch[1480:1520] == pytest.approx(np.full(40, 120), rel=0.02)
    assert found.power[1490:1510] == pytest.approx(np.full(20, 0.01), rel=0.2)


def test_loudness_ignores_pauses(tmp_path):
    x = buzz(120, 1.0)
    with_pause = np.concatenate([x, np.zeros(2 * RATE, np.float32), x])
    alone = frames_of(tmp_path, x).loudness_db()
    assert frames_of(tmp_path, with_pause).loudness_db() == pytest.approx(alone, abs=0.5)
    assert alone == pytest.approx(-20, abs=0.5)
    assert frames_of(tmp_path, np.zeros(10, np.float32)).loudness_db() == -90


def sentence(start: float, end: float, n_words: int = 6) -> list[Word]:
    step = (end - start) / n_words
    texts = ["w"] * (n_words - 1) + ["w."]
    return [Word(start + i * step, start + (i + 1) * step, text) for i, text in enumerate(texts)]


def test_a_sentence_said_otherwise_is_heard_inside_a_long_utterance(tmp_path):
    # The last utterance: a usual sentence, and right after it a quiet one.
    meeting(tmp_path, {9: 0.008}, {})
    utterances = [said(i, i * 2.5, i * 2.5 + 2) for i in range(8)]
    words = (*sentence(20, 22), *sentence(22.5, 24.5))
    utterances.append(Utterance(8, 20, 24.5, "S0", "w", 0, words))
    turns = [Turn(u.start, u.end, 0) for u in utterances]
    found = measure(tmp_path / "a.flac", utterances, turns, silent())
    assert len(found) == 9
    assert found[8].cues == (Cue.QUIET,)
    assert not any(sound.cues for sound in found[:8])


def test_short_sentences_are_measured_with_the_one_before():
    words = (*sentence(0, 2), *sentence(2, 2.4, 1), *sentence(2.5, 5), *sentence(5.1, 5.4, 1))
    parts = sentences(Utterance(0, 0, 5.4, "S0", "", 0, words))
    assert [(part.start, part.end) for part in parts] == [(0, 2), (2, 5.4)]
    assert [word for part in parts for word in part.words] == list(words)
    assert sentences(Utterance(0, 0, 5, "", "imported, without words")) == []


def test_haste_is_not_judged_where_voices_overlap(tmp_path):
    meeting(tmp_path, {}, {})
    utterances = [said(i, i * 2.5, i * 2.5 + 2, 14 if i == 8 else 6) for i in range(10)]
    turns = [Turn(u.start, u.end, 0) for u in utterances] + [Turn(20.2, 22.6, 1)]
    found = measure(tmp_path / "a.flac", utterances, turns, silent())
    assert found[8].cues == (Cue.OVERLAP,)


def meeting(tmp_path, levels: dict[int, float], pitches: dict[int, float]) -> list[np.ndarray]:
    pieces = [buzz(pitches.get(i, 120), 2.0, levels.get(i, 0.05)) for i in range(10)]
    gap = np.zeros(RATE // 2, np.float32)
    sf.write(tmp_path / "a.flac", np.concatenate([p for x in pieces for p in (x, gap)]), RATE)
    return pieces


def test_cues_stand_out_against_the_speakers_own_habit(tmp_path):
    meeting(tmp_path, {3: 0.3, 5: 0.008}, {7: 190})
    utterances = [said(i, i * 2.5, i * 2.5 + 2, 14 if i == 8 else 6) for i in range(10)]
    turns = [Turn(u.start, u.end, 0) for u in utterances] + [Turn(2.5, 4.0, 1)]
    found = measure(tmp_path / "a.flac", utterances, turns, silent())
    assert Cue.LOUD in found[3].cues
    assert found[3].loudness_z > 2
    assert Cue.QUIET in found[5].cues
    assert Cue.RAISED in found[7].cues
    assert Cue.FAST in found[8].cues
    assert Cue.OVERLAP in found[1].cues
    assert found[1].overlap == pytest.approx(0.75, abs=0.02)
    assert found[0].cues == found[9].cues == ()


def test_pause_and_interruption(tmp_path):
    sf.write(tmp_path / "a.flac", buzz(120, 20), RATE)
    utterances = [said(0, 0, 4), said(1, 3.5, 7, speaker=1), said(2, 12, 14)]
    turns = [Turn(u.start, u.end, u.speaker_id) for u in utterances]
    found = measure(tmp_path / "a.flac", utterances, turns, silent())
    assert found[1].is_interruption
    assert not found[0].is_interruption
    assert found[2].pause_before == pytest.approx(5)
    assert Cue.LONG_PAUSE in found[2].cues
    assert found[1].pause_before == 0


def test_nothing_to_measure(tmp_path):
    sf.write(tmp_path / "a.flac", buzz(120, 1), RATE)
    assert measure(tmp_path / "a.flac", [], [], silent()) == []


def test_events_between_speech(tmp_path):
    random = np.random.default_rng(1)
    floor = 0.0005 * random.standard_normal(RATE * 40).astype(np.float32)
    floor[5 * RATE : 7 * RATE] += 0.1 * random.standard_normal(2 * RATE).astype(np.float32)
    t = np.arange(8 * RATE) / RATE
    chord = sum(np.sin(2 * np.pi * f * t) for f in (262.0, 330.0, 392.0))
    floor[20 * RATE : 28 * RATE] += 0.05 * chord.astype(np.float32)
    sf.write(tmp_path / "a.flac", floor, RATE)
    told = [Event(34, 35, "laughter", 0.7, "whisper"), Event(1, 2, "silence", 0.7, "whisper")]
    found = find_events(tmp_path / "a.flac", [Span(30, 39)], told, silent())
    by_label = {label: [e for e in found if e.label == label] for label in ("noise", "music")}
    (noise,) = by_label["noise"]
    assert (noise.start, noise.end) == (pytest.approx(5, abs=0.3), pytest.approx(7, abs=0.3))
    (music,) = by_label["music"]
    assert (music.start, music.end) == (pytest.approx(20, abs=0.6), pytest.approx(28, abs=0.6))
    assert told[0] in found
    assert told[1] not in found
    assert all(event.end <= 30 for event in found if event.source == "signal")
    assert [e.start for e in found] == sorted(e.start for e in found)


def test_an_installed_tagger_adds_its_events(tmp_path, monkeypatch):
    class Tag:
        def __init__(self, name: str, prob: float) -> None:
            self.name, self.prob = name, prob

    class Stream:
        def accept_waveform(self, rate: int, samples: np.ndarray) -> None:
            pass

    class Tagger:
        calls = 0

        def create_stream(self) -> Stream:
            return Stream()

        def compute(self, stream: Stream) -> list[Tag]:
            self.calls += 1
            laugh = Tag("Laughter", 0.9 if self.calls < 3 else 0.1)
            return [Tag("Speech", 0.8), laugh]

    sf.write(tmp_path / "a.flac", buzz(120, 15), RATE)
    monkeypatch.setattr(tagging, "_tagger", lambda entry: Tagger())
    entry = next(e for e in catalogue() if e.task == "audio tagging")
    monkeypatch.setattr("engine.speech.events.installed_tagger", lambda: entry)
    found = find_events(tmp_path / "a.flac", [Span(0, 15)], [], silent())
    assert [(e.label, e.start, e.end) for e in found] == [("laughter", 0.0, 10.0)]
    assert found[0].source == entry.id
