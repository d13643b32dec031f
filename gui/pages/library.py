"""The library at the left: record, add, search, and the list of meetings."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QListView, QMenu, QVBoxLayout, QWidget

from engine.graph.store import Store
from engine.types import Meeting
from gui import theme
from gui.item_models.meetings import MEETING_ROLE, MeetingsModel
from gui.reader import Reader
from gui.widgets.basics import IconButton, Label, row
from gui.widgets.meeting_delegate import MeetingDelegate


class LibraryPage(QWidget):
    """Shows the meetings and says what is wanted with them.

    Signals:
        meeting_chosen(str): Open this meeting.
        selection_changed(tuple): Ids of the selected meetings.
        search_requested(str): Look for these words in all meetings.
        rename_requested(Meeting), tags_requested(Meeting), delete_requested(Meeting),
        export_requested(Meeting), finish_requested(Meeting): From the menu of a meeting.
    """

    meeting_chosen = Signal(str)
    selection_changed = Signal(tuple)
    search_requested = Signal(str)
    rename_requested = Signal(object)
    tags_requested = Signal(object)
    delete_requested = Signal(object)
    export_requested = Signal(object)
    finish_requested = Signal(object)

    _KEEP = QItemSelectionModel.SelectionFlag.NoUpdate
    _REPLACE = QItemSelectionModel.SelectionFlag.ClearAndSelect

    def __init__(self, reader: Reader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._wanted_id = ""
        self.model = MeetingsModel()
        self._build()
        self._connect()

    def follow_actions(self, record: QAction, add: QAction) -> None:
        """Tie the two big buttons to their menu entries."""
        self._record_button.follow_action(record)
        self._add_button.follow_action(add)

    def reload(self) -> None:
        """Read the list again in the background."""

        def query(store: Store) -> list[Meeting]:
            return list(store.meetings())

        self._reader.read(query, self._on_meetings)

    def choose(self, meeting_id: str) -> None:
        """Mark a meeting as the open one, now or when the list is read."""
        self._wanted_id = meeting_id
        found = self.model.row_of(meeting_id)
        index = self.model.index(found, 0)
        # Several selected meetings stay so when a citation opens one of them.
        is_among = len(self.selected()) > 1 and self._list.selectionModel().isSelected(index)
        if found >= 0:
            how = self._KEEP if is_among else self._REPLACE
            self._list.selectionModel().setCurrentIndex(index, how)
        else:
            self._list.clearSelection()

    def selected(self) -> tuple[str, ...]:
        """Ids of the selected meetings, in the order of the list."""
        rows = sorted(self._list.selectionModel().selectedIndexes(), key=lambda i: i.row())
        return tuple(index.data(MEETING_ROLE).id for index in rows)

    def focus_search(self) -> None:
        """Let the user type a search."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def focus_list(self) -> None:
        """Begin with the keyboard in the list."""
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        self.setProperty("role", "sidebar")
        unit = theme.space(self)
        self._record_button = IconButton(
            "record", self.tr("Record a meeting"), role="record", text=self.tr("Record")
        )
        self._add_button = IconButton(
            "plus", self.tr("Add recordings or transcripts"), role="", text=self.tr("Add files")
        )
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search all meetings"))
        self._search.setAccessibleName(self.tr("Search all meetings"))
        self._search.setClearButtonEnabled(True)
        self._list = QListView()
        self._list.setAccessibleName(self.tr("Meetings"))
        self._list.setModel(self.model)
        self._list.setItemDelegate(MeetingDelegate(self._list))
        self._list.setMouseTracking(True)
        self._list.setUniformItemSizes(True)
        self._list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self._list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._empty = Label(
            self.tr("No meetings yet. Drop recordings anywhere on this window."),
            "muted",
            wraps=True,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * unit, 3 * unit, 2 * unit, 2 * unit)
        layout.setSpacing(2 * unit)
        buttons = row(self._record_button, self._add_button, spacing=2 * unit)
        for button in (self._record_button, self._add_button):
            button.setSizePolicy(self.sizePolicy())
        layout.addLayout(buttons)
        layout.addWidget(self._search)
        layout.addWidget(self._empty)
        layout.addWidget(self._list, 1)
        # A short wait keeps typing fluent; the list itself is filtered at once.
        self._typing = QTimer(self, singleShot=True, interval=300)

    def _connect(self) -> None:
        self._list.clicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)
        self._list.selectionModel().selectionChanged.connect(self._on_selection)
        self._list.customContextMenuRequested.connect(self._on_menu)
        self._search.textChanged.connect(self._on_typed)
        self._search.returnPressed.connect(self._on_search)
        self._typing.timeout.connect(self._on_search)

    def _on_meetings(self, meetings: list[Meeting]) -> None:
        selected = self.selected()
        self.model.set_meetings(meetings)
        if len(selected) > 1:
            self._select(selected)
        self._empty.setVisible(not meetings)
        if self._wanted_id:
            self.choose(self._wanted_id)

    def _select(self, meeting_ids: tuple[str, ...]) -> None:
        chosen = QItemSelection()
        for index in (self.model.index(self.model.row_of(key), 0) for key in meeting_ids):
            chosen.select(index, index)
        self._list.selectionModel().select(chosen, self._REPLACE)

    def _on_selection(self) -> None:
        self.selection_changed.emit(self.selected())

    def _on_chosen(self, index: QModelIndex) -> None:
        if len(self.selected()) > 1:
            return  # Being selected with others, to be asked about.
        meeting = index.data(MEETING_ROLE)
        if meeting is not None:
            self.meeting_chosen.emit(meeting.id)

    def _on_typed(self, text: str) -> None:
        if text.strip():
            self._typing.start()
        else:
            self._typing.stop()
            self.search_requested.emit("")

    def _on_search(self) -> None:
        self._typing.stop()
        text = self._search.text().strip()
        if text:
            self.search_requested.emit(text)

    def _on_menu(self, point: QPoint) -> None:
        meeting = self._list.indexAt(point).data(MEETING_ROLE)
        if meeting is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        entries = [
            (self.tr("Rename…"), self.rename_requested),
            (self.tr("Tags…"), self.tags_requested),
            (self.tr("Export…"), self.export_requested),
            (self.tr("Delete…"), self.delete_requested),
        ]
        if not meeting.is_complete and meeting.has_audio:
            entries.insert(0, (self.tr("Finish the analysis"), self.finish_requested))
        for text, signal in entries:
            action = menu.addAction(text)
            action.triggered.connect(lambda _=False, s=signal: s.emit(meeting))
        menu.popup(self._list.viewport().mapToGlobal(point))
