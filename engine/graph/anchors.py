"""Carrying the user's work from one transcript to the next by its place in the audio.

Indices and cluster numbers change when a meeting is heard again; seconds do not. Pure
functions over values, apart from ``move_notes``.
"""

from __future__ import annotations

import difflib
import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.graph.database import Database
from engine.graph.lexicon import folded
from engine.types import Utterance, Word

# Shares of an utterance's time.
MOSTLY = 0.5
WHOLLY = 0.6


@dataclass(frozen=True, slots=True)
class Voice:
    """A speaker of one transcript.

    Attributes:
        cluster: Number the diarization gave, or the key in the store.
        name: Shown to the user.
        is_named: The user (or an imported transcript) gave the name.
        is_merged: The user put several clusters together here.
        colour: Index into the palette.
    """

    cluster: int | None
    name: str
    is_named: bool = False
    is_merged: bool = False
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Transcript:
    """Utterances with what the user did to them.

    Attributes:
        utterances: ``speaker_id`` is a key of ``speakers``.
        heard: What the recogniser wrote, by index, where the user changed it.
        pinned: Indices whose speaker the user set.
        speakers: By key; keys of fresh speakers are negative, those of the store positive.
    """

    utterances: list[Utterance]
    heard: dict[int, str] = field(default_factory=dict)
    pinned: frozenset[int] = frozenset()
    speakers: dict[int, Voice] = field(default_factory=dict)


def fresh(utterances: Sequence[Utterance]) -> Transcript:
    """Number a new transcript and its speakers; unknown speakers stay None."""
    keys: dict[int | str, int] = {}
    speakers: dict[int, Voice] = {}
    numbered = []
    for index, utterance in enumerate(utterances):
        cluster, name = utterance.speaker_id, utterance.speaker.strip()
        identity: int | str | None = cluster if cluster is not None else name or None
        key = None
        if identity is not None:
            key = keys.setdefault(identity, -1 - len(keys))
            if key not in speakers:
                shown = name or f"Speaker {len(speakers) + 1}"
                speakers[key] = Voice(cluster, shown, is_named=bool(name))
        numbered.append(replace(utterance, index=index, speaker_id=key))
    return Transcript(numbered, speakers=speakers)


def carry_over(old: Transcript, new: Transcript) -> Transcript:
    """Apply the user's work on ``old`` to ``new``."""
    return _keep_texts(old, _keep_pins(old, _keep_names(old, new)))


def overlap(a: Utterance, b: Utterance) -> float:
    """Seconds shared by two utterances."""
    return max(0.0, min(a.end, b.end) - max(a.start, b.start))


class Placed:
    """Utterances by their time, to look up what shares time with a stretch."""

    def __init__(self, utterances: Sequence[Utterance]) -> None:
        # Sorted anew: an imported transcript need not ascend.
        self._order = sorted(range(len(utterances)), key=lambda i: utterances[i].start)
        self._utterances = [utterances[i] for i in self._order]
        self._starts = [u.start for u in self._utterances]
        self._longest = max((u.end - u.start for u in utterances), default=0.0)

    def overlapping(self, utterance: Utterance) -> list[int]:
        """Indices of those that share time with an utterance."""
        first = bisect_left(self._starts, utterance.start - self._longest)
        last = bisect_left(self._starts, utterance.end)
        return [
            self._order[i]
            for i in range(first, last)
            if self._utterances[i].end > utterance.start
            and overlap(utterance, self._utterances[i]) > 0
        ]

    def best(self, utterance: Utterance) -> int | None:
        """Index of the one that shares most time; None when none does."""
        first = bisect_left(self._starts, utterance.start - self._longest)
        last = bisect_left(self._starts, utterance.end)
        shares = [(overlap(utterance, self._utterances[i]), -i) for i in range(first, last)]
        seconds, place = max(shares, default=(0.0, 0))
        return self._order[-place] if seconds > 0 else None


def best_match(utterance: Utterance, others: Sequence[Utterance]) -> int | None:
    """Index of the utterance that shares most time; None when none does."""
    return Placed(others).best(utterance)


def _keep_names(old: Transcript, new: Transcript) -> Transcript:
    """Give each new speaker the old one with whom it shares most time."""
    matched = _matched_speakers(old, new)
    names = {old.speakers[key].name for key in matched.values()}
    speakers: dict[int, Voice] = {}
    for key, voice in new.speakers.items():
        if key in matched:
            speakers[matched[key]] = old.speakers[matched[key]]
            continue
        name, number = voice.name, len(new.speakers)
        while name in names:
            number += 1
            name = f"Speaker {number}"
        names.add(name)
        speakers[key] = replace(voice, name=name)
    utterances = []
    for utterance in new.utterances:
        if utterance.speaker_id is None:
            utterances.append(utterance)
            continue
        owner = matched.get(utterance.speaker_id, utterance.speaker_id)
        utterances.append(replace(utterance, speaker_id=owner, speaker=speakers[owner].name))
    return replace(new, utterances=utterances, speakers=speakers)


