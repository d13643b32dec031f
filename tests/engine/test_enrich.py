import numpy as np
import pytest

from engine.enrich import commitments, coreference, roles, segments, topics
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


def test_a_summary_keeps_whole_sentences_that_were_said_by_those_it_names():
    said = [
        utterance(0, "Both panels cracked in the frost at the school."),
        utterance(1, "I want a picture of the flower for our wall.", "Ben"),
    ]
    summary = (
        "Ana reports that both panels cracked in the frost. Ana wants a picture of the flower for "
        "the wall. Ben wants a picture of the flo"
    )
    assert topics.faithful(summary, said) == "Ana reports that both panels cracked in the frost."
    assert topics.parsed_topic("Title: Panels.\nSummary: One.\n") == ("Panels", "One.")
    assert topics.parsed_topic("Title: Pan") == ("Pan", "")


def test_key_terms_are_what_a_stretch_says_more_than_the_rest():
    said = [utterance(0, "The panels froze again."), utterance(1, "Those panels must go.")]
    rest = [utterance(2, "Again the garden must wait."), utterance(3, "The garden again.")]
    assert topics.key_terms(said, [*said, *rest]).startswith("Panels")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Agreed. We print a guide of eight pages.", "decision"),
        ("We remove the panels. Is anybody against it?", "decision"),
        ("Wonderful. Then we build the map. Is that much work?", "decision"),
        ("I will tell the teachers.", "action"),
        ("Pošlu to do pátku.", "action"),
        ("Ja, ich schreibe der Firma bis Freitag.", "action"),
        ("Gut, wir nehmen die Schaukel aus Metall.", "decision"),
        ("The weather was fine.", ""),
        ("Shall we say we will drop it?", ""),
        ("Then we could wait.", ""),
        ("I will be brief.", ""),
    ],
)
def test_lines_that_commit_somebody(text, kind):
    assert commitments.commitment_kind(text) == kind


def test_an_owner_is_named_or_says_i():
    said = [utterance(0, "I will ask two firms by Monday."), utterance(1, "Someone should.", "Ben")]
    assert commitments.owner("Ben asks two firms", said[0], said) == "Ben"
    assert commitments.owner("Two firms are asked", said[0], said) == "Ana"
    assert commitments.owner("Somebody paints", said[1], said) == ""


def test_a_date_must_have_been_said():
    source = "Ana I will ask two firms for a price by Monday, and think about it on the way"
    assert commitments.due("Ana asks two firms by Monday.", source) == "by Monday"
    assert commitments.due("Ana asks two firms by Friday.", source) == ""
    assert commitments.due("Ana thinks about it on the way.", source) == ""


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
