"""The sample meeting keeps its promises: truth, audio and questions agree with each other."""

from __future__ import annotations

import itertools
import json
import re

import av
import numpy as np
import pytest

from engine import paths

SAMPLE = paths.resource("sample")
AUDIO_BYTES_MAX = 1_500_000


@pytest.fixture(scope="module")
def truth():
    return json.loads((SAMPLE / "truth.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def questions():
    return json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))["questions"]


@pytest.fixture(scope="module")
def level(truth):
    """Level of the decoded audio in dB full scale, one value per 20 ms."""
    resampler = av.AudioResampler("flt", "mono", 16_000)
    with av.open(str(SAMPLE / truth["audio"])) as container:
        frames = [f for frame in container.decode(audio=0) for f in resampler.resample(frame)]
    frames += resampler.resample(None)
    samples = np.concatenate([frame.to_ndarray()[0] for frame in frames])
    blocks = samples[: samples.size // 320 * 320].reshape(-1, 320)
    return 10 * np.log10(np.mean(blocks**2, axis=1) + 1e-12)


def said(truth, word):
    texts = [entry["text"].strip(".,:?!").lower() for entry in truth["words"]]
    return texts.count(word.lower())


def spoken(truth, span):
    return " ".join(w["text"] for w in truth["words"] if span[0] <= w["start"] < span[1])


def test_audio_is_small_and_as_long_as_the_truth_says(truth, level):
    assert (SAMPLE / truth["audio"]).stat().st_size < AUDIO_BYTES_MAX
    assert abs(len(level) * 0.02 - truth["duration"]) < 0.05
    assert 270 <= truth["duration"] <= 330


def test_words_are_ascending_and_inside_the_recording(truth):
    words = truth["words"]
    assert all(0 <= w["start"] < w["end"] <= truth["duration"] for w in words)
    assert all(a["start"] <= b["start"] for a, b in itertools.pairwise(words))


def test_utterances_hold_exactly_their_words(truth):
    for utterance in truth["utterances"]:
        own = [
            w["text"]
            for w in truth["words"]
            if w["speaker"] == utterance["speaker"]
            and utterance["start"] <= w["start"] < utterance["end"]
        ]
        assert " ".join(own) == utterance["text"]
    assert sum(len(u["text"].split()) for u in truth["utterances"]) == len(truth["words"])


def test_word_times_lie_on_sound_and_pauses_on_silence(truth, level):
    middle = [int((w["start"] + w["end"]) / 2 / 0.02) for w in truth["words"]]
    pauses = [
        int((a["end"] + b["start"]) / 2 / 0.02)
        for a, b in itertools.pairwise(truth["turns"])
        if b["start"] - a["end"] > 0.3
    ]
    around = np.array([level[i - 2 : i + 3].max() for i in middle])
    assert np.mean(around > -42) > 0.97
    assert len(pauses) > 25
    assert np.median(level[pauses]) < -55


def test_turns_cover_every_word_of_four_speakers(truth):
    names = {speaker["name"] for speaker in truth["speakers"]}
    assert len(names) == 4
    assert {turn["speaker"] for turn in truth["turns"]} == names
    seconds = dict.fromkeys(names, 0.0)
    for turn in truth["turns"]:
        seconds[turn["speaker"]] += turn["end"] - turn["start"]
    assert min(seconds.values()) > 40
    for word in truth["words"]:
        assert any(
            t["speaker"] == word["speaker"]
            and t["start"] <= word["start"] + 0.002
            and word["end"] <= t["end"] + 0.002
            for t in truth["turns"]
        )


def test_decision_is_far_from_its_cause_and_does_not_repeat_it(truth):
    decision = truth["planted"]["decision"]
    assert decision["at"][0] - decision["cause_at"][1] > 120
    assert "cracked in the frost" in spoken(truth, decision["cause_at"])
    near = spoken(truth, (decision["at"][0] - 30, decision["at"][1] + 30)).lower()
    assert "remove the solar panels" in near
    assert not re.search(r"crack|frost|nine days|no power", near)


def test_change_of_mind_has_both_sides_and_a_reason(truth):
    change = truth["planted"]["change_of_mind"]
    assert "I am against the open map" in spoken(truth, change["against_at"])
    assert "changed my mind. If everything on it is one day old, I support" in spoken(
        truth, change["for_at"]
    )
    assert change["for_at"][0] - change["against_at"][1] > 60


def test_loud_voice_is_loud_and_explained_by_somebody_else(truth, level):
    loud = truth["planted"]["loud"]
    assert loud["gain_db"] >= 8
    assert loud["reason_by"] != loud["speaker"]
    assert loud["reason_at"][0] - loud["at"][1] > 30

    def mean_level(start, end):
        own = level[int(start / 0.02) : int(end / 0.02)]
        return 10 * np.log10(np.mean(10 ** (own[own > own.max() - 30] / 10)))

    others = [
        mean_level(u["start"], u["end"])
        for u in truth["utterances"]
        if u["speaker"] == loud["speaker"] and u["id"] not in {"shout", "less_paper"}
    ]
    assert mean_level(*loud["at"]) - np.mean(others) >= 8


def test_two_voices_overlap(truth):
    overlap = truth["planted"]["overlap"]
    assert 1.5 <= overlap["end"] - overlap["start"] <= 3
    voices = {
        w["speaker"]
        for w in truth["words"]
        if w["start"] < overlap["end"] and w["end"] > overlap["start"]
    }
    assert voices == set(overlap["speakers"])


def test_counts_and_what_was_never_said(truth):
    planted = truth["planted"]
    for key in ("count", "mentioned_once"):
        word = planted[key]
        assert said(truth, word["word"]) == word["count"] == len(word["at"])
    assert planted["mentioned_once"]["count"] == 1
    assert planted["count"]["count"] == 6
    whole = " ".join(w["text"] for w in truth["words"]).lower()
    assert not [word for word in planted["never_said"] if word.lower() in whole]


def test_promise_has_owner_and_date(truth):
    promise = truth["planted"]["promise"]
    assert "I promise to order forty battery packs" in spoken(truth, promise["at"])
    assert "the twelfth of March" in spoken(truth, promise["at"])
    assert {w["speaker"] for w in truth["words"] if w["text"] == "promise"} == {promise["speaker"]}


def test_questions_cover_what_was_planted(questions):
    assert len(questions) >= 12
    assert [q["demo"] for q in questions[:4]] == [True, True, True, False]
    assert sum(q["unanswerable"] for q in questions) == 2
    kinds = {q["type"] for q in questions}
    assert kinds >= {
        "cause", "sound", "promise", "change of mind", "count", "mentioned once", "who said",
        "before and after", "overlap", "decision", "never said",
    }  # fmt: skip


def test_evidence_of_every_question_exists(truth, questions):
    by_id = {u["id"]: u for u in truth["utterances"]}
    for question in questions:
        assert question["unanswerable"] == (not question["core"])
        assert {c["id"] for c in question["core"]} <= {e["id"] for e in question["evidence"]}
        for span in question["evidence"]:
            utterance = by_id[span["id"]]
            assert (span["start"], span["end"]) == (utterance["start"], utterance["end"])


def test_question_about_the_loud_voice_names_its_time(truth, questions):
    asked = next(q["question"] for q in questions if q["id"] == "why_loud")
    minute, second = map(int, re.search(r"(\d+):(\d\d)", asked).groups())
    assert 0 <= truth["planted"]["loud"]["at"][0] - (minute * 60 + second) < 1.5
