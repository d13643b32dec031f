"""Utterances and speakers: written by the analysis, read by everybody.

Saving over an existing transcript keeps the user's work: see ``engine.graph.anchors``.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from engine.errors import StoreError
from engine.graph import anchors
from engine.graph.artefacts import acoustics_from, packed_words, unpacked_words
from engine.graph.findings import FindingTables
from engine.graph.lexicon import clean
from engine.graph.meetings import now
from engine.types import Speaker, Utterance, Word

N_COLOURS = 12
MAX_VERSIONS = 10
_GENERIC_NAME = re.compile(r"(speaker|spk|sprecher|unknown)[ _-]*\d*", re.IGNORECASE)

_ACOUSTIC = (
    "a.loudness_db, a.loudness_z, a.pitch_hz, a.pitch_z, a.rate, a.rate_z, a.pause_before, "
    "a.overlap, a.is_interruption, a.cues"
)


_SELECT_PLAIN = 'SELECT u.idx, u.start, u."end", u.text, u.speaker_id, u.is_edited'
_SELECT = f"{_SELECT_PLAIN}, {_ACOUSTIC}"
_N_MEASURED = 16  # columns of _SELECT
_FROM_PLAIN = "FROM utterances u"
_FROM = f"{_FROM_PLAIN} LEFT JOIN acoustics a ON a.utterance_id = u.id"


@contextmanager
def _without_collector() -> Iterator[None]:
    """Make many objects that hold no cycles without the collector looking through them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class UtteranceTables(FindingTables):
    """Utterances and speakers."""

    def save_utterances(
        self, meeting_id: str, utterances: Sequence[Utterance], label: str = ""
    ) -> None:
        """Replace the transcript, creating a speaker for each cluster or name.

        ``speaker_id`` is a cluster number of diarization (None for unknown); without one, a
        ``speaker`` name stands for itself. When the meeting has a transcript already, the old
        one is kept as a version, and names, corrected texts, reassigned speakers and notes are
        carried over by their place in the audio.

        Args:
            meeting_id: Whose.
            utterances: In order; they are numbered anew from 0.
            label: Shown beside the version that is replaced, such as the model's name.
        """
        with self.transaction():
            self._require(meeting_id)
            old = self._kept(meeting_id)
            new = anchors.fresh(utterances)
            if old.utterances:
                self.snapshot(meeting_id, label)
                new = anchors.carry_over(old, new)
            self._write(meeting_id, new, old)

    def put_back(self, meeting_id: str, transcript: anchors.Transcript) -> None:
        """Replace the transcript by an earlier one as it was; speakers are known by name."""
        with self.transaction():
            old = self._kept(meeting_id)
            keys = {voice.name: key for key, voice in old.speakers.items()}
            own = {key: keys.get(voice.name, key) for key, voice in transcript.speakers.items()}
            new = replace(
                transcript,
                utterances=[
                    u if u.speaker_id is None else replace(u, speaker_id=own[u.speaker_id])
                    for u in transcript.utterances
                ],
                speakers={own[key]: voice for key, voice in transcript.speakers.items()},
            )
            self._write(meeting_id, new, old)

    def _write(self, meeting_id: str, new: anchors.Transcript, old: anchors.Transcript) -> None:
        """Replace utterances and speakers; in the caller's transaction."""
        connection = self._connection
        keys = self._save_speakers(meeting_id, new, old)
        connection.execute("DELETE FROM utterances WHERE meeting_id = ?", (meeting_id,))
        self._insert_utterances(meeting_id, new, keys)
        connection.execute(
            "DELETE FROM speakers WHERE meeting_id = ? AND id NOT IN "
            "(SELECT speaker_id FROM utterances WHERE meeting_id = ? AND speaker_id NOTNULL)",
            (meeting_id, meeting_id),
        )
        # The journal speaks of rows that are gone now; what was not wanted stays unwanted.
        connection.execute(
            "UPDATE edits SET is_undone = 2 WHERE meeting_id = ? AND operation = 'remove_note' "
            "AND is_undone = 0",
            (meeting_id,),
        )
        connection.execute(
            "DELETE FROM edits WHERE meeting_id = ? AND is_undone <> 2", (meeting_id,)
        )
        anchors.move_notes(self, meeting_id, old.utterances, new.utterances)
        self.recount(meeting_id)

    def utterances(
        self,
        meeting_id: str,
        with_words: bool = False,
        start: float | None = None,
        end: float | None = None,
        *,
        with_acoustics: bool = True,
    ) -> list[Utterance]:
        """The transcript, ascending.

        Args:
            meeting_id: Whose.
            with_words: Read the words as well; several times slower.
            start: Leave out what ends before this second.
            end: Leave out what starts after this second.
            with_acoustics: Read the acoustics as well; takes half as long again.
        """
        select, source = (_SELECT, _FROM) if with_acoustics else (_SELECT_PLAIN, _FROM_PLAIN)
        words = ", w.words" if with_words else ""
        join = " LEFT JOIN words w ON w.utterance_id = u.id" if with_words else ""
        condition = "u.meeting_id = ?"
        values: list[Any] = [meeting_id]
        if start is not None:
            condition, values = condition + ' AND u."end" >= ?', [*values, start]
        if end is not None:
            condition, values = condition + " AND u.start <= ?", [*values, end]
        found = self.rows(
            f"{select}{words} {source}{join} WHERE {condition} ORDER BY u.idx", tuple(values)
        )
        names = dict(self.rows("SELECT id, name FROM speakers WHERE meeting_id = ?", (meeting_id,)))
        with _without_collector():
            return [_utterance(row, names.get(row[4], ""), with_words) for row in found]

    def utterance(self, meeting_id: str, index: int) -> Utterance:
        """One utterance with its words.

        Raises:
            StoreError: The meeting has no utterance of this index.
        """
        found = self.rows(
            f"{_SELECT}, w.words {_FROM} LEFT JOIN words w ON w.utterance_id = u.id "
            "WHERE u.meeting_id = ? AND u.idx = ?",
            (meeting_id, index),
        )
        if not found:
            raise StoreError(f"The meeting has no utterance {index}.")
        name = self.value("SELECT name FROM speakers WHERE id = ?", (found[0][4],))
        return _utterance(found[0], name or "", True)

    def utterances_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Utterance]:
        """Utterances of any meetings by (meeting id, index), without words."""
        found: dict[tuple[str, int], Utterance] = {}
        for first in range(0, len(places), 200):
            part = places[first : first + 200]
            marks = ", ".join(["(?, ?)"] * len(part))
            # Joined from the places: SQLite scans the table for an IN over pairs.
            rows = self.rows(
                f"WITH places(meeting_id, idx) AS (VALUES {marks}) "
                f"{_SELECT}, NULL, u.meeting_id, s.name FROM places p CROSS JOIN utterances u "
                "ON u.meeting_id = p.meeting_id AND u.idx = p.idx "
                "LEFT JOIN acoustics a ON a.utterance_id = u.id "
                "LEFT JOIN speakers s ON s.id = u.speaker_id",
                tuple(value for place in part for value in place),
            )
            for row in rows:
                found[row[17], row[0]] = _utterance(row, row[18] or "", False)
        return found

    def speakers(self, meeting_id: str) -> list[Speaker]:
        """The speakers in order of their first words."""
        found = self.rows(
            'SELECT s.id, s.name, s.colour, total(u."end" - u.start), count(u.id), s.is_named '
            "FROM speakers s LEFT JOIN utterances u ON u.speaker_id = s.id "
            "WHERE s.meeting_id = ? GROUP BY s.id ORDER BY min(u.idx) IS NULL, min(u.idx)",
            (meeting_id,),
        )
        return [Speaker(r[0], r[1], r[2], r[3], r[4], bool(r[5])) for r in found]

    def snapshot(self, meeting_id: str, label: str = "") -> None:
        """Keep the present transcript as a version; the oldest beyond ten go."""
        kept = self._kept(meeting_id)
        payload = json.dumps(
            [
                [u.start, u.end, u.speaker, u.text, int(u.is_edited), packed_words(u.words),
                 kept.heard.get(u.index), int(u.index in kept.pinned)]
                for u in kept.utterances
            ],
            ensure_ascii=False,
        )  # fmt: skip
        latest = self.value(
            "SELECT payload FROM versions WHERE meeting_id = ? ORDER BY id DESC LIMIT 1",
            (meeting_id,),
        )
        if latest == payload:
            return
        with self.transaction() as connection:
            connection.execute(
                "INSERT INTO versions(meeting_id, created, label, n_utterances, payload) "
                "VALUES (?, ?, ?, ?, ?)",
                (meeting_id, now(), label, len(kept.utterances), payload),
            )
            connection.execute(
                "DELETE FROM versions WHERE meeting_id = ? AND id NOT IN "
                "(SELECT id FROM versions WHERE meeting_id = ? ORDER BY id DESC LIMIT ?)",
                (meeting_id, meeting_id, MAX_VERSIONS),
            )

    def recount(self, meeting_id: str) -> None:
        """Bring the counts of a meeting up to date; part of the caller's transaction."""
        self._connection.execute(
            "UPDATE meetings SET n_utterances = "
            "(SELECT count(*) FROM utterances WHERE meeting_id = meetings.id), n_speakers = "
            "(SELECT count(DISTINCT speaker_id) FROM utterances WHERE meeting_id = meetings.id), "
            "duration = max(duration, "
            '(SELECT coalesce(max("end"), 0) FROM utterances WHERE meeting_id = meetings.id)) '
            "WHERE id = ?",
            (meeting_id,),
        )
        self._touch(meeting_id)

    def _kept(self, meeting_id: str) -> anchors.Transcript:
        """The transcript in the store with all that must survive a new one."""
        found = self.rows(
            "SELECT id, heard_text, is_speaker_pinned FROM utterances WHERE meeting_id = ? "
            "ORDER BY idx",
            (meeting_id,),
        )
        speakers = self.rows(
            "SELECT id, name, is_named, is_merged, colour FROM speakers WHERE meeting_id = ?",
            (meeting_id,),
        )
        return anchors.Transcript(
            utterances=self.utterances(meeting_id, with_words=True),
            heard={i: row[1] for i, row in enumerate(found) if row[1] is not None},
            pinned=frozenset(i for i, row in enumerate(found) if row[2]),
            speakers={
                row[0]: anchors.Voice(row[0], row[1], bool(row[2]), bool(row[3]), row[4])
                for row in speakers
            },
        )

    def _save_speakers(
        self, meeting_id: str, new: anchors.Transcript, old: anchors.Transcript
    ) -> dict[int, int]:
        """Insert or update the speakers; returns the key in the store by key in ``new``."""
        keys: dict[int, int] = {}
        taken = {voice.colour for voice in old.speakers.values()}
        for key, voice in new.speakers.items():
            if key in old.speakers:
                keys[key] = key
                continue
            colour = next((c for c in range(N_COLOURS) if c not in taken), len(keys) % N_COLOURS)
            taken.add(colour)
            is_named = voice.is_named and not _GENERIC_NAME.fullmatch(voice.name)
            row = self._connection.execute(
                "INSERT INTO speakers(meeting_id, cluster, name, is_named, colour) "
                "VALUES (?, ?, ?, ?, ?)",
                (meeting_id, voice.cluster, clean(voice.name), int(is_named), colour),
            )
            keys[key] = int(row.lastrowid or 0)
        return keys

    def _insert_utterances(
        self, meeting_id: str, new: anchors.Transcript, keys: dict[int, int]
    ) -> None:
        first = int(self.value("SELECT seq FROM sqlite_sequence WHERE name = 'utterances'") or 0)
        utterances = new.utterances
        self._connection.executemany(
            'INSERT INTO utterances(id, meeting_id, idx, start, "end", speaker_id, text, '
            "heard_text, is_edited, is_speaker_pinned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    first + 1 + i,
                    meeting_id,
                    i,
                    float(u.start),
                    float(u.end),
                    None if u.speaker_id is None else keys[u.speaker_id],
                    clean(u.text),
                    new.heard.get(i),
                    int(u.is_edited),
                    int(i in new.pinned),
                )
                for i, u in enumerate(utterances)
            ),
        )
        self._insert_words(
            meeting_id, [(first + 1 + i, u.words) for i, u in enumerate(utterances) if u.words]
        )

    def _insert_words(self, meeting_id: str, words: Sequence[tuple[int, tuple[Word, ...]]]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO words(meeting_id, utterance_id, n_words, words) "
            "VALUES (?, ?, ?, ?)",
            ((meeting_id, key, len(ws), packed_words(ws)) for key, ws in words),
        )


def _utterance(row: tuple[Any, ...], name: str, with_words: bool) -> Utterance:
    """Build an utterance from ``_SELECT`` or ``_SELECT_PLAIN``; words are the last column."""
    is_measured = len(row) >= _N_MEASURED and row[6] is not None
    return Utterance(
        row[0],
        row[1],
        row[2],
        name,
        row[3],
        row[4],
        unpacked_words(row[-1]) if with_words and row[-1] else (),
        acoustics_from(row[6:_N_MEASURED]) if is_measured else None,
        bool(row[5]),
    )
