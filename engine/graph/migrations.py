"""Numbered changes of the library file: append only, all that are due in one transaction.

The number of the last applied change is ``PRAGMA user_version``. To change the schema, add a
function at the end with the next number; never touch an older one, since libraries in the
field were made by it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from engine.errors import StoreError

Migration = Callable[[sqlite3.Connection], None]
_MIGRATIONS: list[Migration] = []


def _migration(function: Migration) -> Migration:
    _MIGRATIONS.append(function)
    return function


def latest() -> int:
    """The version this program writes."""
    return len(_MIGRATIONS)


def version(connection: sqlite3.Connection) -> int:
    """The version of an open file; 0 when it is new."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(connection: sqlite3.Connection, *, is_read_only: bool = False) -> None:
    """Refuse a file this program cannot read.

    Raises:
        StoreError: The file is newer, or older and may not be brought up to date.
    """
    found = version(connection)
    if found > latest():
        raise StoreError(
            f"The library was written by a newer Earwitness (format {found}, this one knows "
            f"{latest()}).",
            "Update Earwitness to open it.",
        )
    if is_read_only and found < latest():
        raise StoreError(
            f"The library has an older format ({found} instead of {latest()}).",
            "Open it once with write access to bring it up to date.",
        )


def migrate(connection: sqlite3.Connection, target: int | None = None) -> None:
    """Bring a file up to date, whole or not at all.

    Args:
        connection: In autocommit mode.
        target: Stop at this version (tests); None for the latest.

    Raises:
        StoreError: The file is newer than this program.
    """
    check_version(connection)
    goal = latest() if target is None else target
    if version(connection) >= goal:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again inside the lock: another process may have been quicker, and newer.
        check_version(connection)
        for number in range(version(connection), goal):
            _MIGRATIONS[number](connection)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Execute statements separated by blank lines (executescript would commit)."""
    for statement in script.strip().split("\n\n"):
        connection.execute(statement)


@_migration
def _meetings_and_what_was_heard(connection: sqlite3.Connection) -> None:
    _run(connection, _HEARD)


@_migration
def _graph_findings_and_answers(connection: sqlite3.Connection) -> None:
    _run(connection, _GRAPH)


@_migration
def _search_and_edits(connection: sqlite3.Connection) -> None:
    _run(connection, _SEARCH)


@_migration
def _files_are_known_again(connection: sqlite3.Connection) -> None:
    _run(connection, _FINGERPRINT)


@_migration
def _names_are_suggested(connection: sqlite3.Connection) -> None:
    _run(connection, _SUGGESTIONS)


@_migration
def _every_second_is_measured(connection: sqlite3.Connection) -> None:
    _run(connection, _SECONDS)


_OWNER = "meeting_id TEXT NOT NULL REFERENCES meetings(id) ON DELETE CASCADE"
_NODE = "utterance_id INTEGER NOT NULL REFERENCES utterances(id) ON DELETE CASCADE"

_HEARD = f"""
CREATE TABLE meetings (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, source_name TEXT NOT NULL DEFAULT '',
  created TEXT NOT NULL, duration REAL NOT NULL DEFAULT 0, language TEXT NOT NULL DEFAULT '',
  has_audio INTEGER NOT NULL DEFAULT 1, is_complete INTEGER NOT NULL DEFAULT 0,
  n_utterances INTEGER NOT NULL DEFAULT 0, n_speakers INTEGER NOT NULL DEFAULT 0,
  coverage REAL, tags TEXT NOT NULL DEFAULT '[]', revision INTEGER NOT NULL DEFAULT 0)

CREATE INDEX meetings_by_title ON meetings(title)

CREATE TABLE stages (
  {_OWNER}, stage TEXT NOT NULL, seconds REAL NOT NULL, peak_memory_mb REAL NOT NULL DEFAULT 0,
  details TEXT NOT NULL DEFAULT '{{}}', PRIMARY KEY (meeting_id, stage))

CREATE TABLE clips (
  id INTEGER PRIMARY KEY, {_OWNER}, start REAL NOT NULL, "end" REAL NOT NULL,
  kind TEXT NOT NULL DEFAULT 'speech')

CREATE INDEX clips_by_meeting ON clips(meeting_id, start)

CREATE TABLE speaker_segments (
  id INTEGER PRIMARY KEY, {_OWNER}, start REAL NOT NULL, "end" REAL NOT NULL,
  speaker INTEGER NOT NULL)

CREATE INDEX speaker_segments_by_meeting ON speaker_segments(meeting_id, start)

CREATE TABLE speakers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, {_OWNER}, cluster INTEGER, name TEXT NOT NULL,
  is_named INTEGER NOT NULL DEFAULT 0, is_merged INTEGER NOT NULL DEFAULT 0,
  colour INTEGER NOT NULL DEFAULT 0)

CREATE INDEX speakers_by_meeting ON speakers(meeting_id)

