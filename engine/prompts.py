"""Prompts: text files in ``resources/prompts``, never strings in code.

A file is a conversation. Lines ``--- system``, ``--- user`` and ``--- assistant`` begin its turns;
``{{name}}`` marks what is filled in. Whatever stays the same comes first in a file, so that the
model's state for it is reused from call to call.
"""

from __future__ import annotations

import re
from functools import cache

from engine import paths
from engine.llm import Message

LANGUAGES = {
    "en": "English", "cs": "Czech", "sk": "Slovak", "de": "German", "fr": "French",
    "es": "Spanish", "pl": "Polish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "ru": "Russian", "uk": "Ukrainian", "zh": "Chinese", "ja": "Japanese", "ko": "Korean",
}  # fmt: skip
"""ISO 639-1 codes and what a model calls them."""

_TURN = re.compile(r"^--- (system|user|assistant)[ ]*\n", re.MULTILINE)
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def names() -> list[str]:
    """The prompts there are."""
    return sorted(path.stem for path in paths.resource("prompts").glob("*.md"))


def conversation(name: str, **values: str) -> tuple[Message, ...]:
    """Return the prompt ``name`` with its slots filled.

    Values are put in as they are: text of a transcript cannot open a slot or a turn.

    Args:
        name: File name without its ending.
        **values: One for every slot of the file, and no others.

    Raises:
        ValueError: The slots and the values differ; a fault of the caller.
    """
    turns = _turns(name)
    slots = {slot for _, text in turns for slot in _SLOT.findall(text)}
    if slots != set(values):
        raise ValueError(f"Prompt {name} has the slots {sorted(slots)}, got {sorted(values)}.")
    return tuple(
        Message(role, _SLOT.sub(lambda match: values[match[1]], text)) for role, text in turns
    )


@cache
def _turns(name: str) -> tuple[tuple[str, str], ...]:
    """(role, text) of each turn of a file."""
    text = paths.resource(f"prompts/{name}.md").read_text("utf-8")
    parts = _TURN.split(text)[1:]
    return tuple((role, body.strip()) for role, body in zip(parts[::2], parts[1::2], strict=True))
