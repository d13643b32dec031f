"""Words of questions and utterances: tokens, stems, stop words."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

STOP = frozenset(
    """a about above actually after again against all also am among an and any anybody anyone
    anything anyway are as ask asked asking at be because been before being below between both
    but by call came can come comment commented comments could decide decided describe did
    discuss discussed discussing discussion discussions do does doing down during each else ever
    everyone exactly explain express expressed few first for from further get gets give given go
    goes going got group had happen happened happens has have having he her here him his how i
    if in into is it its just kind know last let like list lists lot made make makes me mean
    meeting mention mentioned mentioning might more most much must my no not now of off oh ok
    okay on once one only opinion opinions or other our out over own participant participants
    people person please point points propose proposed put raise raised really recommend
    recording regarding respond responded right said same say saying says she should so some
    somebody someone something sort speak speaker speakers spoke such suggest suggested
    summarise summarize take takes talk talked talking team tell than that the their them then
    there these they thing things think this those thought through time to too took toward
    towards uh um under until up us very view views was way we well went were what when where
    whether which while who whom whose why will with would yeah yes you your""".split()
)

WHETHER = r"(?:did|does|do|was|were|is|are|has|have|had|can|could|will|would|should)"
"""Pattern of the words with which a question for yes or no begins."""

_SUFFIX = re.compile(r"(?:ations?|ingly|edly|ings?|ments?|ness|ers?|ies|ied|ed|es|ly|al|s|e|y)$")


def fold(text: str) -> str:
    """Lower case with straight apostrophes."""
    return text.lower().replace("’", "'")


def on_one_line(question: str) -> str:
    """A question with single blanks and without the mark at its end, as the parsers read it."""
    return re.sub(r"\s+", " ", question).strip(" ?？.!")


def words(text: str) -> list[str]:
    """All words of a text, folded; Chinese, Japanese and Korean letter by letter pairs."""
    found: list[str] = []
    for match in WORD.finditer(fold(text)):
        word = match[0]
        if _CJK.search(word):
            found += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        else:
            found.append(word)
    return found


def stem(word: str) -> str:
    """Cut common endings, so that "decided" meets "decision"'s relatives and plurals meet."""
    word = word.removesuffix("'s")
    if len(word) > 4 and word.isascii():
        return _SUFFIX.sub("", word) or word
    if len(word) > 5:
        return word[:-1] if len(word) < 8 else word[:-2]
    return word


def content_words(text: str) -> list[str]:
    """Words that carry a topic, folded, in order, without repeats."""
    kept = [w for w in words(text) if w not in STOP and w.removesuffix("'s") not in STOP]
    return list(dict.fromkeys(w for w in kept if len(w) > 1 or w.isdigit()))


def stems(text: str) -> list[str]:
    """Stems of the content words."""
    return list(dict.fromkeys(stem(word) for word in content_words(text)))
