"""The table of meetings, their finished stages and their media folders."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import MeetingNotFound, StoreError
from engine.graph.database import Database
from engine.graph.lexicon import clean
from engine.types import Meeting, StageRecord

_COLUMNS = (
    "id, title, source_name, created, duration, language, has_audio, is_complete, n_utterances, "
    "n_speakers, coverage, tags"
)
_CHANGEABLE_COLUMNS = (
    "title source_name duration language has_audio is_complete coverage tags created fingerprint"
)
_CHANGEABLE = frozenset(_CHANGEABLE_COLUMNS.split())


def now() -> str:
    """The present moment as ISO 8601 with the zone."""
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


class MeetingTable(Database):
    """Meetings and stages."""

    def create_meeting(self, title: str, source_name: str = "", has_audio: bool = True) -> Meeting:
        """Add an empty meeting.

        Raises:
            StoreError: The library cannot be written.
        """
        title = clean(title).strip() or clean(source_name).strip() or "Untitled"
        with self.transaction() as connection:
            meeting_id = self._new_id()
            connection.execute(
                "INSERT INTO meetings(id, title, source_name, created, has_audio) "
                "VALUES (?, ?, ?, ?, ?)",
                (meeting_id, title, clean(source_name), now(), int(has_audio)),
            )
        return self.meeting(meeting_id)

    def meetings(self) -> list[Meeting]:
        """All meetings, the newest first."""
        found = self.rows(f"SELECT {_COLUMNS} FROM meetings ORDER BY created DESC, rowid DESC")
        return [_meeting(row) for row in found]

    def meeting(self, ref: str) -> Meeting:
        """Find a meeting by id, by an unambiguous beginning of its id, or by its exact title.

        Raises:
            MeetingNotFound: None, or more than one, is meant.
        """
        ref = clean(ref)
        for condition, value in (("id = ?", ref), ("title = ?", ref)):
            found = self.rows(f"SELECT {_COLUMNS} FROM meetings WHERE {condition}", (value,))
            if len(found) == 1:
                return _meeting(found[0])
            if found:
                ids = ", ".join(row[0] for row in found[:5])
                raise MeetingNotFound(
                    f"{len(found)} meetings have this title.", f"Use one of {ids}."
                )
        if ref:
            found = self.rows(
                f"SELECT {_COLUMNS} FROM meetings WHERE substr(id, 1, ?) = ?", (len(ref), ref)
            )
            if len(found) == 1:
                return _meeting(found[0])
        shown = ref if len(ref) <= 60 else ref[:60] + "..."
        many = " more than one" if ref and found else " no"
        raise MeetingNotFound(f"There is{many} meeting {shown!r}.", "See `earwitness list`.")

    def meeting_by_fingerprint(self, fingerprint: str) -> Meeting | None:
        """The meeting made from a file with this content; a finished one rather than another."""
        found = self.rows(
            f"SELECT {_COLUMNS} FROM meetings WHERE fingerprint = ? AND fingerprint <> '' "
            "ORDER BY is_complete DESC, created LIMIT 1",
            (fingerprint,),
        )
        return _meeting(found[0]) if found else None

    def update_meeting(self, meeting_id: str, **columns: Any) -> Meeting:
        """Change columns of a meeting: title, duration, language, coverage, tags, is_complete...

        Raises:
            MeetingNotFound: No meeting has this id.
            ValueError: A column is not one that may be changed.
        """
        unknown = set(columns) - _CHANGEABLE
        if unknown:
            raise ValueError(f"not a column of meetings: {', '.join(sorted(unknown))}")
        if "tags" in columns:
            columns["tags"] = json.dumps([clean(t) for t in columns["tags"]], ensure_ascii=False)
        if "title" in columns:
            columns["title"] = clean(columns["title"]).strip() or "Untitled"
        self.meeting(meeting_id)
        if columns:
            assignments = ", ".join(f"{name} = ?" for name in columns)
            with self.transaction() as connection:
                connection.execute(
                    f"UPDATE meetings SET {assignments} WHERE id = ?",
                    (*columns.values(), meeting_id),
                )
        return self.meeting(meeting_id)

    def sound_of(self, meeting_id: str) -> Path | None:
        """The decoded recording of a meeting, None where there is only a transcript.

        Raises:
            MeetingNotFound: There is no such meeting.
        """
        path = self.library_dir / "media" / meeting_id / "audio.flac"
        return path if self.meeting(meeting_id).has_audio and path.is_file() else None

    def media_dir(self, meeting_id: str) -> Path:
        """The folder of a meeting's sound, made when it is missing.

        Raises:
            StoreError: The id is not one of ours, or the folder cannot be made.
        """
        if not is_meeting_id(meeting_id):
            raise StoreError(f"{meeting_id[:40]!r} is not the id of a meeting.")
        folder = self.library_dir / "media" / meeting_id
        if not self.is_read_only:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"The folder {folder} cannot be made.", str(error)) from error
        return folder

    def finished_stages(self, meeting_id: str) -> dict[str, StageRecord]:
        """The stages whose results are saved, by name, in the order they finished."""
        found = self.rows(
            "SELECT stage, seconds, peak_memory_mb, details FROM stages WHERE meeting_id = ? "
            "ORDER BY rowid",
            (meeting_id,),
        )
        return {row[0]: StageRecord(row[0], row[1], row[2], json.loads(row[3])) for row in found}

    def record_stage(self, meeting_id: str, record: StageRecord) -> None:
        """Remember that a stage is finished."""
        with self.transaction() as connection:
            self._require(meeting_id)
            connection.execute(
                "INSERT OR REPLACE INTO stages(meeting_id, stage, seconds, peak_memory_mb, "
                "details) VALUES (?, ?, ?, ?, ?)",
                (
                    meeting_id,
                    record.stage,
                    record.seconds,
                    record.peak_memory_mb,
                    json.dumps(record.details, ensure_ascii=False, default=str),
                ),
            )

    def forget_stages(self, meeting_id: str, stages: Iterable[str] | None = None) -> None:
        """Let stages run again; None means all of them."""
        with self.transaction() as connection:
            if stages is None:
                connection.execute("DELETE FROM stages WHERE meeting_id = ?", (meeting_id,))
            else:
                connection.executemany(
                    "DELETE FROM stages WHERE meeting_id = ? AND stage = ?",
                    [(meeting_id, stage) for stage in stages],
                )

    def revision(self, meeting_id: str) -> int:
        """A number that grows with every change of the utterances or vectors of a meeting."""
        return int(self.value("SELECT revision FROM meetings WHERE id = ?", (meeting_id,)) or 0)

    def _touch(self, meeting_id: str) -> None:
        """Note that utterances or vectors changed; part of the caller's transaction."""
        self._connection.execute(
            "UPDATE meetings SET revision = revision + 1 WHERE id = ?", (meeting_id,)
        )

    def _require(self, meeting_id: str) -> None:
        if self.value("SELECT 1 FROM meetings WHERE id = ?", (meeting_id,)) is None:
            raise MeetingNotFound(f"There is no meeting {meeting_id[:60]!r}.")

    def _new_id(self) -> str:
        while True:
            # A leading letter keeps it from being taken for a number anywhere.
            meeting_id = "m" + secrets.token_hex(4)
            if self.value("SELECT 1 FROM meetings WHERE id = ?", (meeting_id,)) is None:
                return meeting_id


def is_meeting_id(text: str) -> bool:
    """Whether a text can be the id of a meeting, and with that the name of its folder.

    A library may come from somebody else; what it calls an id must not lead out of it.
    """
    return text.isalnum() and text.isascii()


def _meeting(row: tuple[Any, ...]) -> Meeting:
    return Meeting(
        id=row[0],
        title=row[1],
        source_name=row[2],
        created=row[3],
        duration=row[4],
        language=row[5],
        has_audio=bool(row[6]),
        is_complete=bool(row[7]),
        n_utterances=row[8],
        n_speakers=row[9],
        coverage=row[10],
        tags=tuple(json.loads(row[11])),
    )
