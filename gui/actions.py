"""Every action of the window, declared once: menu, words, shortcut.

Menus, tooltips and the list of shortcuts follow from this table. To add an action, add a line;
``main_window`` connects it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenuBar

_MENUS: dict[str, Any] = {
    "file": QT_TRANSLATE_NOOP("actions", "&File"),
    "edit": QT_TRANSLATE_NOOP("actions", "&Edit"),
    "play": QT_TRANSLATE_NOOP("actions", "&Play"),
    "meeting": QT_TRANSLATE_NOOP("actions", "&Meeting"),
    "view": QT_TRANSLATE_NOOP("actions", "&View"),
    "help": QT_TRANSLATE_NOOP("actions", "&Help"),
}

# (menu, key, words, shortcut); "-" is a line between groups, a "?" makes the action checkable.
_TABLE: tuple[tuple[str, str, Any, str], ...] = (
    ("file", "add", QT_TRANSLATE_NOOP("actions", "Add files…"), "Ctrl+O"),
    ("file", "add_folder", QT_TRANSLATE_NOOP("actions", "Add a folder…"), "Ctrl+Shift+O"),
    ("file", "record", QT_TRANSLATE_NOOP("actions", "Record a meeting"), "Ctrl+R"),
    ("file", "-1", "", ""),
    ("file", "export", QT_TRANSLATE_NOOP("actions", "Export…"), "Ctrl+E"),
    ("file", "ratings", QT_TRANSLATE_NOOP("actions", "Export the ratings…"), "Ctrl+Alt+E"),
    ("file", "settings", QT_TRANSLATE_NOOP("actions", "Settings"), "Ctrl+,"),
    ("file", "models", QT_TRANSLATE_NOOP("actions", "Models"), "Ctrl+Shift+M"),
    ("file", "encrypt", QT_TRANSLATE_NOOP("actions", "Encryption of the library…"), "Ctrl+Alt+L"),
    ("file", "-2", "", ""),
    ("file", "quit", QT_TRANSLATE_NOOP("actions", "Quit"), "Ctrl+Q"),
    ("edit", "undo", QT_TRANSLATE_NOOP("actions", "Undo"), "Ctrl+Z"),
    ("edit", "redo", QT_TRANSLATE_NOOP("actions", "Redo"), "Ctrl+Shift+Z"),
    ("edit", "-1", "", ""),
    ("edit", "edit_text", QT_TRANSLATE_NOOP("actions", "Edit this utterance"), "F2"),
    ("edit", "copy", QT_TRANSLATE_NOOP("actions", "Copy utterances"), "Ctrl+Shift+C"),
    ("edit", "find", QT_TRANSLATE_NOOP("actions", "Find and replace"), "Ctrl+F"),
    ("edit", "search", QT_TRANSLATE_NOOP("actions", "Search all meetings"), "Ctrl+Shift+F"),
    ("play", "toggle", QT_TRANSLATE_NOOP("actions", "Play or pause"), "Ctrl+Space"),
    ("play", "back", QT_TRANSLATE_NOOP("actions", "Back 5 seconds"), "Alt+Left"),
    ("play", "forward", QT_TRANSLATE_NOOP("actions", "Forward 5 seconds"), "Alt+Right"),
    ("play", "slower", QT_TRANSLATE_NOOP("actions", "Slower"), "Ctrl+["),
    ("play", "faster", QT_TRANSLATE_NOOP("actions", "Faster"), "Ctrl+]"),
    ("play", "follow", QT_TRANSLATE_NOOP("actions", "Follow what is heard"), "Ctrl+L"),
    ("play", "-1", "", ""),
    ("play", "zoom_in", QT_TRANSLATE_NOOP("actions", "Zoom into the waveform"), "Ctrl++"),
    ("play", "zoom_out", QT_TRANSLATE_NOOP("actions", "Zoom out"), "Ctrl+-"),
    ("play", "zoom_all", QT_TRANSLATE_NOOP("actions", "Show the whole meeting"), "Ctrl+0"),
    ("meeting", "ask", QT_TRANSLATE_NOOP("actions", "Ask a question"), "Ctrl+K"),
    ("meeting", "bookmark", QT_TRANSLATE_NOOP("actions", "Bookmark this moment"), "Ctrl+B"),
    ("meeting", "speaker", QT_TRANSLATE_NOOP("actions", "Change the speaker…"), "Ctrl+P"),
    ("meeting", "-1", "", ""),
    ("meeting", "rename", QT_TRANSLATE_NOOP("actions", "Rename…"), "Ctrl+Shift+R"),
    ("meeting", "tags", QT_TRANSLATE_NOOP("actions", "Tags…"), "Ctrl+T"),
    ("meeting", "summarise", QT_TRANSLATE_NOOP("actions", "Write the minutes again"), "Ctrl+M"),
    ("meeting", "rehear", QT_TRANSLATE_NOOP("actions", "Analyse again…"), "Ctrl+Shift+A"),
    ("meeting", "gaps", QT_TRANSLATE_NOOP("actions", "Hear gaps again"), "Ctrl+Shift+G"),
    ("meeting", "delete", QT_TRANSLATE_NOOP("actions", "Delete…"), "Ctrl+Shift+Delete"),
    ("view", "show_meeting", QT_TRANSLATE_NOOP("actions", "Meeting"), "Ctrl+1"),
    ("view", "show_ask", QT_TRANSLATE_NOOP("actions", "Ask"), "Ctrl+2"),
    ("view", "show_minutes", QT_TRANSLATE_NOOP("actions", "Minutes"), "Ctrl+3"),
    ("view", "show_speakers", QT_TRANSLATE_NOOP("actions", "Speakers"), "Ctrl+4"),
    ("view", "show_graph", QT_TRANSLATE_NOOP("actions", "Graph"), "Ctrl+5"),
    ("view", "show_versions", QT_TRANSLATE_NOOP("actions", "Earlier transcripts"), "Ctrl+6"),
    ("view", "show_questions", QT_TRANSLATE_NOOP("actions", "Questions for review"), "Ctrl+7"),
    ("view", "-1", "", ""),
    ("view", "library?", QT_TRANSLATE_NOOP("actions", "Library"), "F8"),
    ("view", "panel?", QT_TRANSLATE_NOOP("actions", "Side panel"), "F9"),
    ("view", "full_screen?", QT_TRANSLATE_NOOP("actions", "Full screen"), "F11"),
    ("help", "shortcuts", QT_TRANSLATE_NOOP("actions", "Keyboard shortcuts"), "F1"),
    ("help", "log", QT_TRANSLATE_NOOP("actions", "Export the log…"), "Ctrl+Shift+L"),
    ("help", "licences", QT_TRANSLATE_NOOP("actions", "Licences"), "Ctrl+F1"),
    ("help", "about", QT_TRANSLATE_NOOP("actions", "About Earwitness"), "Shift+F1"),
)

# Meaningful without an open meeting, unlike all the others.
ALWAYS = frozenset(
    key
    for line in (
        "add add_folder record ratings settings models encrypt quit search ask show_ask",
        "library panel full_screen shortcuts log licences about",
    )
    for key in line.split()
)


class Actions(QObject):
    """The actions by key, with the user's own shortcuts."""

    def __init__(self, shortcuts_path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = shortcuts_path
        chosen = self._chosen()
        self._by_key: dict[str, QAction] = {}
        self._defaults: dict[str, str] = {}
        for _menu, key, words, shortcut in _TABLE:
            if key.startswith("-"):
                continue
            name = key.rstrip("?")
            action = QAction(QCoreApplication.translate("actions", words), self)
            action.setObjectName(name)
            action.setCheckable(key.endswith("?"))
            action.setShortcut(QKeySequence(chosen.get(name, shortcut)))
            self._defaults[name] = shortcut
            self._by_key[name] = action
        self["quit"].setMenuRole(QAction.MenuRole.QuitRole)
        self["settings"].setMenuRole(QAction.MenuRole.PreferencesRole)
        self["about"].setMenuRole(QAction.MenuRole.AboutRole)

    def __getitem__(self, key: str) -> QAction:
        return self._by_key[key]

    def items(self) -> list[tuple[str, QAction]]:
        """Every key and action, in the order of the menus."""
        return list(self._by_key.items())

    def fill(self, bar: QMenuBar) -> None:
        """Build the menus."""
        menus = {
            key: bar.addMenu(QCoreApplication.translate("actions", words))
            for key, words in _MENUS.items()
        }
        for menu, key, _words, _shortcut in _TABLE:
            if key.startswith("-"):
                menus[menu].addSeparator()
            else:
                menus[menu].addAction(self[key.rstrip("?")])

    def set_meeting_open(self, is_open: bool) -> None:
        """Offer or withhold what needs a meeting."""
        for key, action in self.items():
            action.setEnabled(is_open or key in ALWAYS)

    def set_shortcut(self, key: str, sequence: QKeySequence) -> str:
        """Give an action other keys; returns the words of an action that has them already."""
        for other, action in self.items():
            if other != key and not sequence.isEmpty() and action.shortcut() == sequence:
                return action.text()
        self[key].setShortcut(sequence)
        own = {
            name: action.shortcut().toString()
            for name, action in self.items()
            if action.shortcut() != QKeySequence(self._defaults[name])
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(own, indent=2), "utf-8")
        return ""

    def _chosen(self) -> dict[str, str]:
        """The user's own shortcuts; an unreadable file means none."""
        try:
            values = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(k): str(v) for k, v in values.items()} if isinstance(values, dict) else {}
