import numpy as np
import pytest
import scripted_ears
import soundfile as sf

from engine import messages, pipeline
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.progress import silent
from engine.speech.asr import AsrOptions, Transcription
from engine.speech.backend import Heard
from engine.speech.cross_check import MARK, cross_check, differences, doubtful, marked
from engine.speech.recogniser import Recogniser
from engine.types import Span, Word

RATE = 16_000


def words(text: str, start: float = 0.0, probability: float = 0.9) -> list[Word]:
    return [
        Word(start + i, start + i + 0.5, token, probability) for i, token in enumerate(text.split())
    ]


def test_only_words_that_differ_are_marked():
    first = words("My name's Adam Diggard, we're here.")
    second = words("my name's Adam do good we're here")
    assert differences(first, second) == [3]
    assert differences(first, first) == []
    assert differences(first, []) == [0, 1, 2, 3, 4, 5]
    assert differences([], second) == []


def test_speech_is_doubtful_where_a_word_is_or_where_there_is_none():
    heard = [*words("all is well"), Word(10, 10.5, "diggard", 0.3), Word(11, 11.5, "here", 0.9)]
    spans = [Span(0, 3), Span(10, 12), Span(20, 21)]
    assert doubtful(heard, spans) == [Span(10, 12), Span(20, 21)]
    assert doubtful([], []) == []


def test_a_marked_word_is_never_believed_more_than_before():
    heard = [*words("a b"), Word(3, 3.5, "c", 0.1)]
    assert [w.probability for w in marked(heard, (1, 2))] == [0.9, MARK, 0.1]
    assert [w.text for w in marked(heard, ())] == ["a", "b", "c"]


class Second:
    """Hears "three" as "tree", one word a second."""

    is_multilingual = False
    language = "en"

    def hear(self, samples, language, prompt, temperature) -> Heard:
        return Heard(tuple(words("one two tree four five")[: len(samples) // RATE]), (), "en")

    def detect(self, samples):
        return {"en": 1.0}


@pytest.fixture
def second(monkeypatch):
    monkeypatch.setattr("engine.speech.loading.load_backend", lambda *arguments: Second())
    monkeypatch.setattr("engine.speech.loading.most_at_once", lambda _: 1)
    return Recogniser("second")


def test_only_the_spans_are_heard_again(second, tmp_path):
    noise = 0.1 * np.random.default_rng(0).standard_normal(RATE * 30)
    sf.write(tmp_path / "audio.flac", noise.astype(np.float32), RATE)
    first = [*words("never heard again"), *words("one two three four five", 10)]
    found = cross_check(
        second, tmp_path / "audio.flac", first, [Span(10, 15)], AsrOptions("en"), silent()
    )
    assert found == (5,)


def test_hours_are_compared_in_linear_time(second, monkeypatch, tmp_path):
    heard = words("w" + " x" * 20_000)
    again = type("Again", (), {"words": tuple(heard)})
    monkeypatch.setattr("engine.speech.cross_check.transcribe", lambda *arguments: again)
    spans = [Span(t, t + 9.0) for t in range(0, 20_000, 10)]
    assert cross_check(second, tmp_path, heard, spans, AsrOptions(), silent()) == ()


def test_an_analysis_with_a_second_recogniser_marks_what_it_heard_otherwise(tmp_path, monkeypatch):
    originals = scripted_ears.remembered(pipeline)
    scripted_ears.install()
    monkeypatch.setenv("EARS_FAULTS", str(tmp_path))
    first = [
        Word(0.2 + 0.45 * i, 0.5 + 0.45 * i, text, 0.4 if text == "talk" else 0.9)
        for i, text in enumerate(["we", "start", "now", "then", "we", "talk", "about", "water"])
    ]
    monkeypatch.setattr(
        pipeline.asr, "transcribe", lambda *arguments: Transcription(tuple(first), "en")
    )
    asked = []

    def again(second, path, spans, options, report):
        asked.extend(spans)
        return Transcription((*first[:-1], Word(3.35, 3.65, "winter", 0.9)), "en")

    monkeypatch.setattr("engine.speech.cross_check.transcribe", again)
    sf.write(tmp_path / "talk.wav", 0.1 * np.sin(np.arange(4 * RATE) / 20), RATE)
    try:
        with Store(tmp_path / "library") as store:
            options = messages.AnalyseOptions(asr_model="a", check_model="b")
            meeting = pipeline.analyse(tmp_path / "talk.wav", store, Jobs(), options, silent())
            words = store.words(meeting.id)
            details = store.finished_stages(meeting.id)["transcribe"].details
    finally:
        scripted_ears.uninstall(pipeline, originals)
    assert [span.start for span in asked] == [2.1]  # only where a word was doubtful
    assert [w.text for w in words if w.probability <= MARK] == ["water"]
    assert details["differing"] == 1
