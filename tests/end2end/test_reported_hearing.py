"""What users of such apps ran into while being heard, with the real models and voices made here.

The letter and number in a docstring is the row of the report it answers.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import speech_maker as speech

from engine import export
from engine.audio.decode import Timeline, decode
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.messages import AnalyseOptions
from engine.pipeline import analyse
from engine.progress import silent
from engine.speech import asr, diarize, guards, merge, vad
from engine.speech.recogniser import Recogniser
from engine.types import FloatArray, Span
from engine.weights.locate import is_present

NEEDED = ("whisper-base", "whisper-tiny.en", "silero-vad", "segmentation-3.0", "campplus", "minilm")
pytestmark = [
    pytest.mark.end2end,
    pytest.mark.skipif(not all(map(is_present, NEEDED)), reason="default models not installed"),
]


@dataclass(frozen=True)
class Heard:
    """What one recording became."""

    timeline: Timeline
    spans: list[Span]
    words: asr.Transcription
    speakers: diarize.Diarization


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser("whisper-base")


@pytest.fixture
def timeline(tmp_path):
    def run(samples: FloatArray) -> Timeline:
        source = speech.write_wav(tmp_path / "x.wav", samples)
        return decode(source, tmp_path, "auto", silent())

    return run


@pytest.fixture
def hear(recogniser, timeline):
    def run(samples: FloatArray) -> Heard:
        made = timeline(samples)
        spans = vad.speech_spans(made.path, silent())
        words = asr.transcribe(recogniser, made.path, spans, asr.AsrOptions("en"), silent())
        return Heard(made, spans, words, diarize.diarize(made, spans, 0, silent()))

    return run


def plain(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "'" else " " for c in text.lower()).split()


def share_heard(text: str, found: asr.Transcription) -> float:
    """Share of the words of a text that were heard, whatever their order."""
    spoken, heard = Counter(plain(text)), Counter(plain(merge.join_words(found.words)))
    return (spoken & heard).total() / spoken.total()


@pytest.mark.parametrize("middle", [speech.chords(120), speech.noise(60, -30)], ids=["hum", "fan"])
def test_no_loop_and_no_words_on_a_long_hum_between_speech(hear, middle):
    """B2, B1: minutes of a hum do not become the same phrase again and again."""
    talk = speech.talk_around(middle)
    found = hear(talk.samples)
    begin = (talk.samples.size - middle.size) / 2 / speech.RATE_HZ
    end = begin + middle.size / speech.RATE_HZ
    assert [w for w in found.words.words if begin + 1 < w.start and w.end < end - 1] == []
    assert guards.find_loop(found.words.words) is None
    assert share_heard(talk.text, found.words) > 0.85


def test_words_after_a_noise_keep_their_time(hear):
    """B7: nine seconds of noise do not push what follows away from where it was said."""
    middle = speech.noise(9, -30)
    talk = speech.talk_around(middle)
    words = hear(talk.samples).words.words
    shift = (talk.samples.size + middle.size) / 2 / speech.RATE_HZ
    first = [(w.start, plain(w.text)) for w in words if w.start < shift - 9]
    second = [(w.start - shift, plain(w.text)) for w in words if w.start > shift - 1]
    late = [
        min(abs(start - other) for other, same in second if same == text)
        for start, text in first
        if any(same == text for _, same in second)
    ]
    assert len(late) > 0.8 * len(first)
    assert np.quantile(late, 0.95) < 0.5


def test_two_speakers_without_a_pause_get_their_own_words(hear):
    """D1: words, not segments, are given to speakers; nobody is silent between the turns."""
    talk = speech.back_to_back()
    found = hear(talk.samples)
    assert found.speakers.n_speakers == 2
    groups = merge.assign_speakers(found.words.words, found.speakers.turns)
    right = Counter()
    for who, words in groups:
        for word in words:
            middle = (word.start + word.end) / 2
            true = next((t.speaker for t in talk.turns if t.start <= middle < t.end), None)
            right[who, true] += 1
    straight = right[0, 0] + right[1, 1]
    assert straight / right.total() > 0.95


def test_one_person_at_several_pitches_and_microphones_is_one_speaker(timeline):
    """D3: neither a change of tone nor another microphone nor a song makes another speaker."""
    talk = speech.one_voice_many_ways()
    made = timeline(np.concatenate([talk.samples, speech.chords(10), talk.samples]))
    spans = vad.speech_spans(made.path, silent())
    assert diarize.diarize(made, spans, 0, silent()).n_speakers == 1


def conversation(voices: tuple[str, ...], lines: tuple[int, ...]) -> FloatArray:
    """Each voice in turn says a few lines; the n-th voice ``lines[n]`` times as many."""
    pieces = []
    for round_number in range(3):
        for voice, n in zip(voices, lines, strict=True):
            for k in range(n):
                text = speech.TALK[(3 * round_number + k + len(pieces)) % len(speech.TALK)][1]
                pieces += [speech.at_level(speech.say(text, voice), -25), speech.silence(0.3)]
    return np.concatenate(pieces)


@pytest.mark.parametrize(
    ("voices", "lines"),
    [
        (("rms", "awb"), (5, 3)),
        (("slt", "rms"), (1, 1)),
        (("slt", "rms", "awb"), (1, 2, 1)),
    ],
    ids=["two men, 63 and 37 percent", "two", "three"],
)
def test_the_number_of_voices_is_found_with_one_setting(timeline, voices, lines):
    """D4, D5: people of one sex stay two, and no threshold is tuned to the number."""
    made = timeline(conversation(voices, lines))
    spans = vad.speech_spans(made.path, silent())
    found = diarize.diarize(made, spans, 0, silent())
    assert found.n_speakers == len(voices)
    assert 0 <= found.confidence <= 1


def test_almost_nothing_to_tell_apart(timeline):
    """D9: no segment and a single one are no edge case of the clustering."""
    made = timeline(np.concatenate([speech.say("Hello.", "rms"), speech.silence(1.0)]))
    assert diarize.diarize(made, [], 0, silent()).n_speakers == 0
    spans = vad.speech_spans(made.path, silent())
    assert diarize.diarize(made, spans, 0, silent()).n_speakers == len(spans) == 1
    assert diarize.diarize(made, spans, 3, silent()).n_speakers == 1


@pytest.mark.parametrize(
    "sound",
    [speech.silence(30), speech.chords(30), speech.noise(30, -40)],
    ids=["zeros", "music", "noise"],
)
def test_nobody_speaks_and_every_export_is_valid(tmp_path, sound):
    """A16: silence, music and noise end as a meeting without utterances, not as a crash."""
    source = speech.write_wav(tmp_path / "quiet.wav", sound)
    options = AnalyseOptions(asr_model="whisper-tiny.en")
    with Store(tmp_path / "library") as store:
        meeting = analyse(source, store, Jobs(), options, silent())
        assert meeting.is_complete
        assert (meeting.n_utterances, meeting.n_speakers) == (0, 0)
        assert len(store.seconds(meeting.id)) == 30
        for kind in export.FORMATS:
            made: Path = export.export(store, meeting.id, kind, tmp_path / f"out.{kind}")
            assert made.is_file()
        assert json.loads((tmp_path / "out.json").read_text("utf-8"))["utterances"] == []
