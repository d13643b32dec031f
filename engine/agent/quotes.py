"""Answers in the words of the meeting: quotations where a model's own words would not hold.

A quotation is always borne out by what it cites, so it stands in for a sentence that failed its
checks, completes a list that a small model cut short, and is all that a system without a writer
says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.agent.checks import Problem, carriers, problems_of
from engine.agent.corpus import Corpus
from engine.agent.evidence import excerpt
from engine.agent.schema import AnswerForm, Claim, Draft, Intent, Operation
from engine.agent.support import SUPPORTED, content_stems, overlap
from engine.agent.words import stem, words
from engine.agent.yes_no import as_nearest
from engine.graph.lexicon import is_back_channel, is_question
from engine.types_answer import Evidence


def quoted(intent: Intent, evidence: Sequence[Evidence]) -> Draft:
    """Without a model's words: what was said, word for word.

    Every utterance that holds all words of the topic is quoted (answers that are lists stand in
    several places), else the two best.
    """
    full = whole_matches(intent, evidence)
    ranked = sorted(range(len(evidence)), key=lambda i: -_answering(evidence[i]))
    chosen_rows = full[:MOST_QUOTES] if len(full) > 1 else ranked[:2]
    return Draft(
        tuple(quotation(evidence[i], i, intent.terms) for i in sorted(chosen_rows)), tuple(evidence)
    )


def nearest_words(intent: Intent, evidence: Sequence[Evidence]) -> tuple[Claim, ...]:
    """What was said about something that nobody settles, with the reply where it was a question.

    By the words they share with the question; how well the surroundings fit only breaks ties.
    """
    told = [f"{item.utterance.speaker} {item.utterance.text}" for item in evidence]
    shares = [overlap(intent.question, text) for text in told]
    ranked = sorted(range(len(evidence)), key=lambda i: (-shares[i], -_answering(evidence[i])))
    best = [i for i in ranked[:2] if shares[i] >= shares[ranked[0]] / 2]
    chosen = _with_replies(best, evidence)
    return as_nearest(intent, [quotation(evidence[i], i, intent.terms) for i in chosen])


def _with_replies(positions: Sequence[int], evidence: Sequence[Evidence]) -> list[int]:
    """Positions with those of what was said right after a question, in order of time."""
    places = {item.utterance.index: i for i, item in enumerate(evidence)}
    asked = [evidence[i].utterance for i in positions]
    after = [u.index + 1 for u in asked if is_question(u.text)]
    return sorted({*positions, *(places[index] for index in after if index in places)})


def _answering(item: Evidence) -> float:
    """Score of an utterance as an answer: a question seldom is one."""
    return item.score - 1.5 * is_question(item.utterance.text)


def quotation(item: Evidence, position: int, terms: Sequence[str] = ()) -> Claim:
    """One utterance as a sentence of an answer; of a long one what is nearest to the terms."""
    utterance = item.utterance
    text = " ".join(excerpt(utterance.text, terms, QUOTE_WORDS).split())
    return Claim(f"{utterance.speaker or 'Somebody'} said: “{text}”", (position,), 1.0)


QUOTE_WORDS = 40
"""Longest quotation inside an answer, about."""


def whole_matches(intent: Intent, evidence: Sequence[Evidence]) -> list[int]:
    """Positions of the evidence that holds every word of the topic, best first."""
    wanted = {stem(term) for term in intent.terms}
    if not wanted:
        return []
    found = [
        i
        for i, item in enumerate(evidence)
        if wanted <= {stem(word) for word in words(item.utterance.text)}
    ]
    return sorted(found, key=lambda i: -evidence[i].score)


MOST_QUOTES = 6
"""Quotations in one answer at most."""


def with_all_of_a_list(intent: Intent, draft: Draft) -> Draft:
    """Add what a small model left out of a list: uncited evidence with every word of the topic."""
    full = whole_matches(intent, draft.evidence)
    told = _told(intent, draft)
    own = [draft.evidence[i].utterance.speaker_id in intent.speaker_ids for i in full]
    missing = [i for i, is_own in zip(full, own, strict=True) if is_own and i not in told]
    if not intent.speaker_ids or len(full) < 2 or not missing:
        return draft
    added = [quotation(draft.evidence[i], i, intent.terms) for i in sorted(missing[:MOST_QUOTES])]
    return replace(draft, claims=(*draft.claims, *added))


def with_the_reason(
    intent: Intent, draft: Draft, problems: tuple[Problem, ...]
) -> tuple[Draft, tuple[Problem, ...]]:
    """Where a sentence rests on none of the likely reasons found: the likeliest, word for word.

    A small model likes to answer a why with the effect, or with a reason of its own. ``problems``
    as ``checked`` found them: with any, no sentence of the draft holds.
    """
    found = [i for i, item in enumerate(draft.evidence) if "cause" in item.path]
    if intent.operation is Operation.CUE_MOMENT:
        loud = max(range(len(draft.evidence)), key=lambda i: draft.evidence[i].score)
        found += [loud - 1] if loud else []
    kept = () if problems else draft.claims
    given = set(found) & _cited(kept)
    reasons = " ".join(draft.evidence[i].utterance.text for i in given)
    told = " ".join(claim.text for claim in kept)
    known = content_stems(intent.question)
    if intent.operation is Operation.CUE_MOMENT:
        # What was said around the moment is what happened; the reason has words of its own.
        around = [item for i, item in enumerate(draft.evidence) if i not in given]
        known |= content_stems(
            " ".join(f"{e.utterance.speaker} {e.utterance.text}" for e in around)
        )
    is_reasoned = (content_stems(reasons) & content_stems(told)) - known
    if not found or is_reasoned:
        return draft, problems
    best = max(found, key=lambda i: draft.evidence[i].score)
    quote = quotation(draft.evidence[best], best, intent.terms)
    if intent.operation is Operation.CUE_MOMENT:
        kept = ()
    elif _is_linked(intent, draft.evidence[best : best + 1], ""):
        kept = tuple(c for c in kept if not _joins_strangers(intent, c, draft.evidence))
    return replace(draft, claims=(*kept, quote)), ()


_BECAUSE = re.compile(r"\b(?:because|since|due to|owing to)\b", re.I)


def _joins_strangers(intent: Intent, claim: Claim, evidence: Sequence[Evidence]) -> bool:
    """Whether a sentence takes for the reason what was said of something else."""
    because = _BECAUSE.search(claim.text)
    cited = [evidence[i] for i in sorted(_cited([claim]))]
    return because is not None and not _is_linked(intent, cited, claim.text[because.end() :])


def _is_linked(intent: Intent, cited: Sequence[Evidence], reason: str) -> bool:
    """Whether the moment that tells a reason names what the question asks about."""
    names = content_stems(" ".join(item.utterance.speaker for item in cited))
    asked = content_stems(intent.question) - names
    told = max(cited, key=lambda item: overlap(reason, item.utterance.text), default=None)
    return told is not None and bool(asked & content_stems(told.utterance.text))


def in_their_words(
    intent: Intent, draft: Draft, problems: tuple[Problem, ...], corpus: Corpus
) -> tuple[Draft, tuple[Problem, ...]]:
    """Where no sentence holds: the moments they cite, word for word, if these are to the point.

    A small model credits the wrong speaker or changes a number although it found the right line.
    Of a time asked about, any line is to the point, and those with most words tell most.
    """
    solid = [claim for claim in draft.claims if claim.support >= SUPPORTED]
    right = sorted({i for claim in solid for i in carriers(claim, draft.evidence)})
    if intent.anchor is not None and draft.evidence:
        right = [_beside(draft.evidence, intent)]
    elif intent.operation is Operation.AT_TIME and not right:
        longest = sorted(range(len(draft.evidence)), key=lambda i: -_n_words(draft.evidence[i]))
        right = sorted(longest[:2])
    if intent.speaker_ids:
        speaks = [item.utterance.speaker_id in intent.speaker_ids for item in draft.evidence]
        right = [i for i in right if speaks[i]]
    if intent.form is AnswerForm.YES_NO:
        right = _with_replies(right, draft.evidence)
        if not right:
            return replace(draft, claims=nearest_words(intent, draft.evidence)), ()
    quotes = [quotation(draft.evidence[i], i, intent.terms) for i in right]
    nearest = max((claim.nearness for claim in draft.claims), default=0.0)
    quotes = [replace(quote, nearness=nearest) for quote in quotes[:MOST_QUOTES]]
    good = [quote for quote in quotes if not problems_of(quote, draft, intent, corpus)]
    return (replace(draft, claims=as_nearest(intent, good)), ()) if good else (draft, problems)


def _beside(evidence: Sequence[Evidence], intent: Intent) -> int:
    """The best line that is not the one which a question for what came next is about."""
    anchor = content_stems(intent.target)

    def rank(position: int) -> tuple[bool, float]:
        item = evidence[position]
        return not anchor or not anchor <= content_stems(item.utterance.text), item.score

    return max(range(len(evidence)), key=rank)


def _n_words(item: Evidence) -> int:
    return len(content_stems(item.utterance.text))


def with_the_moment(intent: Intent, draft: Draft) -> Draft:
    """Quote what a bare "Yes" or "No" rests on instead; by itself it could not be checked."""
    if not draft.evidence or any(content_stems(claim.text) for claim in draft.claims):
        return draft
    nearness = max((claim.nearness for claim in draft.claims), default=0.0)
    found = nearest_words(intent, draft.evidence)
    return replace(draft, claims=tuple(replace(quote, nearness=nearness) for quote in found))


def with_the_nearest(intent: Intent, draft: Draft) -> Draft:
    """Begin with what was said nearest to a moment that is named, unless the draft tells it.

    A small model tells of any of the lines around it.
    """
    is_point = intent.time is not None and intent.time.point is not None
    anchor = intent.anchor.topic if intent.anchor is not None else ""
    if not (anchor or (is_point and intent.operation is Operation.AT_TIME)):
        return draft
    telling = [
        i
        for i, e in enumerate(draft.evidence)
        if not is_back_channel(e.utterance.text) and overlap(anchor, e.utterance.text) < HALF
    ]
    nearest = max(telling, key=lambda i: draft.evidence[i].score, default=None)
    if nearest is None or nearest in _told(intent, draft):
        return draft
    quote = quotation(draft.evidence[nearest], nearest, intent.terms)
    return replace(draft, claims=(quote, *draft.claims))


HALF = 0.5
"""Share of the words of what came before (or after) with which a line still belongs to it."""


def _told(intent: Intent, draft: Draft) -> set[int]:
    """Positions of the evidence that an answer tells: cited, and of short ones half their words.

    One sentence may cite all of a list, or what somebody thought before and after, and tell one.
    """
    known = content_stems(intent.question)
    said = content_stems(draft.text) - known

    def is_told(position: int) -> bool:
        text = draft.evidence[position].utterance.text
        own = content_stems(text) - known
        return len(text.split()) > SHORT or not own or len(own & said) >= len(own) / 2

    return {i for i in _cited(draft.claims) if is_told(i)}


SHORT = 25
"""Words of an utterance that is one item of a list; a longer one is told when it is cited."""


def _cited(claims: Sequence[Claim]) -> set[int]:
    return {i for claim in claims for i in claim.evidence}
