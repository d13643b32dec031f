"""What every enrichment step gets, and how utterances look in a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.embed import Embedder
from engine.graph.store import Store
from engine.llm import ChatModel
from engine.prompts import LANGUAGES
from engine.types import Utterance

SHORTEST_WORDS = 5
"""Utterances with fewer words carry no fact of their own."""

_WORD = re.compile(r"\w+", re.UNICODE)
_NUMBER = re.compile(r"\d[\d.,:]*")


@dataclass(frozen=True, slots=True)
class Context:
    """One meeting and the tools to enrich it.

    Attributes:
        store: Open for writing.
        meeting_id: Whose.
        utterances: All of them, in order.
        chat: The language model.
        embedder: The text embedder.
        is_cancelled: Polled by long model calls.
        language: What the meeting is held in, ISO 639-1; "" if unknown.
    """

    store: Store
    meeting_id: str
    utterances: tuple[Utterance, ...]
    chat: ChatModel
    embedder: Embedder
    is_cancelled: Callable[[], bool]
    language: str = ""

    def in_its_language(self, lines: str) -> str:
        """What the model is shown, and the demand to write in the language it is in.

        The prompts and their examples are English; without a word a model answers in that.
        """
        if self.language in ("", "en"):
            return lines
        name = LANGUAGES.get(self.language, "the language of these lines")
        return f"{lines}\n\nWrite in {name}."


def words(text: str) -> list[str]:
    """Lower-case words of a text."""
    return _WORD.findall(text.lower())


def numbers(text: str) -> set[str]:
    """Numbers written in digits."""
    return {match.rstrip(".,:") for match in _NUMBER.findall(text)}


def is_informative(utterance: Utterance) -> bool:
    """Whether an utterance is long enough to carry a fact."""
    return len(words(utterance.text)) >= SHORTEST_WORDS


def numbered_line(utterance: Utterance) -> str:
    """An utterance as prompts show it."""
    return f"[u{utterance.index}] {utterance.speaker or 'Somebody'}: {utterance.text}"


def numbered_lines(utterances: Iterable[Utterance]) -> str:
    """Several, one a line."""
    return "\n".join(numbered_line(utterance) for utterance in utterances)


def fitting(
    utterances: Sequence[Utterance], chat: ChatModel, budget_tokens: int
) -> list[Utterance]:
    """Keep the longest utterances whose lines fit a budget, in order of time."""
    kept: list[Utterance] = []
    left = budget_tokens
    for utterance in sorted(utterances, key=lambda u: -len(u.text)):
        cost = chat.count_tokens(numbered_line(utterance)) + 1
        if is_informative(utterance) and cost <= left:
            kept.append(utterance)
            left -= cost
    return sorted(kept, key=lambda u: u.index)


def is_grounded(claim: str, source: str, least: float = 0.5) -> bool:
    """Whether a claim's longer words stand in its source, and all of its numbers do.

    Args:
        claim: What the model wrote.
        source: What was said.
        least: Share of the claim's words of four letters or more that the source must hold;
            words count as equal when their first five letters are.
    """
    said = {word[:5] for word in words(source)}
    content = [word[:5] for word in words(claim) if len(word) > 3]
    if not content or not numbers(claim) <= numbers(source):
        return False
    return sum(word in said for word in content) / len(content) >= least
