import numpy as np
import pytest

from engine.enrich import coreference, minutes, roles, segments
from engine.enrich.context import is_grounded
from engine.types import Utterance


def utterance(index, text, speaker="Ana"):
    return Utterance(index, float(index), index + 1.0, speaker, text, 1)


def test_a_change_of_topic_is_found_where_it_is():
    vectors = np.zeros((40, 4), np.float32)
    vectors[:17, 0] = 1
    vectors[17:, 1] = 1
    said = [utterance(i, "some words that carry a fact") for i in range(40)]
    assert segments.topic_stretches(vectors, said, 2) == [(0, 16), (17, 39)]


@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_stretches_cover_short_meetings_once(n):
    said = [utterance(i, "words") for i in range(n)]
    found = segments.topic_stretches(np.eye(max(n, 1), dtype=np.float32)[:n], said, 5)
    assert [i for first, last in found for i in range(first, last + 1)] == list(range(n))


def test_topics_grow_with_length_but_slower():
    assert segments.n_topics(5) == 3
    assert segments.n_topics(60) == 12
    assert segments.n_topics(0) == 1


def test_a_reply_cut_short_gives_what_is_whole():
    found = minutes._parsed("Title: Floors\nSummary: Stone it is.\nAction [u7]: Ana asks\nDeci")
    assert found.title == "Floors"
    assert found.items == (("action", 7, "Ana asks"),)
    assert minutes._parsed("Title: only") is None


def test_an_owner_is_named_or_says_i():
    said = [utterance(0, "I will ask two firms by Monday."), utterance(1, "Someone should.", "Ben")]
    assert minutes._owner("Ben asks two firms", said[0], said) == "Ben"
    assert minutes._owner("Two firms are asked", said[0], said) == "Ana"
    assert minutes._owner("Somebody paints", said[1], said) == ""


def test_a_date_must_have_been_said():
    source = "Ana I will ask two firms for a price by Monday"
    assert minutes._due("Ana asks two firms by Monday.", source) == "by Monday"
    assert minutes._due("Ana asks two firms by Friday.", source) == ""


def test_a_claim_with_another_number_is_not_grounded():
    source = "It costs four thousand or 4000 euros for the cases"
    assert is_grounded("The cases cost 4000 euros", source)
    assert not is_grounded("The cases cost 5000 euros", source)
    assert not is_grounded("The weather was lovely yesterday", source)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("I like that idea a lot", "that idea"),
        ("I disagree with this.", "disagree with this"),
        ("The cases are red", ""),
    ],
)
def test_pointing_phrases(text, phrase):
    assert coreference.pointing_phrase(text) == phrase


def test_roles_become_plain_sentences():
    said = utterance(0, "I will ask two firms for a price by Monday.")
    penman = "(a / ask-01 :ARG0 (i / I) :ARG1 (r / price) :ARG2 (f / firm) :time (m / Monday))"
    assert roles.plain_sentences(penman, said) == ["I ask price firm (time: Monday)"]


def test_invented_or_broken_roles_are_dropped():
    said = utterance(0, "I will ask two firms for a price by Monday.")
    assert roles.plain_sentences("(s / sing-01 :ARG0 (d / dragon))", said) == []
    assert roles.plain_sentences("(a / ask-01 :ARG0 (", said) == []
