"""Pages: a meeting, and an answer with its evidence to listen to. One file each, no scripts."""

from __future__ import annotations

import base64
import io
import wave
from html import escape
from pathlib import Path

from engine.audio import decode
from engine.export_document import MeetingDocument, clock
from engine.graph.store import Store
from engine.types_answer import Answer, Citation

CLIP_MARGIN_SECONDS = 0.3
MAX_CLIP_SECONDS = 120.0

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; }
body { padding: 0 1rem; }
h1 { line-height: 1.2; } .facts, time { color: #777; } time { font-variant-numeric: tabular-nums; }
blockquote { margin: .6rem 0; padding-left: .8rem; border-left: 3px solid #2a7d76; }
audio { width: 100%; height: 2.2rem; } .unsupported { opacity: .65; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
"""


def page(document: MeetingDocument) -> bytes:
    """The minutes and the transcript."""
    parts = [f'<p class="facts" dir="auto">{escape(document.facts)}</p>']
    for heading, entries in document.minutes():
        items = "".join(
            f'<li dir="auto">{escape(text)} <time>{clock(start)}</time></li>\n'
            for start, text in entries
        )
        parts.append(f"<h2>{heading}</h2>\n<ul>\n{items}</ul>")
    parts.append("<h2>Transcript</h2>")
    for utterance, _ in document.spoken():
        name = f"<b>{escape(utterance.speaker)}</b> " if utterance.speaker else ""
        parts.append(
            f'<p dir="auto" id="u{utterance.index}">{name}<time>{clock(utterance.start)}</time> '
            f"{escape(utterance.text)}</p>"
        )
    return _whole(document.meeting.title, "\n".join(parts), document.meeting.language)


def evidence_pack(store: Store, answer: Answer) -> bytes:
    """An answer, the quotes it rests on, and the sound of each inside the page."""
    state = "verified" if answer.verdict.is_verified else "not verified"
    parts = [f'<p class="facts">{"Not said in the meeting" if answer.abstained else state}</p>']
    for sentence in answer.sentences:
        mark = "" if sentence.is_supported else ' class="unsupported"'
        parts.append(f'<p dir="auto"{mark}>{escape(sentence.text)}</p>')
        parts += [_quoted(store, citation) for citation in sentence.citations]
    if not answer.sentences:
        parts.append(f'<p dir="auto">{escape(answer.text)}</p>')
    return _whole(answer.question, "\n".join(parts), "")


def _quoted(store: Store, citation: Citation) -> str:
    title = store.meeting(citation.meeting_id).title
    clip = _clip(store, citation)
    sound = f'<audio controls preload="metadata" src="{clip}"></audio>' if clip else ""
    return (
        f'<blockquote dir="auto"><b>{escape(citation.speaker)}</b> '
        f"<time>{clock(citation.start)}</time> {escape(title)}<br>{escape(citation.quote)}"
        f"{sound}</blockquote>"
    )


def _clip(store: Store, citation: Citation) -> str:
    """The sound of a citation as a data address, "" when the meeting has none."""
    path = store.sound_of(citation.meeting_id)
    if path is None:
        return ""
    start = max(0.0, citation.start - CLIP_MARGIN_SECONDS)
    end = min(citation.end + CLIP_MARGIN_SECONDS, start + MAX_CLIP_SECONDS)
    return "data:audio/wav;base64," + base64.b64encode(_cut(path, start, end)).decode("ascii")


def _cut(path: Path, start: float, end: float) -> bytes:
    """A stretch of the timeline as a WAV file, sample for sample."""
    samples = (decode.read(path, start, end) * 32768).round().clip(-32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(decode.SAMPLE_RATE)
        sound.writeframes(samples.tobytes())
    return buffer.getvalue()


def _whole(title: str, body: str, language: str) -> bytes:
    spoken = f' lang="{escape(language)}"' if language else ""
    # Nothing in the page may load or run anything, whatever was said in the meeting.
    policy = "default-src 'none'; style-src 'unsafe-inline'; media-src data:"
    return (
        f'<!doctype html>\n<html{spoken}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1 dir="auto">{escape(title)}</h1>\n{body}\n</body>\n</html>\n'
    ).encode()
