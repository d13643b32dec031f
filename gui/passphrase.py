"""The passphrase of an encrypted library: asked for at the start, chosen and taken off again.

A library is converted while nobody has it open, so the window closes first and opens anew after.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from engine import vault
from engine.errors import EngineError, StoreError
from engine.graph import encryption

Ask = Callable[[str], str]
"""Shows what was wrong with the last try; answers the passphrase, "" to give up."""


class PassphraseDialog(QDialog):
    """Asks for a passphrase, or for a new one twice.

    Args:
        text: Stands above.
        is_new: It is typed twice, and long enough.
        verb: On the button.
        parent: The window below.
    """

    def __init__(
        self, text: str, verb: str, *, is_new: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, parent is not None)
        self.setWindowTitle(self.tr("Passphrase of the library"))
        words = QLabel(text)
        words.setWordWrap(True)
        self.field, self.again = self._field(), self._field()
        self.again.setVisible(is_new)
        form = QFormLayout()
        form.addRow(self.tr("Passphrase"), self.field)
        self.field.setAccessibleName(self.tr("Passphrase"))
        self.again.setAccessibleName(self.tr("Once more"))
        if is_new:
            form.addRow(self.tr("Once more"), self.again)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(words)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self._least = vault.MIN_LENGTH if is_new else 1
        self._is_new = is_new
        self._check()

    @property
    def passphrase(self) -> str:
        """What was typed."""
        return self.field.text()

    def _field(self) -> QLineEdit:
        field = QLineEdit()
        field.setEchoMode(QLineEdit.EchoMode.Password)
        field.textChanged.connect(self._check)
        return field

    def _check(self) -> None:
        if not hasattr(self, "go"):
            return
        is_same = not self._is_new or self.field.text() == self.again.text()
        self.go.setEnabled(len(self.field.text()) >= self._least and is_same)


def library_unlocks(library_dir: Path, ask: Ask | None = None) -> bool:
    """Ask for the passphrase of an encrypted library until it is right.

    Returns:
        False when the user gave up. Other troubles are left to whoever opens the library.
    """
    ask = ask or asked
    problem = ""
    try:
        while vault.is_locked(library_dir):
            passphrase = ask(problem)
            if not passphrase:
                return False
            try:
                vault.unlock(library_dir, passphrase)
            except StoreError as error:
                problem = error.message
    except StoreError:
        return True
    return True


def asked(problem: str) -> str:
    """Ask before there is a window to ask in."""
    tr = QCoreApplication.translate
    text = tr("passphrase", "The library is encrypted.")
    dialog = PassphraseDialog(f"{problem} {text}".strip(), tr("passphrase", "Unlock"))
    typed = dialog.passphrase if dialog.exec() == QDialog.DialogCode.Accepted else ""
    dialog.deleteLater()
    return typed


class Encryption(QObject):
    """Asks whether the library shall be encrypted, or shall no longer be.

    Signals:
        wanted(): It shall; the window has to close, then comes ``carry_out``.
    """

    wanted = Signal()

    def __init__(self, library_dir: Path) -> None:
        super().__init__()
        self._library_dir = library_dir
        self._window: QWidget | None = None
        self._passphrase = ""
        self.is_wanted = False

    def set_window(self, window: QWidget) -> None:
        """Stand over this window."""
        self._window = window

    def ask(self) -> PassphraseDialog:
        """Open the dialog."""
        if vault.is_encrypted(self._library_dir):
            text = self.tr(
                "The library is encrypted. With its passphrase it is written back as plain files."
                " The window closes and opens again when this is done."
            )
            dialog = PassphraseDialog(text, self.tr("Decrypt"), parent=self._window)
        else:
            text = self.tr(
                "Nobody will be able to read the library without this passphrase, and nothing can"
                " replace it: if it is lost, so are the meetings. The plain files are deleted, but"
                " a disk may keep what was in them for a while; older backups stay as they are."
                " The window closes and opens again when this is done."
            )
            dialog = PassphraseDialog(text, self.tr("Encrypt"), is_new=True, parent=self._window)
        dialog.accepted.connect(lambda: self._take(dialog.passphrase))
        dialog.open()
        return dialog

    def carry_out(self) -> None:
        """Convert the library that nobody has open any more.

        Raises:
            EngineError: It cannot be done; the library is as it was.
        """
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            if vault.is_encrypted(self._library_dir):
                vault.unlock(self._library_dir, self._passphrase)
                encryption.decrypt(self._library_dir)
            else:
                encryption.encrypt(self._library_dir, self._passphrase)
        finally:
            self._passphrase = ""
            QGuiApplication.restoreOverrideCursor()

    def _take(self, passphrase: str) -> None:
        self._passphrase = passphrase
        self.is_wanted = True
        self.wanted.emit()


def finish(wish: Encryption, argv: Sequence[str], tell: Callable[[EngineError], object]) -> None:
    """Do what was wished when the window has closed, and open it again."""
    if not wish.is_wanted:
        return
    try:
        wish.carry_out()
    except EngineError as error:
        tell(error)
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "gui"]
    subprocess.Popen([*program, *argv])
