"""Remembered voices with a made-up embedder: who is suggested, and what corrections change."""

import numpy as np
import pytest
import soundfile

from engine import known_voices
from engine.__main__ import main
from engine.graph import edits
from engine.graph.store import Store
from engine.graph.voices import Suggestion
from engine.speech.voiceprints import exemplars, match
from engine.types import StageRecord, Utterance

RATE = 16_000
ANN, BO, CY = 0.2, 0.5, 0.8  # the level of a voice stands for its sound


def unit(*parts):
    vector = np.zeros(192, np.float32)
    for direction, weight in parts:
        vector[direction] = weight
    return vector / np.linalg.norm(vector)


def rows(*vectors):
    return np.stack(vectors).astype(np.float32)


class Embedder:
    """The level of the sound is the direction of the voice; mixed sound lies between."""

    def embed(self, samples):
        vector = np.zeros(192, np.float32)
        for i, level in enumerate((ANN, BO, CY)):
            vector[i] = np.mean(np.abs(np.abs(samples) - level) < 0.05)
        length = np.linalg.norm(vector)
        return vector / length if length else vector


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


def meeting(store, *voices, names=None):
    """One utterance of 4 s for each voice; clusters by voice, named where names say so."""
    made = store.create_meeting("Talk", "talk.wav")
    sound = np.concatenate([np.full(4 * RATE, voice, np.float32) for voice in voices])
    path = store.media_dir(made.id) / "audio.flac"
    soundfile.write(path, sound, RATE)
    store.record_stage(made.id, StageRecord("decode", 0, 0, {"file": path.name}))
    order = list(dict.fromkeys(voices))
    store.save_utterances(
        made.id,
        [
            Utterance(i, 4.0 * i, 4.0 * i + 4, "", f"line {i}", order.index(voice))
            for i, voice in enumerate(voices)
        ],
    )
    for speaker, name in zip(store.speakers(made.id), names or [], strict=False):
        if name:
            edits.rename_speaker(store, made.id, speaker.id, name)
    return made.id


def learn(store, *voices, names):
    made = meeting(store, *voices, names=names)
    known_voices.after_analysis(store, made, Embedder())
    return made


def edit(store, made, operation, **arguments):
    before = known_voices.bases(store, made)
    edits.apply(store, made, operation, arguments)
    known_voices.after_edit(store, made, before, Embedder())


def test_a_known_voice_is_suggested_and_not_imposed(store):
    learn(store, ANN, ANN, BO, BO, names=["Ann", "Bo"])
    later = meeting(store, CY, CY, BO, BO)
    found = known_voices.after_analysis(store, later, Embedder())
    speakers = store.speakers(later)
    assert (
        found == known_voices.suggest(store, later) == [Suggestion(speakers[1].id, "Bo", 1.0, True)]
    )
    assert [s.name for s in speakers] == ["Speaker 1", "Speaker 2"]


def test_a_suggestion_goes_when_it_is_taken_or_dismissed(store):
    learn(store, ANN, ANN, BO, BO, names=["Ann", "Bo"])
    later = meeting(store, ANN, ANN, BO, BO)
    known_voices.after_analysis(store, later, Embedder())
    first, second = store.speakers(later)
    edits.apply(store, later, "rename_speaker", {"speaker_id": first.id, "name": "Ann"})
    assert [s.name for s in store.voice_suggestions(later)] == ["Bo"]
    edits.apply(store, later, "dismiss_suggestion", {"speaker_id": second.id})
    assert store.voice_suggestions(later) == []


def test_a_name_that_is_in_the_meeting_is_not_suggested_to_another(store):
    learn(store, ANN, ANN, names=["Ann"])
    later = meeting(store, BO, BO, ANN, ANN, names=["Ann"])  # the user says Bo is called Ann
    assert known_voices.after_analysis(store, later, Embedder()) == []


def test_a_corrected_utterance_corrects_the_voice(store):
    made = learn(store, ANN, ANN, BO, BO, names=["Ann", "Bo"])
    _, bo = store.speakers(made)
    before = store.voiceprints("campplus")["Ann"]
    for index in (0, 1):
        edit(store, made, "reassign", index=index, speaker_id=bo.id)
    edit(store, made, "reassign", index=2, speaker_id=0)
    new = store.speakers(made)[-1]
    edit(store, made, "reassign", index=3, speaker_id=new.id)
    edit(store, made, "rename_speaker", speaker_id=new.id, name="Ann")
    after = store.voiceprints("campplus")
    assert not np.allclose(before[0], after["Ann"][0])
    assert np.allclose(after["Bo"][0], before[0])