def _matched_speakers(old: Transcript, new: Transcript) -> dict[int, int]:
    """Pair new speakers with old ones, one to one, by the time they share.

    Several new speakers may fall to one old speaker only where the user had merged clusters.
    """
    shared: dict[tuple[int, int], float] = defaultdict(float)
    spoken: dict[int, float] = defaultdict(float)
    placed = Placed(old.utterances)
    for utterance in new.utterances:
        if utterance.speaker_id is None:
            continue
        spoken[utterance.speaker_id] += utterance.end - utterance.start
        for position in placed.overlapping(utterance):
            other = old.utterances[position]
            if other.speaker_id is not None:
                pair = (utterance.speaker_id, other.speaker_id)
                shared[pair] += overlap(utterance, other)
    matched: dict[int, int] = {}
    used: set[int] = set()
    for (key, owner), seconds in sorted(shared.items(), key=lambda item: -item[1]):
        is_merged = old.speakers[owner].is_merged and seconds > MOSTLY * spoken[key]
        if key not in matched and (owner not in used or is_merged):
            matched[key] = owner
            used.add(owner)
    return matched


def _keep_pins(old: Transcript, new: Transcript) -> Transcript:
    """Keep the speakers the user set by hand, cutting utterances that hold two of them."""
    pins = [old.utterances[i] for i in sorted(old.pinned)]
    pins = [pin for pin in pins if pin.speaker_id is not None]
    if not pins:
        return new
    pieces: list[Utterance] = []
    pinned: set[int] = set()
    speakers = dict(new.speakers)
    placed = Placed(pins)
    for utterance in new.utterances:
        own = [pins[i] for i in placed.overlapping(utterance)]
        for piece in cut(utterance, [edge for pin in own for edge in (pin.start, pin.end)]):
            best = best_match(piece, own)
            if best is not None and overlap(piece, own[best]) > MOSTLY * (piece.end - piece.start):
                key = own[best].speaker_id
                assert key is not None
                speakers[key] = old.speakers[key]
                pinned.add(len(pieces))
                piece = replace(piece, speaker_id=key, speaker=own[best].speaker)
            pieces.append(piece)
    numbered = [replace(piece, index=i) for i, piece in enumerate(pieces)]
    return Transcript(numbered, {}, frozenset(pinned), speakers)


def cut(utterance: Utterance, edges: Sequence[float]) -> list[Utterance]:
    """The parts of an utterance between moments, by its words; whole where it has none."""
    if len(utterance.words) < 2 or len(utterance.words) != len(utterance.text.split()):
        return [utterance]
    groups: list[list[Word]] = [[]]
    inside = sorted(edge for edge in edges if utterance.start < edge < utterance.end)
    for word in utterance.words:
        middle = (word.start + word.end) / 2
        while inside and middle > inside[0]:
            inside.pop(0)
            if groups[-1]:
                groups.append([])
        groups[-1].append(word)
    if len(groups) == 1:
        return [utterance]
    return [
        replace(
            utterance,
            start=group[0].start if i else utterance.start,
            end=group[-1].end if i < len(groups) - 1 else utterance.end,
            text=" ".join(word.text for word in group),
            words=tuple(group),
            acoustics=None,
        )
        for i, group in enumerate(groups)
    ]


def _keep_texts(old: Transcript, new: Transcript) -> Transcript:
    """Put the user's texts where the same time is spoken now."""
    claims, swallowed, orphans = _claims(old, new)
    if not claims and not orphans:
        return new
    pieces: list[tuple[Utterance, str | None, bool]] = []
    for position, utterance in enumerate(new.utterances):
        if position in swallowed:
            continue
        is_pinned = position in new.pinned
        if position not in claims:
            pieces.append((utterance, new.heard.get(position), is_pinned))
            continue
        parts = [new.utterances[p] for p, best in swallowed.items() if best == position]
        whole = joined(sorted([utterance, *parts], key=lambda u: u.start))
        whole = replace(whole, speaker_id=utterance.speaker_id, speaker=utterance.speaker)
        text = woven(whole, claims[position])
        edited = replace(whole, text=text, words=retimed(whole, text), is_edited=True)
        pieces.append((edited, whole.text, is_pinned))
    speakers = dict(new.speakers)
    for orphan in orphans:
        if orphan.speaker_id is not None:
            speakers[orphan.speaker_id] = old.speakers[orphan.speaker_id]
        pieces.append((orphan, old.heard.get(orphan.index), orphan.speaker_id is not None))
    pieces.sort(key=lambda piece: piece[0].start)
    return Transcript(
        [replace(piece[0], index=i) for i, piece in enumerate(pieces)],
        {i: piece[1] for i, piece in enumerate(pieces) if piece[1] is not None},
        frozenset(i for i, piece in enumerate(pieces) if piece[2]),
        speakers,
    )


