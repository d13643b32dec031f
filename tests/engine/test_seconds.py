"""Every second of a meeting: measured, compared with its speaker's habit, kept, asked for."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile as sf
from tones import RATE, buzz

from engine.agent import sound
from engine.agent.corpus import corpus_of
from engine.errors import StoreError
from engine.export import meeting_json
from engine.graph.store import Store
from engine.progress import silent
from engine.speech import acoustics
from engine.speech.seconds import relative, speakers_of
from engine.types import Turn, Utterance, Word
from engine.types_answer import Evidence
from engine.types_seconds import SECOND_BYTES, Seconds


def speech(start, end, speaker=0, text="banana"):
    """An utterance with a word every half second."""
    times = np.arange(start, end, 0.5)
    words = tuple(Word(float(t), float(t) + 0.5, text) for t in times)
    return Utterance(0, start, end, f"S{speaker}", " ".join(w.text for w in words), speaker, words)


def measured(folder, samples, utterances, turns):
    sf.write(folder / "s.flac", samples, RATE)
    return acoustics.measure(folder / "s.flac", utterances, turns, silent()).seconds


def test_a_voice_that_rises_inside_one_long_utterance_is_found_to_the_second(tmp_path):
    samples = np.concatenate([buzz(120, 20), buzz(190, 3, 0.4), buzz(120, 20)])
    utterances = [speech(0, 43)]
    found = measured(tmp_path, samples, utterances, [Turn(0, 43, 0)])
    assert len(found) == 43
    assert found.loudness_db[5] == pytest.approx(-20, abs=0.5)
    assert found.pitch_hz[5] == pytest.approx(120, rel=0.03)
    against = relative(found, utterances)
    stands_out = (against.loudness_db > 2) & (against.pitch_hz > 2)
    assert np.flatnonzero(stands_out).tolist() == [20, 21, 22]


def test_rate_pause_and_overlap_of_seconds(tmp_path):
    utterances = [speech(0, 4), speech(6, 10, text="no")]
    turns = [Turn(0, 4, 0), Turn(2.5, 4, 1), Turn(6, 10, 0)]
    found = measured(tmp_path, buzz(120, 10.4), utterances, turns)
    assert len(found) == 11
    assert found.rate[1] == pytest.approx(6)
    assert found.rate[8] == pytest.approx(2)
    assert np.isnan(found.rate[5])
    assert found.pause[[1, 4, 5]].tolist() == [0, 1, 1]
    assert found.overlap[[1, 2, 3]].tolist() == [0, 0.5, 1]
    assert np.isnan(found.pitch_hz[5]), "nobody speaks there"


def test_the_habit_is_that_of_whoever_speaks_now():
    level = np.full(20, -30, np.float32)
    level[10:] = -20
    nothing = np.zeros(20, np.float32)
    seconds = Seconds(level, nothing * np.nan, nothing * np.nan, nothing, nothing)
    apart = relative(seconds, [speech(0, 10, 1), speech(10, 20, 2)])
    assert not apart.loudness_db.any()
    assert not apart.pitch_hz.any()
    together = relative(seconds, [speech(0, 13, 1), speech(14, 20, 2)])
    assert (together.loudness_db[10:13] > 2).all()
    assert speakers_of([speech(0.4, 1.2, 7), speech(1.2, 3, 8)], 4).tolist() == [7, 8, 8, -1]
    assert speakers_of([Utterance(0, 0, 3, "", "")], 2).tolist() == [-1, -1]


def test_no_sound_no_seconds(tmp_path):
    found = measured(tmp_path, np.zeros(8, np.float32), [], [])
    assert len(found) == 1
    assert found.loudness_db[0] == -90
    assert len(relative(Seconds.unpacked(b""), [])) == 0


def five_hours():
    rng = np.random.default_rng(3)
    values = rng.uniform(-90, 400, (5, 18_000)).astype(np.float32)
    values[1, ::3] = np.nan
    return Seconds(*values)


def test_five_hours_are_kept_in_180_kb(tmp_path):
    seconds = five_hours()
    with Store(tmp_path) as store:
        key = store.create_meeting("long", "long.wav").id
        assert len(store.seconds(key)) == 0
        store.save_seconds(key, seconds)
        store.save_seconds(key, seconds)
        kept = store.seconds(key)
        assert store.value("SELECT length(data) FROM seconds") == 18_000 * SECOND_BYTES
        assert kept.loudness_db == pytest.approx(seconds.loudness_db, abs=0.15)
        assert np.isnan(kept.pitch_hz).sum() == 6_000
        store.connection.execute("UPDATE seconds SET n_rows = 7")
        with pytest.raises(StoreError, match="damaged"):
            store.seconds(key)


def test_json_has_the_seconds_only_on_request(tmp_path):
    level = np.array([-20, -30], np.float32)
    with Store(tmp_path) as store:
        key = store.create_meeting("short", "short.wav").id
        store.save_utterances(key, [speech(0, 2)])
        store.save_seconds(key, Seconds(level, level * np.nan, -level, level, level))
        assert "seconds" not in meeting_json(store, key)
        shown = meeting_json(store, key, with_seconds=True)["seconds"]
    assert json.loads(json.dumps(shown))[1]["measured"] == {
        "loudness_db": -30.0, "pitch_hz": None, "rate": 30.0, "pause": -30.0, "overlap": -30.0
    }  # fmt: skip
    assert shown[0]["relative"]["loudness_db"] > 0
    assert [row["second"] for row in shown] == [0, 1]


def test_evidence_names_the_second_at_which_a_voice_rose(tmp_path):
    level = np.full(60, -30, np.float32)
    level[45:47] = -18
    nothing = np.zeros(60, np.float32)
    with Store(tmp_path) as store:
        key = store.create_meeting("speech", "speech.wav", has_audio=False).id
        store.save_utterances(key, [speech(0, 50), speech(52, 54)])
        store.save_seconds(key, Seconds(level, nothing + 120, nothing + 4, nothing, nothing))
        long, short = store.utterances(key)
        session = SimpleNamespace(store=store, corpus=corpus_of(store, (key,)))
        note = sound.listened(Evidence(key, long), session).note
        assert note.endswith("loudest at 0:45, z +8.0")
        assert sound.listened(Evidence(key, short), session).note == ""
