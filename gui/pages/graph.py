"""The meeting as a graph: who answers whom, and what is named when."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from engine.types import Edge, Relation
from gui.content import MeetingContent
from gui.session import Session
from gui.widgets.basics import Card, Column, Label, button, row
from gui.widgets.graph_view import GraphView
from gui.widgets.timeline import EntityTimeline

_SHOWN_PAIRS = 8


class GraphPage(Column):
    """Reads the edges only when it is looked at.

    Signals:
        play_requested(float, object): A moment of the graph.
    """

    play_requested = Signal(float, object)

    def __init__(self, session: Session) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Graph"))
        self._session = session
        self._is_stale = True
        self._view = GraphView()
        self._timeline = EntityTimeline()
        self._timeline.moment_chosen.connect(lambda at: self.play_requested.emit(at, None))
        self.add(Label(self.tr("Who answers whom"), "heading"))
        self.add(self._view)
        self._pairs = Card(steps=2.5)
        self.add(self._pairs)
        self.add(Label(self.tr("What is named when"), "heading"))
        self.add(self._timeline)
        session.opened.connect(self._on_changed)
        session.refreshed.connect(self._on_changed)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what is to be shown."""
        super().showEvent(event)
        self._load()

    def _on_changed(self, _content: MeetingContent) -> None:
        self._is_stale = True
        if self.isVisible():
            self._load()

    def _load(self) -> None:
        if self._is_stale and self._session.content is not None:
            self._is_stale = False
            self._session.edges(Relation.REPLY_TO, self._on_edges)
            self._session.entities(self._on_entities)

    def _on_edges(self, edges: list[Edge]) -> None:
        content = self._session.content
        if content is None:
            return
        counts: Counter[tuple[int, int]] = Counter()
        first: dict[tuple[int, int], Edge] = {}
        for edge in edges:
            if max(edge.source, edge.target) >= len(content.utterances):
                continue
            # A reply follows what it answers, whichever way the edge is drawn.
            earlier, later = sorted((edge.source, edge.target))
            answerer = content.utterances[later].speaker_id
            answered = content.utterances[earlier].speaker_id
            if answerer is not None and answered is not None and answerer != answered:
                counts[answerer, answered] += 1
                first.setdefault((answerer, answered), Edge(earlier, later, edge.relation))
        self._view.show_replies(content.speakers, counts)
        self._show_pairs(content, counts, first)

    def _on_entities(self, entities: dict[str, list[int]]) -> None:
        content = self._session.content
        if content is not None:
            starts = [u.start for u in content.utterances]
            moments = {
                name: [starts[i] for i in indices if i < len(starts)]
                for name, indices in entities.items()
            }
            self._timeline.show_entities(moments, content.meeting.duration)

    def _show_pairs(
        self,
        content: MeetingContent,
        counts: Counter[tuple[int, int]],
        first: dict[tuple[int, int], Edge],
    ) -> None:
        while (item := self._pairs.column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        names = {speaker.id: speaker.name for speaker in content.speakers}
        for pair, count in counts.most_common(_SHOWN_PAIRS):
            text = self.tr("{a} answers {b}: {n}").format(
                a=names.get(pair[0], "?"), b=names.get(pair[1], "?"), n=count
            )
            start = content.utterances[first[pair].source].start
            end = content.utterances[first[pair].target].end
            play = button(self.tr("▶ first"), role="chip")
            play.setAccessibleName(self.tr("Play the first time {text}").format(text=text))
            play.clicked.connect(lambda _=False, s=start, e=end: self.play_requested.emit(s, e))
            line = QWidget()
            layout = row(Label(text, wraps=True), play)
            layout.setStretch(0, 1)
            line.setLayout(layout)
            self._pairs.column.addWidget(line)
        self._pairs.setVisible(bool(counts))
