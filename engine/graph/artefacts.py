"""What the stages of an analysis leave behind: spans, words, turns, events, edges, vectors.

Every ``save_`` replaces what was there, in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import StoreError
from engine.graph.lexicon import clean
from engine.graph.meetings import MeetingTable
from engine.types import Acoustics, Cue, Edge, Event, FloatArray, Relation, Span, Turn, Word
from engine.types_seconds import SECOND_BYTES, Seconds


def packed_words(words: Iterable[Word]) -> str:
    """Words as compact JSON: [[start, end, text, probability(, channel)], ...]."""
    rows = [
        [round(w.start, 3), round(w.end, 3), clean(w.text), round(w.probability, 4)]
        + ([] if w.channel is None else [w.channel])
        for w in words
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def unpacked_words(packed: str) -> tuple[Word, ...]:
    """The inverse of ``packed_words``."""
    return tuple(Word(*row) for row in json.loads(packed))


class ArtefactTables(MeetingTable):
    """Spans, words, turns, acoustics, events, edges, entities and vectors."""

    def _replace(
        self, meeting_id: str, table: str, columns: str, rows: Iterable[tuple[Any, ...]]
    ) -> None:
        """Replace the rows of one meeting; ``columns`` without ``meeting_id``."""
        marks = ", ".join("?" * (columns.count(",") + 2))
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.execute(f"DELETE FROM {table} WHERE meeting_id = ?", (meeting_id,))
            connection.executemany(
                f"INSERT INTO {table}(meeting_id, {columns}) VALUES ({marks})",
                ((meeting_id, *row) for row in rows),
            )

    def save_spans(self, meeting_id: str, spans: Iterable[Span]) -> None:
        """Replace the stretches of speech."""
        self._replace(meeting_id, "clips", 'start, "end"', ((s.start, s.end) for s in spans))

    def spans(self, meeting_id: str) -> list[Span]:
        """The stretches of speech, ascending."""
        sql = 'SELECT start, "end" FROM clips WHERE meeting_id = ? ORDER BY start'
        return [Span(*row) for row in self.rows(sql, (meeting_id,))]

    def save_words(self, meeting_id: str, words: Iterable[Word]) -> None:
        """Replace the words of the transcription, before they belong to utterances."""
        rows = list(words)
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.execute(
                "DELETE FROM words WHERE meeting_id = ? AND utterance_id IS NULL", (meeting_id,)
            )
            connection.execute(
                "INSERT INTO words(meeting_id, n_words, words) VALUES (?, ?, ?)",
                (meeting_id, len(rows), packed_words(rows)),
            )

    def words(self, meeting_id: str) -> list[Word]:
        """The words of the transcription, ascending."""
        packed = self.value(
            "SELECT words FROM words WHERE meeting_id = ? AND utterance_id IS NULL", (meeting_id,)
        )
        return list(unpacked_words(packed)) if packed else []

    def save_turns(self, meeting_id: str, turns: Iterable[Turn]) -> None:
        """Replace the speaker turns of diarization."""
        rows = ((t.start, t.end, int(t.speaker)) for t in turns)
        self._replace(meeting_id, "speaker_segments", 'start, "end", speaker', rows)

    def turns(self, meeting_id: str) -> list[Turn]:
        """The speaker turns, ascending by start."""
        sql = (
            'SELECT start, "end", speaker FROM speaker_segments WHERE meeting_id = ? '
            "ORDER BY start, id"
        )
        return [Turn(*row) for row in self.rows(sql, (meeting_id,))]

    def save_events(self, meeting_id: str, events: Iterable[Event]) -> None:
        """Replace the sounds that are not speech."""
        rows = ((e.start, e.end, clean(e.label), e.score, e.source) for e in events)
        self._replace(meeting_id, "events", 'start, "end", label, score, source', rows)

    def events(self, meeting_id: str) -> list[Event]:
        """The sounds that are not speech, ascending by start."""
        sql = (
            'SELECT start, "end", label, score, source FROM events WHERE meeting_id = ? '
            "ORDER BY start"
        )
        return [Event(*row) for row in self.rows(sql, (meeting_id,))]

    def save_acoustics(self, meeting_id: str, acoustics: Sequence[Acoustics | None]) -> None:
        """Replace how the utterances sounded, one value per utterance in order.

        Raises:
            ValueError: There are not as many as utterances.
        """
        ids = self.utterance_ids(meeting_id)
        if len(ids) != len(acoustics):
            raise ValueError(f"{len(acoustics)} acoustics for {len(ids)} utterances")
        columns = (
            "utterance_id, loudness_db, loudness_z, pitch_hz, pitch_z, rate, rate_z, "
            "pause_before, overlap, is_interruption, cues"
        )
        rows = (
            (key, *_acoustics_row(a))
            for key, a in zip(ids, acoustics, strict=True)
            if a is not None
        )
        self._replace(meeting_id, "acoustics", columns, rows)

    def save_seconds(self, meeting_id: str, seconds: Seconds) -> None:
        """Replace how the seconds sounded."""
        self._replace(meeting_id, "seconds", "n_rows, data", [(len(seconds), seconds.packed())])

    def seconds(self, meeting_id: str) -> Seconds:
        """How each second sounded; of length 0 where nothing was measured.

        Raises:
            StoreError: What is stored is damaged.
        """
        found = self.rows("SELECT n_rows, data FROM seconds WHERE meeting_id = ?", (meeting_id,))
        n_rows, data = found[0] if found else (0, b"")
        if len(data) != SECOND_BYTES * n_rows:
            raise StoreError("The sound measures of a meeting are damaged.", "Analyse it again.")
        return Seconds.unpacked(data)

    def utterance_ids(self, meeting_id: str) -> list[int]:
        """Keys of the utterances in order of their index."""
        sql = "SELECT id FROM utterances WHERE meeting_id = ? ORDER BY idx"
        return [row[0] for row in self.rows(sql, (meeting_id,))]

    def save_edges(
        self, meeting_id: str, edges: Iterable[Edge], relation: Relation | None = None
    ) -> None:
        """Replace all edges, or those of one relation.

        Edges that point at utterances that are not there are left out.
        """
        with self.transaction() as connection:
            connection.execute(
                "DELETE FROM edges WHERE meeting_id = ? AND (? = '' OR relation = ?)",
                (meeting_id, relation or "", relation or ""),
            )
            self.add_edges(meeting_id, edges)

    def add_edges(self, meeting_id: str, edges: Iterable[Edge]) -> None:
        """Add edges to those that are there."""
        ids = self.utterance_ids(meeting_id)
        n = len(ids)
        rows = [
            (meeting_id, ids[e.source], ids[e.target], e.relation.value, e.weight, clean(e.reason))
            for e in edges
            if 0 <= e.source < n and 0 <= e.target < n
        ]
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.executemany(
                "INSERT INTO edges(meeting_id, source, target, relation, weight, reason) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                rows,
            )

    def edges(self, meeting_id: str, relation: Relation | None = None) -> list[Edge]:
        """The edges of a meeting by utterance index, of one relation or of all."""
        sql = (
            "SELECT a.idx, b.idx, e.relation, e.weight, e.reason FROM edges e "
            "JOIN utterances a ON a.id = e.source JOIN utterances b ON b.id = e.target "
            "WHERE e.meeting_id = ? AND (? = '' OR e.relation = ?) ORDER BY a.idx, b.idx"
        )
        found = self.rows(sql, (meeting_id, relation or "", relation or ""))
        return [Edge(r[0], r[1], Relation(r[2]), r[3], r[4]) for r in found]

    def save_entities(
        self,
        meeting_id: str,
        entities: Mapping[tuple[str, str], Sequence[int]] | Mapping[str, Sequence[int]],
    ) -> None:
        """Replace the entities: (name, kind) or name -> indices of utterances that mention it."""
        ids = self.utterance_ids(meeting_id)
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.execute("DELETE FROM entities WHERE meeting_id = ?", (meeting_id,))
            for key, indices in entities.items():
                name, kind = key if isinstance(key, tuple) else (key, "")
                mentioned = sorted({ids[i] for i in indices if 0 <= i < len(ids)})
                entity_id = connection.execute(
                    "INSERT INTO entities(meeting_id, name, kind, n_mentions) VALUES (?, ?, ?, ?)",
                    (meeting_id, clean(name), kind, len(mentioned)),
                ).lastrowid
                connection.executemany(
                    "INSERT INTO mentions(entity_id, utterance_id) VALUES (?, ?)",
                    [(entity_id, key) for key in mentioned],
                )

    def entities(self, meeting_id: str) -> dict[tuple[str, str], list[int]]:
        """(name, kind) -> indices of the utterances that mention it, often mentioned first."""
        sql = (
            "SELECT e.name, e.kind, u.idx FROM entities e "
            "JOIN mentions m ON m.entity_id = e.id JOIN utterances u ON u.id = m.utterance_id "
            "WHERE e.meeting_id = ? ORDER BY e.n_mentions DESC, e.id, u.idx"
        )
        found: dict[tuple[str, str], list[int]] = {}
        for name, kind, index in self.rows(sql, (meeting_id,)):
            found.setdefault((name, kind), []).append(index)
        return found

    def save_vectors(self, meeting_id: str, kind: str, model_id: str, array: FloatArray) -> None:
        """Replace the embeddings of one kind.

        Args:
            meeting_id: Whose.
            kind: ``utterance`` or ``window`` (a row per utterance) or ``question`` (a row per
                expansion).
            model_id: What made them.
            array: (n, dim) float32, rows of length 1; stored with half precision.

        Raises:
            ValueError: The number of rows does not fit.
        """
        table, order = ("expansions", "id") if kind == "question" else ("utterances", "idx")
        keys = self.rows(
            f"SELECT id FROM {table} WHERE meeting_id = ? ORDER BY {order}", (meeting_id,)
        )
        if len(keys) != len(array):
            raise ValueError(f"{len(array)} vectors for {len(keys)} {table}")
        owners = np.array([k[0] for k in keys], dtype="<i8")
        half = np.ascontiguousarray(array, dtype="<f2")
        with self.transaction() as connection:
            self._require(meeting_id)
            self._touch(meeting_id)
            connection.execute(
                "INSERT OR REPLACE INTO vectors(meeting_id, kind, model_id, dim, n_rows, revision, "
                "owners, data) VALUES (?, ?, ?, ?, ?, "
                "(SELECT revision FROM meetings WHERE id = ?), ?, ?)",
                (
                    meeting_id,
                    kind,
                    model_id,
                    int(half.shape[1]) if half.ndim == 2 else 0,
                    len(half),
                    meeting_id,
                    owners.tobytes(),
                    half.tobytes(),
                ),
            )

    def vectors(self, meeting_id: str, kind: str) -> FloatArray:
        """Embeddings of one kind, a row per utterance (or expansion) as they are now.

        Rows that were never computed, or whose text changed since, are zero.

        Returns:
            (n, dim) float32; (0, 0) when there are none.
        """
        owners, stored = self.owned_vectors(meeting_id, kind)
        if not len(owners):
            return np.zeros((0, 0), np.float32)
        table, order = ("expansions", "id") if kind == "question" else ("utterances", "idx")
        keys = [
            row[0]
            for row in self.rows(
                f"SELECT id FROM {table} WHERE meeting_id = ? ORDER BY {order}", (meeting_id,)
            )
        ]
        if keys == owners.tolist():
            return stored
        place = {key: i for i, key in enumerate(owners.tolist())}
        aligned = np.zeros((len(keys), stored.shape[1]), np.float32)
        for row, key in enumerate(keys):
            if key in place:
                aligned[row] = stored[place[key]]
        return aligned

    def owned_vectors(self, meeting_id: str, kind: str) -> tuple[NDArray[np.int64], FloatArray]:
        """Keys (n,) int64 and embeddings (n, dim) float32 as they were saved.

        Raises:
            StoreError: The stored sizes do not fit together.
        """
        found = self.rows(
            "SELECT dim, n_rows, owners, data FROM vectors WHERE meeting_id = ? AND kind = ?",
            (meeting_id, kind),
        )
        if not found or not found[0][1]:
            return np.zeros(0, np.int64), np.zeros((0, 0), np.float32)
        dim, n_rows, owners, packed = found[0]
        if len(owners) != 8 * n_rows or len(packed) != 2 * dim * n_rows:
            raise StoreError("The embeddings of a meeting are damaged.", "Build its graph again.")
        keys = np.frombuffer(owners, "<i8").astype(np.int64)
        return keys, np.frombuffer(packed, "<f2").reshape(n_rows, dim).astype(np.float32)

    def forget_vectors(self, meeting_id: str, keys: Container[int]) -> None:
        """Drop the vectors of utterances (by ``utterances.id``) whose text changed.

        Windows that reach over them go as well; the next ``refresh_vectors`` computes them.
        """
        order = self.utterance_ids(meeting_id)
        near: set[int] = set()
        for place, key in enumerate(order):
            if key in keys:
                near.update(order[max(0, place - 2) : place + 3])
        for kind in ("utterance", "window"):
            found = self.value(
                "SELECT owners FROM vectors WHERE meeting_id = ? AND kind = ?", (meeting_id, kind)
            )
            if found is None:
                continue
            owners = np.frombuffer(found, "<i8").copy()
            is_stale = [(k in near if kind == "window" else k in keys) for k in owners.tolist()]
            owners[is_stale] = 0
            with self.transaction() as connection:
                connection.execute(
                    "UPDATE vectors SET owners = ? WHERE meeting_id = ? AND kind = ?",
                    (owners.tobytes(), meeting_id, kind),
                )

    def vector_model(self, meeting_id: str, kind: str = "utterance") -> str:
        """The model that made the embeddings of a meeting, "" when there are none."""
        found = self.value(
            "SELECT model_id FROM vectors WHERE meeting_id = ? AND kind = ?", (meeting_id, kind)
        )
        return str(found or "")


def _acoustics_row(a: Acoustics) -> tuple[Any, ...]:
    return (
        float(a.loudness_db),
        float(a.loudness_z),
        None if a.pitch_hz is None else float(a.pitch_hz),
        float(a.pitch_z),
        float(a.rate),
        float(a.rate_z),
        float(a.pause_before),
        float(a.overlap),
        int(a.is_interruption),
        ",".join(cue.value for cue in a.cues),
    )


@lru_cache(maxsize=1024)
def _cues(packed: str) -> tuple[Cue, ...]:
    """Few combinations occur, many times each."""
    return tuple(Cue(cue) for cue in packed.split(","))


def acoustics_from(row: Sequence[Any]) -> Acoustics:
    """Build acoustics from the columns in the order of the table."""
    cues = _cues(row[9]) if row[9] else ()
    return Acoustics(
        row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], bool(row[8]), cues
    )
