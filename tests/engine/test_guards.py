"""The known failures of recognisers (field reports B1-B8), as pure checks."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.speech import guards
from engine.speech.tags import split_tags
from engine.types import Span, Word


def words(text: str, start: float = 0.0, step: float = 0.4, p: float = 0.9) -> list[Word]:
    return [
        Word(start + i * step, start + i * step + 0.3, token, p)
        for i, token in enumerate(text.split())
    ]


def test_a_loop_is_found_and_cut_to_its_first_round():
    """B2: a decoder that repeats itself."""
    stream = words("so we begin " + "thank you for watching " * 6 + "and go on")
    assert guards.find_loop(stream) == (3, 4, 6)
    text = " ".join(word.text for word in guards.cut_loops(stream))
    assert text == "so we begin thank you for watching and go on"


@pytest.mark.parametrize(
    "text",
    [
        "no no no no that is fine",
        "one two three four five six seven",
        "very very very good",
        "yes yes and yes yes and no",
        "",
    ],
)
def test_honest_repetition_is_no_loop(text):
    assert guards.find_loop(words(text)) is None


def test_one_word_for_ever_is_a_loop():
    assert guards.find_loop(words("you " * 30)) is not None


def test_few_doubtful_words_on_a_moment_of_sound_are_not_believed():
    assert guards.is_doubtful(words("Thanks.", p=0.3), 0.5)
    assert not guards.is_doubtful(words("Thanks.", p=0.9), 0.5)
    assert guards.is_doubtful(words("a b c d e f g h i j", p=0.9), 0.8)
    assert not guards.is_doubtful([], 0.5)


def test_times_never_run_backwards_and_stay_inside_speech():
    """B7, B8: order and place of words."""
    spans = [Span(1.0, 2.0), Span(5.0, 7.0)]
    raw = [Word(0.2, 1.4, "a"), Word(1.3, 1.2, "b"), Word(3.0, 3.2, "c"), Word(4.9, 9.0, "d")]
    ordered = guards.order(raw, spans)
    assert [word.text for word in ordered] == ["a", "b", "c", "d"]
    for before, after in itertools.pairwise(ordered):
        assert before.start <= after.start
    for word in ordered:
        assert any(s.start - 1e-6 <= word.start <= word.end <= s.end + 0.1 for s in spans)


def test_the_first_word_after_a_pause_begins_with_the_speech():
    (word,) = guards.order([Word(1.4, 1.8, "a")], [Span(1.0, 2.0)])
    assert word.start == pytest.approx(1.05)


def test_speech_without_words_is_reported():
    """B4: lost speech is shown as a gap."""
    spans = [Span(0, 4), Span(6, 10), Span(12, 12.7)]
    assert guards.unheard(words("a b c d e f g h i j"), spans) == [Span(6, 10), Span(12, 12.7)]
    tail = guards.unheard(words("a b"), [Span(0, 30)])
    assert tail == [Span(pytest.approx(1.2), 30)]
    assert guards.coverage(spans, [Span(6, 10), Span(12, 12.7)]) == pytest.approx(4 / 8.7)
    assert guards.coverage([], []) == 1.0


def test_a_hole_in_the_middle_is_reported():
    stream = [*words("a b c"), *words("d e", 20)]
    (gap,) = guards.unheard(stream, [Span(0, 21)])
    assert gap.start == pytest.approx(1.6)
    assert gap.end == pytest.approx(19.5)


@given(
    st.lists(st.tuples(st.floats(0, 60), st.floats(0, 3)), max_size=40),
    st.lists(st.tuples(st.floats(0.2, 5), st.floats(0.2, 5)), min_size=1, max_size=10),
)
def test_order_holds_for_anything(raw, lengths):
    """B8: for any times a recogniser may invent."""
    spans, at = [], 0.0
    for pause, length in lengths:
        spans.append(Span(at + pause, at + pause + length))
        at += pause + length
    ordered = guards.order([Word(s, s + d, "x") for s, d in raw], spans)
    assert len(ordered) == len(raw)
    for before, after in itertools.pairwise(ordered):
        assert before.start <= after.start
        assert before.end <= after.start + 1e-9 or before.end == before.start
    assert all(word.end >= word.start for word in ordered)


@pytest.mark.parametrize(
    ("text", "spoken", "labels"),
    [
        ("[BLANK_AUDIO]", "", ["silence"]),
        ("(laughs) That is good.", "That is good.", ["laughter"]),
        ("*applause* Thank you", "Thank you", ["applause"]),
        ("♪ la la ♪", "", ["music"]),
        ("[SPEAKING CHINESE]", "", []),
        ("- Yes. - No.", "Yes. No.", []),
        (
            "we need (as I said before we even began to talk) time",
            "we need (as I said before we even began to talk) time",
            [],
        ),
        ("Hello , world", "Hello, world", []),
    ],
)
def test_tags_are_events_not_words(text, spoken, labels):
    """C2: a placeholder in brackets never stands for speech."""
    kept, events = split_tags(words(text))
    assert " ".join(word.text for word in kept) == spoken
    assert [event.label for event in events] == labels
