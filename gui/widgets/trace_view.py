"""How an answer was found: intent, plan, SQL, evidence, drafts and verdicts, as they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QSizePolicy, QTextBrowser, QWidget

from engine.types_answer import Evidence, TraceEvent
from gui import theme
from gui.clock import clock


class TraceView(QTextBrowser):
    """A readable record of the agent's steps.

    Signals:
        evidence_chosen(Evidence): Play this piece of evidence.
    """

    evidence_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._events: tuple[TraceEvent, ...] = ()
        self._evidence: list[Evidence] = []
        self.setAccessibleName(self.tr("How this answer was found"))
        self.setOpenLinks(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.anchorClicked.connect(self._on_anchor)

    def show_trace(self, events: Sequence[TraceEvent]) -> None:
        """Write all steps down."""
        self._events = tuple(events)
        self._evidence = []
        look = theme.colours(self)
        mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        parts = [
            f"<style>h4 {{ color: {look.accent}; margin: 8px 0 2px 0; }}"
            f"pre {{ font-family: '{mono}'; white-space: pre-wrap; margin: 0; }}"
            f"a {{ color: {look.accent}; text-decoration: none; }}</style>"
        ]
        for event in events:
            if event.kind == "text":
                continue
            title = self._title(event.kind)
            number = self.tr("round {n}").format(n=event.round) if event.round else ""
            parts.append(f"<h4>{title} <small>{number}</small></h4>{self._body(event)}")
        self.setHtml("".join(parts))
        line = self.fontMetrics().height()
        self.setFixedHeight(round(line * 16))

    def changeEvent(self, event: QEvent) -> None:
        """Write in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._events:
            self.show_trace(self._events)

    def _title(self, kind: str) -> str:
        titles = {
            "intent": self.tr("What was asked"),
            "plan": self.tr("Plan"),
            "sql": self.tr("Query"),
            "evidence": self.tr("Evidence"),
            "draft": self.tr("Draft"),
            "verdict": self.tr("Verdict"),
            "note": self.tr("Note"),
        }
        return titles.get(kind, kind)

    def _body(self, event: TraceEvent) -> str:
        content = event.content
        items = content if isinstance(content, list | tuple) else (content,)
        if items and all(isinstance(item, Evidence) for item in items):
            return "".join(self._evidence_line(item) for item in items)
        return f"<pre>{escape(readable(content))}</pre>"

    def _evidence_line(self, evidence: Evidence) -> str:
        self._evidence.append(evidence)
        spoken = evidence.utterance
        note = f" <i>{escape(evidence.note)}</i>" if evidence.note else ""
        path = " → ".join(evidence.path)
        return (
            f"<p style='margin:2px 0'><a href='play:{len(self._evidence) - 1}'>"
            f"{clock(spoken.start)} {escape(spoken.speaker)}</a>: {escape(spoken.text)}{note}"
            f"<br><small>{escape(path)}</small></p>"
        )

    def _on_anchor(self, url: QUrl) -> None:
        self.evidence_chosen.emit(self._evidence[int(url.path())])


def readable(value: Any, depth: int = 0) -> str:
    """Write any plain or frozen value as indented lines, empty fields left out."""
    indent = "  " * depth
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        pairs = [(f.name, getattr(value, f.name)) for f in fields(value)]
    elif isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list | tuple):
        return "\n".join(f"{indent}• {readable(item, depth + 1).lstrip()}" for item in value)
    else:
        return str(value)
    lines = []
    for name, item in pairs:
        if item in (None, "", (), [], {}):
            continue
        text = readable(item, depth + 1)
        lines.append(f"{indent}{name}: {text}" if "\n" not in text else f"{indent}{name}:\n{text}")
    return "\n".join(lines)
