"""Systems to compare with, and the plain parts that the agent shares with them.

Text RAG: dense top 10 with a penalty of 0.25 for distance in time from the best hit, read in order
of time (GRGA's baseline). GETALP: dense plus generated questions, with semantic roles beside or
instead of the words. ``whole``: as much of the transcript as the context holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.agent.evidence import as_evidence, fit
from engine.agent.execute import Found
from engine.agent.relevance import relevance
from engine.agent.schema import Claim, Draft, Intent
from engine.agent.session import Session
from engine.agent.support import support_matrix
from engine.agent.synthesise import choose, synthesise
from engine.types_answer import Evidence, Verdict

RAG_LAMBDA = 0.25
"""Share of the distance in time from the best hit in the score of text RAG."""

WHOLE_TOKENS = 2600
"""Evidence tokens of the baseline that reads the transcript from its beginning."""


def answered(intent: Intent, session: Session) -> tuple[Draft, Verdict]:
    """Retrieve once, write once, judge nothing."""
    session.rounds = 1
    plain = replace(Intent(intent.question, topic=intent.question), terms=intent.terms)
    found = retrieved(plain, session)
    evidence = tuple(
        _with_roles(as_evidence(session.corpus, item), session)
        for item in sorted(found, key=lambda item: item.row)
    )
    budget = WHOLE_TOKENS if session.system.name == "whole" else session.options.evidence_tokens
    if session.system.name == "whole":
        kept, tokens = _from_the_beginning(evidence, session)
    else:
        kept, tokens = fit(evidence, intent.terms, session.pen.chat.count_tokens, budget)
    session.n_read, session.n_left_out = len(kept), len(evidence) - len(kept)
    session.evidence_tokens = tokens
    if not kept:
        return Draft((), (), is_abstention=True), Verdict(3, is_verified=False)
    draft = synthesise(
        replace(plain, form=intent.form), kept, session.pen, session.embedder, is_several=False
    )
    return draft, Verdict(3, is_verified=False)


def retrieved(intent: Intent, session: Session) -> list[Found]:
    """What a baseline retrieves, best first."""
    corpus, system = session.corpus, session.system
    if system.name == "whole":
        return [Found(row, 1.0, ("whole",)) for row in range(len(corpus))]
    scores = np.array(relevance(corpus, intent, session.embedder, system.weights).match)
    if system.name == "rag" and len(scores):
        best = int(np.argmax(scores))
        away = np.abs(corpus.middle - corpus.middle[best]) / max(1.0, corpus.duration)
        scores = (1 - RAG_LAMBDA) * scores - RAG_LAMBDA * away
    rows = np.argsort(-scores, kind="stable")[: system.k]
    return [Found(int(row), float(scores[row]), (system.name,)) for row in rows]


def _with_roles(item: Evidence, session: Session) -> Evidence:
    """Add the semantic roles of an utterance to its words, or put them in their place."""
    if not session.system.has_roles:
        return item
    sentences = [
        text
        for index, text in session.store.roles(item.meeting_id)
        if index == item.utterance.index
    ]
    if not sentences:
        return item
    roles = "; ".join(sentences)
    text = f"{item.utterance.text} ({roles})" if session.system.has_text else roles
    return replace(item, utterance=replace(item.utterance, text=text))


def _from_the_beginning(
    evidence: Sequence[Evidence], session: Session
) -> tuple[tuple[Evidence, ...], int]:
    """As many utterances from the beginning as fit."""
    total, kept = 0, []
    for item in evidence:
        size = session.pen.chat.count_tokens(item.utterance.text) + 14
        if total + size > WHOLE_TOKENS:
            break
        total += size
        kept.append(item)
    return tuple(kept), total


def chosen(intent: Intent, evidence: Sequence[Evidence], session: Session) -> tuple[Draft, Verdict]:
    """Answer a multiple-choice question: support of each option, with the model's vote."""
    options = list(intent.choices)
    real = [(letter, text) for letter, text in options if not is_way_out(text)]
    ways_out = [(letter, text) for letter, text in options if is_way_out(text)]
    claims = [text for _, text in real]
    matrix = support_matrix(claims, evidence, session.embedder)
    if intent.speaker_ids:
        # What others say does not make it the answer of the one asked about.
        own = [item.utterance.speaker_id in intent.speaker_ids for item in evidence]
        matrix = matrix * np.array(own, np.float64)
    best = matrix.max(axis=1) if len(evidence) else np.zeros(len(real))
    vote = choose(intent, evidence, session.pen) if evidence and session.system.has_writer else ""
    scores = {letter: float(best[i]) for i, (letter, _) in enumerate(real)}
    if vote in scores:
        scores[vote] += 0.15
    letter = max(scores, key=lambda key: scores[key]) if scores else ""
    weak = not scores or max(float(b) for b in best) < CHOICE_SUPPORT
    if ways_out and (weak or (vote in dict(ways_out) and max(float(b) for b in best) < 0.55)):
        letter, text = ways_out[0]
        return Draft((Claim(f"{letter}) {text}", ()),), (), is_computed=True), Verdict(4, True)
    if weak and not ways_out:
        return Draft((), (), is_abstention=True, reason="no option was said"), Verdict(4, True)
    row = matrix[[key for key, _ in real].index(letter)]
    cited = tuple(int(i) for i in np.flatnonzero(row >= max(0.3, 0.8 * row.max())))
    text = dict(options)[letter]
    draft = Draft((Claim(f"{letter}) {text}", cited, float(row.max())),), tuple(evidence))
    return draft, Verdict(4, is_verified=True)


CHOICE_SUPPORT = 0.35
"""Least support of an option that somebody said."""


def is_way_out(text: str) -> bool:
    """Whether an option says that none of the others is right."""
    low = text.lower()
    return any(
        part in low
        for part in ("none of", "not said", "not mentioned", "not stated", "no answer", "cannot be",
                     "can't be", "unanswerable", "did not say", "didn't say", "not discussed",
                     "unknown", "not enough", "never said", "no one said", "not specified")
    )  # fmt: skip
