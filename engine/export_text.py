"""Plain formats: Markdown, text, SubRip, WebVTT, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.export_document import MeetingDocument, clock
from engine.graph.anchors import spread_words
from engine.types import Utterance, Word

CUE_CHARACTERS = 84
CUE_SECONDS = 7.0
MIN_CUE_SECONDS = 0.3

_MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~])")
_LOOKS_LIKE_TAG = re.compile(r"<(?=[/a-zA-Z])")
_MARKDOWN_START = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")


def markdown(document: MeetingDocument) -> bytes:
    """The minutes and the transcript as Markdown."""
    lines = [f"# {escaped_markdown(document.meeting.title)}", "", escaped_markdown(document.facts)]
    for heading, entries in document.minutes():
        lines += ["", f"## {heading}", ""]
        lines += [f"- {escaped_markdown(text)} ({clock(start)})" for start, text in entries]
    lines += ["", "## Transcript"]
    for utterance, _ in document.spoken():
        name = f"**{escaped_markdown(utterance.speaker)}** " if utterance.speaker else ""
        lines += ["", f"{name}({clock(utterance.start)}): {escaped_markdown(utterance.text)}"]
    return ("\n".join(lines) + "\n").encode()


def escaped_markdown(text: str) -> str:
    """Text that Markdown shows as it stands, in one line."""
    line = _MARKDOWN_SIGNS.sub(r"\\\1", " ".join(text.split())).replace("&", "&amp;")
    return _MARKDOWN_START.sub(_escaped_start, line)


def _escaped_start(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}\\{mark}" if len(mark) == 1 else f"{match[1]}{mark[:-1]}\\{mark[-1]}"


def plain_text(document: MeetingDocument) -> bytes:
    """The minutes and the transcript as text, a line for each utterance."""
    lines = [document.meeting.title, document.facts]
    for heading, entries in document.minutes():
        lines += ["", heading.upper()]
        lines += [f"- {' '.join(text.split())} [{clock(start)}]" for start, text in entries]
    lines += ["", "TRANSCRIPT"]
    for utterance, _ in document.spoken():
        name = f"{utterance.speaker}: " if utterance.speaker else ""
        lines.append(f"[{clock(utterance.start)}] {name}{' '.join(utterance.text.split())}")
    return ("\n".join(lines) + "\n").encode()


def subrip(document: MeetingDocument) -> bytes:
    """Subtitles; the speaker's name stands before the first cue of a turn."""
    blocks = []
    for number, (start, end, speaker, text) in enumerate(_cues(document), 1):
        name = f"{speaker}: " if speaker else ""
        # SubRip has no escapes: the arrow could be taken for times, and players hide what looks
        # like a tag unless something invisible stands in it.
        shown = _LOOKS_LIKE_TAG.sub("<\u2060", f"{name}{text}".replace("-->", "→"))
        blocks.append(f"{number}\n{_stamp(start, ',')} --> {_stamp(end, ',')}\n{shown}\n")
    return "\n".join(blocks).encode()


def webvtt(document: MeetingDocument) -> bytes:
    """Subtitles with the speaker as voice."""
    blocks = ["WEBVTT\n"]
    speaker = ""
    for start, end, named, text in _cues(document, is_always_named=True):
        speaker = named
        voice = f"<v {escaped_vtt(' '.join(speaker.split()))}>" if speaker else ""
        times = f"{_stamp(start, '.')} --> {_stamp(end, '.')}"
        blocks.append(f"{times}\n{voice}{escaped_vtt(text)}\n")
    return "\n".join(blocks).encode()


def escaped_vtt(text: str) -> str:
    """Text in which WebVTT sees no tag and no arrow."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def csv_table(document: MeetingDocument) -> bytes:
    """A row for each utterance, with a byte order mark so that Excel reads the letters right."""
    rows: list[list[object]] = [
        ["index", "start", "end", "speaker", "text", "loudness_db", "pitch_hz", "cues"]
    ]
    for utterance in document.utterances:
        sound = utterance.acoustics
        rows.append(
            [
                utterance.index,
                f"{utterance.start:.3f}",
                f"{utterance.end:.3f}",
                _harmless(utterance.speaker),
                _harmless(utterance.text),
                "" if sound is None else f"{sound.loudness_db:.1f}",
                "" if sound is None or sound.pitch_hz is None else f"{sound.pitch_hz:.0f}",
                "" if sound is None else " ".join(sound.cues),
            ]
        )
    return _csv(rows)


def csv_rows(rows: Sequence[dict[str, Any]]) -> bytes:
    """A table of equal or different rows; the columns are all their keys in order of appearance."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = ([row.get(name, "") for name in names] for row in rows)
    safe = ([_harmless(c) if isinstance(c, str) else c for c in line] for line in cells)
    return _csv([names, *safe])


def _csv(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as a file that Excel reads right."""
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\r\n").writerows(rows)
    return b"\xef\xbb\xbf" + table.getvalue().encode()


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell


def json_text(document: dict[str, Any] | list[dict[str, Any]]) -> bytes:
    """JSON with its letters as they are, no byte order mark."""
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _cues(
    document: MeetingDocument, *, is_always_named: bool = False
) -> Iterator[tuple[float, float, str, str]]:
    """(start, end, speaker or "", text) short enough to be read."""
    for utterance, is_other in document.spoken():
        for number, words in enumerate(_groups(_timed(utterance))):
            is_named = is_always_named or (is_other and number == 0)
            end = max(words[-1].end, words[0].start + MIN_CUE_SECONDS)
            text = " ".join(word.text for word in words)
            yield words[0].start, end, utterance.speaker if is_named else "", text


def _timed(utterance: Utterance) -> tuple[Word, ...]:
    """The shown words with times, measured ones where they are known."""
    texts = utterance.text.split()
    if [word.text for word in utterance.words] == texts:
        return utterance.words
    return spread_words(utterance.start, utterance.end, texts)


def _groups(words: tuple[Word, ...]) -> Iterator[list[Word]]:
    group: list[Word] = []
    n_characters = 0
    for word in words:
        is_full = n_characters + len(word.text) > CUE_CHARACTERS
        if group and (is_full or word.end - group[0].start > CUE_SECONDS):
            yield group
            group, n_characters = [], 0
        group.append(word)
        n_characters += len(word.text) + 1
    if group:
        yield group


def _stamp(seconds: float, mark: str) -> str:
    ms = round(max(0.0, seconds) * 1000)
    hours, minutes = ms // 3_600_000, ms // 60_000 % 60
    return f"{hours:02d}:{minutes:02d}:{ms // 1000 % 60:02d}{mark}{ms % 1000:03d}"
