"""Speaker profiles: role, stance and relations, each with the utterances that show it."""

from __future__ import annotations

import re
from collections import Counter

from engine import grammar
from engine.enrich.context import Context, fitting, is_grounded, numbered_lines, words
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Note, Relation, Speaker, Utterance

LINES_TOKENS = 400
"""Most tokens of one speaker's words that are read."""

_FINDING = re.compile(r"^(Role|Stance) \[u(\d+)\]: (.+)$")
_PRONOUNS = {
    "she": "referred to as she",
    "her": "referred to as she",
    "he": "referred to as he",
    "him": "referred to as he",
    "his": "referred to as he",
}


def find_profiles(context: Context, report: Report) -> None:
    """Write the profile of every speaker to the store."""
    speakers = context.store.speakers(context.meeting_id)
    notes: list[Note] = []
    for done, speaker in enumerate(speakers):
        report("profiles", done, len(speakers))
        said = [u for u in context.utterances if u.speaker_id == speaker.id]
        notes += _stated(context, speaker, said)
        notes += _relations(context, speaker)
        notes += _gender(context, speaker)
    context.store.save_notes(context.meeting_id, "profile", notes)


def _stated(context: Context, speaker: Speaker, said: list[Utterance]) -> list[Note]:
    """Role and stance as the speaker's own words show them."""
    lines = fitting(said, context.chat, LINES_TOKENS)
    if not lines:
        return []
    rules = {
        "root": 'role{0,1} stance{0,3} "Done"',
        "role": '"Role [" id "]: " text "\\n"',
        "stance": '"Stance [" id "]: " text "\\n"',
        "id": grammar.choice(f"u{utterance.index}" for utterance in lines),
        "text": grammar.line(160),
    }
    reply = context.chat.complete(
        conversation(
            "enrich_profile",
            speaker=speaker.name,
            lines=context.in_its_language(numbered_lines(lines)),
        ),
        grammar=grammar.grammar(rules),
        max_tokens=200,
        is_cancelled=context.is_cancelled,
    )
    notes = []
    for match in filter(None, map(_FINDING.match, reply.text.splitlines())):
        utterance = context.utterances[int(match[2])]
        if is_grounded(match[3], f"{speaker.name} {utterance.text}", least=0.4):
            text = f"{match[1]}: {match[3].strip()}"
            notes.append(_note(context, speaker, text, (utterance.index,)))
    return notes


def _relations(context: Context, speaker: Speaker) -> list[Note]:
    """Whom the speaker answers most, counted from the reply edges."""
    edges = context.store.edges(context.meeting_id, Relation.REPLY_TO)
    answered: Counter[str] = Counter()
    examples: dict[str, list[int]] = {}
    for edge in edges:
        reply, said = context.utterances[edge.source], context.utterances[edge.target]
        if reply.speaker_id == speaker.id and said.speaker:
            answered[said.speaker] += 1
            examples.setdefault(said.speaker, []).append(reply.index)
    if not answered:
        return []
    other, count = answered.most_common(1)[0]
    text = f"Relation: answers {other} most ({count} of {answered.total()} replies)"
    return [_note(context, speaker, text, tuple(examples[other][:5]))]


def _gender(context: Context, speaker: Speaker) -> list[Note]:
    """How others refer to the speaker; never guessed from the voice."""
    if not speaker.is_named:
        return []
    name = speaker.name.split()[0].lower()
    found: dict[str, list[int]] = {}
    for utterance in context.utterances:
        said = words(utterance.text)
        if utterance.speaker_id == speaker.id or name not in said:
            continue
        after = said[said.index(name) + 1 :]
        meant = next((_PRONOUNS[word] for word in after if word in _PRONOUNS), None)
        if meant:
            found.setdefault(meant, []).append(utterance.index)
    if len(found) != 1:
        return []
    meant, indices = next(iter(found.items()))
    return [_note(context, speaker, f"Gender: {meant}", tuple(indices[:3]))]


def _note(context: Context, speaker: Speaker, text: str, indices: tuple[int, ...]) -> Note:
    first, last = context.utterances[indices[0]], context.utterances[indices[-1]]
    return Note(
        kind="profile",
        text=text,
        owner=speaker.name,
        start=first.start,
        end=last.end,
        utterances=indices,
        source=context.chat.model_id,
    )
