"""Decisions and action items, each with its moment, owner and date as they were said.

Lines that sound like a commitment are found by their words, and the model judges each with the
lines around it. Asked to find commitments in a whole stretch instead, the small model missed most
and invented others (sample meeting: one of five found, two invented).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine import grammar
from engine.enrich.context import Context, fitting, is_grounded, numbered_lines, numbers, words
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Note, Utterance

LINES_BEFORE = 2
LINES_TOKENS = 260
GROUNDED = 0.65
"""Share of a note's longer words that its line and the lines before must hold."""

# How people commit themselves, in the languages the window speaks and German.
_COMMITMENT = re.compile(
    r"\b(?:agreed|decided?|decision|settled|let us|let's|then we|so we|we (?:will|won't|take|keep|"
    r"go|build|make|print|use|buy|remove|drop|need to|have to|should)|made up my mind|i(?:'ll|’ll| "
    r"will| promise| can do| am going to|'m going to)|(?:can|could|will|would) you|please|by "
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next|the)|"
    r"beschlossen|abgemacht|einverstanden|wir (?:werden|nehmen|machen)|ich (?:werde|mache|kümmere)|"
    r"rozhod\w+|dohod\w+|domluv\w+|platí|slib\w+|zařídím|udělám|pošlu|připravím)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:by|before|until|till|on|at|next|this|bis|vor|am|do|příští|tomorrow|zítra|morgen)\b.*$",
    re.IGNORECASE,
)
_DAY_OR_NUMBER = re.compile(
    r"\d|day\b|week|month|year|tomorrow|noon|morning|january|february|march|april|may|june|july|"
    r"august|september|october|november|december|tag\b|woche|monat|montag|zítra|pondělí|úterý|"
    r"střed|čtvrt|pátk|sobot|neděl|týden|měsíc",
    re.IGNORECASE,
)


def sounds_committed(text: str) -> bool:
    """Whether a line is worth judging."""
    return _COMMITMENT.search(text) is not None and not text.rstrip().endswith("?")


def find_commitments(context: Context, report: Report) -> None:
    """Write decisions and action items of a meeting to the store."""
    lines = [u for u in context.utterances if sounds_committed(u.text) and len(words(u.text)) > 3]
    minutes = context.utterances[-1].end / 60
    # In a long talkative meeting the fullest lines are judged, so that the time stays bounded.
    most = 12 + round(1.5 * minutes)
    lines = sorted(sorted(lines, key=lambda u: -len(u.text))[:most], key=lambda u: u.index)
    found: dict[str, list[Note]] = {"decision": [], "action": []}
    for done, line in enumerate(lines):
        report("decisions and action items", done, len(lines))
        note = _judged(context, line)
        if note is not None:
            found[note.kind].append(note)
    for kind, notes in found.items():
        context.store.save_notes(context.meeting_id, kind, notes)


def _judged(context: Context, line: Utterance) -> Note | None:
    """Ask what happens in a line, and keep the reply if the lines bear it out."""
    first = max(0, line.index - LINES_BEFORE)
    around = fitting(context.utterances[first : line.index], context.chat, LINES_TOKENS)
    rules = {
        "root": '"Neither" | ("Decision: " | "Action: ") text',
        "text": grammar.line(160),
    }
    reply = context.chat.complete(
        conversation(
            "enrich_commitment", lines=numbered_lines([*around, line]), index=str(line.index)
        ),
        grammar=grammar.grammar(rules),
        max_tokens=50,
        is_cancelled=context.is_cancelled,
    )
    kind, _, text = reply.text.partition(": ")
    source = " ".join(f"{u.speaker} {u.text}" for u in (*around, line))
    if not text or not is_grounded(text, source, GROUNDED):
        return None
    is_action = kind == "Action"
    return Note(
        kind="action" if is_action else "decision",
        text=text.strip(),
        start=line.start,
        end=line.end,
        owner=owner(text, line, context.utterances) if is_action else "",
        due=due(text, source) if is_action else "",
        utterances=(line.index,),
        source=context.chat.model_id,
    )


def owner(text: str, line: Utterance, utterances: Sequence[Utterance]) -> str:
    """The person an item names, or the one who says "I" in its line; else nobody."""
    for name in sorted({u.speaker for u in utterances if u.speaker}, key=len, reverse=True):
        if text.lower().startswith(name.lower()):
            return name
    is_promise = {"i", "ich", "já"} & set(words(line.text))
    return line.speaker if is_promise else ""


def due(text: str, source: str) -> str:
    """The time an item names, if every word of it was said."""
    match = _DUE.search(text)
    if match is None or not _DAY_OR_NUMBER.search(match[0]):
        return ""
    phrase = match[0].strip(" .")
    is_said = set(words(phrase)) <= set(words(source)) and numbers(phrase) <= numbers(source)
    return phrase if is_said else ""
