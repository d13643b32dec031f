"""Earlier transcripts of a meeting: kept when it is heard again, compared and restored."""

from __future__ import annotations

import difflib
import json
from dataclasses import replace

from engine.errors import StoreError
from engine.graph import anchors
from engine.graph.artefacts import unpacked_words
from engine.graph.utterances import UtteranceTables
from engine.types import Utterance, Version


def versions(store: UtteranceTables, meeting_id: str) -> list[Version]:
    """The earlier transcripts, the newest first."""
    found = store.rows(
        "SELECT id, created, label, n_utterances FROM versions WHERE meeting_id = ? "
        "ORDER BY id DESC",
        (meeting_id,),
    )
    return [Version(*row) for row in found]


def version_utterances(store: UtteranceTables, meeting_id: str, version_id: int) -> list[Utterance]:
    """The transcript of a version.

    Raises:
        StoreError: There is no such version.
    """
    return _transcript(store, meeting_id, version_id).utterances


def _transcript(store: UtteranceTables, meeting_id: str, version_id: int) -> anchors.Transcript:
    payload = store.value(
        "SELECT payload FROM versions WHERE meeting_id = ? AND id = ?", (meeting_id, version_id)
    )
    if payload is None:
        raise StoreError(f"The meeting has no version {version_id}.")
    rows = json.loads(payload)
    kept = anchors.fresh(
        [
            Utterance(i, row[0], row[1], row[2], row[3], None, unpacked_words(row[5]), None,
                      bool(row[4]))
            for i, row in enumerate(rows)
        ]
    )  # fmt: skip
    return replace(
        kept,
        heard={i: row[6] for i, row in enumerate(rows) if row[6] is not None},
        pinned=frozenset(i for i, row in enumerate(rows) if row[7]),
    )


def difference(
    store: UtteranceTables, meeting_id: str, version_id: int
) -> list[tuple[str, float, str, str]]:
    """What changed between a version and now, by time.

    Returns:
        (kind, start in seconds, text then, text now); kind is changed, removed or added.
    """
    then = version_utterances(store, meeting_id, version_id)
    present = store.utterances(meeting_id)
    lines_then = [f"{u.speaker}: {u.text}" for u in then]
    lines_now = [f"{u.speaker}: {u.text}" for u in present]
    matcher = difflib.SequenceMatcher(None, lines_then, lines_now, autojunk=False)
    kinds = {"replace": "changed", "delete": "removed", "insert": "added"}
    found = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        start = present[c].start if c < d else then[a].start
        found.append((kinds[kind], start, "\n".join(lines_then[a:b]), "\n".join(lines_now[c:d])))
    return found


def restore(store: UtteranceTables, meeting_id: str, version_id: int) -> None:
    """Make a version the present transcript; the one it replaces becomes a version.

    Raises:
        StoreError: There is no such version.
    """
    transcript = _transcript(store, meeting_id, version_id)
    label = str(store.value("SELECT label FROM versions WHERE id = ?", (version_id,)))
    with store.transaction():
        store.snapshot(meeting_id, f"before going back to {label}".strip())
        store.put_back(meeting_id, transcript)
