"""Where a reason stands: told with a causal word, or as what went wrong, often far from its effect.

A why-question names the effect; the words of the effect lead search to the decision, which does
not explain itself. So candidates are scored for what a reason looks like: it shares things or
people with the effect, tells of a problem or says "because", and adds words the question lacks.
"""

from __future__ import annotations

import re

import numpy as np

from engine.agent.corpus import Corpus
from engine.agent.execute import Found
from engine.agent.relevance import Relevance
from engine.agent.schema import Intent, Operation
from engine.agent.words import stem, words
from engine.graph.lexicon import is_question
from engine.types import Cue

MOST_CAUSES = 3

_MARKER = re.compile(
    r"\b(?:because|since|due to|owing to|reason|that is why|that's why|otherwise|so that|"
    r"therefore|hence|after that|could have|would have|protože|kvůli)\b",
    re.I,
)
_PROBLEM = re.compile(
    r"\b(?:crack\w*|broke\w*|fail\w*|lost|lose\w*|problem\w*|danger\w*|no power|cannot|can't|"
    r"couldn't|against|too (?:expensive|much|late|slow|small|big|cold|loud)|missing|delay\w*|"
    r"closed|cancel\w*|only|never|not enough|shortage|complain\w*|wrong|damage\w*|leak\w*|"
    r"stolen|frozen|froze|sick|disappoint\w*|risk\w*|hurt|fault\w*|unsafe)\b",
    re.I,
)
_VOICES = {
    Cue.LOUD: ("shout", "yell", "scream", "loud", "voice", "snap"),
    Cue.RAISED: ("shout", "excit", "voice"),
    Cue.QUIET: ("whisper", "quiet", "voice"),
    Cue.FAST: ("hurry", "rush", "fast"),
    Cue.INTERRUPTION: ("interrupt",),
}


def causes(intent: Intent, corpus: Corpus, fit_of: Relevance, moment: int = -1) -> list[Found]:
    """The most likely reasons, best first; empty when nothing looks like one.

    Args:
        intent: A why-question.
        corpus: The meetings.
        fit_of: Scores of the question.
        moment: Row of the moment whose sound is asked about, or -1.
    """
    people = {word for name in intent.speakers for word in words(name) if len(word) > 1}
    things = {stem(term) for term in intent.terms} - {stem(word) for word in people}
    voices = {stem(word) for cue in intent.cues for word in _VOICES.get(cue, ())}
    found = []
    for row, tokens in enumerate(corpus.tokens):
        if len(tokens) < 5 or row == moment:
            continue
        score = _score(row, corpus, fit_of, (things, people, voices))
        if score >= LEAST:
            found.append(Found(row, score, ("cause",)))
    found.sort(key=lambda item: -item.score)
    return found[:MOST_CAUSES]


LEAST = 0.75
"""Least score of a likely reason."""


def _score(
    row: int, corpus: Corpus, fit_of: Relevance, wanted: tuple[set[str], set[str], set[str]]
) -> float:
    things, people, voices = wanted
    text = corpus.utterances[row].text
    own = set(corpus.tokens[row])
    stemmed = {stem(word) for word in own}
    shared = sum(corpus.idf(s) for s in things & stemmed)
    shared /= max(1e-9, sum(corpus.idf(s) for s in things)) if things else 1.0
    told = 0.6 * bool(voices & stemmed) + 0.3 * bool(people & own) if voices else 0.0
    if not shared and not told:
        return 0.0
    new = len(stemmed - things) / (6 + len(stemmed))
    looks = 0.45 * bool(_MARKER.search(text)) + 0.35 * bool(_PROBLEM.search(text))
    if not looks and things and things <= stemmed:
        return 0.0  # the effect itself
    meaning = 0.4 * float(np.clip(fit_of.own[row], 0, 1))
    return shared * 0.5 + told + looks + meaning + 0.3 * new - 0.4 * is_question(text)


def is_about_sound(intent: Intent) -> bool:
    """Whether the effect asked about is how somebody sounded."""
    return intent.operation is Operation.CUE_MOMENT and bool(intent.cues)
