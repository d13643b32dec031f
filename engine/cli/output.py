"""How the command line shows things: JSON on stdout, everything for people on stderr or stdout."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from enum import Enum
from pathlib import Path
from typing import Any, TextIO, cast

from engine.errors import EngineError
from engine.progress import Progress
from engine.types import Meeting, StageRecord
from engine.types_answer import Answer, Citation, Reheard, Sentence

# Control characters by their pictures; what has none by the sign for "unreadable".
_VISIBLE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_VISIBLE |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
# Progress is a line that is written over.
_VISIBLE_BESIDE_PROGRESS = {code: sign for code, sign in _VISIBLE.items() if code != 0x0D}


class _Harmless:
    """A stream on which nothing that is shown gives orders to the terminal.

    Titles come from the names of files, texts from transcripts: from anybody.
    """

    def __init__(self, stream: TextIO, signs: dict[int, int]) -> None:
        self._stream = stream
        self._signs = signs

    def write(self, text: str) -> int:
        """Write a text with its control characters made visible; "?" for what has no sign here."""
        shown = text.translate(self._signs)
        try:
            return self._stream.write(shown)
        except UnicodeEncodeError:
            encoding = self._stream.encoding
            return self._stream.write(shown.encode(encoding, "replace").decode(encoding))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def harmless() -> Iterator[None]:
    """Let what is printed inside the block command no terminal."""
    out = cast(TextIO, _Harmless(sys.stdout, _VISIBLE))
    err = cast(TextIO, _Harmless(sys.stderr, _VISIBLE_BESIDE_PROGRESS))
    with redirect_stdout(out), redirect_stderr(err):
        yield


def clock(seconds: float) -> str:
    """Write seconds as m:ss, or h:mm:ss from an hour on."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def print_json(value: object) -> None:
    """Print a value as JSON on stdout."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, default=_plain)
    # The only control characters that JSON lets stand as they are.
    print(re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def print_error(error: EngineError) -> None:
    """Print what is wrong and what to do, as one line on stderr."""
    print(f"earwitness: {error}", file=sys.stderr)
    for note in getattr(error, "__notes__", ()):
        print(note, file=sys.stderr)


def _plain(value: Any) -> object:
    """Turn frozen values, enums and paths into what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


class ProgressLine:
    """Shows progress on stderr: one rewritten line on a terminal, one line a stage elsewhere."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._is_terminal = sys.stderr.isatty()
        self._stage = ""
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Show one step."""
        if self._is_terminal:
            left = "" if progress.remaining is None else f", {clock(progress.remaining)} left"
            text = f"{self._label}: {progress.stage} {progress.fraction:.0%}{left}"
            print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(text)
        elif progress.stage != self._stage:
            print(f"{self._label}: {progress.stage}", file=sys.stderr, flush=True)
        self._stage = progress.stage

    def close(self) -> None:
        """Leave the cursor at the start of a fresh line."""
        if self._is_terminal and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


def meeting_summary(meeting: Meeting, stages: dict[str, StageRecord]) -> dict[str, object]:
    """What ``analyse --json`` says of a meeting: counts, and each stage's time and peak memory."""
    total = sum(record.seconds for record in stages.values())
    return {
        "id": meeting.id,
        "title": meeting.title,
        "duration": meeting.duration,
        "language": meeting.language,
        "utterances": meeting.n_utterances,
        "speakers": meeting.n_speakers,
        "coverage": meeting.coverage,
        "stages": [
            {
                "stage": str(record.stage),
                "seconds": round(record.seconds, 3),
                "peak_memory_mb": round(record.peak_memory_mb, 1),
                "details": record.details,
            }
            for record in stages.values()
        ],
        "seconds": round(total, 3),
        "rtf": round(total / meeting.duration, 4) if meeting.duration else None,
        "peak_memory_mb": max((r.peak_memory_mb for r in stages.values()), default=0.0),
    }


def answer_json(answer: Answer) -> dict[str, object]:
    """The form of ``ask --json`` (design, section 6)."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "abstained": answer.abstained,
        "sentences": [_sentence_json(sentence) for sentence in answer.sentences],
        "verdict": answer.verdict,
        "system": answer.system,
        "receipt": answer.receipt,
        "trace": answer.trace,
    }


def _sentence_json(sentence: Sentence) -> dict[str, object]:
    return {
        "text": sentence.text,
        "supported": sentence.is_supported,
        "citations": [
            {
                "meeting": citation.meeting_id,
                "utterance": citation.utterance,
                "start": citation.start,
                "end": citation.end,
                "speaker": citation.speaker,
                "quote": citation.quote,
            }
            for citation in sentence.citations
        ],
    }


def print_answer(answer: Answer) -> None:
    """Print an answer for people: each sentence, then the moments it rests on."""
    for sentence in answer.sentences:
        mark = "" if sentence.is_supported else "(not supported) "
        print(f"{mark}{sentence.text}")
        for citation in sentence.citations:
            print(f"    {_moment(citation)}")
    if not answer.sentences:
        print(answer.text)
    verdict = "verified" if answer.verdict.is_verified else "not verified"
    receipt = answer.receipt
    print(
        f"[{verdict}; read {receipt.n_read} of {receipt.n_searched} utterances, "
        f"{receipt.rounds} round(s), {receipt.seconds:.1f} s]"
    )
    if receipt.n_meetings_left_out:
        n_left = receipt.n_meetings_left_out
        print(f"[{n_left} meetings were not read, because others fit the question better]")


def print_reheard(heard: Sequence[Reheard]) -> None:
    """Print what a second hearing of the cited moments made of them."""
    for entry in heard:
        place = f"{clock(entry.citation.start)} {entry.citation.speaker or 'unknown speaker'}"
        if entry.unheard or entry.new:
            print(f"{place}: heard again as “{entry.text}”")
        else:
            print(f"{place}: heard again, word for word the same")


def _moment(citation: Citation) -> str:
    who = citation.speaker or "unknown speaker"
    return f"{clock(citation.start)} {who}: “{citation.quote}”"
