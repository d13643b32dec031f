"""Writing a meeting to a file, with the names and corrections of this moment.

Each format escapes what it must and nothing else: see ``engine.export_text`` for plain formats,
``export_html``, ``export_docx`` and ``export_pdf`` for pages. A file is written whole or not at
all.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine import export_docx, export_html, export_pdf, export_text
from engine.errors import EngineError
from engine.export_document import MeetingDocument, gathered
from engine.graph.store import Store
from engine.types import Utterance, Word
from engine.types_answer import Answer
from engine.types_seconds import Seconds

_WRITERS: dict[str, Callable[[MeetingDocument], bytes]] = {
    "md": export_text.markdown,
    "txt": export_text.plain_text,
    "srt": export_text.subrip,
    "vtt": export_text.webvtt,
    "csv": export_text.csv_table,
    "html": export_html.page,
    "docx": export_docx.document,
    "pdf": export_pdf.document,
}
FORMATS = (*_WRITERS, "json")


def export(store: Store, meeting_id: str, format: str, path: Path) -> Path:
    """Write a meeting to a file.

    Args:
        store: The library.
        meeting_id: Which meeting.
        format: One of ``FORMATS``.
        path: Where; a file that is there is replaced.

    Returns:
        The path written.

    Raises:
        EngineError: The format is unknown, or the file cannot be written.
        MeetingNotFound: No meeting has this id.
    """
    kind = format.lower().lstrip(".")
    if kind == "json":
        return written(Path(path), export_text.json_text(meeting_json(store, meeting_id)))
    if kind not in _WRITERS:
        raise EngineError(
            f"There is no export format {format[:20]!r}.", f"Use one of {', '.join(FORMATS)}."
        )
    return written(Path(path), _WRITERS[kind](gathered(store, meeting_id)))


def export_evidence(store: Store, answer: Answer, path: Path) -> Path:
    """Write an answer with its quotes and the sound of each into one HTML file.

    Raises:
        EngineError: The file cannot be written.
    """
    return written(Path(path), export_html.evidence_pack(store, answer))


def export_ratings(store: Store, path: Path) -> int:
    """Write all rated answers as JSON, or as a table when the path ends in ``.csv``.

    Returns:
        How many there are.

    Raises:
        EngineError: No answer is rated, or the file cannot be written.
    """
    rated = store.ratings()
    if not rated:
        raise EngineError("No answer is rated yet.", "Give an answer its marks first.")
    if path.suffix.lower() == ".csv":
        flat = [{**row, **row.pop("ratings")} for row in rated]
        written(path, export_text.csv_rows(flat))
    else:
        written(path, export_text.json_text(rated))
    return len(rated)


def meeting_json(store: Store, meeting_id: str, *, with_seconds: bool = False) -> dict[str, Any]:
    """A meeting as ``show --json`` prints it, on request with how each second sounded."""
    document = gathered(store, meeting_id, with_words=True)
    stages = store.finished_stages(document.meeting.id).values()
    shown = asdict(document.meeting) | {
        "utterances": [_utterance_json(u) for u in document.utterances],
        "speakers": [asdict(s) for s in document.speakers],
        "events": [asdict(e) for e in document.events],
        "topics": [asdict(t) for t in document.topics],
        "notes": [asdict(n) for n in document.notes],
        "stages": [asdict(s) for s in stages],
    }
    if with_seconds:
        shown["seconds"] = _seconds_json(store.seconds(document.meeting.id), document.utterances)
    return shown


def _seconds_json(seconds: Seconds, utterances: Sequence[Utterance]) -> list[dict[str, Any]]:
    """One object a second: as measured, and against the habit of whoever speaks."""
    from engine.speech.seconds import relative

    both = zip(seconds.rows(), relative(seconds, utterances).rows(), strict=True)
    return [{"second": i, "measured": own, "relative": to} for i, (own, to) in enumerate(both)]


def written(path: Path, content: bytes) -> Path:
    """Put bytes into a file, whole or not at all.

    Raises:
        EngineError: The folder cannot be written, or the disk is full.
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".export-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp is private to the user; an export is an ordinary file.
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise EngineError(f"The file {path} cannot be written.", error.strerror or "") from error
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _utterance_json(utterance: Utterance) -> dict[str, Any]:
    return {
        "i": utterance.index,
        "start": round(utterance.start, 3),
        "end": round(utterance.end, 3),
        "speaker": utterance.speaker,
        "speaker_id": utterance.speaker_id,
        "text": utterance.text,
        "is_edited": utterance.is_edited,
        "words": [_word_json(word) for word in utterance.words],
        "acoustics": None if utterance.acoustics is None else asdict(utterance.acoustics),
    }


def _word_json(word: Word) -> dict[str, object]:
    """A word; its channel only where channels were heard apart."""
    shown = asdict(word)
    if word.channel is None:
        del shown["channel"]
    return shown
