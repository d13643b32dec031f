"""The two things only the model can do with a question: complete it, translate it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.agent.synthesise import Pen
from engine.grammar import grammar, line

LONGEST_QUESTION = 200
"""Characters of a question that the model writes."""

SHOWN_ANSWER = 300
"""Characters of an earlier answer that the model sees."""


def completed(question: str, history: Sequence[tuple[str, str]], pen: Pen) -> str:
    """Make a follow-up question complete in itself, from the last turns of the chat.

    The question as asked is returned when the model's version loses its words.
    """
    chat = "\n".join(f"Q: {asked}\nA: {told[:SHOWN_ANSWER]}" for asked, told in history[-2:])
    written = pen.write(
        "complete", 60, grammar({"root": line(LONGEST_QUESTION)}), chat=chat, question=question
    ).text.strip()
    return written if len(written.split()) >= 3 else question


def translated(text: str, language: str, pen: Pen) -> str:
    """Put a question into another language; names and numbers stay as they are."""
    written = pen.write(
        "translate", 60, grammar({"root": line(LONGEST_QUESTION)}), text=text, language=language
    ).text.strip()
    return written or text
