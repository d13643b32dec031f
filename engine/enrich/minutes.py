"""Topics, decisions, action items and the summary: what minutes are made of.

The meeting is cut into stretches, each is read once within the model's budget (map), and the
summary is written from what was found (reduce). What the transcript does not carry is dropped:
a small model invents owners and dates readily.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine import grammar
from engine.enrich.context import Context, fitting, is_grounded, numbered_lines, numbers, words
from engine.enrich.segments import n_topics, topic_stretches
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Note, Topic, Utterance

LINES_TOKENS = 1100
"""Most tokens of transcript that one stretch puts into the prompt."""

_ITEM = re.compile(r"^(Decision|Action) \[u(\d+)\]: (.+)$")
_CITED = re.compile(r"\[t(\d+)\]")
_DUE = re.compile(
    r"\b(?:by|before|until|till|on|at|next|this|bis|vor|am|do|příští|tomorrow|zítra|morgen)\b.*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What the model found in one stretch."""

    title: str
    summary: str
    items: tuple[tuple[str, int, str], ...]


def find_minutes(context: Context, report: Report) -> None:
    """Write topics, decisions and action items of a meeting to the store."""
    store, meeting_id = context.store, context.meeting_id
    vectors = store.vectors(meeting_id, "utterance")
    minutes = context.utterances[-1].end / 60
    stretches = topic_stretches(vectors, context.utterances, n_topics(minutes))
    topics: list[Topic] = []
    found: dict[str, list[Note]] = {"decision": [], "action": []}
    for done, (first, last) in enumerate(stretches):
        report("topics and decisions", done, len(stretches))
        said = context.utterances[first : last + 1]
        stretch = _read_stretch(context, said)
        if stretch is None:
            continue
        topics.append(_topic(stretch, said))
        for kind, index, text in stretch.items:
            note = _note(context, kind, index, text)
            if note is not None:
                found[kind].append(note)
    store.save_topics(meeting_id, topics)
    for kind, notes in found.items():
        store.save_notes(meeting_id, kind, _distinct(notes))


def _read_stretch(context: Context, said: Sequence[Utterance]) -> _Stretch | None:
    lines = fitting(said, context.chat, LINES_TOKENS)
    if not lines:
        return None
    ids = grammar.choice(f"u{utterance.index}" for utterance in lines)
    rules = {
        "root": '"Title: " title "\\nSummary: " text "\\n" item{0,4} "Done"',
        "item": '("Decision [" | "Action [") id "]: " text "\\n"',
        "id": ids,
        "title": grammar.line(70),
        "text": grammar.line(220),
    }
    reply = context.chat.complete(
        conversation("enrich_minutes", lines=numbered_lines(lines)),
        grammar=grammar.grammar(rules),
        max_tokens=320,
        is_cancelled=context.is_cancelled,
    )
    return _parsed(reply.text)


def _parsed(text: str) -> _Stretch | None:
    """Read the model's lines; a reply cut short gives what is whole in it."""
    lines = text.splitlines()
    if len(lines) < 2:
        return None
    items = tuple(
        (match[1].lower(), int(match[2]), match[3].strip())
        for match in map(_ITEM.match, lines[2:])
        if match
    )
    return _Stretch(
        lines[0].removeprefix("Title: ").strip(" ."),
        lines[1].removeprefix("Summary: ").strip(),
        items,
    )


def _topic(stretch: _Stretch, said: Sequence[Utterance]) -> Topic:
    """The topic, without its summary where that claims what was not said."""
    source = " ".join(f"{u.speaker} {u.text}" for u in said)
    summary = stretch.summary if is_grounded(stretch.summary, source) else ""
    return Topic(stretch.title, said[0].start, said[-1].end, summary)