CREATE TABLE voiceprints (
  id INTEGER PRIMARY KEY, meeting_id TEXT REFERENCES meetings(id) ON DELETE CASCADE,
  speaker_id INTEGER REFERENCES speakers(id) ON DELETE CASCADE, name TEXT NOT NULL,
  model_id TEXT NOT NULL, dim INTEGER NOT NULL, vector BLOB NOT NULL, created TEXT NOT NULL)

CREATE INDEX voiceprints_by_name ON voiceprints(name)

CREATE INDEX voiceprints_by_meeting ON voiceprints(meeting_id)

CREATE INDEX voiceprints_by_speaker ON voiceprints(speaker_id)

CREATE TABLE utterances (
  id INTEGER PRIMARY KEY AUTOINCREMENT, {_OWNER}, idx INTEGER NOT NULL, start REAL NOT NULL,
  "end" REAL NOT NULL, speaker_id INTEGER REFERENCES speakers(id), text TEXT NOT NULL,
  heard_text TEXT, is_edited INTEGER NOT NULL DEFAULT 0,
  is_speaker_pinned INTEGER NOT NULL DEFAULT 0)

CREATE INDEX utterances_by_place ON utterances(meeting_id, idx)

CREATE INDEX utterances_by_time ON utterances(meeting_id, start)

CREATE INDEX utterances_by_speaker ON utterances(speaker_id)

CREATE TABLE words (
  id INTEGER PRIMARY KEY, {_OWNER},
  utterance_id INTEGER UNIQUE REFERENCES utterances(id) ON DELETE CASCADE,
  n_words INTEGER NOT NULL, words TEXT NOT NULL)

CREATE INDEX words_by_meeting ON words(meeting_id)

CREATE TABLE acoustics (
  utterance_id INTEGER PRIMARY KEY REFERENCES utterances(id) ON DELETE CASCADE, {_OWNER},
  loudness_db REAL NOT NULL, loudness_z REAL NOT NULL, pitch_hz REAL, pitch_z REAL NOT NULL,
  rate REAL NOT NULL, rate_z REAL NOT NULL, pause_before REAL NOT NULL, overlap REAL NOT NULL,
  is_interruption INTEGER NOT NULL, cues TEXT NOT NULL DEFAULT '')

CREATE INDEX acoustics_by_meeting ON acoustics(meeting_id)

CREATE TABLE events (
  id INTEGER PRIMARY KEY, {_OWNER}, start REAL NOT NULL, "end" REAL NOT NULL,
  label TEXT NOT NULL, score REAL NOT NULL DEFAULT 1, source TEXT NOT NULL DEFAULT '')

CREATE INDEX events_by_meeting ON events(meeting_id, start)
"""

_GRAPH = f"""
CREATE TABLE edges (
  id INTEGER PRIMARY KEY, {_OWNER},
  source INTEGER NOT NULL REFERENCES utterances(id) ON DELETE CASCADE,
  target INTEGER NOT NULL REFERENCES utterances(id) ON DELETE CASCADE,
  relation TEXT NOT NULL, weight REAL NOT NULL DEFAULT 1, reason TEXT NOT NULL DEFAULT '')

CREATE INDEX edges_by_meeting ON edges(meeting_id, relation)

CREATE INDEX edges_by_source ON edges(source, relation)

CREATE INDEX edges_by_target ON edges(target, relation)

CREATE TABLE entities (
  id INTEGER PRIMARY KEY, {_OWNER}, name TEXT NOT NULL, kind TEXT NOT NULL DEFAULT '',
  n_mentions INTEGER NOT NULL DEFAULT 0)

CREATE INDEX entities_by_meeting ON entities(meeting_id, name)

CREATE TABLE mentions (
  entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE, {_NODE},
  PRIMARY KEY (entity_id, utterance_id)) WITHOUT ROWID

CREATE INDEX mentions_by_utterance ON mentions(utterance_id)

CREATE TABLE expansions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, {_OWNER}, {_NODE}, question TEXT NOT NULL)

CREATE INDEX expansions_by_meeting ON expansions(meeting_id)

CREATE INDEX expansions_by_utterance ON expansions(utterance_id)

CREATE TABLE roles (
  id INTEGER PRIMARY KEY, {_OWNER}, {_NODE}, sentence TEXT NOT NULL,
  graph TEXT NOT NULL DEFAULT '')

CREATE INDEX roles_by_meeting ON roles(meeting_id)

CREATE INDEX roles_by_utterance ON roles(utterance_id)

CREATE TABLE topics (
  id INTEGER PRIMARY KEY, {_OWNER}, title TEXT NOT NULL, start REAL NOT NULL,
  "end" REAL NOT NULL, summary TEXT NOT NULL DEFAULT '')

CREATE INDEX topics_by_meeting ON topics(meeting_id, start)

CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, {_OWNER}, kind TEXT NOT NULL, text TEXT NOT NULL,
  owner TEXT NOT NULL DEFAULT '', due TEXT NOT NULL DEFAULT '', start REAL NOT NULL DEFAULT 0,
  "end" REAL NOT NULL DEFAULT 0, utterances TEXT NOT NULL DEFAULT '[]',
  source TEXT NOT NULL DEFAULT '', is_edited INTEGER NOT NULL DEFAULT 0)

