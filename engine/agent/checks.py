"""Mechanical checks of a draft: what it says must stand in what it cites."""

from __future__ import annotations

import re

from engine.agent.corpus import Corpus
from engine.agent.schema import Claim, Draft, Intent
from engine.agent.speakers import aliases, base_name
from engine.agent.support import SUPPORTED, content_stems, names_in, numbers_in
from engine.agent.words import fold, words
from engine.types import Evidence


def problems_of(claim: Claim, draft: Draft, intent: Intent, corpus: Corpus) -> list[str]:
    """What is wrong with one sentence, in plain words; empty when nothing is.

    Numbers, names and quotations of the sentence must stand in a cited utterance or in the
    question; a speaker it credits must have spoken one of them.
    """
    cited = [draft.evidence[i] for i in claim.evidence]
    if not cited:
        return ["no moment supports it"]
    said = " ".join(f"{e.utterance.speaker} {e.utterance.text} {e.note}" for e in cited)
    allowed = f"{said} {intent.question}"
    found = []
    if claim.support < SUPPORTED:
        found.append(f"its moments hardly support it ({claim.support:.2f})")
    missing = numbers_in(claim.text) - numbers_in(allowed) - _times(cited)
    if missing:
        found.append(f"the number {', '.join(sorted(missing))} is not in its moments")
    known = set(words(allowed))
    strangers = {name for name in names_in(claim.text) if fold(name) not in known}
    if strangers:
        found.append(f"{', '.join(sorted(strangers))} is not named in its moments")
    for quote in re.findall(r"[\"“]([^\"”]{4,})[\"”]", claim.text):
        if " ".join(words(quote)) not in " ".join(words(said)):
            found.append(f"the quotation {quote[:40]!r} is not in its moments")
    if intent.is_why and len(added(claim.text, intent)) < NEW_WORDS:
        found.append("it only repeats the question")
    credited = _credited(claim.text, corpus)
    speakers = {base_name(e.utterance.speaker) for e in cited}
    if credited and not credited & speakers:
        found.append(f"{', '.join(sorted(credited))} did not say it")
    return found


NEW_WORDS = 2
"""Content words that a reason must add to its question."""


def added(text: str, intent: Intent) -> set[str]:
    """Content words of a sentence that the question does not hold."""
    return content_stems(text) - content_stems(intent.question)


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


def checked(draft: Draft, intent: Intent, corpus: Corpus) -> tuple[Draft, tuple[str, ...]]:
    """Drop the sentences that fail when others hold; say what failed.

    Returns:
        The draft without unsupported sentences (unless all of them are), and the problems.
    """
    problems = [problems_of(claim, draft, intent, corpus) for claim in draft.claims]
    good = [claim for claim, found in zip(draft.claims, problems, strict=True) if not found]
    failed = tuple(
        f"“{claim.text}”: {'; '.join(found)}"
        for claim, found in zip(draft.claims, problems, strict=True)
        if found
    )
    if good and len(good) < len(draft.claims):
        return Draft(tuple(good), draft.evidence, is_computed=draft.is_computed), failed
    return draft, failed
