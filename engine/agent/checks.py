"""Mechanical checks of a draft: what it says must stand in what it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.agent.corpus import Corpus
from engine.agent.schema import AnswerForm, Claim, Draft, Intent, Operation
from engine.agent.speakers import aliases, base_name
from engine.agent.support import SUPPORTED, content_stems, names_in, numbers_in, overlap
from engine.agent.words import fold, stem, words
from engine.agent.yes_no import unproved
from engine.types_answer import Evidence


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a sentence.

    Attributes:
        text: In plain words.
        is_invention: The moments are about something else; their words would be no answer either.
    """

    text: str
    is_invention: bool = False


def problems_of(claim: Claim, draft: Draft, intent: Intent, corpus: Corpus) -> list[Problem]:
    """What is wrong with one sentence; empty when nothing is.

    Numbers, names and quotations of the sentence must stand in a cited utterance or in the
    question; a speaker it credits must have spoken one of them. An invention outranks the rest.
    """
    cited = [draft.evidence[i] for i in claim.evidence]
    if not cited:
        return [Problem("no moment supports it")]
    said = " ".join(f"{e.utterance.speaker} {e.utterance.text} {e.note}" for e in cited)
    found: list[Problem] = []
    if claim.support < SUPPORTED:
        found.append(Problem(f"its moments hardly support it ({claim.support:.2f})"))
    found += _unsaid(claim, cited, said, intent)
    if reason := unproved(claim, cited, intent):
        found.append(Problem(reason))
    if _repeats(claim, intent, " ".join(e.utterance.speaker for e in cited)):
        # With a name put to it, "who or what" has been made up.
        is_named = bool(added(claim.text, intent))
        found.append(Problem("it only repeats the question", is_invention=is_named))
    if _is_beside_the_point(claim, said, intent):
        found.append(Problem("it is about something else", is_invention=True))
    if _is_foreign_reason(claim, draft, intent):
        found.append(Problem("its reason is told of something else", is_invention=True))
    credited = _credited(claim.text, corpus)
    speakers = {
        base_name(draft.evidence[i].utterance.speaker) for i in carriers(claim, draft.evidence)
    }
    if credited and not credited & speakers:
        found.append(Problem(f"{', '.join(sorted(credited))} did not say it"))
    elif misplaced := _misplaced(claim, cited, intent, corpus):
        found.append(
            Problem(f"no moment ties it to {', '.join(sorted(misplaced))}", is_invention=True)
        )
    return [problem for problem in found if problem.is_invention] or found


def _unsaid(claim: Claim, cited: list[Evidence], said: str, intent: Intent) -> list[Problem]:
    """Numbers, names and quotations of a sentence that its moments do not hold."""
    allowed = f"{said} {intent.question}"
    found = []
    missing = numbers_in(claim.text) - numbers_in(allowed) - _times(cited)
    if missing:
        found.append(Problem(f"the number {', '.join(sorted(missing))} is not in its moments"))
    known = set(words(allowed))
    strangers = {name for name in names_in(claim.text) if fold(name) not in known}
    if strangers:
        found.append(Problem(f"{', '.join(sorted(strangers))} is not named in its moments"))
    for quote in re.findall(r"[\"“]([^\"”]{4,})[\"”]", claim.text):
        if " ".join(words(quote)) not in " ".join(words(said)):
            found.append(Problem(f"the quotation {quote[:40]!r} is not in its moments"))
    return found


NEW_WORDS = 2
"""Content words that a reason must add to its question."""


CARRIES = 0.5
"""Share of the best word overlap with which a moment carries a sentence: its speaker said it."""


def carriers(claim: Claim, evidence: Sequence[Evidence]) -> list[int]:
    """Positions of the cited moments that share most words with a sentence."""
    shares = {i: overlap(claim.text, evidence[i].utterance.text) for i in claim.evidence}
    bar = CARRIES * max(shares.values(), default=0.0)
    return [i for i, share in shares.items() if share >= bar]


NEAR = 0.25
"""Least cosine with the topic of a sentence that shares no word with it."""


def _repeats(claim: Claim, intent: Intent, speakers: str) -> bool:
    """Whether a sentence tells nothing but names that the question does not hold already."""
    is_found = intent.operation not in (Operation.NONE, Operation.AFTER, Operation.BEFORE)
    if intent.form in (AnswerForm.YES_NO, AnswerForm.SPEAKER) or is_found:
        return False
    new = added(claim.text, intent) - content_stems(speakers)
    return len(new) < (NEW_WORDS if intent.is_why else 1)


