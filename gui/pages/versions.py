"""Earlier transcripts of the open meeting: what differs from now, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.types import Version
from gui import theme
from gui.clock import moment
from gui.differences import Piece, as_html, word_difference
from gui.session import Change, Session
from gui.widgets.basics import Badge, Card, Choice, Column, Label, button, moment_chip, row

_MOST_SHOWN = 200


class VersionsPage(QWidget):
    """Compares a chosen earlier transcript with the present one.

    Signals:
        play_requested(float, object): From seconds on.
        restore_requested(int, str): Make this version the present transcript; its name.
        rehear_requested(): Hear the meeting again, which makes a version of what is there.
    """

    play_requested = Signal(float, object)
    restore_requested = Signal(int, str)
    rehear_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._is_stale = True
        self._build()
        session.opened.connect(self._on_changed)
        session.refreshed.connect(self._on_changed)
        session.closed.connect(self._on_changed)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what is there only when somebody looks."""
        super().showEvent(event)
        if self._is_stale:
            self._reload()

    def changeEvent(self, event: QEvent) -> None:
        """Mark what differs in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and not self._is_stale:
            self._on_changed()

    def _build(self) -> None:
        unit = theme.space(self)
        self._facts = Label("", "muted", wraps=True)
        self._choice = Choice()
        self._choice.setAccessibleName(self.tr("Earlier transcript"))
        self._choice.activated.connect(self._compare)
        self._restore = button(self.tr("Go back to this one"), self._on_restore)
        self._again = button(self.tr("Analyse again…"), self.rehear_requested.emit)
        self._list = Column(self.tr("Differences"))
        head = QVBoxLayout()
        head.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 0)
        head.setSpacing(2 * unit)
        head.addWidget(Label(self.tr("Earlier transcripts"), "title"))
        head.addLayout(row(self._choice, self._restore, None, self._again, spacing=2 * unit))
        head.addWidget(self._facts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self._list, 1)

    def _on_changed(self, _content: object = None) -> None:
        self._is_stale = True
        if self.isVisible():
            self._reload()

    def _reload(self) -> None:
        self._is_stale = False
        if self._session.content is None:
            self._on_versions([])
        else:
            self._session.versions(self._on_versions)

    def _on_versions(self, found: Sequence[Version]) -> None:
        chosen = self._choice.currentData()
        self._choice.clear()
        for version in found:
            name = self.tr("{moment}, {n} utterances").format(
                moment=moment(version.created), n=version.n_utterances
            )
            self._choice.addItem(f"{name} – {version.label}" if version.label else name, version.id)
        self._choice.setCurrentIndex(max(0, self._choice.findData(chosen)))
        for widget in (self._choice, self._restore):
            widget.setVisible(bool(found))
        self._list.clear()
        if found:
            self._compare()
        else:
            self._facts.setText(
                self.tr(
                    "There is only the present transcript. When a meeting is analysed again, "
                    "the one it replaces is kept here."
                )
            )

    def _compare(self) -> None:
        self._facts.setText(self.tr("Comparing…"))
        version_id = self._choice.currentData()
        self._session.difference(version_id, lambda found: self._on_difference(version_id, found))

    def _on_difference(self, version_id: int, found: Sequence[Change]) -> None:
        if version_id != self._choice.currentData():
            return
        self._list.clear()
        text = self.tr("{n} places differ from the present transcript.").format(n=len(found))
        if not found:
            text = self.tr("It says the same as the present transcript.")
        self._facts.setText(text)
        for change in found[:_MOST_SHOWN]:
            self._list.add(self._card(change))
        if len(found) > _MOST_SHOWN:
            rest = self.tr("{n} more are not shown.").format(n=len(found) - _MOST_SHOWN)
            self._list.add(Label(rest, "muted", wraps=True))

    def _card(self, change: Change) -> Card:
        kind, start, then, now = change
        words, tone = {
            "changed": (self.tr("Changed"), "accent"),
            "removed": (self.tr("Only then"), "warning"),
            "added": (self.tr("Only now"), "good"),
        }[kind]
        card = Card(steps=2.5)
        chip = moment_chip(start, lambda: self.play_requested.emit(start, None))
        card.column.addLayout(row(chip, Badge(words, tone), None))
        look = theme.colours(self)
        old, new = word_difference(then, now)
        if then:
            title = self.tr("Then")
            card.column.addWidget(_text(title, old, look.danger, is_struck=True))
        if now:
            title = self.tr("Now")
            card.column.addWidget(_text(title, new, look.good, is_struck=False))
        return card

    def _on_restore(self) -> None:
        self.restore_requested.emit(self._choice.currentData(), self._choice.currentText())


def _text(title: str, pieces: list[Piece], colour: str, *, is_struck: bool) -> Label:
    plain = " ".join(text for text, _ in pieces)
    label = Label("", wraps=True)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setText(as_html(pieces, colour, is_struck=is_struck))
    label.setAccessibleName(f"{title}: {plain}")
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