def _claims(
    old: Transcript, new: Transcript
) -> tuple[dict[int, list[Utterance]], dict[int, int], list[Utterance]]:
    """Where the user's texts belong now.

    Returns:
        The edited utterances by the position that takes them; positions whose words such a text
        covers already, with the position that takes it; edited utterances without a place.
    """
    claims: dict[int, list[Utterance]] = defaultdict(list)
    covered: dict[int, int] = {}
    orphans = []
    placed = Placed(new.utterances)
    for edit in (u for u in old.utterances if u.is_edited):
        best = placed.best(edit)
        if best is None:
            orphans.append(edit)
            continue
        claims[best].append(edit)
        for position in placed.overlapping(edit):
            other = new.utterances[position]
            if position != best and overlap(edit, other) > WHOLLY * (other.end - other.start):
                covered[position] = best
    swallowed = {position: best for position, best in covered.items() if position not in claims}
    return claims, swallowed, orphans


def joined(parts: Sequence[Utterance]) -> Utterance:
    """One utterance out of neighbours, with the first one's speaker."""
    first = parts[0]
    return replace(
        first,
        start=min(p.start for p in parts),
        end=max(p.end for p in parts),
        text=" ".join(p.text for p in parts if p.text),
        words=tuple(sorted((w for p in parts for w in p.words), key=lambda w: w.start)),
        acoustics=None if len(parts) > 1 else first.acoustics,
        is_edited=any(p.is_edited for p in parts),
    )


def woven(heard: Utterance, edits: Sequence[Utterance]) -> str:
    """The text of an utterance with the user's texts in place of the words of their time.

    Without word times the user's text replaces the whole utterance.
    """
    edits = sorted(edits, key=lambda e: e.start)
    outside: list[tuple[float, str]] = [
        (word.start, word.text)
        for word in heard.words
        if not any(e.start <= (word.start + word.end) / 2 <= e.end for e in edits)
    ]
    pieces = outside + [(e.start, e.text) for e in edits]
    return " ".join(text for _, text in sorted(pieces, key=lambda piece: piece[0]) if text)


def move_notes(
    database: Database, meeting_id: str, old: Sequence[Utterance], new: Sequence[Utterance]
) -> None:
    """Point notes at the utterances that now hold their moments; in the caller's transaction.

    So are those that the user removed, which stand in what is left of the journal.
    """
    found = database.rows(
        "SELECT id, utterances FROM notes WHERE meeting_id = ? AND utterances <> '[]'",
        (meeting_id,),
    )
    edits = database.rows("SELECT id, changes FROM edits WHERE meeting_id = ?", (meeting_id,))
    placed = Placed(new)
    place = {u.index: placed.best(u) for u in old} if found or edits else {}

    def moved(packed: str) -> str:
        indices = {place.get(i) for i in json.loads(packed)}
        return json.dumps(sorted(i for i in indices if i is not None))

    for key, packed in found:
        database.connection.execute(
            "UPDATE notes SET utterances = ? WHERE id = ?", (moved(packed), key)
        )
    for key, packed in edits:
        changes = json.loads(packed)
        for change in changes:
            change["before"]["utterances"] = moved(change["before"]["utterances"])
        database.connection.execute(
            "UPDATE edits SET changes = ? WHERE id = ?", (json.dumps(changes), key)
        )


def retimed(utterance: Utterance, text: str) -> tuple[Word, ...]:
    """Words of a changed text: those that stayed keep their times, the others share the gaps."""
    heard, wanted = utterance.words, text.split()
    if not heard or not wanted:
        return ()
    matcher = difflib.SequenceMatcher(
        None, [folded(w.text) for w in heard], [folded(w) for w in wanted], autojunk=False
    )
    words: list[Word] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            words += [replace(heard[a + i], text=wanted[c + i]) for i in range(b - a)]
        elif c < d:
            start = heard[a].start if a < b else (heard[a - 1].end if a else utterance.start)
            end = heard[b - 1].end if a < b else start
            if a == b and a < len(heard):
                end = max(start, heard[a].start)
            words += spread_words(start, end, wanted[c:d])
    return tuple(words)


def spread_words(start: float, end: float, texts: Sequence[str]) -> tuple[Word, ...]:
    """Words of a stretch whose times nobody measured, spread by their length."""
    total = sum(len(text) + 1 for text in texts)
    words, at = [], start
    for text in texts:
        until = at + (end - start) * (len(text) + 1) / total
        words.append(Word(at, until, text, 1.0))
        at = until
    return tuple(words)
