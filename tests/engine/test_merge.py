import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.speech.merge import assign_speakers, join_words, utterances
from engine.types import Turn, Word


def words(text: str, start: float = 0.0, step: float = 0.3) -> list[Word]:
    return [
        Word(start + i * step, start + i * step + 0.25, token)
        for i, token in enumerate(text.split())
    ]


def test_a_speaker_change_inside_a_sentence_stream_splits_words_not_segments():
    """D1: words have speakers, segments have not."""
    # no silence between the two voices
    found = utterances(words("a b c d e f g h"), [Turn(0, 1.2, 0), Turn(1.2, 3, 1)])
    assert [(u.speaker, u.text) for u in found] == [
        ("Speaker 1", "a b c d"),
        ("Speaker 2", "e f g h"),
    ]


def test_word_outside_all_turns_takes_the_nearest():
    groups = assign_speakers(words("a b", 5.0), [Turn(0, 1, 3), Turn(9, 10, 4)])
    assert [g[0] for g in groups] == [4] or [g[0] for g in groups] == [3]


def test_without_turns_the_speaker_is_unknown():
    (only,) = utterances(words("hello there"), [])
    assert (only.speaker, only.speaker_id) == ("", None)


def test_no_words_no_utterances():
    assert utterances([], [Turn(0, 1, 0)]) == []


def test_equal_overlap_stays_with_who_was_speaking():
    turns = [Turn(0, 3, 0), Turn(1, 2, 1)]
    assert [g[0] for g in assign_speakers(words("a b c d e f g h i"), turns)] == [0]


def test_stray_end_of_sentence_is_given_back():
    stream = words("we all agree then. Good point I think")
    turns = [Turn(0, 0.85, 0), Turn(0.85, 3, 1)]
    first, second = utterances(stream, turns)
    assert first.text == "we all agree then."
    assert second.text == "Good point I think"


def test_one_word_answer_is_not_swallowed():
    stream = words("shall we do it Yes. okay then")
    turns = [Turn(0, 1.2, 0), Turn(1.2, 1.5, 1), Turn(1.5, 3, 0)]
    assert [u.text for u in utterances(stream, turns)] == ["shall we do it", "Yes.", "okay then"]


def test_pause_and_length_split():
    stream = [*words("one two"), *words("three four", 5)]
    assert len(utterances(stream, [Turn(0, 9, 0)])) == 2
    long = words(" ".join(["word"] * 60 + ["end."] + ["word"] * 10))
    assert [len(u.words) for u in utterances(long, [Turn(0, 99, 0)])] == [61, 10]


def test_a_short_pause_inside_a_sentence_ends_nothing():
    stream = [*words("Good morning,"), *words("everyone. Shall we", 1.9), *words("begin?", 4.4)]
    assert [u.text for u in utterances(stream, [Turn(0, 9, 0)])] == [
        "Good morning, everyone. Shall we begin?"
    ]
    ended = [*words("Good morning."), *words("Shall we begin?", 1.9)]
    assert len(utterances(ended, [Turn(0, 9, 0)])) == 2
    bare = [*words("good morning"), *words("shall we begin", 1.9)]
    assert len(utterances(bare, [Turn(0, 9, 0)])) == 2  # a recogniser without punctuation
    lost = [*words("So, I think"), *words("never mind.", 3.2)]
    assert len(utterances(lost, [Turn(0, 9, 0)])) == 2


def test_somebody_else_in_the_pause_ends_an_utterance():
    stream = [*words("Good morning,"), *words("Hi.", 0.9), *words("everyone.", 1.9)]
    turns = [Turn(0, 0.6, 0), Turn(0.85, 1.3, 1), Turn(1.8, 3, 0)]
    assert [u.speaker_id for u in utterances(stream, turns)] == [0, 1, 0]


def test_backward_times_are_refused():
    with pytest.raises(ValueError, match="ends before"):
        assign_speakers([Word(2, 1, "x")], [])


def test_blanks_follow_the_script():
    assert (
        join_words([Word(0, 1, "你"), Word(1, 2, "好，"), Word(2, 3, "ok"), Word(3, 4, "go")])
        == "你好，ok go"
    )
    assert join_words([Word(0, 1, "안녕"), Word(1, 2, "하세요")]) == "안녕 하세요"


@given(
    st.lists(st.tuples(st.floats(0, 50), st.floats(0, 2)), max_size=30),
    st.lists(st.tuples(st.floats(0, 50), st.floats(0, 9), st.integers(0, 3)), max_size=15),
)
def test_every_word_occurs_once_in_order(raw_words, raw_turns):
    stream = [Word(s, s + d, f"w{i}") for i, (s, d) in enumerate(sorted(raw_words))]
    turns = [Turn(s, s + d, k) for s, d, k in raw_turns]
    found = utterances(stream, turns)
    assert [w for u in found for w in u.words] == stream
    assert [u.index for u in found] == list(range(len(found)))
    assert all(a.start <= b.start for a, b in itertools.pairwise(found))


def test_voices_with_a_channel_each_may_talk_at_the_same_time():
    left = [Word(t, t + 0.8, "l", 1.0, 0) for t in range(8)]
    right = [Word(t + 0.1, t + 0.9, "r", 1.0, 1) for t in range(2, 8)]
    stream = sorted([*left, *right], key=lambda word: word.start)
    found = utterances(stream, [Turn(0, 8.8, 0), Turn(2, 8.9, 1)])
    assert {(u.speaker_id, u.text) for u in found} == {
        (0, " ".join("l" * 8)),
        (1, " ".join("r" * 6)),
    }
