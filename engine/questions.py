"""Questions drafted about a meeting, on their way from the model past the user to a set."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """The five kinds of question."""

    EXPLICIT = "explicit retrieval"
    MULTI_HOP = "multi-hop"
    TIME = "time awareness"
    AGGREGATION = "aggregation"
    CROSS_MODAL = "cross-modal"


class Review(StrEnum):
    """What the user decided."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question waiting for its review.

    Attributes:
        question: As drafted or edited.
        answer: Reference answer.
        category: Kind.
        evidence: Utterance indices.
        problem: What the mechanical check found; "" when the draft holds.
        review: The user's decision.
    """

    question: str
    answer: str
    category: Category
    evidence: tuple[int, ...]
    problem: str = ""
    review: Review = Review.OPEN
