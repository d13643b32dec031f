"""From the agent's own nouns to what the user sees: answers, citations, a readable trace."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from engine.agent.evidence import excerpt
from engine.agent.schema import Draft, Intent
from engine.types_answer import Citation, Evidence, Sentence

NOT_SAID = {
    "en": "That was not said in this meeting",
    "cs": "To na této schůzce nezaznělo",
    "sk": "To na tomto stretnutí nezaznelo",
    "de": "Das wurde in dieser Besprechung nicht gesagt",
    "fr": "Cela n’a pas été dit dans cette réunion",
    "es": "Eso no se dijo en esta reunión",
    "pl": "Tego nie powiedziano na tym spotkaniu",
}
QUOTE_WORDS = 60


def not_said(language: str, reason: str) -> str:
    """Say plainly that the meeting does not tell, and why."""
    plain = NOT_SAID.get(language, NOT_SAID["en"])
    return f"{plain}: {reason}." if reason else f"{plain}."


def citation(item: Evidence, intent: Intent) -> Citation:
    """The moment of an utterance."""
    utterance = item.utterance
    return Citation(
        item.meeting_id,
        utterance.index,
        utterance.start,
        utterance.end,
        utterance.speaker,
        excerpt(utterance.text, intent.terms, QUOTE_WORDS),
    )


def sentences(draft: Draft, intent: Intent, is_verified: bool) -> tuple[Sentence, ...]:
    """The sentences of an answer, each with its moments."""
    if draft.is_abstention:
        return (Sentence(not_said(intent.language, draft.reason)),)
    written = [
        Sentence(
            claim.text,
            tuple(citation(draft.evidence[i], intent) for i in claim.evidence),
            is_supported=bool(claim.evidence) and (is_verified or claim.support >= 0.4),
        )
        for claim in draft.claims
    ]
    return tuple(written)


def related(draft: Draft, intent: Intent) -> tuple[Citation, ...]:
    """Moments that were found and may help, but that no sentence rests on."""
    if draft.is_abstention or draft.is_computed:
        return ()
    used = {i for claim in draft.claims for i in claim.evidence}
    beside = (item for i, item in enumerate(draft.evidence) if i not in used)
    return tuple(citation(item, intent) for item in beside)


def shown(value: object) -> Any:
    """A value of the agent as plain data for the trace: no defaults, short texts."""
    if isinstance(value, Evidence):
        utterance = value.utterance
        return {
            "meeting": value.meeting_id,
            "utterance": utterance.index,
            "start": utterance.start,
            "end": utterance.end,
            "speaker": utterance.speaker,
            "text": excerpt(utterance.text, (), QUOTE_WORDS),
            "score": round(value.score, 3),
            "path": " ".join(value.path),
            "note": value.note,
        }
    if isinstance(value, StrEnum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {name: shown(v) for name, v in fields.items() if v not in ((), "", None, {})}
    if isinstance(value, Mapping):
        return {str(key): shown(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    if isinstance(value, float):
        return round(value, 3)
    return value
