"""Questions about a whole meeting or a speaker's whole part: map, then reduce.

The meeting is cut into parts of about equal speech (by its topics where enrichment found them),
the most telling utterances of each part are read in turn, one sentence with citations is written
about each, and these sentences are the answer. Every call stays within the same budget.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.agent.checks import checked
from engine.agent.corpus import Corpus
from engine.agent.evidence import as_evidence, fit, lines_of
from engine.agent.execute import Found
from engine.agent.schema import Claim, Draft, Intent
from engine.agent.session import Session
from engine.agent.support import cite
from engine.agent.synthesise import WAY_OUT, parse_draft
from engine.agent.wording import shown
from engine.grammar import cited_sentences
from engine.types_answer import Evidence, Verdict

FEWEST_PARTS, MOST_PARTS = 3, 6
PART_SECONDS = 300.0
"""Length of a part of a short meeting; long ones have ``MOST_PARTS`` longer parts."""

ROWS_PER_PART = 8
PART_TOKENS = 420
"""Evidence tokens per part: one part is read at a time."""

SENTENCE_TOKENS = 60


def answered(intent: Intent, session: Session) -> tuple[Draft, Verdict]:
    """Write one cited sentence about each part."""
    session.rounds = 1
    corpus = session.corpus
    if noted := _noted(intent, session):
        session.note("draft", shown(noted))
        return noted, Verdict(4, is_verified=True)
    rows = [
        row
        for row in range(len(corpus))
        if not intent.speaker_ids or corpus.utterances[row].speaker_id in intent.speaker_ids
    ]
    claims: list[Claim] = []
    evidence: list[Evidence] = []
    problems: list[str] = []
    for part in parts(corpus, rows):
        read = _telling(corpus, part)
        kept, tokens = fit(
            [as_evidence(corpus, item) for item in read],
            (),
            session.pen.chat.count_tokens,
            PART_TOKENS,
        )
        session.n_read += len(kept)
        session.n_left_out += len(part) - len(kept)
        session.evidence_tokens = max(session.evidence_tokens, tokens)
        session.note("evidence", shown(kept))
        draft = _sentence(intent, kept, session)
        draft, failed = checked(draft, intent, corpus)
        problems += [problem.text for problem in failed]
        claims += [
            Claim(c.text, tuple(i + len(evidence) for i in c.evidence), c.support)
            for c in draft.claims
        ]
        evidence += kept
    whole = Draft(tuple(claims), tuple(evidence), is_abstention=not claims)
    session.note("draft", shown(whole))
    verdict = Verdict(3 if problems else 4, is_verified=not problems, problems=tuple(problems))
    session.note("verdict", shown(verdict))
    return whole, verdict


_KINDS = {
    "action": r"\b(?:action items?|to-?dos?|tasks|next steps|follow-ups|promises|commitments)\b",
    "decision": r"\b(?:decisions|agreements)\b",
}
_ASKED = {"action": "who promises to do what here?", "decision": "what is decided here?"}


def _kind(intent: Intent) -> str:
    """The kind of note that a question for a list wants; "" when it wants all of the meeting."""
    found = (kind for kind, words in _KINDS.items() if re.search(words, intent.question, re.I))
    return next(found, "")


def _noted(intent: Intent, session: Session) -> Draft | None:
    """What the minutes hold already: each with its moment, checked when they were written."""
    kind, corpus = _kind(intent), session.corpus
    claims: list[Claim] = []
    evidence: list[Evidence] = []
    for position, shelf in enumerate(corpus.shelves if kind else ()):
        first = int(np.flatnonzero(corpus.owner == position)[0]) if len(shelf.utterances) else 0
        for note in session.store.notes(shelf.meeting.id, kind):
            rows = [Found(first + i, 1.0, ("minutes",)) for i in note.utterances]
            owner = f"{note.owner}: " if note.owner and note.owner not in note.text else ""
            due = f" ({note.due})" if note.due and note.due not in note.text else ""
            places = tuple(range(len(evidence), len(evidence) + len(rows)))
            claims.append(Claim(f"{owner}{note.text.rstrip('.')}{due}.", places))
            evidence += [as_evidence(corpus, row) for row in rows]
    return Draft(tuple(claims), tuple(evidence), is_computed=True) if claims else None


def parts(corpus: Corpus, rows: Sequence[int]) -> list[list[int]]:
    """Cut rows into stretches of about equal speech, never across meetings."""
    found: list[list[int]] = []
    per_meeting = max(1, MOST_PARTS // max(1, len(corpus.shelves)))
    for position in range(len(corpus.shelves)):
        own = [row for row in rows if corpus.owner[row] == position]
        if not own:
            continue
        seconds = float(corpus.end[own[-1]] - corpus.start[own[0]])
        n = int(np.clip(round(seconds / PART_SECONDS), min(FEWEST_PARTS, per_meeting), per_meeting))
        totals = np.cumsum(corpus.n_words[own])
        marks = np.searchsorted(totals, np.linspace(0, totals[-1], n + 1)[1:-1])
        found += [list(part) for part in np.split(np.array(own), marks) if len(part)]
    return found[:MOST_PARTS]


def _telling(corpus: Corpus, part: Sequence[int]) -> list[Found]:
    """The utterances that say most about a part: long, and near the middle of its meaning."""
    rows = np.array(part)
    weight = np.log1p(np.minimum(corpus.n_words[rows], 60)).astype(np.float64)
    if corpus.windows.shape[1]:
        centre = corpus.windows[rows].mean(axis=0)
        weight = weight + 2.0 * (corpus.windows[rows] @ centre) / max(
            1e-6, float(np.linalg.norm(centre))
        )
    order = np.argsort(-weight, kind="stable")[:ROWS_PER_PART]
    return [Found(int(rows[i]), float(weight[i]), ("overview",)) for i in sorted(order)]


def _sentence(intent: Intent, evidence: Sequence[Evidence], session: Session) -> Draft:
    """One sentence about a part, with citations."""
    who = " and ".join(dict.fromkeys(intent.speakers))
    kind = _kind(intent)
    about = f"what does {who} say here?" if who else "what is this part about?"
    question = f"In one sentence: {_ASKED.get(kind, about)}"
    completion = session.pen.write(
        "answer",
        SENTENCE_TOKENS,
        cited_sentences([f"u{i}" for i in range(1, len(evidence) + 1)], 1, WAY_OUT),
        is_shown=True,
        lines="\n".join(lines_of(evidence, ())),
        question=question,
    )
    claims = cite(parse_draft(completion.text, len(evidence)), evidence, session.embedder)
    return Draft(claims, tuple(evidence))
