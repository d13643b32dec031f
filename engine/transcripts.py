"""Reading transcripts that others wrote: JSON of several shapes, WebVTT, SubRip.

Tolerant of what real files contain (byte order marks, Windows line ends, commas or points in
times, missing blank lines), strict about what cannot be understood: a ``TranscriptError``
names the line. Positions in the result match the file, so empty lines keep their place.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import TranscriptError
from engine.types import Utterance, Word

MAX_BYTES = 256 * 1024 * 1024
FORMATS = (".json", ".vtt", ".srt")

_TIME = r"(?:(\d{1,4}):)?(\d{1,3}):(\d{1,2})(?:[.,](\d{1,6}))?"
_CUE = re.compile(rf"^\s*{_TIME}\s*--+>\s*{_TIME}(?:\s.*)?$")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]*)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:[bciuv]|ruby|rt|lang|font|\d[\d:.]*)(?:[.\s][^<>]*)?/?>", re.IGNORECASE)
_NAMED = re.compile(r"^\s*(?:>>\s*)?([^\W\d_][\w .'’()&-]{0,40}?)\s*:\s+(\S.*)$", re.DOTALL)
_BRACKETED = re.compile(r"^\s*\[([^\W_][\w .'’-]{0,40})\]:?\s+(\S.*)$", re.DOTALL)


def read_transcript(path: Path) -> list[Utterance]:
    """Read a transcript file by its content.

    Args:
        path: A ``.json``, ``.vtt`` or ``.srt`` file; the content decides, not the name.

    Returns:
        Utterances in the order of the file, numbered from 0.

    Raises:
        TranscriptError: The file is missing, too large, or not a transcript; the message names
            the line where there is one.
    """
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise TranscriptError(f"{path.name} is too large for a transcript.")
        content = path.read_bytes()
    except OSError as error:
        raise TranscriptError(f"{path.name} cannot be read.", str(error)) from error
    return parse_transcript(content, path.name)


def parse_transcript(content: bytes, name: str = "transcript") -> list[Utterance]:
    """Understand the bytes of a transcript; see ``read_transcript``.

    Raises:
        TranscriptError: They are not a transcript.
    """
    text = _decoded(content, name)
    begin = text.lstrip()[:16]
    if not begin:
        raise TranscriptError(f"{name} is empty.")
    if begin[0] in "[{" and not _looks_timed(text):
        utterances = _from_json(text, name)
    else:
        utterances = _from_cues(text, name)
    if not any(u.text for u in utterances):
        raise TranscriptError(f"{name} has no spoken text.")
    return utterances


def _decoded(content: bytes, name: str) -> str:
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    encoding = next((known for mark, known in marks if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if b"\x00" in content:
            raise TranscriptError(f"{name} is not a text file.") from None
        # Old subtitle files are in the Western code page; every byte has a meaning there.
        text = content.decode("cp1252", "replace")
    if "\x00" in text:
        raise TranscriptError(f"{name} is not a text file.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _looks_timed(text: str) -> bool:
    return any(_CUE.match(line) for line in text.split("\n", 40)[:40])


def _from_json(text: str, name: str) -> list[Utterance]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise TranscriptError(
            f"{name} is not valid JSON (line {error.lineno}).", error.msg
        ) from error
    except (RecursionError, ValueError) as error:
        raise TranscriptError(f"{name} is not valid JSON.", str(error)[:200]) from error
    rows = document
    if isinstance(document, dict):
        rows = next(
            (
                document[key]
                for key in ("utterances", "segments", "transcript", "results")
                if isinstance(document.get(key), list)
            ),
            None,
        )
    if not isinstance(rows, list):
        raise TranscriptError(
            f"{name} has no list of utterances.", "Expected speaker, start, end and text in each."
        )
    utterances: list[Utterance] = []
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise TranscriptError(f"Entry {index + 1} of {name} is not an utterance.")
        previous = utterances[-1].end if utterances else 0.0
        utterances.append(_from_row(index, row, previous, name))
    return utterances


def _from_row(index: int, row: dict[str, Any], previous: float, name: str) -> Utterance:
    text = row.get("text", row.get("content", ""))
    speaker = row.get("speaker", row.get("speaker_name", row.get("name", "")))
    if not isinstance(text, str):
        raise TranscriptError(f"Entry {index + 1} of {name} has no text.")
    where = f"Entry {index + 1} of {name}"
    start = _seconds(row, ("start", "start_time", "begin", "from"), previous, where)
    end = _seconds(row, ("end", "end_time", "stop", "to"), start, where)
    return Utterance(
        index,
        start,
        max(start, end),
        _tidy(str(speaker)) if isinstance(speaker, str | int) else "",
        _tidy(text),
        words=_words(row.get("words"), where),
    )


def _seconds(row: dict[str, Any], keys: tuple[str, ...], default: float, where: str) -> float:
    value: Any = next((row[key] for key in keys if row.get(key) is not None), default)
    if isinstance(value, str):
        match = re.fullmatch(_TIME, value.strip())
        if match:
            return _clock(match.groups())
        try:
            value = float(value)
        except ValueError:
            raise TranscriptError(f"{where} has the time {value[:40]!r}.") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TranscriptError(f"{where} has a time that is not a number.")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds) or not 0 <= seconds < 1e7:
        raise TranscriptError(f"{where} has an impossible time.")
    return seconds


def _words(rows: object, where: str) -> tuple[Word, ...]:
    """Words with times; words without are left out, since nothing can be played for them."""
    if not isinstance(rows, list):
        return ()
    words = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        text = row.get("text", row.get("word", ""))
        if not isinstance(text, str) or not text.strip() or row.get("start") is None:
            continue
        start = _seconds(row, ("start",), 0.0, where)
        end = max(start, _seconds(row, ("end",), start, where))
        probability = row.get("probability", row.get("score", 1.0))
        words.append(Word(start, end, _tidy(text), _share(probability)))
    return tuple(words)


def _share(value: object) -> float:
    """A probability; 1 when it is none."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 1.0


