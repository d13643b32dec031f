"""Draft questions about a meeting, so that people can measure the product on their own meetings.

The model reads a stretch of the transcript and writes one question with its answer and evidence.
Each draft is checked mechanically before anybody sees it; the user accepts, edits or discards it;
accepted ones are written in the form of the neutral question sets and can be evaluated like these.

Source:
    GRGA, section 2 (question construction); the five categories of LongAudioQA.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.agent.corpus import Corpus, corpus_of
from engine.agent.evidence import as_evidence, fit, lines_of
from engine.agent.execute import Found
from engine.agent.overview import parts
from engine.agent.support import content_stems, numbers_in, support_matrix
from engine.agent.synthesise import Pen
from engine.embed import Embedder
from engine.errors import EngineError
from engine.grammar import choice, grammar, line
from engine.graph.store import Store
from engine.questions import Category, DraftQuestion, Review
from engine.types_answer import Evidence

STRETCH_TOKENS = 420
DRAFT_TOKENS = 110
ENTAILED = 0.45
"""Least support of an answer by its evidence."""


def draft_questions(
    store: Store, meeting_id: str, embedder: Embedder, pen: Pen, n: int
) -> list[DraftQuestion]:
    """Draft up to ``n`` questions from stretches all over a meeting.

    Raises:
        MeetingNotFound: There is no such meeting.
        Cancelled: The user asked to stop.
    """
    corpus = corpus_of(store, [meeting_id])
    stretches = parts(corpus, [r for r in range(len(corpus)) if corpus.n_words[r] >= 4])
    categories = list(Category)
    drafts: list[DraftQuestion] = []
    for number in range(n if stretches else 0):
        pen.report("questions", number, n)
        stretch = stretches[number % len(stretches)]
        offset = (number // len(stretches)) * 8 % max(1, len(stretch))
        draft = _draft(corpus, stretch[offset : offset + 12], categories[number % 5], pen, embedder)
        if draft is not None and all(draft.question != other.question for other in drafts):
            drafts.append(draft)
    return drafts


def _draft(
    corpus: Corpus, rows: Sequence[int], category: Category, pen: Pen, embedder: Embedder
) -> DraftQuestion | None:
    """One question about a stretch."""
    items = [as_evidence(corpus, Found(row, 1.0, ())) for row in rows]
    evidence, _ = fit(items, (), pen.chat.count_tokens, STRETCH_TOKENS)
    if not evidence:
        return None
    ids = [f"u{i}" for i in range(1, len(evidence) + 1)]
    form = grammar(
        {
            "root": '"Q: " text "\\nA: " text " [" id (", " id){0,3} "]"',
            "text": line(160),
            "id": choice(ids),
        }
    )
    text = pen.write(
        "question",
        DRAFT_TOKENS,
        form,
        lines="\n".join(lines_of(evidence, ())),
        category=category.value,
    ).text
    match = re.match(r"Q: (.+)\nA: (.+?) \[([u\d, ]+)\]", text)
    if match is None:
        return None
    places = [int(i) - 1 for i in re.findall(r"\d+", match[3])]
    cited = [evidence[i] for i in dict.fromkeys(places) if 0 <= i < len(evidence)]
    draft = DraftQuestion(
        match[1].strip(),
        match[2].strip(),
        category,
        tuple(item.utterance.index for item in cited),
    )
    return replace(draft, problem=problem_of(draft, cited, embedder))


def problem_of(draft: DraftQuestion, cited: Sequence[Evidence], embedder: Embedder) -> str:
    """What is wrong with a draft: its answer must stand in its evidence, not in its question."""
    if not cited:
        return "no utterance is given as evidence"
    said = " ".join(f"{e.utterance.speaker} {e.utterance.text}" for e in cited)
    if numbers_in(draft.answer) - numbers_in(said):
        return "a number of the answer is not in the evidence"
    support = float(support_matrix([draft.answer], cited, embedder).max())
    if support < ENTAILED:
        return f"the evidence hardly supports the answer ({support:.2f})"
    new = content_stems(draft.answer) - content_stems(draft.question)
    return "" if new else "the question gives its own answer"


def exported(store: Store, meeting_id: str, drafts: Sequence[DraftQuestion]) -> dict[str, Any]:
    """Accepted questions with their meeting in the form of the neutral question sets."""
    meeting = store.meeting(meeting_id)
    utterances = store.utterances(meeting.id)
    accepted = [draft for draft in drafts if draft.review is Review.ACCEPTED]
    return {
        "id": meeting.id,
        "domain": "own",
        "times": "real",
        "language": meeting.language or "en",
        "duration": meeting.duration,
        "utterances": [
            {"i": u.index, "speaker": u.speaker, "start": u.start, "end": u.end, "text": u.text}
            for u in utterances
        ],
        "questions": [
            {
                "id": f"{meeting.id}-q{number:02d}",
                "question": draft.question,
                "type": draft.category.value,
                "scope": "specific",
                "origin": "drafted",
                "answer": draft.answer,
                "evidence": [[i, i] for i in draft.evidence],
                "evidence_core": [[i, i] for i in draft.evidence],
                "evidence_support": [],
                "claims": [
                    {
                        "claim": draft.answer,
                        "core": [{"i": i} for i in draft.evidence],
                        "support": [],
                    }
                ],
            }
            for number, draft in enumerate(accepted, 1)
        ],
        "unanswerable": [],
    }


def export_questions(
    store: Store, meeting_id: str, drafts: Sequence[DraftQuestion], path: Path
) -> Path:
    """Write accepted questions to a file that ``evaluate`` reads.

    Raises:
        EngineError: The file cannot be written.
    """
    content = json.dumps(exported(store, meeting_id, drafts), ensure_ascii=False, indent=1)
    try:
        path.write_text(content, "utf-8")
    except OSError as error:
        raise EngineError(f"The file {path} cannot be written.", error.strerror or "") from error
    return path
