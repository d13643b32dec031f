"""When an answer must be that nothing was said: several signals, never the model's word alone."""

from __future__ import annotations

import re

from engine.agent.corpus import Corpus
from engine.agent.relevance import Relevance, spoken_by
from engine.agent.schema import AnswerForm, Draft, Intent, Operation, Scope
from engine.agent.speakers import is_generic, nearest
from engine.agent.times import clock
from engine.agent.words import words

WEAKEST = 0.43
"""Least strength (best cosine + half the share of known words) of a topic that was discussed."""

FEWEST_WORDS = 8
"""A meeting with fewer words has nothing to answer from; no model is asked (it would invent)."""

SILENT_GAP = 0.45
"""Least lead of the best utterance of all over the best one of the speaker asked about."""

OWN_WORDS = 0.15
"""Share of the topic's words with which somebody speaks of it."""

OWN_MEANING = 0.40
"""Cosine with which somebody speaks of it without its words."""

SURE = 0.95
"""A search that strong outweighs a model that says NOT STATED or tells of something else."""

DISCUSSED = 0.7
"""Strength with which a topic was surely talked about, though no line may settle a fact of it."""

ALL_WORDS = 0.999
"""Share of the topic's words that are said when all of them are."""


def before_search(intent: Intent, corpus: Corpus) -> str:
    """Reason to abstain that needs no search; "" when there is none."""
    if int(corpus.n_words.sum()) < FEWEST_WORDS:
        return "there is hardly any speech in this meeting"
    if intent.time is not None and intent.time.is_past_end:
        return f"the meeting ends at {clock(corpus.duration)}, before {intent.time.phrase}"
    names = list(corpus.roster.ids_by_name)
    if intent.unknown_speakers and not intent.speakers and names:
        name = intent.unknown_speakers[0]
        spoken = set(words(name)) <= {w for row in corpus.tokens for w in row}
        if not (spoken and all(is_generic(n) for n in names)):
            other = nearest(name, corpus.roster)
            hint = f", but {other} does" if other else ""
            return f"nobody called {name} speaks in this meeting{hint}"
    return ""


def after_search(intent: Intent, corpus: Corpus, relevance: Relevance) -> str:
    """Reason to abstain that the search gives; "" when there is none."""
    if intent.scope is not Scope.SPECIFIC or not intent.terms:
        return ""
    if intent.operation in (Operation.AT_TIME, Operation.CUE_MOMENT) or intent.events:
        return ""
    if intent.operation in (Operation.AFTER, Operation.BEFORE):
        return "" if relevance.coverage > 0 else "nothing that was said is about this"
    if relevance.strength < WEAKEST:
        if _FEELING.search(intent.question):
            return "how somebody felt is not measured, only how loud, high and fast they spoke"
        return "nothing that was said is about this"
    if intent.speaker_ids and intent.form is not AnswerForm.CHOICE:
        return _speaker_silent(intent, corpus, relevance)
    return ""


_FEELING = re.compile(
    r"\b(?:angry|anger|upset|annoyed|irritated|furious|sad|happy|nervous|bored|tense|emotional|"
    r"emotions?|feelings?|mood|frustrat\w+|enthusias\w+|tone)\b",
    re.I,
)
"""Words of questions that only a guess could answer, unless somebody spoke of it."""


def _speaker_silent(intent: Intent, corpus: Corpus, relevance: Relevance) -> str:
    """Whether others speak of the topic but the one asked about never does.

    That is so when none of the topic's words is theirs, nothing they say means something near it,
    and somebody else fits clearly better. Each alone happens to people who did speak of it: they
    answer a question without repeating its words.
    """
    own = spoken_by(corpus, intent.speaker_ids) > 0
    if not own.any():
        return "that person says nothing in this meeting"
    fit = relevance.own + 0.5 * relevance.lexical
    gap = float(fit.max() - fit[own].max())
    has_words = float(relevance.lexical[own].max()) >= OWN_WORDS
    if has_words or float(relevance.own[own].max()) >= OWN_MEANING or gap < SILENT_GAP:
        return ""
    who = " and ".join(dict.fromkeys(intent.speakers))
    return f"{who} says nothing about this, though others do"


def after_writing(intent: Intent, draft: Draft, relevance: Relevance) -> str:
    """Reason to abstain after reading: the model found nothing and the search was not sure.

    What was heard was measured: a laugh is there, whatever a model makes of the words beside it.
    """
    if intent.events or intent.cues:
        return ""
    return draft.reason if draft.is_abstention and not is_sure(relevance) else ""


_OPEN = re.compile(
    r"(?:please )?(?:summari[sz]e|describe|explain|outline|tell me about|"
    r"give (?:me )?an? (?:summary|overview))\b|"
    r"(?:what|how) (?:was|were|did) .*\b(?:discuss\w*|said|say|talk\w*|decided?|think|thought)\b",
    re.I,
)


def is_discussed(intent: Intent, relevance: Relevance) -> bool:
    """Whether a question asks for no one fact but for what was said of something that surely was.

    Then what the model invented says nothing about the meeting, and the lines that were found are
    an answer. Of a named person others' lines are none.
    """
    is_open = _OPEN.match(intent.question) is not None and not intent.speaker_ids
    return is_open and relevance.strength >= DISCUSSED


def is_sure(relevance: Relevance) -> bool:
    """Whether the topic was discussed beyond doubt: all its words are said, or it fits so well."""
    return relevance.strength >= SURE or relevance.coverage >= ALL_WORDS
