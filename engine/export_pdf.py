"""A meeting as a PDF, set in fonts of this machine that have its letters."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.export_document import MeetingDocument, clock

# Regular and bold of families with many scripts, then fonts for what those lack.
_FAMILIES = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("segoeui.ttf", "segoeuib.ttf"),
    ("arial.ttf", "arialbd.ttf"),
    ("Arial Unicode.ttf", "Arial Bold.ttf"),
    ("Arial.ttf", "Arial Bold.ttf"),
)
_FALLBACKS = (
    "NotoSansCJK-Regular.ttc", "NotoSansCJKsc-Regular.otf", "msyh.ttc", "PingFang.ttc",
    "malgun.ttf", "NotoSansArabic-Regular.ttf", "NotoSansHebrew-Regular.ttf",
    "NotoSansThai-Regular.ttf", "NotoSansDevanagari-Regular.ttf", "seguisym.ttf",
    "NotoEmoji-Regular.ttf", "Symbola.ttf",
)  # fmt: skip
_GREY = 110


def _font_dirs() -> list[Path]:
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts")]
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts"]


@lru_cache(maxsize=1)
def _installed() -> dict[str, Path]:
    """Font files of this machine by name."""
    found: dict[str, Path] = {}
    for folder in _font_dirs():
        for path in folder.rglob("*"):
            if path.suffix.lower() in {".ttf", ".ttc", ".otf"}:
                found.setdefault(path.name.lower(), path)
    return found


def document(meeting: MeetingDocument) -> bytes:
    """The minutes and the transcript.

    Raises:
        EngineError: This machine has no font to write with.
    """
    texts = [
        meeting.meeting.title,
        meeting.facts,
        *(u.speaker + u.text for u in meeting.utterances),
    ]
    pdf = _opened(texts)
    pdf.set_title(_shown(meeting.meeting.title))
    _line(pdf, [(meeting.meeting.title, "B", 0)], 20)
    _line(pdf, [(meeting.facts, "", _GREY)], 10)
    for heading, entries in meeting.minutes():
        _line(pdf, [(heading, "B", 0)], 14)
        for start, text in entries:
            _line(pdf, [(f"• {text}  ", "", 0), (clock(start), "", _GREY)], 11)
    _line(pdf, [("Transcript", "B", 0)], 14)
    for utterance, _ in meeting.spoken():
        runs = [(f"{clock(utterance.start)}  ", "", _GREY), (utterance.text, "", 0)]
        if utterance.speaker:
            runs.insert(0, (f"{utterance.speaker}  ", "B", 0))
        _line(pdf, runs, 11)
    return bytes(pdf.output())


def _opened(texts: Iterable[str]) -> Any:
    """A new document with the fonts that its texts need."""
    from fpdf import FPDF

    fonts = _installed()
    family = next((pair for pair in _FAMILIES if pair[0].lower() in fonts), None)
    if family is None:
        raise EngineError("This machine has no font for a PDF.", "Install DejaVu, or export html.")
    pdf: Any = FPDF(format="A4")
    pdf.set_auto_page_break(True, margin=18)
    pdf.set_margins(20, 18, 20)
    plain = fonts[family[0].lower()]
    pdf.add_font("Text", "", plain)
    pdf.add_font("Text", "B", fonts.get(family[1].lower(), plain))
    missing = {c for text in texts for c in text} - _letters(pdf, "text")
    names = []
    for name in _FALLBACKS:
        if missing and name.lower() in fonts:
            # Loading a font for Chinese takes a second; only when it is needed.
            pdf.add_font(name, "", fonts[name.lower()])
            has = _letters(pdf, name)
            if missing & has:
                names.append(name)
                missing -= has
    if names:
        pdf.set_fallback_fonts(names, exact_match=False)
    pdf.add_page()
    return pdf


def _letters(pdf: Any, name: str) -> set[str]:
    """The characters a loaded font has."""
    return {chr(code) for code in pdf.fonts[name.lower()].cmap}


def _line(pdf: Any, runs: list[tuple[str, str, int]], size: int) -> None:
    """A paragraph of differently set runs."""
    height = size * 0.5
    if size > 11:
        pdf.ln(2)
    for text, style, grey in runs:
        pdf.set_font("Text", style, size)
        pdf.set_text_color(grey)
        pdf.write(height, _shown(text))
    pdf.ln(height + 1.2)


def _shown(text: str) -> str:
    """Text without control characters, which a PDF cannot show."""
    return "".join(c if unicodedata.category(c)[0] != "C" or c == " " else " " for c in text)
