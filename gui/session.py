"""The meeting that is open: what every page of it shows, loaded without making anyone wait."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal, SignalInstance

from engine.graph import versions
from engine.graph.store import Store
from engine.messages import Edit
from engine.types import Edge, Relation, Utterance, Version, Word
from engine.types_answer import Answer
from gui.content import MeetingContent, load
from gui.engine_client import EngineClient, Job
from gui.reader import Query, Reader

_WORDS_CHUNK = 100

Change = tuple[str, float, str, str]
"""Kind (changed, removed, added), seconds, text then, text now."""


class Session(QObject):
    """The open meeting and the edits made to it.

    Signals:
        opened(MeetingContent): Another meeting, or a fresh read of the same one after a reload.
        refreshed(MeetingContent): The same meeting after an edit or an analysis.
        closed(): Nothing is open.
        words_loaded(int, int): Words of utterances [first, last) are there.
        edit_failed(): An edit was refused; what is shown was read again.
    """

    opened = Signal(object)
    refreshed = Signal(object)
    closed = Signal()
    words_loaded = Signal(int, int)
    edit_failed = Signal()

    def __init__(
        self,
        reader: Reader,
        clerk: EngineClient,
        library_dir: Path,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._reader = reader
        self._clerk = clerk
        self._library_dir = library_dir
        self._words: dict[int, tuple[Word, ...]] = {}
        self._asked_chunks: set[int] = set()
        self._stored: Job | None = None
        self.content: MeetingContent | None = None

    @property
    def meeting_id(self) -> str:
        """Id of the open meeting, "" when none is."""
        return self.content.meeting.id if self.content else ""

    def open(self, meeting_id: str) -> None:
        """Read a meeting in the background and show it."""
        self._reader.read(lambda store: load(store, meeting_id), self._on_opened)

    def refresh(self) -> None:
        """Read the open meeting again."""
        meeting_id = self.meeting_id
        if meeting_id:
            before = self.content
            self._reader.read(lambda store: load(store, meeting_id, before), self._on_refreshed)

    def close(self) -> None:
        """Show nothing."""
        self.content = None
        self._forget_words()
        self.closed.emit()

    def words(self, index: int) -> tuple[Word, ...]:
        """Words of an utterance; empty, and fetched in the background, when not there yet."""
        known = self._words.get(index)
        if known is not None:
            return known
        self._ask_words(index // _WORDS_CHUNK)
        return ()

    def utterance_at(self, position: float) -> int:
        """Index of the utterance heard at a time, or of the last before it; -1 before all."""
        if self.content is None:
            return -1
        return (
            int(np.searchsorted(self.content.transcript.starts, position + 1e-3, side="right")) - 1
        )

    def edit(self, operation: str, **arguments: object) -> Job | None:
        """Ask the clerk to change the open meeting; what is shown follows when it is stored."""
        if self.content is None:
            return None
        if self._stored is not None:
            # It only brings the search up to date, which the new one does as well.
            self._clerk.cancel(self._stored)
        request = Edit("", str(self._library_dir), self.meeting_id, operation, arguments)
        job = self._clerk.submit(request)
        job.partial.connect(lambda _stored: self._on_stored(job))
        job.ended.connect(lambda: self._on_ended(job))
        job.failed.connect(self._on_edit_failed)
        return job

    def edges(self, relation: Relation, deliver: Any) -> None:
        """Read edges of one kind in the background, for the graph."""
        meeting_id = self.meeting_id

        def query(store: Store) -> list[Edge]:
            return list(store.edges(meeting_id, relation))

        self._reader.read(query, deliver)

    def entities(self, deliver: Any) -> None:
        """Read which utterances (indices) name which entity, in the background."""
        meeting_id = self.meeting_id

        def query(store: Store) -> dict[str, list[int]]:
            found = store.entities(meeting_id)
            return {name: list(indices) for (name, _kind), indices in found.items()}

        self._reader.read(query, deliver)

    def answers(self, deliver: Any) -> None:
        """Read earlier answers, each with the user's marks, in the background."""
        meeting_id = self.meeting_id

        def query(store: Store) -> list[tuple[Answer, dict[str, int]]]:
            marks = store.marks(meeting_id)
            return [(answer, marks.get(answer.id, {})) for answer in store.answers(meeting_id)]

        self._reader.read(query, deliver)

    def versions(self, deliver: Any) -> None:
        """Read which earlier transcripts there are, in the background."""
        meeting_id = self.meeting_id

        def query(store: Store) -> list[Version]:
            return versions.versions(store, meeting_id)

        self._reader.read(query, deliver)

    def difference(self, version_id: int, deliver: Any) -> None:
        """Compare an earlier transcript with the present one, in the background."""
        meeting_id = self.meeting_id

        def query(store: Store) -> list[Change]:
            return versions.difference(store, meeting_id, version_id)

        self._reader.read(query, deliver)

    def _ask_words(self, chunk: int) -> None:
        if self.content is None or chunk in self._asked_chunks:
            return
        self._asked_chunks.add(chunk)
        first = chunk * _WORDS_CHUNK
        part = self.content.utterances[first : first + _WORDS_CHUNK]
        if not part or not self.content.meeting.has_audio:
            return
        meeting_id, start, end = self.meeting_id, part[0].start, max(u.end for u in part)

        def query(store: Store) -> tuple[str, Sequence[Utterance]]:
            found = store.utterances(meeting_id, with_words=True, start=start, end=end)
            return meeting_id, found

        self._reader.read(query, self._on_words)

    def _on_words(self, result: tuple[str, Sequence[Utterance]]) -> None:
        meeting_id, utterances = result
        if meeting_id != self.meeting_id or not utterances:
            return
        for utterance in utterances:
            self._words[utterance.index] = utterance.words
        self.words_loaded.emit(utterances[0].index, utterances[-1].index + 1)

    def _on_opened(self, content: MeetingContent) -> None:
        self._show(content, self.opened)

    def _on_refreshed(self, content: MeetingContent) -> None:
        if content.meeting.id == self.meeting_id:
            self._show(content, self.refreshed)

    def _show(self, content: MeetingContent, told: SignalInstance) -> None:
        old = self.content
        self._take(content)
        told.emit(content)
        # Twenty thousand utterances take a while to let go of; the reader has the time.
        self._reader.read(_holding(old), _nothing)
        del old

    def _take(self, content: MeetingContent) -> None:
        self.content = content
        self._forget_words()

    def _forget_words(self) -> None:
        self._words.clear()
        self._asked_chunks.clear()

    def _on_stored(self, job: Job) -> None:
        self._stored = job
        self.refresh()

    def _on_ended(self, job: Job) -> None:
        if self._stored is job:
            self._stored = None

    def _on_edit_failed(self, _failure: object) -> None:
        self.edit_failed.emit()
        self.refresh()


def _nothing(_result: object) -> None:
    """What is done with a read that gives nothing."""


def _holding(content: MeetingContent | None) -> Query:
    """A read that does nothing but keep a value until the reader comes to it."""

    def query(_store: Store) -> None:
        del _store

    query.held = content  # type: ignore[attr-defined]
    return query
