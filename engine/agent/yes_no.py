"""Whether something is so: what the moments must hold before an answer may say it.

A small model agrees with nearly every question. So nothing is shown as said that is not: each word
of the question that the answer repeats must stand in the moments, and a "not" on one side only
speaks against it. What fails is quoted, as what was said about it.
"""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.agent.schema import AnswerForm, Claim, Intent
from engine.agent.support import content_stems, numbers_in, overlap
from engine.agent.words import fold, stem
from engine.graph.lexicon import is_question
from engine.types_answer import Evidence

_LIGHT = frozenset(
    stem(word)
    for word in """first last end finally still already really only also ever indeed actually
    beginning start time way meeting something anything thing whole total today now later""".split()
)
"""Words that place or weigh a statement; the moments seldom repeat them."""

_WORD = re.compile(r"^(?:yes|no)\b[,.:;]?\s*(?=\w)", re.I)
_REPLY = re.compile(r"“(?:yes|yeah|no|not|agreed|of course|exactly|right)\b", re.I)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")

_NOT = frozenset(
    """not no never nobody none nothing neither nor without cannot against
    don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't
    haven't hasn't hadn't""".split()
)


def unproved(claim: Claim, cited: Sequence[Evidence], intent: Intent) -> str:
    """What keeps the moments from bearing out a sentence; "" where nothing does.

    Args:
        claim: A sentence of an answer in the language of the meeting.
        cited: Its moments.
        intent: A question for yes or no.
    """
    if not _is_read(intent) or "“" in claim.text:
        return ""
    said = " ".join(f"{item.utterance.speaker} {item.utterance.text}" for item in cited)
    taken = content_stems(claim.text) & content_stems(intent.question)
    if taken - content_stems(said) - _LIGHT or numbers_in(claim.text) - numbers_in(said):
        return "its moments do not say so"
    bearing, is_answered = _bearing(claim.text, cited)
    if not is_answered:
        return "its moments only ask it"
    if is_negated(_WORD.sub("", claim.text)) != is_negated(bearing):
        return "its moments speak against it"
    return ""


def _is_read(intent: Intent) -> bool:
    """Whether the question is for yes or no, in the one language these rules know."""
    return intent.form is AnswerForm.YES_NO and intent.language == "en"


def _bearing(text: str, cited: Sequence[Evidence]) -> tuple[str, bool]:
    """The sentence that bears out another one, and whether somebody states it.

    What is asked is stated by the reply, of which "yes" or "no" is the first word.
    """
    sentences = [
        (overlap(text, sentence), -position, sentence.strip())
        for position, item in enumerate(cited)
        for sentence in _SENTENCE.findall(item.utterance.text)
    ]
    if not sentences:
        return "", False
    _share, place, best = max(sentences)
    if not is_question(best):
        return best, True
    after = " ".join(item.utterance.text for item in cited[-place:]).partition(best)[2]
    reply = next(iter(_SENTENCE.findall(after)), "")
    return reply, bool(reply)


def is_negated(text: str) -> bool:
    """Whether a text says that something is not so."""
    return bool(_NOT & set(re.findall(r"[a-z]+(?:'t)?", fold(text))))


def with_word(intent: Intent, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Begin an answer with yes or no where its first sentence takes up the whole question.

    The word follows from the sentence, which was checked; a model's own word is put away.
    """
    if not _is_read(intent) or not claims:
        return tuple(claims)
    text = _WORD.sub("", claims[0].text)
    is_whole = not content_stems(intent.question) - content_stems(text) - _LIGHT
    if "“" in text or not is_whole:
        return tuple(claims)
    word = "Yes" if is_negated(text) == is_negated(intent.question) else "No"
    return (replace(claims[0], text=f"{word}. {text[0].upper()}{text[1:]}"), *claims[1:])


def as_nearest(intent: Intent, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Quotations that settle nothing, shown as what they are: what comes nearest to it."""
    if not _is_read(intent) or not claims:
        return tuple(claims)
    told = " ".join(claim.text for claim in claims)
    if not content_stems(intent.topic) - content_stems(told) - _LIGHT or _REPLY.search(told):
        return tuple(claims)
    first = replace(claims[0], text=f"Not said outright. {claims[0].text}")
    return (first, *claims[1:])
