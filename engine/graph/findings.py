"""What enrichment and the user write about a meeting: questions, roles, topics, notes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.errors import StoreError
from engine.graph.artefacts import ArtefactTables
from engine.graph.lexicon import clean
from engine.types import Note, Topic

_NOTE = 'kind, text, start, "end", owner, due, utterances, source, id, is_edited'


class FindingTables(ArtefactTables):
    """Expansions, roles, topics and notes."""

    def save_expansions(self, meeting_id: str, questions: Mapping[int, Sequence[str]]) -> None:
        """Replace the questions each utterance (by index) answers; they are searched as well."""
        with self.transaction() as connection:
            connection.execute(
                "DELETE FROM vectors WHERE meeting_id = ? AND kind = 'question'", (meeting_id,)
            )
            connection.execute("DELETE FROM expansions WHERE meeting_id = ?", (meeting_id,))
            self.add_expansions(meeting_id, questions)

    def add_expansions(self, meeting_id: str, questions: Mapping[int, Sequence[str]]) -> None:
        """Add questions that utterances (by index) answer."""
        ids = self.utterance_ids(meeting_id)
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.executemany(
                "INSERT INTO expansions(meeting_id, utterance_id, question) VALUES (?, ?, ?)",
                [
                    (meeting_id, ids[i], clean(question))
                    for i, wanted in questions.items()
                    if 0 <= i < len(ids)
                    for question in wanted
                ],
            )
            self._touch(meeting_id)

    def expansions(self, meeting_id: str) -> list[tuple[int, str]]:
        """(utterance index, question) in the order of the question vectors."""
        return self.rows(
            "SELECT u.idx, x.question FROM expansions x JOIN utterances u ON u.id = x.utterance_id "
            "WHERE x.meeting_id = ? ORDER BY x.id",
            (meeting_id,),
        )

    def save_roles(self, meeting_id: str, sentences: Mapping[int, Sequence[str]]) -> None:
        """Replace the semantic roles of utterances (by index), as plain sentences."""
        rows = [(i, sentence, "") for i, wanted in sentences.items() for sentence in wanted]
        with self.transaction() as connection:
            connection.execute("DELETE FROM roles WHERE meeting_id = ?", (meeting_id,))
            self.add_roles(meeting_id, rows)

    def add_roles(self, meeting_id: str, rows: Iterable[tuple[int, str, str]]) -> None:
        """Add semantic roles: (utterance index, plain sentence, graph in PENMAN)."""
        ids = self.utterance_ids(meeting_id)
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.executemany(
                "INSERT INTO roles(meeting_id, utterance_id, sentence, graph) VALUES (?, ?, ?, ?)",
                [
                    (meeting_id, ids[i], clean(sentence), clean(graph))
                    for i, sentence, graph in rows
                    if 0 <= i < len(ids)
                ],
            )

    def roles(self, meeting_id: str) -> list[tuple[int, str]]:
        """(utterance index, sentence), ascending."""
        return self.rows(
            "SELECT u.idx, r.sentence FROM roles r JOIN utterances u ON u.id = r.utterance_id "
            "WHERE r.meeting_id = ? ORDER BY u.idx, r.id",
            (meeting_id,),
        )

    def save_topics(self, meeting_id: str, topics: Iterable[Topic]) -> None:
        """Replace the topics."""
        rows = ((clean(t.title), t.start, t.end, clean(t.summary)) for t in topics)
        self._replace(meeting_id, "topics", 'title, start, "end", summary', rows)

    def topics(self, meeting_id: str) -> list[Topic]:
        """The topics, ascending by start."""
        sql = (
            'SELECT title, start, "end", summary FROM topics WHERE meeting_id = ? '
            "ORDER BY start, id"
        )
        return [Topic(*row) for row in self.rows(sql, (meeting_id,))]

    def save_notes(self, meeting_id: str, kind: str, notes: Iterable[Note]) -> None:
        """Replace the notes of one kind; what the user wrote or changed stays.

        A new note about the same moment as one the user changed is the one that was changed, and
        about the same moment as one the user removed is not wanted: both are left out.
        """
        changed = [note for note in self.notes(meeting_id, kind) if note.is_edited]
        changed += [note for note in self._removed_notes(meeting_id) if note.kind == kind]
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.execute(
                "DELETE FROM notes WHERE meeting_id = ? AND kind = ? AND is_edited = 0 "
                "AND source <> 'user'",
                (meeting_id, kind),
            )
            for note in notes:
                if not any(_is_same_moment(note, other) for other in changed):
                    self._insert_note(meeting_id, kind, note)

    def add_notes(self, meeting_id: str, notes: Iterable[Note]) -> None:
        """Add notes of any kinds."""
        with self.transaction():
            self._require(meeting_id)
            for note in notes:
                self._insert_note(meeting_id, note.kind, note)

    def add_note(self, meeting_id: str, note: Note) -> int:
        """Add one note and return its key."""
        with self.transaction():
            self._require(meeting_id)
            return self._insert_note(meeting_id, note.kind, note)

    def change_note(self, note_id: int, **columns: str) -> None:
        """Change text, owner or due of a note; it is kept by later enrichments.

        Raises:
            ValueError: A column is not one of these.
        """
        if set(columns) - {"text", "owner", "due"}:
            raise ValueError(f"not a column of a note: {sorted(columns)}")
        assignments = "".join(f"{name} = ?, " for name in columns)
        with self.transaction() as connection:
            connection.execute(
                f"UPDATE notes SET {assignments} is_edited = 1 WHERE id = ?",
                (*(clean(v) for v in columns.values()), note_id),
            )

    def delete_note(self, note_id: int) -> None:
        """Remove one note."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM notes WHERE id = ?", (note_id,))

    def notes(self, meeting_id: str, kind: str = "") -> list[Note]:
        """The notes of one kind, or all, ascending by start."""
        sql = (
            f"SELECT {_NOTE} FROM notes WHERE meeting_id = ? AND (? = '' OR kind = ?) "
            "ORDER BY start, id"
        )
        return [_note(row) for row in self.rows(sql, (meeting_id, kind, kind))]

    def _removed_notes(self, meeting_id: str) -> list[Note]:
        """What was written for the user and removed by the user, as the journal of edits has it."""
        edits = self.rows(
            "SELECT changes FROM edits WHERE meeting_id = ? AND operation = 'remove_note' "
            "AND is_undone IN (0, 2)",
            (meeting_id,),
        )
        rows = [change["before"] for (packed,) in edits for change in json.loads(packed)]
        columns = [name.strip('"') for name in _NOTE.split(", ")]
        notes = [_note(tuple(row[name] for name in columns)) for row in rows]
        return [note for note in notes if note.source != "user"]

    def _insert_note(self, meeting_id: str, kind: str, note: Note) -> int:
        key = self._connection.execute(
            'INSERT INTO notes(meeting_id, kind, text, owner, due, start, "end", utterances, '
            "source, is_edited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                meeting_id,
                kind,
                clean(note.text),
                clean(note.owner),
                clean(note.due),
                note.start,
                note.end,
                json.dumps(list(note.utterances)),
                note.source,
                int(note.is_edited),
            ),
        ).lastrowid
        if key is None:
            raise StoreError("A note could not be saved.")
        return key


def _is_same_moment(one: Note, other: Note) -> bool:
    """Whether two notes of a kind rest on the same utterances, or on the same time without any."""
    if one.utterances and other.utterances:
        return not set(one.utterances).isdisjoint(other.utterances)
    return (one.start, one.end) == (other.start, other.end) and one.end > 0


def _note(row: tuple[Any, ...]) -> Note:
    return Note(
        kind=row[0],
        text=row[1],
        start=row[2],
        end=row[3],
        owner=row[4],
        due=row[5],
        utterances=tuple(json.loads(row[6])),
        source=row[7],
        id=row[8],
        is_edited=bool(row[9]),
    )
