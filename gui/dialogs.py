"""The few questions the window asks, none of which stops the event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

Taker = Callable[[str], object]


class Dialogs:
    """Opens dialogs over a window; tests put their own in its place."""

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent

    def set_parent(self, parent: QWidget) -> None:
        """Stand over another window."""
        self._parent = parent

    def text(self, title: str, label: str, value: str, take: Taker) -> None:
        """Ask for a line of text."""
        dialog = QInputDialog(self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.setTextValue(value)
        dialog.textValueSelected.connect(take)
        dialog.open()

    def confirm(self, title: str, text: str, verb: str, go: Callable[[], object]) -> None:
        """Ask before something that cannot be undone."""
        dialog = QMessageBox(self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setIcon(QMessageBox.Icon.Warning)
        dialog.setWindowTitle(title)
        dialog.setText(text)
        yes = dialog.addButton(verb, QMessageBox.ButtonRole.DestructiveRole)
        dialog.addButton(QMessageBox.StandardButton.Cancel)
        dialog.buttonClicked.connect(lambda chosen: go() if chosen is yes else None)
        dialog.open()

    def tell(self, title: str, text: str, details: str = "") -> None:
        """Show something longer than a line."""
        dialog = QMessageBox(self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setText(text)
        dialog.setDetailedText(details)
        dialog.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        dialog.open()

    def files(self, title: str, pattern: str, take: Callable[[list[str]], object]) -> None:
        """Ask for files to read."""
        dialog = QFileDialog(self._parent, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(pattern)
        dialog.filesSelected.connect(take)
        dialog.open()

    def folder(self, title: str, take: Taker) -> None:
        """Ask for a folder."""
        dialog = QFileDialog(self._parent, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(take)
        dialog.open()

    def save(self, title: str, name: str, pattern: str, take: Taker) -> None:
        """Ask where to write a file."""
        dialog = QFileDialog(self._parent, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(pattern)
        dialog.selectFile(name)
        dialog.fileSelected.connect(take)
        dialog.open()
