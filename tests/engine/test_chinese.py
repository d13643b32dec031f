"""C1 of the field reports: recognisers mix simplified and traditional characters."""

import pytest

from engine.speech.chinese import in_one_script
from engine.types import Word


def heard(*texts):
    return tuple(Word(float(k), k + 0.9, text, 0.8) for k, text in enumerate(texts))


def written(words, preferred=""):
    return "".join(word.text for word in in_one_script(words, preferred))


def test_a_meeting_is_written_in_the_script_most_of_it_was_heard_in():
    mostly_simplified = heard("我们", "讨论", "了", "預算", "和", "发展")
    mostly_traditional = heard("我們", "討論", "了", "预算", "和", "發展")
    assert written(mostly_simplified) == "我们讨论了预算和发展"
    assert written(mostly_traditional) == "我們討論了預算和發展"


@pytest.mark.parametrize(
    "mixed", [heard("我们", "討論", "了", "预", "算"), heard("我們讨论了預算")]
)
def test_or_in_the_one_the_user_wants(mixed):
    assert written(mixed, "simplified") == "我们讨论了预算"
    assert written(mixed, "traditional") == "我們討論了預算"
    assert written(mixed, "as heard") in ("我们讨论了预算", "我們討論了預算")


def test_a_phrase_over_several_words_decides_about_a_character():
    assert written(heard("头", "发"), "traditional") == "頭髮"
    assert written(heard("发", "展"), "traditional") == "發展"


def test_times_and_other_scripts_stay():
    words = heard("我們", "用", "Python", "3", "。")
    found = in_one_script(words, "simplified")
    assert [word.text for word in found] == ["我们", "用", "Python", "3", "。"]
    assert [(w.start, w.end, w.probability) for w in found] == [
        (w.start, w.end, w.probability) for w in words
    ]
    assert in_one_script(()) == ()