CREATE INDEX notes_by_meeting ON notes(meeting_id, kind)

CREATE TABLE chats (
  id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT '', created TEXT NOT NULL)

CREATE TABLE answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, chat_id INTEGER REFERENCES chats(id) ON DELETE CASCADE,
  created TEXT NOT NULL, question TEXT NOT NULL, text TEXT NOT NULL, system TEXT NOT NULL,
  abstained INTEGER NOT NULL, is_whole_library INTEGER NOT NULL, payload TEXT NOT NULL,
  ratings TEXT NOT NULL DEFAULT '{{}}')

CREATE INDEX answers_by_chat ON answers(chat_id)

CREATE TABLE answer_meetings (
  answer_id INTEGER NOT NULL REFERENCES answers(id) ON DELETE CASCADE, {_OWNER},
  PRIMARY KEY (answer_id, meeting_id)) WITHOUT ROWID

CREATE INDEX answer_meetings_by_meeting ON answer_meetings(meeting_id)

CREATE TABLE vectors (
  {_OWNER}, kind TEXT NOT NULL, model_id TEXT NOT NULL, dim INTEGER NOT NULL,
  n_rows INTEGER NOT NULL, revision INTEGER NOT NULL, owners BLOB NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (meeting_id, kind))
"""

_SEARCH = f"""
CREATE VIRTUAL TABLE utterances_fts USING fts5(
  text, content='utterances', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')

CREATE VIRTUAL TABLE utterances_dense USING fts5(tokens, tokenize='unicode61')

CREATE VIRTUAL TABLE expansions_fts USING fts5(
  question, content='expansions', content_rowid='id',
  tokenize='porter unicode61 remove_diacritics 2')

CREATE TRIGGER utterances_added AFTER INSERT ON utterances BEGIN
  INSERT INTO utterances_fts(rowid, text) VALUES (new.id, new.text);
  INSERT INTO utterances_dense(rowid, tokens)
    SELECT new.id, dense_tokens(new.text) WHERE dense_tokens(new.text) <> '';
END

CREATE TRIGGER utterances_removed AFTER DELETE ON utterances BEGIN
  INSERT INTO utterances_fts(utterances_fts, rowid, text) VALUES ('delete', old.id, old.text);
  DELETE FROM utterances_dense WHERE rowid = old.id;
END

CREATE TRIGGER utterances_changed AFTER UPDATE OF text ON utterances
WHEN old.text IS NOT new.text BEGIN
  INSERT INTO utterances_fts(utterances_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO utterances_fts(rowid, text) VALUES (new.id, new.text);
  DELETE FROM utterances_dense WHERE rowid = old.id;
  INSERT INTO utterances_dense(rowid, tokens)
    SELECT new.id, dense_tokens(new.text) WHERE dense_tokens(new.text) <> '';
END

CREATE TRIGGER expansions_added AFTER INSERT ON expansions BEGIN
  INSERT INTO expansions_fts(rowid, question) VALUES (new.id, new.question);
END

CREATE TRIGGER expansions_removed AFTER DELETE ON expansions BEGIN
  INSERT INTO expansions_fts(expansions_fts, rowid, question)
    VALUES ('delete', old.id, old.question);
END

CREATE TABLE edits (
  id INTEGER PRIMARY KEY AUTOINCREMENT, {_OWNER}, created TEXT NOT NULL,
  operation TEXT NOT NULL, changes TEXT NOT NULL, is_undone INTEGER NOT NULL DEFAULT 0)

CREATE INDEX edits_by_meeting ON edits(meeting_id, is_undone)

CREATE TABLE versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, {_OWNER}, created TEXT NOT NULL,
  label TEXT NOT NULL DEFAULT '', n_utterances INTEGER NOT NULL, payload TEXT NOT NULL)

CREATE INDEX versions_by_meeting ON versions(meeting_id)

CREATE TABLE library_state (key TEXT PRIMARY KEY, value TEXT NOT NULL)
"""

_FINGERPRINT = """
ALTER TABLE meetings ADD COLUMN fingerprint TEXT NOT NULL DEFAULT ''

CREATE INDEX meetings_by_fingerprint ON meetings(fingerprint)
"""

_SUGGESTIONS = f"""
CREATE TABLE voice_suggestions (
  {_OWNER}, speaker_id INTEGER NOT NULL REFERENCES speakers(id) ON DELETE CASCADE,
  name TEXT NOT NULL, score REAL NOT NULL, is_sure INTEGER NOT NULL,
  PRIMARY KEY (meeting_id, speaker_id)) WITHOUT ROWID

CREATE INDEX voice_suggestions_by_speaker ON voice_suggestions(speaker_id)
"""

_SECONDS = """
CREATE TABLE seconds (
  meeting_id TEXT PRIMARY KEY REFERENCES meetings(id) ON DELETE CASCADE,
  n_rows INTEGER NOT NULL, data BLOB NOT NULL)
"""
