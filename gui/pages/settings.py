"""Settings, built from their declarations, and the list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, fields, replace
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QKeySequenceEdit,
    QLineEdit,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from engine.settings import Settings
from gui import theme
from gui.actions import Actions
from gui.widgets.basics import Card, Choice, Column, Label, row

# Settings whose value is a model of this task.
_MODEL_TASKS = {
    "asr_model": "transcription",
    "check_model": "transcription",
    "chat_model": "language model",
}


class SettingsPage(QWidget):
    """A form over ``Settings``; every change takes effect at once.

    Signals:
        changed(Settings): The new values.
        refused(str, str): A shortcut is taken.
    """

    changed = Signal(object)
    refused = Signal(str, str)

    def __init__(self, settings: Settings, actions: Actions) -> None:
        super().__init__()
        self._settings = settings
        self._actions = actions
        self._cards: list[tuple[str, Card]] = []
        self._groups: dict[str, Label] = {}
        self._model_choices: dict[str, Choice] = {}
        self._models: Sequence[Any] = ()
        self._build()

    def set_models(self, rows: Sequence[Any]) -> None:
        """Offer the models of the catalogue, the installed ones first."""
        self._models = rows
        for name, choice in self._model_choices.items():
            fitting = [r for r in rows if r.task == _MODEL_TASKS[name]]
            fitting.sort(key=lambda r: r.state != "present")
            chosen = getattr(self._settings, name)
            choice.clear()
            if name == "check_model":
                choice.addItem(self.tr("None"), "")
            for model in fitting:
                absent = "" if model.state == "present" else self.tr(" (not installed)")
                choice.addItem(model.title + absent, model.id)
            if choice.findData(chosen) < 0:
                choice.addItem(chosen, chosen)
            choice.setCurrentIndex(choice.findData(chosen))

    def showEvent(self, event: QShowEvent) -> None:
        """Build the form when it is first looked at; most days nobody does."""
        super().showEvent(event)
        if not self._cards:
            self._form.fill(self._widgets())

    def show_shortcuts(self) -> None:
        """Turn to the list of shortcuts."""
        self._tabs.setCurrentIndex(1)

    def _build(self) -> None:
        unit = theme.space(self)
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search the settings"))
        self._search.setAccessibleName(self.tr("Search the settings"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._on_search)
        self._form = Column(self.tr("Settings"))
        self._keys = Column(self.tr("Keyboard shortcuts"))
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setAccessibleName(self.tr("Parts of the settings"))
        self._tabs.addTab(self._form, self.tr("Settings"))
        self._tabs.addTab(self._keys, self.tr("Keyboard shortcuts"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 0)
        layout.setSpacing(2 * unit)
        layout.addWidget(Label(self.tr("Settings"), "title"))
        layout.addWidget(self._search)
        layout.addWidget(self._tabs, 1)
        self._tabs.currentChanged.connect(self._on_tab)

    def _widgets(self) -> Iterator[QWidget]:
        """The form: a heading for each group, a card for each setting."""
        for declared in fields(Settings):
            group = QCoreApplication.translate("settings", declared.metadata["group"])
            if group not in self._groups:
                self._groups[group] = Label(group, "heading")
                yield self._groups[group]
            yield self._setting(declared, group)
        self.set_models(self._models)
        self._on_search(self._search.text())

    def _setting(self, declared: Field[Any], group: str) -> Card:
        about = declared.metadata
        title = QCoreApplication.translate("settings", about["title"])
        text = QCoreApplication.translate("settings", about["help"])
        card = Card(steps=2.5)
        editor = self._editor(declared, lambda value: self._set(declared.name, value))
        editor.setAccessibleName(title)
        editor.setAccessibleDescription(text)
        words = QWidget()
        column = QVBoxLayout(words)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Label(title))
        column.addWidget(Label(text, "small", wraps=True))
        line = row(words, editor, spacing=theme.space(self, 3))
        line.setStretch(0, 3)
        line.setStretch(1, 0 if isinstance(editor, QCheckBox) else 2)
        card.column.addLayout(line)
        self._cards.append((f"{group} {title} {text} {declared.name}".casefold(), card))
        return card

    def _editor(self, declared: Field[Any], take: Callable[[Any], None]) -> QWidget:
        value = getattr(self._settings, declared.name)
        choices, bounds = declared.metadata["choices"], declared.metadata["bounds"]
        if isinstance(value, bool):
            box = QCheckBox()
            box.setChecked(value)
            box.toggled.connect(take)
            return box
        if choices:
            combo = Choice()
            for choice in choices:
                combo.addItem(QCoreApplication.translate("settings", choice), choice)
            combo.setCurrentIndex(choices.index(value))
            combo.activated.connect(lambda index: take(choices[index]))
            return combo
        if isinstance(value, int):
            spin = QSpinBox()
            spin.setRange(*(int(b) for b in bounds) if bounds else (0, 1_000_000))
            inset = theme.space(self, 2)  # the style sheet's padding does not reach the text
            spin.lineEdit().setTextMargins(inset, 0, inset, 0)
            spin.setValue(value)
            spin.valueChanged.connect(take)
            return spin
        if declared.name in _MODEL_TASKS:
            models = Choice()
            models.addItem(value, value)
            models.activated.connect(lambda _index: take(models.currentData()))
            self._model_choices[declared.name] = models
            return models
        line = QLineEdit(value)
        line.editingFinished.connect(lambda: take(line.text().strip()))
        return line

    def _set(self, name: str, value: Any) -> None:
        if getattr(self._settings, name) != value:
            self._settings = replace(self._settings, **{name: value})
            self.changed.emit(self._settings)

    def _on_tab(self, number: int) -> None:
        """Build the list of shortcuts when it is first looked at."""
        if number == 1 and self._keys.column.count() == 1:
            actions = self._actions.items()
            self._keys.fill(self._shortcut(key, a.text().replace("&", "")) for key, a in actions)

    def _on_search(self, text: str) -> None:
        wanted = text.casefold().strip()
        for words, card in self._cards:
            card.setVisible(wanted in words)
        for group, label in self._groups.items():
            label.setVisible(not wanted or wanted in group.casefold())

    def _shortcut(self, key: str, words: str) -> QWidget:
        field = QKeySequenceEdit(self._actions[key].shortcut())
        field.setAccessibleName(self.tr("Shortcut of {action}").format(action=words))
        field.setClearButtonEnabled(True)
        field.setMaximumSequenceLength(1)
        field.editingFinished.connect(lambda: self._on_keys(key, field))
        line = QWidget()
        layout = row(Label(words), field)
        layout.setStretch(0, 3)
        layout.setStretch(1, 2)
        line.setLayout(layout)
        return line

    def _on_keys(self, key: str, field: QKeySequenceEdit) -> None:
        taken_by = self._actions.set_shortcut(key, QKeySequence(field.keySequence()))
        if taken_by:
            text = self.tr("These keys already mean “{action}”.").format(action=taken_by)
            self.refused.emit(text, self.tr("Choose others, or clear those first."))
            field.setKeySequence(self._actions[key].shortcut())
