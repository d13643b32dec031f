"""The action space: each tool is a function that makes a checked step of a plan.

Names, descriptions and arguments shown to a model are taken from these functions, so a prompt can
never name a tool that does not exist.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from engine.agent.schema import Step
from engine.types import Cue, Relation

Tool = Callable[..., Step]
_TOOLS: dict[str, Tool] = {}

DEFAULT_HITS = 200
"""Utterances a search hands to the steps after it."""


def tool(function: Tool) -> Tool:
    """Add a function to the action space."""
    _TOOLS[function.__name__] = function
    return function


@tool
def keyword_search(query: str, k: int = DEFAULT_HITS) -> Step:
    """Utterances that contain the words, best BM25 first."""
    return Step("keyword_search", {"query": query, "k": k})


@tool
def semantic_search(query: str, k: int = DEFAULT_HITS) -> Step:
    """Utterances that mean something similar, best cosine first."""
    return Step("semantic_search", {"query": query, "k": k})


@tool
def hybrid_search(query: str, k: int = DEFAULT_HITS, alpha: float = 0.6) -> Step:
    """Both searches fused (alpha is the share of meaning), stretches about the topic first."""
    return Step("hybrid_search", {"query": query, "k": k, "alpha": alpha})


@tool
def filter_time_range(start: float, end: float, inputs: Sequence[int] = ()) -> Step:
    """Keep what is said between two times in seconds."""
    return Step("filter_time_range", {"start": start, "end": end}, tuple(inputs))


@tool
def filter_speaker(speaker_ids: Sequence[int], inputs: Sequence[int] = ()) -> Step:
    """Keep what these speakers say."""
    return Step("filter_speaker", {"speaker_ids": tuple(speaker_ids)}, tuple(inputs))


@tool
def filter_acoustic(cues: Sequence[Cue], inputs: Sequence[int] = ()) -> Step:
    """Keep what sounded so, strongest first."""
    return Step("filter_acoustic", {"cues": tuple(cues)}, tuple(inputs))


@tool
def filter_event(labels: Sequence[str], inputs: Sequence[int] = ()) -> Step:
    """Keep what is said next to a sound that is not speech."""
    return Step("filter_event", {"labels": tuple(labels)}, tuple(inputs))


@tool
def traverse_relations(relation: Relation, depth: int = 1, inputs: Sequence[int] = ()) -> Step:
    """Add what is linked to the best so far; the way there is kept as evidence."""
    return Step("traverse_relations", {"relation": relation, "depth": depth}, tuple(inputs))


@tool
def replies(inputs: Sequence[int]) -> Step:
    """What somebody else said in reply to it, in its place; the way there is kept as evidence."""
    return Step("replies", {}, tuple(inputs))


@tool
def fuse(inputs: Sequence[int]) -> Step:
    """Join several results; what several of them found, or nearly, comes first."""
    return Step("fuse", {}, tuple(inputs))


@tool
def order(by: str, inputs: Sequence[int] = ()) -> Step:
    """Sort by time or by score."""
    return Step("order", {"by": by}, tuple(inputs))


@tool
def first(inputs: Sequence[int], n: int = 1) -> Step:
    """Keep the earliest."""
    return Step("first", {"n": n}, tuple(inputs))


@tool
def last(inputs: Sequence[int], n: int = 1) -> Step:
    """Keep the latest."""
    return Step("last", {"n": n}, tuple(inputs))


@tool
def count(inputs: Sequence[int]) -> Step:
    """Count them; all of them are the evidence."""
    return Step("count", {}, tuple(inputs))


@tool
def audio_segment(start: float, end: float, inputs: Sequence[int] = ()) -> Step:
    """Measure the recording itself between two times in seconds."""
    return Step("audio_segment", {"start": start, "end": end}, tuple(inputs))


def names() -> tuple[str, ...]:
    """All tools, in a fixed order."""
    return tuple(_TOOLS)


def described() -> str:
    """One line per tool for a prompt: name, arguments, what it does."""
    lines = []
    for name, function in _TOOLS.items():
        arguments = [p for p in inspect.signature(function).parameters if p != "inputs"]
        lines.append(f"{name}({', '.join(arguments)}): {(function.__doc__ or '').strip()}")
    return "\n".join(lines)
