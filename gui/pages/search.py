"""Search over the whole library: words and meaning, every hit one click from its sound."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.messages import Failed, Search
from engine.types import SearchHit
from engine.types_answer import Citation
from gui import theme
from gui.clock import clock
from gui.engine_client import EngineClient, Job
from gui.widgets.basics import Card, Choice, Column, Label, button, row


class SearchPage(QWidget):
    """Shows hits as they were ranked.

    Signals:
        citation_chosen(Citation): Open the meeting there and play.
    """

    citation_chosen = Signal(object)

    def __init__(self, client: EngineClient, library_dir: Path) -> None:
        super().__init__()
        self._client = client
        self._library_dir = library_dir
        self._job: Job | None = None
        self._text = ""
        self._hits: tuple[SearchHit, ...] = ()
        unit = theme.space(self)
        self._title = Label("", "title", wraps=True)
        self._count = Label("", "muted", wraps=True)
        self._speaker = Choice()
        self._speaker.setAccessibleName(self.tr("Only this speaker"))
        self._list = Column(self.tr("Search results"))
        head = QVBoxLayout()
        head.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 0)
        head.addWidget(self._title)
        head.addLayout(row(self._count, self._speaker))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self._list, 1)
        self._speaker.activated.connect(self._fill)

    def search(self, text: str) -> None:
        """Look for words in all meetings; a newer search replaces an older one."""
        if self._job is not None:
            self._client.cancel(self._job)
        self._text = text
        self._title.setText(f'"{text}"')
        self._count.setText(self.tr("Searching…"))
        self._job = self._client.submit(Search("", str(self._library_dir), text))
        self._job.finished.connect(self._on_found)
        self._job.failed.connect(self._on_failed)

    def _on_found(self, hits: tuple[SearchHit, ...]) -> None:
        if self.sender() is not self._job:
            return
        self._job = None
        self._hits = tuple(hits)
        speakers = sorted({hit.utterance.speaker for hit in self._hits if hit.utterance.speaker})
        self._speaker.clear()
        self._speaker.addItem(self.tr("Every speaker"), "")
        for speaker in speakers:
            self._speaker.addItem(speaker, speaker)
        self._speaker.setVisible(len(speakers) > 1)
        self._fill()

    def _fill(self) -> None:
        wanted = self._speaker.currentData() or ""
        hits = [hit for hit in self._hits if wanted in ("", hit.utterance.speaker)]
        self._list.clear()
        meetings = {hit.meeting_id for hit in hits}
        text = self.tr("{n} moments in {m} meetings") if hits else self.tr("Nothing was found.")
        if len(meetings) == 1:
            text = self.tr("{n} moments in one meeting")
        self._count.setText(text.format(n=len(hits), m=len(meetings)))
        self._list.fill(self._card(hit) for hit in hits)

    def _on_failed(self, failure: Failed) -> None:
        if self.sender() is self._job:
            self._job = None
            # An error is not "nothing found": the page must not lie.
            self._list.clear()
            self._count.setText(self.tr("The search failed: {why}").format(why=failure.message))

    def _card(self, hit: SearchHit) -> Card:
        spoken = hit.utterance
        card = Card(steps=2.5)
        chip = button(f"▶ {spoken.speaker} {clock(spoken.start)}", role="chip")
        name = self.tr("Play {speaker} at {time} in {title}: {text}")
        chip.setAccessibleName(
            name.format(
                speaker=spoken.speaker,
                time=clock(spoken.start),
                title=hit.meeting_title,
                text=spoken.text,
            )
        )
        moment = Citation(
            hit.meeting_id, spoken.index, spoken.start, spoken.end, spoken.speaker, spoken.text
        )
        chip.clicked.connect(lambda: self.citation_chosen.emit(moment))
        card.column.addLayout(row(chip, None, Label(hit.meeting_title, "small")))
        card.column.addWidget(Label(spoken.text, wraps=True))
        return card
