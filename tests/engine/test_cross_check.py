from engine.speech.cross_check import differences
from engine.types import Word


def words(text: str) -> list[Word]:
    return [Word(i, i + 0.5, token) for i, token in enumerate(text.split())]


def test_only_words_that_differ_are_marked():
    first = words("My name's Adam Diggard, we're here.")
    second = words("my name's Adam do good we're here")
    assert differences(first, second) == [3]
    assert differences(first, first) == []
    assert differences(first, []) == [0, 1, 2, 3, 4, 5]
    assert differences([], second) == []