def _note(context: Context, kind: str, index: int, text: str) -> Note | None:
    """A decision or action item, if what was said around its line bears it out."""
    around = context.utterances[max(0, index - 1) : index + 2]
    source = " ".join(f"{u.speaker} {u.text}" for u in around)
    if not is_grounded(text, source):
        return None
    line = context.utterances[index]
    owner = _owner(text, line, context.utterances) if kind == "action" else ""
    due = _due(text, source) if kind == "action" else ""
    return Note(
        kind=kind,
        text=text,
        start=line.start,
        end=line.end,
        owner=owner,
        due=due,
        utterances=(index,),
        source=context.chat.model_id,
    )


def _owner(text: str, line: Utterance, utterances: Sequence[Utterance]) -> str:
    """The person the item names, or the one who says "I" in its line; else nobody."""
    for name in sorted({u.speaker for u in utterances if u.speaker}, key=len, reverse=True):
        if text.lower().startswith(name.lower()):
            return name
    is_promise = {"i", "ich", "já", "i'll"} & set(words(line.text))
    return line.speaker if is_promise else ""


def _due(text: str, source: str) -> str:
    """The time an item names, if every word of it was said."""
    match = _DUE.search(text)
    if match is None:
        return ""
    phrase = match[0].strip(" .")
    is_said = set(words(phrase)) <= set(words(source)) and numbers(phrase) <= numbers(source)
    return phrase if is_said else ""


def _distinct(notes: Sequence[Note]) -> list[Note]:
    """Drop a note that says again what one of the same line says."""
    seen: set[tuple[int, ...]] = set()
    kept = []
    for note in notes:
        if note.utterances not in seen:
            seen.add(note.utterances)
            kept.append(note)
    return kept


def write_summary(context: Context, report: Report) -> None:
    """Write the summary of the whole meeting from its topics, each sentence with its moments."""
    topics = [topic for topic in context.store.topics(context.meeting_id) if topic.summary]
    if not topics:
        context.store.save_notes(context.meeting_id, "summary", [])
        return
    report("summary", 0, 1)
    topics = topics[:40]
    lines = "\n".join(f"[t{i}] {t.title}: {t.summary}" for i, t in enumerate(topics, 1))
    rules = {
        "root": "sentence{1,5}",
        "sentence": 'text " " cite{1,3} "\\n"',
        "cite": '"[" id "]"',
        "id": grammar.choice(f"t{i}" for i in range(1, len(topics) + 1)),
        "text": grammar.line(240),
    }
    reply = context.chat.complete(
        conversation("enrich_summary", lines=lines),
        grammar=grammar.grammar(rules),
        max_tokens=360,
        is_cancelled=context.is_cancelled,
    )
    notes = [_summary_note(context, line, topics) for line in reply.text.splitlines() if line]
    kept = [note for note in notes if note is not None]
    context.store.save_notes(context.meeting_id, "summary", kept)


def _summary_note(context: Context, line: str, topics: Sequence[Topic]) -> Note | None:
    """One sentence of the summary with the utterances that fit it best in its topics."""
    cited = [topics[int(i) - 1] for i in _CITED.findall(line) if 0 < int(i) <= len(topics)]
    text = _CITED.sub("", line).strip()
    if not cited or not is_grounded(text, " ".join(f"{t.title} {t.summary}" for t in topics)):
        return None
    inside = [
        u
        for u in context.utterances
        if any(t.start <= u.start <= t.end for t in cited) and len(words(u.text)) > 3
    ]
    if not inside:
        return None
    indices = _closest(context, text, inside, n=3)
    return Note(
        kind="summary",
        text=text,
        start=context.utterances[indices[0]].start,
        end=context.utterances[indices[-1]].end,
        utterances=indices,
        source=context.chat.model_id,
    )


def _closest(
    context: Context, text: str, candidates: Sequence[Utterance], n: int
) -> tuple[int, ...]:
    """Indices of the candidates whose meaning is nearest to a text, ascending."""
    vectors = context.store.vectors(context.meeting_id, "utterance")
    query = context.embedder.encode([text])[0]
    scores = vectors[[u.index for u in candidates]] @ query
    best = np.argsort(-scores, kind="stable")[:n]
    return tuple(sorted(candidates[int(i)].index for i in best))
