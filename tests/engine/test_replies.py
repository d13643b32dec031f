"""Questions about a reply: read exactly, and found by the links between what was said."""

# ruff: noqa: E501 - a table of questions, one a line

import pytest
from talks import said, told

from engine.agent.exchanges import parse_exchange
from engine.agent.schema import Exchange, Roster
from engine.graph.store import Store

ROSTER = Roster({"Anna": (1,), "Boris Novak": (2,), "Clara": (3,)})


@pytest.mark.parametrize(
    ("question", "topic", "speakers", "exchange"),
    [
        ("What did Boris answer when Anna asked about the awning?", "awning", ("Boris Novak",), Exchange((1,), True)),
        ("How did Clara react to Anna's proposal about the archive?", "archive", ("Clara",), Exchange((1,))),
        ("What answer did Anna get to the question about the choir?", "choir", (), Exchange((1,), True)),
        ("What was Clara's reply to the question about the bus?", "bus", ("Clara",), Exchange((), True)),
        ("What objections did Clara raise against Boris' plan to sell the boat?", "sell the boat", ("Clara",), Exchange((2,))),
        ("Who was against the proposal to close the reception?", "close the reception", (), Exchange((), False, "against")),
        ("Who agreed with Boris's plan for the roof?", "roof", (), Exchange((2,), False, "for")),
        ("What did they say to the idea of a party?", "party", (), Exchange()),
    ],
)  # fmt: skip
def test_a_question_about_a_reply_is_read(question, topic, speakers, exchange):
    asked = parse_exchange(question, ROSTER)
    assert asked is not None
    assert (asked.topic, asked.speakers, asked.exchange) == (topic, speakers, exchange)


@pytest.mark.parametrize(
    "question",
    [
        "What did Zoe answer when Anna asked about the awning?",
        "What did Anna say about the proposal?",
        "Who objected to moving the archive?",
        "What did Anna reply to Boris?",
        "Why was the proposal about the roof rejected?",
    ],
)
def test_other_questions_are_left_alone(question):
    assert parse_exchange(question, ROSTER) is None


@pytest.fixture
def ask(tmp_path):
    with Store(tmp_path) as store:

        def run(lines, question, system="agent"):
            found = told(store, said(store, *lines), question, system)
            citations = [c for s in found.sentences for c in s.citations]
            return found.text, [c.utterance for c in citations], citations

        yield run


TALK = (
    ("Anna", "The tram was late again this morning, by the way."),
    ("Anna", "I propose that we move the archive down to the cellar."),
    ("Anna", "It would give us two more rooms upstairs."),
    ("Clara", "Mm-hm."),
    ("Boris", "Down there the river comes in every spring, so please not."),
    ("Clara", "Good, then all of the boxes are near to the door."),
    ("Boris", "Clara, who has the key of the boathouse?"),
    ("Clara", "The neighbour with the dog keeps it for us."),
    ("Anna", "Somebody has to water the plants over the holidays."),
)


def test_a_reply_without_a_word_of_what_it_replies_to(ask):
    text, cited, _ = ask(TALK, "How did Boris react to the proposal about the archive?")
    assert "the river comes in every spring" in text
    assert cited == [1, 4]


def test_the_way_along_the_links_is_kept_as_evidence(ask):
    _, _, citations = ask(TALK, "What did Clara answer when Boris asked about the boathouse?")
    assert [c.utterance for c in citations] == [6, 7]
    assert "dog" in citations[1].quote


@pytest.mark.parametrize(("verb", "name"), [("was against", "Boris"), ("agreed with", "Clara")])
def test_who_took_a_side(ask, verb, name):
    text, _, _ = ask(TALK, f"Who {verb} Anna's proposal about the archive?")
    assert f"{name} answered" in text
    assert len([n for n in ("Boris", "Clara") if f"{n} answered" in text]) == 1


def test_without_the_graph_no_link_leads_to_it(ask):
    text, _, _ = ask(
        TALK, "What did Clara answer when Boris asked about the boathouse?", "agent-nograph"
    )
    assert "To what Boris said" not in text


def test_nothing_is_made_up_where_nobody_spoke_of_it(ask):
    text, _, _ = ask(TALK, "How did Boris react to the proposal about the submarine?")
    assert "answered" not in text


def test_an_objection_is_had_by_who_objects():
    asked = parse_exchange("What objection did Boris have to the proposal about the roof?", ROSTER)
    assert asked is not None
    assert asked.speakers == ("Boris Novak",)
    assert asked.exchange == Exchange()