def test_undo_and_renaming_correct_it_too(store):
    """D6: a name taken back leaves no voice behind."""
    made = learn(store, ANN, ANN, BO, BO, names=["Ann", "Bo"])
    ann, _ = store.speakers(made)
    edit(store, made, "rename_speaker", speaker_id=ann.id, name="Anna")
    assert set(store.voiceprints("campplus")) == {"Anna", "Bo"}
    edit(store, made, "undo")
    assert set(store.voiceprints("campplus")) == {"Ann", "Bo"}


def test_a_mixed_voice_is_not_remembered(store):
    """D7: a cluster of two people teaches no voice."""
    made = learn(store, ANN, BO, CY, ANN, names=["Ann"])
    ann, bo, cy = store.speakers(made)
    edit(store, made, "merge_speakers", source_id=bo.id, target_id=ann.id)
    edit(store, made, "merge_speakers", source_id=cy.id, target_id=ann.id)
    assert store.voiceprints("campplus") == {}
    edit(store, made, "undo")
    edit(store, made, "undo")
    assert set(store.voiceprints("campplus")) == {"Ann"}


def test_voices_go_with_their_meeting_and_can_be_forgotten(store, capsys):
    first = learn(store, ANN, ANN, BO, BO, names=["Ann", "Bo"])
    learn(store, ANN, ANN, names=["Ann"])
    assert [(v.name, v.n_meetings) for v in store.known_voices()] == [("Ann", 2), ("Bo", 1)]
    store.delete_meeting(first)
    assert [(v.name, v.n_meetings) for v in store.known_voices()] == [("Ann", 1)]
    library = ["--library", str(store.library_dir)]
    assert main([*library, "voices", "list"]) == 0
    assert "Ann: 2 stretches of 1 meetings" in capsys.readouterr().out
    assert main([*library, "voices", "forget", "Ann"]) == 0
    assert store.known_voices() == []
    assert main([*library, "voices", "forget", "Ann"]) == 1
    assert "No voice is remembered" in capsys.readouterr().err


def test_forgetting_takes_the_suggestions_along(store):
    learn(store, ANN, ANN, names=["Ann"])
    later = meeting(store, ANN, ANN)
    assert known_voices.after_analysis(store, later, Embedder())
    store.forget_voice("Ann")
    assert store.voice_suggestions(later) == []


def test_a_transcript_without_sound_is_left_alone(store):
    learn(store, ANN, ANN, names=["Ann"])
    made = store.create_meeting("Text", has_audio=False)
    store.save_utterances(made.id, [Utterance(0, 0, 4, "Speaker 1", "hello")])
    assert known_voices.after_analysis(store, made.id, Embedder()) == []


def test_one_voice_gets_one_name_and_one_name_one_voice():
    """D7: matching is one to one."""
    known = {"Ann": rows(unit((0, 1))), "Bo": rows(unit((0, 0.9), (1, 0.44)))}
    voices = {7: rows(unit((0, 1), (1, 0.1))), 8: rows(unit((0, 0.95), (1, 0.3)))}
    found = match(voices, known)
    assert {(m.voice, m.name) for m in found} == {(7, "Ann"), (8, "Bo")}
    assert not any(m.is_sure for m in found)  # the two names are too near to each other


@pytest.mark.parametrize(
    ("cosine", "is_suggested", "is_sure"),
    [(0.35, False, False), (0.45, True, False), (0.54, True, False), (0.6, True, True)],
)
def test_the_band_between_a_guess_and_a_sure_name(cosine, is_suggested, is_sure):
    voice = unit((0, cosine), (5, np.sqrt(1 - cosine**2)))
    found = match({1: rows(voice)}, {"Ann": rows(unit((0, 1)))})
    assert bool(found) is is_suggested
    assert all(m.is_sure is is_sure for m in found)


def test_exemplars_leave_out_what_does_not_belong():
    good = [unit((0, 1), (i, 0.3)) for i in range(1, 6)]
    stray = unit((100, 1))
    kept = exemplars(rows(*good[:2], stray, *good[2:]))
    assert len(kept) == 5
    assert (kept @ stray < 0.1).all()
    halves = [unit((0, 1)), unit((50, 1)), unit((0, 1), (1, 0.1)), unit((50, 1), (1, 0.1))]
    assert len(exemplars(rows(*halves))) == 0
    assert len(exemplars(rows(unit((0, 1))))) == 0
