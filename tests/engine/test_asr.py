"""The course of a transcription with a scripted recogniser: no models."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
import soundfile as sf

from engine.errors import Cancelled
from engine.progress import Report, silent
from engine.speech.asr import AsrOptions, transcribe
from engine.speech.backend import Heard
from engine.speech.guards import echoes
from engine.speech.recogniser import Recogniser
from engine.types import Span, Word

RATE = 16_000
Script = Callable[[float, str, str], list[Word]]


class Scripted:
    """Answers every window by a function of its length, language and prompt."""

    is_multilingual = True
    language = ""

    def __init__(self, script: Script, languages: dict[str, float] | None = None) -> None:
        self.script, self.languages = script, languages or {"en": 0.99}
        self.calls: list[tuple[float, str, str, float]] = []

    def hear(self, samples, language, prompt, temperature) -> Heard:
        seconds = len(samples) / RATE
        self.calls.append((round(seconds, 1), language, prompt, temperature))
        return Heard(tuple(self.script(seconds, language, prompt)), (), language)

    def detect(self, samples):
        return self.languages


def recogniser(monkeypatch, backend: Scripted) -> Recogniser:
    monkeypatch.setattr("engine.speech.loading.load_backend", lambda *arguments: backend)
    monkeypatch.setattr("engine.speech.loading.most_at_once", lambda _: 1)
    return Recogniser("scripted")


@pytest.fixture
def timeline(tmp_path):
    noise = 0.1 * np.random.default_rng(0).standard_normal(RATE * 120)
    sf.write(tmp_path / "audio.flac", noise.astype(np.float32), RATE)
    return tmp_path / "audio.flac"


def talk(seconds: float, first: int = 0) -> list[Word]:
    return [Word(t, t + 0.3, f"w{first + t}") for t in range(int(seconds))]


def test_words_come_back_in_the_recordings_time(monkeypatch, timeline):
    backend = Scripted(lambda seconds, *_: talk(seconds))
    spans = [Span(5, 15), Span(60, 70), Span(100, 104)]
    found = transcribe(recogniser(monkeypatch, backend), timeline, spans, AsrOptions(), silent())
    assert len(backend.calls) == 1
    assert found.language == "en"
    assert found.words[0].start == pytest.approx(5.0)
    assert all(any(s.start <= w.start < s.end for s in spans) for w in found.words)
    assert found.coverage == pytest.approx(1.0, abs=0.05)


def test_a_chinese_meeting_has_one_script(monkeypatch, timeline):
    """C1, through the whole transcription; an English one is not touched."""

    def script(seconds: float, *_: str) -> list[Word]:
        return [Word(t, t + 0.3, "們" if t == 3 else "们") for t in range(int(seconds))]

    for language, expected in (("zh", {"们"}), ("en", {"们", "們"})):
        ears = recogniser(monkeypatch, Scripted(script, {language: 0.99}))
        found = transcribe(ears, timeline, [Span(0, 20)], AsrOptions(), silent())
        assert {word.text for word in found.words} == expected


def test_windows_side_by_side_come_back_in_order(monkeypatch, timeline):
    """The first of two windows takes longer; the sequel of the second waits for it."""
    first_begun, second_done = threading.Event(), threading.Event()
    beside = []

    def load(*_):
        def script(seconds: float, *_: str) -> list[Word]:
            if seconds > 25:
                first_begun.set()
                assert second_done.wait(10)
            else:
                # else one recogniser could hear all of it before the other one has begun
                assert first_begun.wait(10)
                second_done.set()
            return talk(seconds)

        beside.append(Scripted(script))
        return beside[-1]

    monkeypatch.setattr("engine.speech.loading.load_backend", load)
    monkeypatch.setattr("engine.speech.loading.most_at_once", lambda _: 2)
    monkeypatch.setattr("engine.speech.recogniser.physical_cores", lambda: 2)
    ears = Recogniser("scripted")
    found = transcribe(
        ears,
        timeline,
        [Span(0, 28), Span(35, 55), Span(60, 80), Span(90, 110)],
        AsrOptions("en"),
        silent(),
    )
    assert len(beside) == 2
    assert [word.start for word in found.words] == sorted(word.start for word in found.words)
    assert found.words[0].start < 1
    assert found.words[-1].start > 108
    assert {scripted.threads for scripted in beside} == {1}


def test_a_decoder_that_stops_early_is_asked_again(monkeypatch, timeline):
    """B4: the rest of the window is heard once more."""

    # the first hearing of the long window ends after 10 of 28 seconds
    def script(seconds: float, *_: str) -> list[Word]:
        return talk(10) if seconds > 20 else talk(seconds, 50)

    backend = Scripted(script)
    found = transcribe(
        recogniser(monkeypatch, backend), timeline, [Span(0, 28)], AsrOptions("en"), silent()
    )
    assert len(backend.calls) == 2
    assert found.gaps == ()
    assert found.words[-1].end > 26


def test_speech_that_stays_without_words_is_a_gap(monkeypatch, timeline):
    found = transcribe(
        recogniser(monkeypatch, Scripted(lambda *_: [])),
        timeline,
        [Span(3, 9)],
        AsrOptions("en"),
        silent(),
    )
    assert found.gaps == (Span(3, 9),)
    assert found.coverage == 0.0
    assert [event.label for event in found.events] == ["unheard"]


def test_a_loop_is_heard_again_in_halves(monkeypatch, timeline):
    """B2: a loop is not the end of a window."""
    loop = [Word(i * 0.2, i * 0.2 + 0.1, "watching" if i % 2 else "thanks") for i in range(40)]

    def script(seconds: float, *_: str) -> list[Word]:
        return loop if seconds > 12 else talk(seconds)

    backend = Scripted(script)
    found = transcribe(
        recogniser(monkeypatch, backend),
        timeline,
        [Span(0, 9), Span(12, 20)],
        AsrOptions("en"),
        silent(),
    )
    assert len(backend.calls) == 3
    assert "thanks" not in {word.text for word in found.words}


def test_a_loop_that_stays_is_cut(monkeypatch, timeline):
    backend = Scripted(lambda *_: [Word(i * 0.2, i * 0.2 + 0.1, "no") for i in range(40)])
    found = transcribe(
        recogniser(monkeypatch, backend), timeline, [Span(0, 9)], AsrOptions("en"), silent()
    )
    assert len([w for w in found.words if w.start < 8]) <= 3
    assert backend.calls[1][3] > 0


def test_vocabulary_is_a_prompt_and_never_an_answer(monkeypatch, timeline):
    def script(seconds: float, language: str, prompt: str) -> list[Word]:
        said = prompt.split() if prompt else ["well", "then", "so"]
        return [Word(i, i + 0.3, text) for i, text in enumerate(said)]

    backend = Scripted(script)
    found = transcribe(
        recogniser(monkeypatch, backend),
        timeline,
        [Span(0, 5)],
        AsrOptions("en", "Duguid, Ademesoye\nEarwitness"),
        silent(),
    )
    assert backend.calls[0][2] == "Glossary: Duguid, Ademesoye, Earwitness."
    assert [word.text for word in found.words] == ["well", "then", "so"]
    assert not echoes([Word(0, 1, "Duguid,"), Word(1, 2, "come"), Word(2, 3, "here")], "Duguid, X.")


def test_nobody_speaks(monkeypatch, timeline):
    """A16: no speech, no words, no error."""
    backend = Scripted(lambda *_: talk(9))
    found = transcribe(recogniser(monkeypatch, backend), timeline, [], AsrOptions(), silent())
    assert found.words == ()
    assert backend.calls == []


def test_cancel(monkeypatch, timeline):
    with pytest.raises(Cancelled):
        transcribe(
            recogniser(monkeypatch, Scripted(lambda *_: talk(3))),
            timeline,
            [Span(0, 9)],
            AsrOptions("en"),
            Report(is_cancelled=lambda: True),
        )


def test_channels_are_heard_one_by_one(monkeypatch, tmp_path, timeline):
    for channel in (0, 1):
        sf.write(tmp_path / f"channel-{channel}.flac", np.zeros(RATE * 10, np.float32), RATE)
    monkeypatch.setattr(
        "engine.speech.asr.channel_spans", lambda paths, report: [[Span(0, 5)], [Span(2, 9)]]
    )
    backend = Scripted(lambda seconds, *_: talk(seconds))
    found = transcribe(
        recogniser(monkeypatch, backend), timeline, [Span(0, 9)], AsrOptions("en"), silent()
    )
    assert {word.channel for word in found.words} == {0, 1}
    starts = [word.start for word in found.words]
    assert starts == sorted(starts)
    assert len(found.words) == 12
