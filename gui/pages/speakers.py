"""Speakers: how long each spoke, what is known of them, and a sample of each voice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QHBoxLayout, QMenu

from engine.types import Note, Speaker
from gui import theme
from gui.clock import length
from gui.content import MeetingContent
from gui.dialogs import Dialogs
from gui.session import Session
from gui.widgets.basics import Card, Column, IconButton, Label, button, moment_chip, row
from gui.widgets.share_bar import ShareBar


class SpeakersPage(Column):
    """One card a speaker; renaming and merging go to the session.

    Signals:
        play_requested(float, object): A sample of a voice.
    """

    play_requested = Signal(float, object)

    def __init__(self, session: Session, dialogs: Dialogs) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Speakers"))
        self._session = session
        self._dialogs = dialogs
        session.opened.connect(self._show)
        session.refreshed.connect(self._show)
        session.closed.connect(self.clear)

    def open_menu(self, row_number: int, point: QPoint) -> None:
        """Offer other speakers for one utterance."""
        content = self._session.content
        if content is None or not 0 <= row_number < len(content.utterances):
            return
        utterance = content.utterances[row_number]
        menu = QMenu(self)
        menu.setAccessibleName(self.tr("Speaker of this utterance"))
        current = next((s for s in content.speakers if s.id == utterance.speaker_id), None)
        if current is not None:
            rename = menu.addAction(self.tr("Rename {name}…").format(name=current.name))
            rename.triggered.connect(lambda: self._rename(current))
            self._add_sample(menu, content, current)
            menu.addSeparator()
        for speaker in content.speakers:
            if speaker.id == utterance.speaker_id:
                continue
            text = self.tr("This was {name}").format(name=speaker.name)
            action = menu.addAction(text)
            action.triggered.connect(
                lambda _=False, s=speaker: self._session.edit(
                    "reassign", index=row_number, speaker_id=s.id
                )
            )
        new = menu.addAction(self.tr("This was somebody else"))
        new.triggered.connect(
            lambda: self._session.edit("reassign", index=row_number, speaker_id=0)
        )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(point)

    def _add_sample(self, menu: QMenu, content: MeetingContent, speaker: Speaker) -> None:
        sample = content.samples.get(speaker.id)
        if sample is not None:
            play = menu.addAction(self.tr("Play a sample of {name}").format(name=speaker.name))
            play.triggered.connect(lambda: self.play_requested.emit(sample.start, sample.end))

    def _show(self, content: MeetingContent) -> None:
        self.clear()
        total = sum(speaker.seconds for speaker in content.speakers) or 1.0
        profiles = [note for note in content.notes if note.kind == "profile"]
        for speaker in sorted(content.speakers, key=lambda s: -s.seconds):
            about = [n for n in profiles if n.owner.casefold() == speaker.name.casefold()]
            self.add(self._card(content, speaker, speaker.seconds / total, about))
        if not content.speakers:
            self.add(Label(self.tr("No speakers were told apart."), "muted", wraps=True))

    def _card(
        self, content: MeetingContent, speaker: Speaker, share: float, about: Sequence[Note]
    ) -> Card:
        card = Card(steps=2.5)
        name = Label(speaker.name, "heading")
        edit = IconButton("edit", self.tr("Rename {name}").format(name=speaker.name), size=1)
        edit.clicked.connect(lambda: self._rename(speaker))
        merge = IconButton("people", self.tr("Merge {name}").format(name=speaker.name), size=1)
        merge.clicked.connect(lambda: self._merge_menu(content, speaker))
        merge.setEnabled(len(content.speakers) > 1)
        buttons = [edit, merge]
        sample = content.samples.get(speaker.id)
        if sample is not None and content.audio_path is not None:
            play = IconButton(
                "speaker", self.tr("Play a sample of {name}").format(name=speaker.name), size=1
            )
            play.clicked.connect(lambda: self.play_requested.emit(sample.start, sample.end))
            buttons.insert(0, play)
        card.column.addLayout(row(name, None, *buttons, spacing=theme.space(self)))
        card.column.addWidget(ShareBar(share, speaker.colour))
        facts = self.tr("{time} · {share:.0%} of the talk · {n} utterances").format(
            time=length(speaker.seconds), share=share, n=speaker.n_utterances
        )
        card.column.addWidget(Label(facts, "small", wraps=True))
        suggested = content.suggestions.get(speaker.id)
        if suggested:
            card.column.addLayout(self._suggestion(speaker, suggested))
        for note in about:
            card.column.addWidget(Label(note.text, wraps=True))
            chip = moment_chip(note.start, partial(self._play, note))
            card.column.addLayout(row(chip, None))
        return card

    def _suggestion(self, speaker: Speaker, name: str) -> QHBoxLayout:
        """A known voice: never taken over without being asked."""
        yes = button(self.tr("Yes"), role="chip")
        yes.setAccessibleName(self.tr("Yes, this is {name}").format(name=name))
        yes.clicked.connect(
            lambda: self._session.edit("rename_speaker", speaker_id=speaker.id, name=name)
        )
        no = button(self.tr("No"), role="chip")
        no.setAccessibleName(self.tr("No, this is not {name}").format(name=name))
        no.clicked.connect(lambda: self._session.edit("dismiss_suggestion", speaker_id=speaker.id))
        return row(Label(self.tr("Is this {name}?").format(name=name), wraps=True), yes, no)

    def _play(self, note: Note) -> None:
        self.play_requested.emit(note.start, note.end if note.end > note.start else None)

    def _rename(self, speaker: Speaker) -> None:
        def take(name: str) -> None:
            if name.strip() and name.strip() != speaker.name:
                self._session.edit("rename_speaker", speaker_id=speaker.id, name=name.strip())

        label = self.tr("Name of {name}").format(name=speaker.name)
        self._dialogs.text(self.tr("Rename speaker"), label, speaker.name, take)

    def _merge_menu(self, content: MeetingContent, speaker: Speaker) -> None:
        menu = QMenu(self)
        for other in content.speakers:
            if other.id == speaker.id:
                continue
            action = menu.addAction(self.tr("Same voice as {name}").format(name=other.name))
            action.triggered.connect(
                lambda _=False, o=other: self._session.edit(
                    "merge_speakers", source_id=speaker.id, target_id=o.id
                )
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(QCursor.pos())
