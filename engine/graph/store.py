"""The library: one folder with ``library.db`` (SQLite, the truth) and ``media/<meeting id>/``.

``Store`` is the only way to it. One connection, one thread; several processes may hold stores
on one folder (write-ahead log, one writer at a time). No search here, see
``engine.graph.search``, and no knowledge of models: embeddings arrive as (n, dim) float32 rows.

Tables for read-only SQL through ``store.connection``:

* ``meetings(id TEXT, title, source_name, created, duration, language, has_audio, is_complete,
  n_utterances, n_speakers, coverage, tags JSON, revision)``
* ``utterances(id, meeting_id, idx, start, "end", speaker_id, text, heard_text, is_edited,
  is_speaker_pinned)``: ``idx`` is the index everybody outside uses, ``id`` the key inside SQL.
  ``"end"`` must be quoted, it is a keyword.
* ``speakers(id, meeting_id, cluster, name, is_named, is_merged, colour)``
* ``acoustics(utterance_id, meeting_id, loudness_db, loudness_z, pitch_hz, pitch_z, rate, rate_z,
  pause_before, overlap, is_interruption, cues)``: ``cues`` is a list with commas.
* ``events(meeting_id, start, "end", label, score, source)``
* ``edges(meeting_id, source, target, relation, weight, reason)``: ``source`` and ``target`` are
  ``utterances.id``, not ``idx``.
* ``entities(id, meeting_id, name, kind, n_mentions)``, ``mentions(entity_id, utterance_id)``
* ``expansions(id, meeting_id, utterance_id, question)``, ``roles(meeting_id, utterance_id,
  sentence, graph)``, ``topics(meeting_id, title, start, "end", summary)``,
  ``notes(id, meeting_id, kind, text, owner, due, start, "end", utterances JSON, source)``
* ``words(meeting_id, utterance_id, n_words, words JSON)``, ``clips`` (speech spans),
  ``speaker_segments`` (turns), ``seconds``, ``stages``, ``vectors``, ``voiceprints``,
  ``voice_suggestions``, ``answers``, ``chats``, ``edits``, ``versions``
* full text: ``utterances_fts(text)`` and ``expansions_fts(question)`` with ``rowid`` =
  ``utterances.id`` and ``expansions.id``; ``utterances_dense(tokens)`` for scripts without
  spaces. Build match expressions with ``engine.graph.search.match_expression`` only.
"""

from __future__ import annotations

from pathlib import Path

from engine.graph import removal
from engine.graph.voices import VoiceTables
from engine.types import DeleteReceipt


class Store(VoiceTables):
    """A library of meetings; belongs to the thread that made it.

    Use it as a context manager. Every method that writes is one transaction: after a crash or a
    full disk the library is as it was before. Methods raise ``StoreError`` for a full disk, a
    locked, damaged or read-only file.
    """

    def __init__(self, library_dir: Path, *, read_only: bool = False) -> None:
        super().__init__(library_dir, read_only=read_only)
        try:
            if not read_only and self.value("SELECT 1 FROM library_state WHERE key = 'scrub'"):
                removal.scrub(self)
        except BaseException:
            self.close()
            raise

    def delete_meeting(
        self,
        meeting_id: str,
        *,
        with_recordings: bool = False,
        on_gone: removal.OnGone | None = None,
    ) -> DeleteReceipt:
        """Remove every trace of a meeting from every file of the library.

        Args:
            meeting_id: The meeting.
            with_recordings: Also the recording it was heard from, where that was made here.
            on_gone: Told the id before its traces are wiped, when nobody sees it any more.

        Raises:
            MeetingNotFound: No meeting has this id.
            StoreError: The library cannot be written.
        """
        return removal.delete_meeting(
            self, meeting_id, with_recordings=with_recordings, on_gone=on_gone
        )
