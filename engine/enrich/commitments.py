"""Decisions and action items, each with its moment, owner and date as they were said.

Lines that commit somebody are found by their words; the model only puts each into the form of
minutes, from the lines around it, and where it strays the line itself stands. Asked to find the
commitments by itself, the small model found one of six in the sample meeting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine import grammar
from engine.enrich.context import Context, fitting, is_grounded, numbered_lines, numbers, words
from engine.graph.lexicon import is_question
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Note, Utterance

LINES_BEFORE = 2
LINES_TOKENS = 260
GROUNDED = 0.6
"""Share of a note's longer words that its line and the lines before must hold."""

# How people commit themselves, in the languages the window speaks and German.
_ACTION = re.compile(
    r"\bi(?:'ll|’ll| will| promise| am going to|'m going to)\b(?! (?:be|come|go|see|say|think|"
    r"wait|stop|start|repeat|not)\b)|\bich (?:werde|mache|schicke|kümmere|übernehme|schreibe|rufe|"
    r"spreche|sende|bringe|besorge|prüfe|kläre|bereite|organisiere|erledige)\b|"
    r"\b(?:slib\w+|zařídím|udělám|pošlu|připravím|napíšu)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\bagreed\b|\b(?:we(?:'ve| have)?|it is|that is) (?:decided?|agreed?|settled)\b|"
    r"\bdecision is\b|\bmade up my mind\b|\b(?:then|so|therefore|instead,?) we "
    r"(?!(?:can|could|might|had|were|did|do|are|should|go on|need)\b)|"
    r"\bwe (?:will|won't) (?!(?:be|come|go|see|talk|wait)\b)|\bwe (?:remove|drop|keep|take|choose|"
    r"print|build|buy|cancel|postpone|go with)\b|\b(?:beschlossen|abgemacht)\b|"
    r"\b(?:dann|also) (?:nehmen|machen) wir\b|\bwir (?:nehmen|streichen|behalten|kaufen|bauen|"
    r"verschieben|entscheiden uns|einigen uns)\b|"
    r"\b(?:rozhodli|dohodli|domluveno|schváleno|platí)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。？！]+[.!?。？！]*")
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


def commitment_kind(text: str) -> str:
    """What a line sounds like: ``action``, ``decision`` or "" ; questions do not commit."""
    if _committing(text, _ACTION):
        return "action"
    return "decision" if _committing(text, _DECISION) else ""


def _committing(text: str, pattern: re.Pattern[str]) -> str:
    """The first sentence of a line in which somebody commits, and what follows it, or ""."""
    stated = [part for part in _SENTENCE.findall(text) if not is_question(part)]
    first = next((i for i, part in enumerate(stated) if pattern.search(part)), None)
    return "" if first is None else "".join(stated[first:]).strip()


def find_commitments(context: Context, report: Report) -> None:
    """Write decisions and action items of a meeting to the store."""
    lines = [u for u in context.utterances if commitment_kind(u.text) and len(words(u.text)) > 3]
    minutes = context.utterances[-1].end / 60
    # In a long talkative meeting the fullest lines are read, so that the time stays bounded.
    most = 12 + round(1.5 * minutes)
    lines = sorted(sorted(lines, key=lambda u: -len(u.text))[:most], key=lambda u: u.index)
    found: dict[str, list[Note]] = {"decision": [], "action": []}
    for done, line in enumerate(lines):
        report("decisions and action items", done, len(lines))
        note = _note(context, line)
        found[note.kind].append(note)
    for kind, notes in found.items():
        context.store.save_notes(context.meeting_id, kind, notes)


def _note(context: Context, line: Utterance) -> Note:
    """Have a line put as minutes put it, and keep that if the lines bear it out."""
    kind = commitment_kind(line.text)
    first = max(0, line.index - LINES_BEFORE)
    around = fitting(context.utterances[first : line.index], context.chat, LINES_TOKENS)
    start = grammar.literal("Action: " if kind == "action" else "Decision: ")
    reply = context.chat.complete(
        conversation(
            "enrich_commitment",
            lines=context.in_its_language(numbered_lines([*around, line])),
            index=str(line.index),
        ),
        grammar=grammar.grammar({"root": f"{start} text", "text": grammar.line(160)}),
        max_tokens=50,
        is_cancelled=context.is_cancelled,
    )
    text = reply.text.partition(": ")[2].strip()
    source = " ".join(f"{u.speaker} {u.text}" for u in (*around, line))
    is_action = kind == "action"
    said = _committing(line.text, _ACTION if is_action else _DECISION)
    named = {u.speaker for u in context.utterances if u.speaker and u.speaker in text}
    # A decision of all that the model hands to one person is put back as it was said.
    is_misattributed = not is_action and any(name not in said for name in named)
    if not text or is_misattributed or not is_grounded(text, source, GROUNDED):
        text = said
    return Note(
        kind=kind,
        text=text,
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
