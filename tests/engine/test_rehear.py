"""The moments an answer cites are heard once more, and differing words are named."""

import numpy as np
import pytest
import soundfile

from engine.graph.store import Store
from engine.progress import silent
from engine.rehear import MARGIN, compared, rehear
from engine.speech import asr
from engine.types import Span, Word
from engine.types_answer import Answer, Citation, Receipt, Reheard, Sentence, Verdict

RATE = 16_000


def citation(meeting_id, quote="We need forty, not fourteen.", start=1.0, end=3.0):
    return Citation(meeting_id, 4, start, end, "Ann", quote)


def answer_with(*citations):
    return Answer(
        "How many?", "Forty.", (Sentence("Forty.", citations),), Verdict(5, True), False, "agent",
        Receipt(),
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "library") as store:
        yield store


@pytest.fixture
def hears(monkeypatch):
    """Set what the second hearing finds; collects what it was asked."""
    asked = []

    def install(*words):
        def transcribe(_recogniser, path, spans, options, _report):
            asked.append((path.name, spans, options.language))
            return asr.Transcription(words, "en")

        monkeypatch.setattr(asr, "transcribe", transcribe)
        return asked

    return install


def with_sound(store):
    meeting = store.create_meeting("Talk", "talk.wav")
    store.update_meeting(meeting.id, duration=3.1, language="en")
    folder = store.media_dir(meeting.id)
    folder.mkdir(parents=True, exist_ok=True)
    soundfile.write(folder / "audio.flac", np.zeros(4 * RATE), RATE)
    return meeting.id


def test_words_heard_otherwise_are_named():
    found = compared(citation("m"), ["We", "need", "fourteen,", "not", "fourteen"])
    assert found.unheard == ("forty,",)
    assert found.new == ("fourteen,",)
    assert found.text == "We need fourteen, not fourteen"


def test_the_same_words_differ_in_nothing():
    found = compared(citation("m"), ["we", "need", "FORTY", "not", "fourteen"])
    assert (found.unheard, found.new) == ((), ())


def test_each_cited_moment_is_heard_once_with_a_margin(store, hears):
    meeting_id = with_sound(store)
    asked = hears(Word(0.8, 0.9, "before"), Word(1.2, 1.4, "We"), Word(3.0, 3.2, "after"))
    cited = citation(meeting_id)
    (found,) = rehear(answer_with(cited, cited), store, None, asr.AsrOptions(), silent())
    assert isinstance(found, Reheard)
    assert found.text == "We"
    # The margin ends where the recording does.
    assert asked == [("audio.flac", [Span(1.0 - MARGIN, 3.1)], "en")]


def test_a_meeting_without_sound_is_left_out(store, hears):
    hears()
    meeting = store.create_meeting("Read", has_audio=False)
    assert rehear(answer_with(citation(meeting.id)), store, None, asr.AsrOptions(), silent()) == ()
