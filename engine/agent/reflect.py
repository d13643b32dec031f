"""Draft -> verdict: mechanical checks, then the model's own reading of draft and evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.agent.evidence import lines_of
from engine.agent.schema import Draft, Intent
from engine.agent.synthesise import Pen
from engine.grammar import choice, grammar
from engine.types_answer import Verdict

PASS_MARK = 4
_SCORES = ("1", "2", "3", "4", "5")


def reflect(
    intent: Intent, draft: Draft, problems: Sequence[str], pen: Pen, is_several: bool
) -> Verdict:
    """Judge a draft.

    The model reads the same evidence with the same beginning of the prompt, so only the draft
    itself is new to it. It is lenient, so a mechanical problem always lowers its mark.

    Args:
        intent: The question.
        draft: What was written, with its citations.
        problems: What the mechanical checks found.
        pen: The model.
        is_several: The evidence is from several meetings.
    """
    if draft.is_computed:
        return Verdict(5, is_verified=True)
    lines = "\n".join(lines_of(draft.evidence, intent.terms, is_several))
    shown = " ".join(
        f"{claim.text} [{', '.join(f'u{i + 1}' for i in claim.evidence)}]" for claim in draft.claims
    )
    completion = pen.write(
        "reflect",
        3,
        grammar({"root": choice(_SCORES)}),
        lines=lines,
        question=intent.question,
        answer=shown,
    )
    mark = re.search(r"[1-5]", completion.text)
    score = int(mark[0]) if mark else 3
    if problems:
        score = min(score, PASS_MARK - 1)
    return Verdict(
        score,
        is_verified=score >= PASS_MARK and not problems,
        problems=tuple(problems),
        advice=advice_of(intent, draft, problems, score),
    )


def advice_of(intent: Intent, draft: Draft, problems: Sequence[str], score: int) -> str:
    """What the next search should look for as well; "" when the draft passed."""
    if score >= PASS_MARK and not problems:
        return ""
    missing = " ".join(term for term in intent.terms if term not in draft.text.lower())
    reason = "because reason" if intent.is_why else ""
    return f"{missing or intent.topic} {reason}".strip()
