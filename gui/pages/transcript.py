"""The transcript: reading, hearing, finding and correcting what was said."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QMenu, QVBoxLayout, QWidget

from engine.types import Utterance
from gui import word_places
from gui.content import MeetingContent
from gui.drafts import Drafts
from gui.item_models.utterances import UtterancesModel
from gui.session import Session
from gui.widgets.find_bar import FindBar
from gui.widgets.transcript_view import TranscriptView
from gui.widgets.utterance_delegate import UtteranceDelegate
from gui.widgets.utterance_row import RowMarks
from gui.word_places import Place


class TranscriptPage(QWidget):
    """Shows the session's utterances and turns gestures into wishes and edits.

    Signals:
        play_requested(float, object): From seconds, to seconds or None for on and on.
        bookmark_requested(float): Mark this moment.
        speaker_menu_requested(int, QPoint): Row whose speaker is to be changed.
        question_requested(str): Ask about this text.
        scrolled_by_hand(): Following should end.
    """

    play_requested = Signal(float, object)
    bookmark_requested = Signal(float)
    speaker_menu_requested = Signal(int, QPoint)
    question_requested = Signal(str)
    scrolled_by_hand = Signal()

    def __init__(self, session: Session, drafts: Drafts) -> None:
        super().__init__()
        self._session = session
        self._drafts = drafts
        self._playing = -1
        self._word: tuple[int, int] | None = None
        self._cited: frozenset[int] = frozenset()
        self._places: dict[int, list[Place]] = {}
        self.model = UtterancesModel(self)
        self.view = TranscriptView(self._marks)
        self.find_bar = FindBar()
        self._build()
        self._connect()

    def follow(self, position: float, *, is_scrolled: bool) -> None:
        """Show what is heard; scroll there when asked, never touching the player."""
        row = self._session.utterance_at(position)
        if row != self._playing:
            self._playing = row
            self.view.viewport().update()
            if is_scrolled and row >= 0 and not self.view.is_visible(row):
                self._scroll(row)
        word = word_places.word_at(self._known(row), position) if row >= 0 else None
        if word != self._word:
            self._word = word
            self.view.update(self.model.index(row, 0))

    def show_row(self, row: int) -> None:
        """Bring a row into view and make it the current one."""
        if 0 <= row < self.model.rowCount():
            self._scroll(row)
            self.view.setCurrentIndex(self.model.index(row, 0))

    def set_cited(self, rows: frozenset[int]) -> None:
        """Mark the rows an answer rests on."""
        self._cited = rows
        self.view.viewport().update()

    def current_row(self) -> int:
        """Row with the keyboard, else the one heard, else 0."""
        row = self.view.currentIndex().row()
        return row if row >= 0 else max(0, self._playing)

    def edit_current(self) -> None:
        """Edit the text of the current row."""
        if self.model.rowCount():
            self.show_row(self.current_row())
            self.view.edit(self.view.currentIndex())

    def _build(self) -> None:
        self.view.setAccessibleName(self.tr("Transcript"))
        self.view.setModel(self.model)
        self._editing = UtteranceDelegate(self.view)
        self.view.setItemDelegate(self._editing)
        self.find_bar.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.find_bar)
        layout.addWidget(self.view, 1)

    def _connect(self) -> None:
        self._session.opened.connect(self._on_opened)
        self._session.refreshed.connect(self._on_refreshed)
        self._session.closed.connect(self._on_closed)
        self._session.words_loaded.connect(self._on_words)
        self.view.clicked_at.connect(self._on_clicked)
        self.view.name_clicked.connect(self._on_name)
        self.view.play_requested.connect(self._play_row)
        self.view.menu_requested.connect(self._on_menu)
        self.view.user_scrolled.connect(self.scrolled_by_hand)
        self.model.text_edited.connect(self._on_text_edited)
        self._editing.typed.connect(self._on_typed)
        self._editing.closeEditor.connect(self._on_edit_ended)
        self.find_bar.query_changed.connect(self._on_query)
        self.find_bar.row_chosen.connect(self.show_row)
        self.find_bar.replace_requested.connect(self._on_replace)

    def _on_opened(self, content: MeetingContent) -> None:
        self._playing, self._word, self._cited = -1, None, frozenset()
        self._places.clear()
        self.model.set_content(content.transcript, content.colour_by_speaker)
        self.find_bar.set_texts(content.utterances)
        self._go_on_writing(content)

    def _go_on_writing(self, content: MeetingContent) -> None:
        """Open the line again that was half-edited when the window went away."""
        draft = self._drafts.get(content.meeting.id, "line")
        if draft is None:
            return
        row, before, text = draft
        if row < len(content.utterances) and content.utterances[row].text == before:
            self._editing.begin_with(text)
            self.show_row(row)
            self.view.edit(self.model.index(row, 0))

    def _on_typed(self, row: int, text: str) -> None:
        draft = (row, self._utterance(row).text, text)
        self._drafts.keep(self._session.meeting_id, "line", draft)

    def _on_edit_ended(self) -> None:
        self._drafts.keep(self._session.meeting_id, "line", None)

    def _on_refreshed(self, content: MeetingContent) -> None:
        self._places.clear()
        self.model.update_content(content.transcript, content.colour_by_speaker)
        self.find_bar.set_texts(content.utterances)

    def _on_closed(self) -> None:
        self._playing = -1
        self.model.clear()

    def _on_words(self, first: int, last: int) -> None:
        for row in range(first, last):
            self._places.pop(row, None)
        self.view.viewport().update()

    def _known(self, row: int) -> list[Place]:
        known = self._places.get(row)
        if known is None:
            known = word_places.places(self._utterance(row).text, self._session.words(row))
            if known:
                self._places[row] = known
        return known

    def _utterance(self, row: int) -> Utterance:
        return self.model.utterances[row]

    def _marks(self, row: int) -> RowMarks:
        is_playing = row == self._playing
        view = self.view
        return RowMarks(
            is_playing,
            view.hasFocus() and view.currentIndex().row() == row,
            row in self._cited,
            self._word if is_playing else None,
            self.find_bar.matches(row),
            word_places.unsure(self._known(row)),
        )

    def _scroll(self, row: int) -> None:
        hint = QAbstractItemView.ScrollHint.PositionAtCenter
        self.view.scrollTo(self.model.index(row, 0), hint)

    def _on_clicked(self, row: int, character: int) -> None:
        if character < 0:
            self._play_row(row)
            return
        start = word_places.time_of(self._utterance(row), self._known(row), character)
        self.play_requested.emit(start, None)

    def _play_row(self, row: int) -> None:
        utterance = self._utterance(row)
        self.play_requested.emit(utterance.start, utterance.end)

    def _on_name(self, row: int) -> None:
        corner = self.view.text_rect(row).topLeft()
        self.speaker_menu_requested.emit(row, self.view.viewport().mapToGlobal(corner))

    def _on_text_edited(self, row: int, text: str) -> None:
        self._places.pop(row, None)
        self._session.edit("edit_text", index=row, text=text)

    def _on_query(self) -> None:
        self.view.viewport().update()

    def _on_replace(self, find: str, replacement: str) -> None:
        self._session.edit("replace_text", find=find, replacement=replacement)

    def _on_menu(self, row: int, character: int, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        utterance = self._utterance(row)
        self._add(menu, self.tr("Play this"), lambda: self._play_row(row))
        self._add(menu, self.tr("Edit text"), lambda: self.view.edit(self.model.index(row, 0)))
        self._add(menu, self.tr("Change speaker…"), lambda: self._on_name(row))
        menu.addSeparator()
        word = self._word_number(row, character)
        if word > 0:
            self._add(
                menu,
                self.tr("Split before this word"),
                lambda: self._session.edit("split_utterance", index=row, word=word),
            )
        if row + 1 < self.model.rowCount():
            self._add(
                menu,
                self.tr("Join with the next"),
                lambda: self._session.edit("merge_utterances", index=row),
            )
        menu.addSeparator()
        self._add(
            menu,
            self.tr("Bookmark this moment"),
            lambda: self.bookmark_requested.emit(utterance.start),
        )
        self._add(
            menu, self.tr("Ask about this"), lambda: self.question_requested.emit(utterance.text)
        )
        self._add(menu, self.tr("Copy"), lambda: copy_utterances([utterance]))
        menu.popup(point)

    @staticmethod
    def _add(menu: QMenu, text: str, slot: object) -> None:
        menu.addAction(text).triggered.connect(lambda _=False: slot())  # type: ignore[operator]

    def _word_number(self, row: int, character: int) -> int:
        """Which word of the text a character belongs to, 0 when it is none."""
        text = self._utterance(row).text
        return len(text[:character].split()) - (character > 0 and not text[character - 1].isspace())

    def copy_selection(self) -> None:
        """Put the chosen rows on the clipboard, with speaker and time."""
        rows = sorted(index.row() for index in self.view.selectionModel().selectedIndexes())
        copy_utterances([self._utterance(row) for row in rows or [self.current_row()]])


def copy_utterances(utterances: list[Utterance]) -> None:
    """Put utterances on the clipboard, one a line."""
    from PySide6.QtGui import QGuiApplication

    from gui.clock import clock

    lines = [f"[{clock(u.start)}] {u.speaker}: {u.text}" for u in utterances]
    QGuiApplication.clipboard().setText("\n".join(lines))