def _from_cues(text: str, name: str) -> list[Utterance]:
    """WebVTT and SubRip: times, then lines of text until the next times."""
    lines = text.split("\n")
    is_vtt = lines[0].lstrip("\ufeff ").upper().startswith("WEBVTT")
    cues: list[tuple[float, float, list[str]]] = []
    is_comment = False
    for number, line in enumerate(lines, 1):
        match = _CUE.match(line)
        if match:
            groups = match.groups()
            if cues:
                _drop_counter(cues[-1][2])
            cues.append((_clock(groups[:4]), _clock(groups[4:]), []))
            is_comment = False
        elif "-->" in line:
            raise TranscriptError(f"Line {number} of {name} has times that cannot be read.")
        elif (
            is_vtt and line.startswith(("NOTE", "STYLE", "REGION")) and _after_blank(lines, number)
        ):
            is_comment = True
        elif not line.strip():
            is_comment = False
            if cues:
                cues[-1][2].append("")
        elif cues and not is_comment:
            cues[-1][2].append(line)
    if not cues:
        raise TranscriptError(
            f"{name} is not a transcript (line 1).", "Known forms: JSON, WebVTT, SubRip."
        )
    return _numbered(_voiced(start, end, "\n".join(body)) for start, end, body in cues)


def _after_blank(lines: list[str], number: int) -> bool:
    """Whether a line (counted from 1) begins a block."""
    return number < 2 or not lines[number - 2].strip()


def _drop_counter(body: list[str]) -> None:
    """Remove the number or name that stands before the next cue's times."""
    while body and not body[-1]:
        body.pop()
    has_gap = "" in body
    if body and (body[-1].strip().isdigit() or (has_gap and body[-2:-1] == [""])):
        body.pop()


def _clock(groups: Iterable[str | None]) -> float:
    hours, minutes, seconds, fraction = groups
    return (
        int(hours or 0) * 3600
        + int(minutes or 0) * 60
        + int(seconds or 0)
        + (float(f"0.{fraction}") if fraction else 0.0)
    )


def _voiced(start: float, end: float, body: str) -> Utterance:
    """An utterance from a cue, its speaker from a voice tag, brackets or "Name: text"."""
    voice = _VOICE.search(body)
    text = _tidy(html.unescape(_TAG.sub("", body)).replace("<\u2060", "<"))
    speaker = _tidy(html.unescape(voice[1])) if voice else ""
    if not speaker:
        named = _NAMED.match(text) or _BRACKETED.match(text)
        if named and len(named[1].split()) <= 4:
            speaker, text = named[1].strip(), named[2].strip()
    return Utterance(0, start, max(start, end), speaker, text)


def _tidy(text: str) -> str:
    return " ".join(text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8").split())


def _numbered(utterances: Iterable[Utterance]) -> list[Utterance]:
    return [replace(u, index=index) for index, u in enumerate(utterances)]
