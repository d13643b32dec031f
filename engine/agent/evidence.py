"""From what a plan found to what is read: a budget that does not grow with the meeting."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.agent.corpus import Corpus
from engine.agent.execute import Found
from engine.agent.schema import Intent
from engine.agent.times import clock
from engine.agent.words import STOP, stem, words
from engine.types import Acoustics, Cue
from engine.types_answer import Evidence

FEWEST, MOST = 3, 14
"""Utterances read at least and at most."""

WORD_BUDGET = 500
"""Words of evidence that are enough: few long speeches or many short turns."""

EXCERPT_WORDS = 110
"""A longer utterance is shown by its sentences nearest to the question."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is read, ordered by time, and how much was found but left out."""

    evidence: tuple[Evidence, ...]
    n_left_out: int


def select(
    corpus: Corpus, found: Sequence[Found], shortest: int = 1, word_budget: int = WORD_BUDGET
) -> Selection:
    """Take the best until there are words enough.

    Args:
        corpus: Where the rows lie.
        found: Best first.
        shortest: Utterances with fewer words are passed over, but for replies.
        word_budget: Words of evidence, long utterances counted as their excerpt.
    """
    taken: list[Found] = []
    total = 0
    for item in found:
        if corpus.n_words[item.row] < shortest and "reply" not in item.path:
            continue
        if len(taken) >= MOST or (len(taken) >= FEWEST and total >= word_budget):
            break
        taken.append(item)
        total += int(corpus.n_words[item.row])
    taken.sort(key=lambda item: item.row)
    return Selection(
        tuple(as_evidence(corpus, item) for item in taken), max(0, len(found) - len(taken))
    )


def as_evidence(corpus: Corpus, item: Found, note: str = "") -> Evidence:
    """An utterance with its score, its path and the measured facts about its sound."""
    utterance = corpus.utterances[item.row]
    return Evidence(
        corpus.meeting_id(item.row),
        utterance,
        item.score,
        item.path,
        note or sound_note(utterance.acoustics),
    )


def sound_note(acoustics: Acoustics | None) -> str:
    """Measured facts worth a mention; "" where the voice is as usual."""
    if acoustics is None:
        return ""
    parts = []
    if abs(acoustics.loudness_z) >= 1.0 or Cue.LOUD in acoustics.cues:
        word = "louder" if acoustics.loudness_z > 0 else "quieter"
        parts.append(f"{word} than usual, z {acoustics.loudness_z:+.1f}")
    if abs(acoustics.pitch_z) >= 1.5:
        parts.append(f"pitch z {acoustics.pitch_z:+.1f}")
    if abs(acoustics.rate_z) >= 1.5:
        parts.append("faster than usual" if acoustics.rate_z > 0 else "slower than usual")
    if acoustics.is_interruption:
        parts.append("interrupts")
    if acoustics.pause_before >= 2.0:
        parts.append(f"after {acoustics.pause_before:.1f} s of silence")
    return ", ".join(parts)


def excerpt(text: str, terms: Sequence[str], longest: int = EXCERPT_WORDS) -> str:
    """Show a long text by its sentences nearest to the question; cuts are marked with "…"."""
    if len(text.split()) <= longest:
        return text
    sentences = [s for s in re.split(r"(?<=[.!?。？！])\s+", text) if s]
    wanted = {stem(term) for term in terms}
    scores = []
    for sentence in sentences:
        own = {stem(word) for word in words(sentence) if word not in STOP}
        scores.append(len(own & wanted))
    best = max(range(len(sentences)), key=lambda i: (scores[i], -i))
    first = last = best
    size = len(sentences[best].split())
    while size < longest and (first > 0 or last < len(sentences) - 1):
        before = scores[first - 1] if first > 0 else -1
        after = scores[last + 1] if last < len(sentences) - 1 else -1
        if after >= before:
            last += 1
            size += len(sentences[last].split())
        else:
            first -= 1
            size += len(sentences[first].split())
    shown = " ".join(" ".join(sentences[first : last + 1]).split()[: longest + 40])
    return ("… " if first > 0 else "") + shown + (" …" if len(shown) < len(text) - 3 else "")


FOCUS = 0.35
"""Share of the best score below which evidence is offered beside the answer, not read for it."""


def focused(intent: Intent, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """What stands out, where something does: the rest only leads a small model astray.

    Applies to questions about something specific; stretches of time are read whole.
    """
    if not intent.is_specific or not intent.terms or len(evidence) <= FEWEST:
        return tuple(evidence)
    ranked = sorted((item.score for item in evidence), reverse=True)
    bar = min(FOCUS * ranked[0], ranked[FEWEST - 1])
    return tuple(item for item in evidence if item.score >= bar)


def lines_of(
    evidence: Sequence[Evidence], terms: Sequence[str], is_several: bool = False
) -> list[str]:
    """One line per utterance for a prompt: id, time, speaker, words, measured facts.

    Args:
        evidence: In order of time; the ids are its positions from 1.
        terms: Words of the question, which decide what of a long utterance is shown.
        is_several: Name the meeting too.
    """
    shown = []
    for position, item in enumerate(evidence, 1):
        utterance = item.utterance
        text = re.sub(r"\s+", " ", utterance.text).replace("[", "(").replace("]", ")").strip()
        note = f" ({item.note})" if item.note else ""
        where = f" {item.meeting_id}" if is_several else ""
        shown.append(
            f"[u{position}]{where} {clock(utterance.start)} "
            f"{utterance.speaker or 'Somebody'}{note}: {excerpt(text, terms)}"
        )
    return shown


def fit(
    evidence: Sequence[Evidence],
    terms: Sequence[str],
    count_tokens: Callable[[str], int],
    budget: int,
) -> tuple[tuple[Evidence, ...], int]:
    """Drop the weakest until the lines fit the budget.

    Returns:
        What is kept, in order of time, and the tokens of its lines.
    """
    kept = list(evidence)
    lines = lines_of(kept, terms)
    sizes = [count_tokens(line) + 1 for line in lines]
    while len(kept) > 1 and sum(sizes) > budget:
        weakest = min(range(len(kept)), key=lambda i: kept[i].score)
        del kept[weakest], sizes[weakest]
    return tuple(kept), sum(sizes)
