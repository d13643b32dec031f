"""How well an utterance carries a sentence: words, meaning, numbers and names together."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.agent.schema import Claim
from engine.agent.words import STOP, stem, words
from engine.embed import Embedder
from engine.types_answer import Evidence

SUPPORTED = 0.40
"""Least support of a sentence that is shown as fact."""

ATTACHED = 0.30
"""Least support at which a further utterance is cited for a sentence."""

MOST_CITATIONS = 6
"""Citations of one sentence at most."""

_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80",
     "ninety": "90", "hundred": "100", "thousand": "1000", "million": "1000000"}  # fmt: skip


def numbers_in(text: str) -> set[str]:
    """Numbers of a text as digits, also those written as words ("one" and "a" apart)."""
    found = {n.replace(",", "").rstrip(".") for n in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}
    spelled = {_NUMBERS[w] for w in words(text) if w in _NUMBERS and w not in ("one", "zero")}
    return found | spelled


def names_in(text: str) -> set[str]:
    """Capitalised words that do not begin a sentence."""
    return set(re.findall(r"(?<=[a-z,;] )([A-Z][a-z]{2,})", text))


def content_stems(text: str) -> set[str]:
    """Stems of the words that carry meaning."""
    return {stem(word) for word in words(text) if word not in STOP}


def overlap(claim: str, shown: str) -> float:
    """Share of the claim's content words found in a text, 0 to 1."""
    wanted = content_stems(claim)
    return len(wanted & content_stems(shown)) / len(wanted) if wanted else 0.0


def support_matrix(
    claims: Sequence[str], evidence: Sequence[Evidence], embedder: Embedder
) -> NDArray[np.float64]:
    """(claims, evidence) support, 0 to about 1: mean of cosine and lexical overlap."""
    if not claims or not evidence:
        return np.zeros((len(claims), len(evidence)))
    texts = [item.utterance.text for item in evidence]
    vectors = embedder.encode([*claims, *texts])
    cosine = vectors[: len(claims)] @ vectors[len(claims) :].T
    lexical = np.array(
        [
            [overlap(claim, f"{item.utterance.speaker} {item.utterance.text}") for item in evidence]
            for claim in claims
        ]
    )
    return np.asarray(0.5 * np.clip(cosine, 0, 1) + 0.5 * lexical, np.float64)


def with_nearness(
    claims: Sequence[Claim], evidence: Sequence[Evidence], topic: str, embedder: Embedder
) -> tuple[Claim, ...]:
    """Measure how near each sentence and what it cites are to the topic of the question."""
    if not claims:
        return ()
    told = [
        " ".join([claim.text, *(evidence[i].utterance.text for i in claim.evidence[:2])])
        for claim in claims
    ]
    vectors = embedder.encode([topic, *told])
    near = vectors[1:] @ vectors[0]
    return tuple(
        replace(claim, nearness=float(cosine)) for claim, cosine in zip(claims, near, strict=True)
    )


def cite(
    claims: Sequence[Claim], evidence: Sequence[Evidence], embedder: Embedder
) -> tuple[Claim, ...]:
    """Check the citations of each sentence and complete them.

    A cited utterance that hardly supports its sentence is dropped when another one supports it
    well; utterances that do are added. A bare "Yes" keeps what was given for it.
    """
    matrix = support_matrix([claim.text for claim in claims], evidence, embedder)
    cited = []
    for row, claim in zip(matrix, claims, strict=True):
        if not content_stems(claim.text):
            cited.append(claim)
            continue
        given = [e for e in claim.evidence if row[e] >= ATTACHED * 0.6]
        ranked = sorted(range(len(evidence)), key=lambda i: -row[i])
        best = [i for i in ranked if row[i] >= max(ATTACHED, 0.75 * row[ranked[0]])]
        chosen = list(dict.fromkeys([*given, *best]))[:MOST_CITATIONS]
        together = " ".join(
            f"{evidence[i].utterance.speaker} {evidence[i].utterance.text}" for i in chosen
        )
        reached = max((row[i] for i in chosen), default=0.0)
        strength = 0.5 * float(reached) + 0.5 * overlap(claim.text, together) if chosen else 0.0
        cited.append(Claim(claim.text, tuple(sorted(chosen)), max(strength, float(reached))))
    return tuple(cited)
