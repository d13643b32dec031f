"""Where somebody stands in the end, when both sides were said."""

import pytest
from talks import said, told

from engine.agent.final_stance import parse_final_stance
from engine.agent.schema import Roster
from engine.graph.store import Store

ROSTER = Roster({"Anna": (1,), "Boris": (2,)})
TALK = (
    ("Anna", "I am against the tram ticket scheme, it costs us too much."),
    ("Boris", "For me the tram ticket scheme is fine, I support it."),
    ("Anna", "The coffee in the kitchen is cold again."),
    ("Anna", "I have changed my mind about the tram ticket scheme, I support it now."),
    ("Boris", "Then I do not support the tram ticket scheme any more."),
    ("Anna", "The tram ticket scheme is on page four of the paper."),
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Did Anna in the end support the tram ticket scheme?", (("Anna",), "tram ticket scheme")),
        ("Does Boris oppose the dog policy at last?", (("Boris",), "dog policy")),
        ("Is Anna against the plan now?", (("Anna",), "plan")),
        ("Does Anna support the plan?", None),
        ("Did Zoe finally support the plan?", None),
        ("Did they agree to meet in the end?", None),
    ],
)
def test_a_question_for_the_final_stance_is_read(question, expected):
    assert parse_final_stance(question, ROSTER) == expected


@pytest.mark.parametrize(
    ("question", "word", "line"),
    [
        ("Does Anna support the tram ticket scheme at last?", "Yes.", 3),
        ("Did Anna oppose the tram ticket scheme in the end?", "No.", 3),
        ("Did Boris finally support the tram ticket scheme?", "No.", 4),
    ],
)
def test_the_last_side_taken_decides(tmp_path, question, word, line):
    with Store(tmp_path) as store:
        found = told(store, said(store, *TALK), question)
    assert found.text.startswith(word)
    assert [c.utterance for s in found.sentences for c in s.citations] == [line]
