"""Voices that were remembered under a name, and names suggested to the speakers of a meeting.

A voiceprint belongs to the meeting it was heard in and goes with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.graph.answers import AnswerTables
from engine.graph.lexicon import clean
from engine.graph.meetings import now
from engine.types import FloatArray


@dataclass(frozen=True, slots=True)
class KnownVoice:
    """A name whose voice is remembered."""

    name: str
    n_exemplars: int
    n_meetings: int
    since: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A known name for a speaker who has none.

    Attributes:
        speaker_id: Of the meeting.
        name: Of the known voice.
        score: Similarity, 0 to 1.
        is_sure: False in the band where it is only a guess.
    """

    speaker_id: int
    name: str
    score: float
    is_sure: bool


class VoiceTables(AnswerTables):
    """Voiceprints and suggestions."""

    def save_voiceprints(self, speaker_id: int, model_id: str, exemplars: FloatArray) -> None:
        """Replace what is remembered of a speaker, under the name the speaker has now.

        Args:
            speaker_id: Who.
            model_id: What made the embeddings.
            exemplars: (n, dim) float32 unit rows; none forgets the speaker's voice.
        """
        with self.transaction() as connection:
            connection.execute("DELETE FROM voiceprints WHERE speaker_id = ?", (speaker_id,))
            connection.executemany(
                "INSERT INTO voiceprints(meeting_id, speaker_id, name, model_id, dim, vector, "
                "created) SELECT meeting_id, id, name, ?, ?, ?, ? FROM speakers WHERE id = ?",
                [
                    (model_id, row.size, row.astype("<f4").tobytes(), now(), speaker_id)
                    for row in exemplars
                ],
            )

    def voiceprints(self, model_id: str, without_meeting: str = "") -> dict[str, FloatArray]:
        """The exemplars of every name: (n, dim) float32 by name, without those of one meeting."""
        found = self.rows(
            "SELECT name, vector FROM voiceprints WHERE model_id = ? AND meeting_id IS NOT ? "
            "ORDER BY id",
            (model_id, without_meeting or None),
        )
        vectors: dict[str, list[FloatArray]] = {}
        for name, packed in found:
            vectors.setdefault(name, []).append(np.frombuffer(packed, "<f4").astype(np.float32))
        return {name: np.stack(rows) for name, rows in vectors.items()}

    def known_voices(self) -> list[KnownVoice]:
        """The names that are remembered, in their order."""
        found = self.rows(
            "SELECT name, count(*), count(DISTINCT meeting_id), min(created) FROM voiceprints "
            "GROUP BY name ORDER BY name COLLATE NOCASE"
        )
        return [KnownVoice(*row) for row in found]

    def remembered_speakers(self, meeting_id: str) -> set[int]:
        """Keys of the speakers of a meeting whose voices are remembered."""
        sql = "SELECT DISTINCT speaker_id FROM voiceprints WHERE meeting_id = ?"
        return {row[0] for row in self.rows(sql, (meeting_id,))}

    def forget_voice(self, name: str) -> int:
        """Remove the voice of a name and the suggestions made by it; returns what it held."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM voice_suggestions WHERE name = ?", (name,))
            found = connection.execute("DELETE FROM voiceprints WHERE name = ?", (name,))
            n_removed = int(found.rowcount)
        if n_removed:
            # Otherwise the vectors could still be read from the log beside the file.
            self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return n_removed

    def save_voice_suggestions(self, meeting_id: str, suggestions: Sequence[Suggestion]) -> None:
        """Replace the suggestions of a meeting."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM voice_suggestions WHERE meeting_id = ?", (meeting_id,))
            connection.executemany(
                "INSERT INTO voice_suggestions(meeting_id, speaker_id, name, score, is_sure) "
                "VALUES (?, ?, ?, ?, ?)",
                [
                    (meeting_id, s.speaker_id, clean(s.name), s.score, int(s.is_sure))
                    for s in suggestions
                ],
            )

    def voice_suggestions(self, meeting_id: str) -> list[Suggestion]:
        """Names for speakers of a meeting that have none yet, the surest first."""
        found = self.rows(
            "SELECT v.speaker_id, v.name, v.score, v.is_sure FROM voice_suggestions v "
            "JOIN speakers s ON s.id = v.speaker_id "
            "WHERE v.meeting_id = ? AND NOT s.is_named AND v.name NOT IN "
            "(SELECT name FROM speakers WHERE meeting_id = v.meeting_id AND is_named) "
            "ORDER BY v.score DESC",
            (meeting_id,),
        )
        return [Suggestion(row[0], row[1], row[2], bool(row[3])) for row in found]

    def dismiss_suggestion(self, meeting_id: str, speaker_id: int) -> None:
        """The user does not want this name."""
        with self.transaction() as connection:
            connection.execute(
                "DELETE FROM voice_suggestions WHERE meeting_id = ? AND speaker_id = ?",
                (meeting_id, speaker_id),
            )
