"""A stretch of speech without words is heard once more; everything else stays as it was."""

import numpy as np
import pytest
import scripted_ears
import soundfile as sf

from engine import messages, pipeline
from engine.errors import AudioError
from engine.graph import edits
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.progress import silent
from engine.speech.asr import Transcription
from engine.types import Event, Span, Word

RATE = 16_000
FIRST = [Word(0.2 + 0.4 * i, 0.5 + 0.4 * i, w, 0.9) for i, w in enumerate(["we", "start", "now"])]
GAP = Event(2.1, 3.9, "unheard", 1.0, "signal")


@pytest.fixture
def heard(tmp_path, monkeypatch):
    """(store, meeting id, what the next hearing finds): an analysis that missed two seconds."""
    originals = scripted_ears.remembered(pipeline)
    scripted_ears.install()
    monkeypatch.setenv("EARS_FAULTS", str(tmp_path))
    found = [Transcription(tuple(FIRST), "en", (GAP,), (Span(2.1, 3.9),), 0.5)]
    asked = []

    def transcribe(_recogniser, _path, spans, options, _report):
        asked.append((list(spans), options.language))
        return found[-1]

    monkeypatch.setattr(pipeline.asr, "transcribe", transcribe)
    sf.write(tmp_path / "talk.wav", 0.1 * np.sin(np.arange(4 * RATE) / 20), RATE)
    try:
        with Store(tmp_path / "library") as store:
            options = messages.AnalyseOptions(asr_model="a")
            meeting = pipeline.analyse(tmp_path / "talk.wav", store, Jobs(), options, silent())
            del asked[:]
            yield store, meeting.id, found, asked
    finally:
        scripted_ears.uninstall(pipeline, originals)


def again(store, meeting_id):
    options = messages.AnalyseOptions(asr_model="a")
    return pipeline.hear_again(meeting_id, Span(2.1, 3.9), store, Jobs(), options, silent())


def test_words_of_a_gap_join_the_transcript_and_the_gap_is_closed(heard):
    store, meeting_id, found, asked = heard
    edits.edit_text(store, meeting_id, 0, "We begin now")
    found.append(Transcription((Word(2.3, 2.7, "about", 0.9), Word(2.8, 3.2, "water", 0.9)), "en"))
    assert again(store, meeting_id) == 2
    assert asked == [([Span(2.1, 3.9)], "en")]
    said = store.utterances(meeting_id)
    assert said[0].text == "We begin now"
    assert said[-1].text.lower().endswith("about water")
    assert not [e for e in store.events(meeting_id) if e.label == "unheard"]
    assert store.meeting(meeting_id).coverage == 1.0
    assert store.meeting(meeting_id).is_complete


def test_a_gap_without_words_changes_nothing(heard):
    store, meeting_id, found, _asked = heard
    before = store.utterances(meeting_id)
    found.append(Transcription((), "en", (GAP,)))
    assert again(store, meeting_id) == 0
    assert store.utterances(meeting_id) == before
    assert [e.label for e in store.events(meeting_id)] == ["unheard"]


def test_a_meeting_without_sound_is_refused(heard):
    store = heard[0]
    silent_one = store.create_meeting("Read", has_audio=False)
    with pytest.raises(AudioError, match="no sound"):
        again(store, silent_one.id)
