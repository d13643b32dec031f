"""A model as judge of answers, as the papers do it: right or wrong, and a mark from 0 to 10.

A judge is only as good as the model, so its agreement with exact gold (PlantedQA) is measured
and printed beside its verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.agent.synthesise import Pen
from engine.grammar import choice, grammar

_MARKS = tuple(str(mark) for mark in range(11))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of one answer.

    Attributes:
        is_right: Binary accuracy.
        mark: 0 to 10.
    """

    is_right: bool
    mark: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Means over many answers.

    Attributes:
        n: Answers.
        accuracy: Share judged right.
        mark: Mean mark, 0 to 10.
        agreement: Share where the judge agrees with exact gold, None without gold.
    """

    n: int
    accuracy: float
    mark: float
    agreement: float | None = None


def judge(question: str, reference: str, answer: str, pen: Pen) -> Judgement:
    """Compare an answer with its reference."""
    text = pen.write(
        "judge",
        8,
        grammar(
            {
                "root": f'{choice(("RIGHT", "WRONG"))} " " {choice(_MARKS)}',
            }
        ),
        question=question,
        reference=reference,
        answer=answer,
    ).text
    mark = re.search(r"\d+", text)
    return Judgement("RIGHT" in text, int(mark[0]) if mark else 0)


def judged(judgements: Sequence[Judgement], gold: Sequence[bool] = ()) -> Judged:
    """Average judgements; ``gold`` says for each whether the answer is right by rule."""
    n = len(judgements)
    if not n:
        return Judged(0, 0.0, 0.0)
    agreement = None
    if gold:
        same = [j.is_right == g for j, g in zip(judgements, gold, strict=True)]
        agreement = sum(same) / n
    return Judged(
        n, sum(j.is_right for j in judgements) / n, sum(j.mark for j in judgements) / n, agreement
    )