def _is_foreign_reason(claim: Claim, draft: Draft, intent: Intent) -> bool:
    """Whether what a sentence gives as the reason is said neither of nor near what it explains.

    A small model joins an effect to any trouble it reads of.
    """
    if not intent.is_why or intent.operation is Operation.CUE_MOMENT:
        return False
    topic, new = content_stems(intent.topic), added(claim.text, intent)
    about = [e.utterance.index for e in draft.evidence if topic & content_stems(e.utterance.text)]
    bearing = [
        draft.evidence[i]
        for i in claim.evidence
        if len(new & content_stems(draft.evidence[i].utterance.text)) >= len(new) / 2
    ]
    return bool(bearing) and not any(
        "cause" in item.path
        or any(abs(item.utterance.index - other) <= NEAR_ROWS for other in about)
        for item in bearing
    )


NEAR_ROWS = 3
"""Utterances between a reason and what it explains, when neither names the other."""


def is_plain(intent: Intent) -> bool:
    """Whether a question is about something said, without a reason, a sound or a time to find."""
    is_bound = intent.is_why or intent.cues or intent.events or intent.time or intent.anchor
    return intent.is_specific and not is_bound


def _is_beside_the_point(claim: Claim, said: str, intent: Intent) -> bool:
    """Whether sentence and moments have neither a word nor their meaning in common with the topic.

    A small model rather tells of something nearby than nothing. Reasons, sounds and times are
    asked for in words that the answer does not hold, so these questions are let through.
    """
    if not is_plain(intent):
        return False
    topic = content_stems(f"{intent.topic} {intent.context}")
    return claim.nearness < NEAR and not topic & content_stems(f"{claim.text} {said}")


def added(text: str, intent: Intent) -> set[str]:
    """Content words of a sentence that the question does not hold."""
    return content_stems(text) - content_stems(intent.question)


def _misplaced(claim: Claim, cited: Sequence[Evidence], intent: Intent, corpus: Corpus) -> set[str]:
    """Speakers tied to something of which no cited moment by or about them tells.

    A small model joins a name of one line to the matter of another.
    """
    speakers = {base_name(name): set(words(base_name(name))) for name in corpus.roster.ids_by_name}
    every = {stem(word) for called in speakers.values() for word in called}
    told = content_stems(claim.text) - every
    matter = [content_stems(item.utterance.text) & told for item in cited]
    if not any(matter):
        return set()
    near = [
        set(words(f"{item.utterance.speaker} {item.utterance.text}"))
        for item, shared in zip(cited, matter, strict=True)
        if shared
    ]
    named = {
        name for name, called in speakers.items() if called and called <= set(words(claim.text))
    }
    asked = set(words(intent.question))
    return {
        name
        for name in named
        if not speakers[name] <= asked and not any(speakers[name] <= there for there in near)
    }


def _times(cited: list[Evidence]) -> set[str]:
    """Minutes and seconds of the cited moments, which a sentence may name."""
    numbers: set[str] = set()
    for item in cited:
        minutes, seconds = divmod(int(item.utterance.start), 60)
        numbers |= {str(minutes), f"{seconds:02d}", str(seconds)}
    return numbers


def _credited(text: str, corpus: Corpus) -> set[str]:
    """Speakers the sentence begins with: "Ann said", "The chair thinks"."""
    start = re.match(
        r"(?:yes|no)?[,.]?\s*(?:the\s+)?(.{1,40}?)\s+(?:said|says|think|thinks|thought|proposed|"
        r"suggested|mentioned|asked|promised|will|agreed|recommended|explained)\b",
        text,
        re.I,
    )
    if start is None:
        return set()
    subject = " ".join(words(start[1]))
    return {
        base_name(name)
        for name in corpus.roster.ids_by_name
        if subject in {alias.lower() for alias in aliases(name)}
    }


def checked(draft: Draft, intent: Intent, corpus: Corpus) -> tuple[Draft, tuple[Problem, ...]]:
    """Drop the sentences that fail when others hold.

    Returns:
        The draft without unsupported sentences, and no problem; or, where none holds, the draft
        as it was and what failed.
    """
    problems = [problems_of(claim, draft, intent, corpus) for claim in draft.claims]
    good = [claim for claim, found in zip(draft.claims, problems, strict=True) if not found]
    if good:
        return replace(draft, claims=tuple(good)), ()
    return draft, tuple(
        replace(problem, text=f"“{claim.text}”: {problem.text}")
        for claim, found in zip(draft.claims, problems, strict=True)
        for problem in found
    )
