"""Deleting a meeting so that nothing of it can be read from the library's files again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection

from engine.audio import take
from engine.audio.fingerprint import fingerprint
from engine.errors import AudioError, StoreError
from engine.graph import library_index
from engine.graph.answers import AnswerTables
from engine.graph.meetings import is_meeting_id
from engine.types import DeleteReceipt

# Tables with a row per thing of a meeting, in the order of the receipt.
_OWNED = (
    "stages clips words speaker_segments utterances speakers voiceprints acoustics seconds events "
    "edges entities expansions roles topics notes vectors edits versions voice_suggestions"
)
OWNED_TABLES = tuple(_OWNED.split())
OnGone = Callable[[str], object]
REPAIR_NAME = ".repair"
"""The folder in which a repair makes its copy."""

FULL_TEXT_TABLES = ("utterances_fts", "utterances_dense", "expansions_fts")


def delete_meeting(
    store: AnswerTables,
    meeting_id: str,
    *,
    with_recordings: bool = False,
    on_gone: OnGone | None = None,
) -> DeleteReceipt:
    """Remove a meeting: rows, full-text entries, answers that quote it, vectors, sound.

    The rows go first, in one transaction; the files are scrubbed afterwards, and a scrub that
    was interrupted is finished when the library is opened again.

    Args:
        store: Open for writing.
        meeting_id: The meeting.
        with_recordings: Remove the recording made here that it was heard from, too. Not for a
            meeting whose hearing failed: there the recording is all there is.
        on_gone: Told the id when nobody sees the meeting any more; wiping its traces from a
            large library takes a second or two after that.

    Raises:
        MeetingNotFound: No meeting has this id.
        StoreError: The library cannot be written.
    """
    meeting = store.meeting(meeting_id)
    key = meeting.id
    media = store.media_dir(key)
    # Before the rows: after them nobody would know any more whose recording it is.
    removed = _remove_takes(store, key) if with_recordings else (0, 0)
    counts = _remove_rows(store, key)
    if on_gone is not None:
        on_gone(key)
    try:
        n_files, n_bytes = _remove_media(media)
    finally:
        scrub(store)
    rows = {table: n for table, n in counts.items() if n} | {"meetings": 1}
    return DeleteReceipt(key, meeting.title, rows, n_files + removed[0], n_bytes + removed[1])


def _remove_rows(store: AnswerTables, key: str) -> dict[str, int]:
    """Remove a meeting from the database and note that it is to be wiped; rows by table."""
    counts = _counted(store, key)
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO library_state VALUES ('scrub', ?) "
            "ON CONFLICT(key) DO UPDATE SET value = value || ' ' || excluded.value",
            (key,),
        )
        counts |= _remove_answers(connection, key)
        connection.execute("DELETE FROM meetings WHERE id = ?", (key,))
    return counts


def _counted(store: AnswerTables, key: str) -> dict[str, int]:
    """Rows of a meeting by table."""
    counts = {
        table: int(store.value(f"SELECT count(*) FROM {table} WHERE meeting_id = ?", (key,)))
        for table in OWNED_TABLES
    }
    counts["mentions"] = int(
        store.value(
            "SELECT count(*) FROM mentions WHERE entity_id IN "
            "(SELECT id FROM entities WHERE meeting_id = ?)",
            (key,),
        )
    )
    return counts


def _remove_answers(connection: Connection, key: str) -> dict[str, int]:
    """Delete the answers that rest on a meeting or quote it, and chats left empty."""
    connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS doomed(id INTEGER PRIMARY KEY, chat_id INTEGER)"
    )
    connection.execute("DELETE FROM doomed")
    # The trace of an answer over the whole library may quote a meeting it does not cite.
    connection.execute(
        "INSERT INTO doomed SELECT id, chat_id FROM answers WHERE instr(payload, ?) > 0 OR id "
        "IN (SELECT answer_id FROM answer_meetings WHERE meeting_id = ?)",
        (key, key),
    )
    answers = connection.execute("DELETE FROM answers WHERE id IN (SELECT id FROM doomed)").rowcount
    chats = connection.execute(
        "DELETE FROM chats WHERE id IN (SELECT chat_id FROM doomed) AND id NOT IN "
        "(SELECT chat_id FROM answers WHERE chat_id NOTNULL)"
    ).rowcount
    # A chat is named after its first question, which may be gone.
    connection.execute(
        "UPDATE chats SET title = (SELECT question FROM answers WHERE chat_id = chats.id "
        "ORDER BY id LIMIT 1) WHERE id IN (SELECT chat_id FROM doomed)"
    )
    return {"answers": answers, "chats": chats}


def scrub(store: AnswerTables) -> None:
    """Wipe what deleted rows left in the full-text index, the log, the vector cache and the media.

    The log cannot be emptied while another program reads, nor a file removed that a program of
    Windows holds open; then the next opening of the library goes on here.
    """
    library_index.forget_deleted(store)
    with store.transaction() as connection:
        # Full-text tables mark deletions and keep the words until their segments are merged.
        for table in FULL_TEXT_TABLES:
            connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        _remove_leftovers(store)
        waiting = " ".join(_with_media(store))
        # Without the ids of what is gone; this is the last page that is written before the wiping.
        connection.execute("UPDATE library_state SET value = ? WHERE key = 'scrub'", (waiting,))
    if _log_is_emptied(store) and not waiting:
        with store.transaction() as connection:
            connection.execute("DELETE FROM library_state WHERE key = 'scrub'")


def _remove_leftovers(store: AnswerTables) -> None:
    """Remove copies that hold what was deleted, too, and files a killed program left half written.

    Copies are kept by a repair and before a change of format.
    """
    for path in store.library_dir.glob(f"{store.path.name}.*"):
        path.unlink(missing_ok=True)
    store.library_dir.joinpath(library_index.INDEX_NAME).with_suffix(".part").unlink(
        missing_ok=True
    )
    shutil.rmtree(store.library_dir / REPAIR_NAME, ignore_errors=True)


def _with_media(store: AnswerTables) -> list[str]:
    """Deleted meetings whose sound cannot be removed yet."""
    known = {row[0] for row in store.rows("SELECT id FROM meetings")}
    noted = str(store.value("SELECT value FROM library_state WHERE key = 'scrub'") or "")
    gone = [key for key in noted.split() if key not in known and is_meeting_id(key)]
    folders = [store.library_dir / "media" / key for key in gone]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return [folder.name for folder in folders if folder.exists()]


def _log_is_emptied(store: AnswerTables) -> bool:
    ((is_busy, _, _),) = store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return not is_busy


def _remove_takes(store: AnswerTables, key: str) -> tuple[int, int]:
    """Remove the recordings of this library that a meeting was heard from; files and bytes.

    The window lets go of a recording once it was heard; one that was recorded or heard by a
    command, or whose hearing was stopped half-way, is still there.
    """
    mark = store.value("SELECT fingerprint FROM meetings WHERE id = ?", (key,))
    n_files = n_bytes = 0
    for one in take.takes(store.library_dir / "recordings") if mark else ():
        is_over = one.is_finished or not take.is_growing(one)
        if is_over and any(_is_of(path, mark) for path in (*one.tracks, one.folder / take.JOINED)):
            removed = _remove_media(one.folder)
            n_files, n_bytes = n_files + removed[0], n_bytes + removed[1]
    return n_files, n_bytes


def _is_of(path: Path, mark: str) -> bool:
    try:
        return path.is_file() and fingerprint(path) == mark
    except AudioError:
        return False


def _remove_media(folder: Path) -> tuple[int, int]:
    n_files = n_bytes = 0
    try:
        for path in folder.rglob("*"):
            if path.is_file():
                n_files += 1
                n_bytes += path.stat().st_size
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise StoreError(f"The sound in {folder} cannot be removed.", str(error)) from error
    return n_files, n_bytes
