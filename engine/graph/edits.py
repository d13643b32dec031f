"""What the user changes in a meeting: each function is one step of undo.

Changes are pinned: names, texts and speakers set here survive when the meeting is heard again
(``engine.graph.anchors``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import StoreError
from engine.graph import anchors, journal
from engine.graph.artefacts import packed_words
from engine.graph.journal import Journal, recorded
from engine.graph.lexicon import clean
from engine.graph.store import Store
from engine.graph.utterances import N_COLOURS
from engine.types import Utterance

MAX_NAME = 200


def apply(store: Store, meeting_id: str, operation: str, arguments: dict[str, Any]) -> object:
    """Run an edit by its name, as it arrives from another process.

    Raises:
        StoreError: There is no such edit, or its arguments do not fit.
        MeetingNotFound: No meeting has this id.
    """
    function = _OPERATIONS.get(operation)
    if function is None:
        raise StoreError(f"There is no edit {operation[:40]!r}.")
    try:
        return function(store, meeting_id, **arguments)
    except TypeError as error:
        raise StoreError(f"The edit {operation} cannot be made.", str(error)) from error


def rename_speaker(store: Store, meeting_id: str, speaker_id: int, name: str) -> None:
    """Give a speaker a name.

    Raises:
        StoreError: The name is empty, or the meeting has no such speaker.
    """
    name = " ".join(clean(name).split())[:MAX_NAME]
    if not name:
        raise StoreError("A speaker needs a name.")
    _require_speaker(store, meeting_id, speaker_id)
    with recorded(store, meeting_id, "rename_speaker") as change:
        change.update("speakers", {"id": speaker_id}, name=name, is_named=1)


def edit_text(store: Store, meeting_id: str, index: int, text: str) -> None:
    """Correct the text of an utterance; words that stayed keep their times.

    Raises:
        StoreError: There is no such utterance.
    """
    key, utterance = _found(store, meeting_id, index)
    with recorded(store, meeting_id, "edit_text") as change:
        _set_text(change, key, utterance, " ".join(clean(text).split()))


def replace_text(store: Store, meeting_id: str, find: str, replacement: str) -> int:
    """Replace text in every utterance; returns in how many.

    Small letters find capitals as well; a capital in ``find`` finds only itself.

    Raises:
        StoreError: Nothing to find was given.
    """
    find, replacement = clean(find), clean(replacement)
    if not find.strip():
        raise StoreError("There is nothing to find.")
    flags = re.IGNORECASE if find == find.lower() else re.NOFLAG
    pattern = re.compile(re.escape(find), flags)
    n_changed = 0
    with recorded(store, meeting_id, "replace_text") as change:
        ids = store.utterance_ids(meeting_id)
        for utterance in store.utterances(meeting_id):
            if pattern.search(utterance.text):
                whole = store.utterance(meeting_id, utterance.index)
                text = " ".join(pattern.sub(lambda _: replacement, whole.text).split())
                _set_text(change, ids[utterance.index], whole, text)
                n_changed += 1
    return n_changed


def merge_speakers(store: Store, meeting_id: str, source_id: int, target_id: int) -> None:
    """Make two speakers one; the target's name stays.

    Raises:
        StoreError: They are the same, or not of this meeting.
    """
    if source_id == target_id:
        raise StoreError("A speaker cannot be merged with itself.")
    _require_speaker(store, meeting_id, source_id)
    _require_speaker(store, meeting_id, target_id)
    with recorded(store, meeting_id, "merge_speakers") as change:
        for (key,) in store.rows("SELECT id FROM utterances WHERE speaker_id = ?", (source_id,)):
            change.update("utterances", {"id": key}, speaker_id=target_id)
        change.update("speakers", {"id": target_id}, is_merged=1)
        _drop_silent_speakers(change)


def reassign(store: Store, meeting_id: str, index: int, speaker_id: int) -> int:
    """Give an utterance to another speaker, 0 for a new one; returns the speaker's key.

    Raises:
        StoreError: There is no such utterance or speaker.
    """
    key, _ = _found(store, meeting_id, index)
    if speaker_id:
        _require_speaker(store, meeting_id, speaker_id)
    with recorded(store, meeting_id, "reassign") as change:
        target = speaker_id or _new_speaker(change)
        change.update("utterances", {"id": key}, speaker_id=target, is_speaker_pinned=1)
        _drop_silent_speakers(change)
    return target


def split_utterance(store: Store, meeting_id: str, index: int, word: int) -> None:
    """Cut an utterance in two before its word number ``word`` (from 0).

    Raises:
        StoreError: There is no such utterance, or nothing would be left on one side.
    """
    key, utterance = _found(store, meeting_id, index)
    texts = utterance.text.split()
    if not 0 < word < len(texts):
        raise StoreError("An utterance can only be split between two of its words.")
    words = utterance.words
    if len(words) != len(texts):
        words = anchors.spread_words(utterance.start, utterance.end, texts)
    middle = min(max(words[word].start, utterance.start), utterance.end)
    halves = (" ".join(texts[:word]), " ".join(texts[word:]))
    with recorded(store, meeting_id, "split_utterance") as change:
        change.shift(index, 1)
        change.update("utterances", {"id": key}, end=middle, text=halves[0], is_speaker_pinned=1)
        second = change.insert(
            "utterances",
            meeting_id=meeting_id,
            idx=index + 1,
            start=middle,
            end=utterance.end,
            speaker_id=utterance.speaker_id,
            text=halves[1],
            is_edited=int(utterance.is_edited),
            is_speaker_pinned=1,
        )
        if utterance.words:
            _set_words(change, key, words[:word])
            _set_words(change, second, words[word:])
        _copy_acoustics(change, key, second)
        _renumber_notes(change, {i: i + 1 for i in range(index + 1, _count(store, meeting_id))})


def merge_utterances(store: Store, meeting_id: str, index: int) -> None:
    """Join an utterance with the next one; it keeps the first one's speaker.

    Raises:
        StoreError: There is no such utterance, or it is the last.
    """
    key, first = _found(store, meeting_id, index)
    next_key, second = _found(store, meeting_id, index + 1)
    whole = anchors.joined([first, second])
    with recorded(store, meeting_id, "merge_utterances") as change:
        n_before = _count(store, meeting_id)
        change.delete_utterance(next_key)
        change.shift(index + 1, -1)
        change.update(
            "utterances",
            {"id": key},
            start=whole.start,
            end=whole.end,
            text=whole.text,
            is_edited=int(whole.is_edited),
            is_speaker_pinned=1,
        )
        if whole.words:
            _set_words(change, key, whole.words)
        _drop_silent_speakers(change)
        _renumber_notes(change, {i: i - 1 for i in range(index + 1, n_before)})


def add_bookmark(store: Store, meeting_id: str, at: float, text: str = "") -> int:
    """Mark a moment; returns the key of the note."""
    with recorded(store, meeting_id, "add_bookmark") as change:
        probe = Utterance(0, at, at + 0.01, "", "")
        best = anchors.best_match(probe, store.utterances(meeting_id))
        return change.insert(
            "notes",
            meeting_id=meeting_id,
            kind="bookmark",
            text=clean(text).strip(),
            start=float(at),
            end=float(at),
            utterances=json.dumps([] if best is None else [best]),
            source="user",
        )


def add_note(store: Store, meeting_id: str, kind: str, text: str, at: float = 0.0) -> int:
    """Write a note, decision or action by hand; returns its key."""
    with recorded(store, meeting_id, "add_note") as change:
        return change.insert(
            "notes", meeting_id=meeting_id, kind=clean(kind), text=clean(text), start=float(at),
            end=float(at), source="user",
        )  # fmt: skip


def change_note(store: Store, meeting_id: str, note_id: int, **columns: str) -> None:
    """Change text, owner or due of a note; later enrichments keep it.

    Raises:
        StoreError: A column is not one of these.
    """
    if not columns or set(columns) - {"text", "owner", "due"}:
        raise StoreError("Only text, owner and due of a note can be changed.")
    with recorded(store, meeting_id, "change_note") as change:
        cleaned = {name: clean(value) for name, value in columns.items()}
        change.update("notes", {"id": note_id, "meeting_id": meeting_id}, **cleaned, is_edited=1)


def remove_note(store: Store, meeting_id: str, note_id: int) -> None:
    """Remove a note or bookmark."""
    with recorded(store, meeting_id, "remove_note") as change:
        change.delete("notes", {"id": note_id, "meeting_id": meeting_id})


def rename_meeting(store: Store, meeting_id: str, title: str) -> None:
    """Give a meeting another title.

    Raises:
        StoreError: The title is empty.
    """
    title = " ".join(clean(title).split())
    if not title:
        raise StoreError("A meeting needs a title.")
    with recorded(store, meeting_id, "rename_meeting") as change:
        change.update("meetings", {"id": meeting_id}, title=title)


def set_tags(store: Store, meeting_id: str, tags: Sequence[str]) -> None:
    """Replace the tags of a meeting."""
    wanted = dict.fromkeys(" ".join(clean(tag).split()) for tag in tags)
    packed = json.dumps([tag for tag in wanted if tag], ensure_ascii=False)
    with recorded(store, meeting_id, "set_tags") as change:
        change.update("meetings", {"id": meeting_id}, tags=packed)


def undo(store: Store, meeting_id: str) -> str:
    """Take back the last edit; returns its name, "" when there is none."""
    return journal.undo(store, meeting_id)


def redo(store: Store, meeting_id: str) -> str:
    """Repeat the edit taken back last; returns its name, "" when there is none."""
    return journal.redo(store, meeting_id)


def _found(store: Store, meeting_id: str, index: int) -> tuple[int, Utterance]:
    utterance = store.utterance(meeting_id, index)
    key = store.value(
        "SELECT id FROM utterances WHERE meeting_id = ? AND idx = ?", (meeting_id, index)
    )
    return int(key), utterance


def _count(store: Store, meeting_id: str) -> int:
    sql = "SELECT count(*) FROM utterances WHERE meeting_id = ?"
    return int(store.value(sql, (meeting_id,)))


def _require_speaker(store: Store, meeting_id: str, speaker_id: int) -> None:
    sql = "SELECT 1 FROM speakers WHERE id = ? AND meeting_id = ?"
    if store.value(sql, (speaker_id, meeting_id)) is None:
        raise StoreError(f"The meeting has no speaker {speaker_id}.")


def _set_text(change: Journal, key: int, utterance: Utterance, text: str) -> None:
    if text == utterance.text:
        return
    sql = "SELECT heard_text FROM utterances WHERE id = ?"
    heard = change.store.value(sql, (key,))
    original = utterance.text if heard is None else heard
    is_edited = text != original
    change.update(
        "utterances",
        {"id": key},
        text=text,
        heard_text=original if is_edited else None,
        is_edited=int(is_edited),
    )
    if utterance.words:
        _set_words(change, key, anchors.retimed(utterance, text))


def _set_words(change: Journal, key: int, words: Sequence[Any]) -> None:
    columns = {"n_words": len(words), "words": packed_words(words)}
    if change.store.value("SELECT 1 FROM words WHERE utterance_id = ?", (key,)) is None:
        change.insert("words", meeting_id=change.meeting_id, utterance_id=key, **columns)
    else:
        change.update("words", {"utterance_id": key}, **columns)


def _copy_acoustics(change: Journal, source: int, target: int) -> None:
    """Let the second half sound like the whole until it is measured again."""
    cursor = change.store.connection.execute(
        "SELECT * FROM acoustics WHERE utterance_id = ?", (source,)
    )
    names = [column[0] for column in cursor.description]
    row = cursor.fetchone()
    if row is not None:
        columns = dict(zip(names, row, strict=True)) | {"utterance_id": target}
        change.add_row("acoustics", {"utterance_id": target}, columns)


def _new_speaker(change: Journal) -> int:
    found = change.store.rows(
        "SELECT name, colour FROM speakers WHERE meeting_id = ?", (change.meeting_id,)
    )
    names, colours = {row[0] for row in found}, {row[1] for row in found}
    number = next(n for n in range(1, len(names) + 2) if f"Speaker {n}" not in names)
    colour = next((c for c in range(N_COLOURS) if c not in colours), len(found) % N_COLOURS)
    return change.insert(
        "speakers", meeting_id=change.meeting_id, name=f"Speaker {number}", colour=colour
    )


def _drop_silent_speakers(change: Journal) -> None:
    found = change.store.rows(
        "SELECT id FROM speakers WHERE meeting_id = ? AND id NOT IN (SELECT speaker_id FROM "
        "utterances WHERE meeting_id = ? AND speaker_id NOTNULL)",
        (change.meeting_id, change.meeting_id),
    )
    for (key,) in found:
        # A voice learnt from a mixture would spoil later suggestions.
        change.store.connection.execute("DELETE FROM voiceprints WHERE speaker_id = ?", (key,))
        change.delete("speakers", {"id": key})


def _renumber_notes(change: Journal, moved: dict[int, int]) -> None:
    found = change.store.rows(
        "SELECT id, utterances FROM notes WHERE meeting_id = ? AND utterances <> '[]'",
        (change.meeting_id,),
    )
    for key, packed in found:
        indices = json.loads(packed)
        renumbered = sorted({moved.get(i, i) for i in indices})
        if renumbered != indices:
            change.update("notes", {"id": key}, utterances=json.dumps(renumbered))


def dismiss_suggestion(store: Store, meeting_id: str, speaker_id: int) -> None:
    """Do not suggest a known voice's name to this speaker any more; not a step of undo."""
    store.dismiss_suggestion(meeting_id, speaker_id)


_OPERATIONS: dict[str, Callable[..., object]] = {
    function.__name__: function
    for function in (
        rename_speaker, edit_text, replace_text, merge_speakers, reassign, split_utterance,
        merge_utterances, add_bookmark, add_note, change_note, remove_note, rename_meeting,
        set_tags, undo, redo, dismiss_suggestion,
    )
}  # fmt: skip
