"""The speech that other tests rely on is what it says it is."""

from __future__ import annotations

import itertools

import numpy as np
import speech_maker as speech


def level_db(samples):
    return 20 * np.log10(np.sqrt(np.mean(np.square(samples))))


def test_two_speakers_take_turns():
    talk = speech.two_speakers()
    assert 30 < talk.samples.size / speech.RATE_HZ < 60
    assert {t.speaker for t in talk.turns} == {0, 1}
    assert all(b.start - a.end > 0.35 for a, b in itertools.pairwise(talk.turns))


def test_back_to_back_has_no_pause():
    talk = speech.back_to_back()
    assert all(a.end == b.start for a, b in itertools.pairwise(talk.turns))


def test_counting_is_long_and_complete():
    samples, words = speech.counting()
    assert len(words) == 75
    assert words[20] == "twenty one"
    assert 45 < samples.size / speech.RATE_HZ < 110


def test_manners_differ_as_named():
    manners = speech.manners()
    usual = manners["usual"]
    assert np.isclose(level_db(manners["loud"]) - level_db(usual), 10, atol=0.1)
    assert np.isclose(level_db(manners["quiet"]) - level_db(usual), -10, atol=0.1)
    assert manners["fast"].size < 0.8 * usual.size < 1.2 * usual.size < manners["slow"].size


def test_quiet_talk_is_quiet_and_middle_parts_are_kept():
    assert level_db(speech.quiet_talk().samples) < -44
    middle = speech.noise(5)
    talk = speech.talk_around(middle)
    assert talk.turns[-1].end > talk.samples.size / speech.RATE_HZ - 1
    assert len(talk.turns) == 2 * len(speech.two_speakers().turns)


def test_chords_and_noise_have_the_level_asked_for():
    assert np.isclose(level_db(speech.chords(3)), -25, atol=0.1)
    assert np.isclose(level_db(speech.noise(3, -50)), -50, atol=0.1)
