import pytest

from engine.speech.introductions import introduced_names
from engine.types import Utterance


def said(*lines):
    return [
        Utterance(i, float(i), i + 1.0, f"Speaker {speaker}", text, speaker)
        for i, (speaker, text) in enumerate(lines)
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Good morning. I am Daniel, and I build the hardware.", "Daniel"),
        ("My name is Peter. I write the software.", "Peter"),
        ("And I'm Martha. I look after our schools.", "Martha"),
        ("Hello, my name is Anna Maria Berg.", "Anna Maria Berg"),
        ("Dobrý den, já jsem Šárka.", "Šárka"),
        ("Guten Tag, ich bin Jürgen.", "Jürgen"),
        ("I am Sorry, go on.", ""),
        ("I'm sure about that.", ""),
        ("I am American.", ""),
        ("This is the plan.", ""),
    ],
)
def test_a_name_is_taken_only_from_an_introduction(text, name):
    found = introduced_names(said((1, text)))
    assert found == ({1: (name, 0)} if name else {})


def test_a_weak_introduction_counts_only_early():
    lines = [(1, "Right.")] * 5 + [(1, "I am Peter, you said.")]
    assert introduced_names(said(*lines)) == {}


def test_a_name_claimed_twice_goes_to_nobody():
    assert introduced_names(said((1, "I am Ann."), (2, "I'm Ann."), (3, "I am Bo."))) == {
        3: ("Bo", 2)
    }
