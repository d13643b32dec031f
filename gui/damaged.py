"""What the window does with a library that is damaged: it says so, and mends it if it may."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from engine.errors import EngineError, StoreError
from engine.graph import care
from engine.graph.store import Store
from gui.reader import Reader

REPAIR, AGAIN, QUIT = "repair", "again", "quit"
CHECK_AFTER_MS = 5_000
"""The window first: reading the whole library for damage must not slow its start."""

Ask = Callable[[StoreError, bool], str]
Tell = Callable[[str, str], object]


def library_opens(library_dir: Path, ask: Ask | None = None) -> bool:
    """Open the library once before anybody reads it, and bring it to the present format.

    Args:
        library_dir: Made if it is not there.
        ask: Shows what is wrong and whether mending may help; answers REPAIR, AGAIN or QUIT.

    Returns:
        False when it cannot be used and the user gave up.
    """
    ask = ask or asked
    action = AGAIN
    while action != QUIT:
        try:
            if action == REPAIR:
                mended(library_dir)
            library_dir.mkdir(parents=True, exist_ok=True)
            Store(library_dir).close()
        except StoreError as error:
            # Mending is offered once; when it did not help, only a backup will.
            can_mend = "damaged" in error.message and action != REPAIR
            action = ask(error, can_mend)
        except OSError as error:
            action = ask(StoreError(f"{library_dir}: {error.strerror}"), False)
        else:
            return True
    return False


def mended(library_dir: Path) -> None:
    """Mend the library, showing that this takes a while.

    Raises:
        StoreError: Nothing can be read from it.
    """
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        care.repair(library_dir)
    finally:
        QGuiApplication.restoreOverrideCursor()


def question(error: StoreError, can_mend: bool) -> tuple[QMessageBox, dict[str, str]]:
    """The dialog that says what is wrong, and what each of its buttons answers."""
    tr = QCoreApplication.translate
    box = QMessageBox()
    box.setIcon(QMessageBox.Icon.Critical)
    box.setWindowTitle(tr("damaged", "The library cannot be opened"))
    box.setText(error.message)
    box.setInformativeText(
        tr("damaged", "What can be read is saved; the damaged file is kept beside it.")
        if can_mend
        else error.hint
    )
    answers = {}
    if can_mend:
        repair = box.addButton(tr("damaged", "Repair"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(repair)
        answers[repair.text()] = REPAIR
    again = box.addButton(tr("damaged", "Try again"), QMessageBox.ButtonRole.ActionRole)
    end = box.addButton(tr("damaged", "Quit"), QMessageBox.ButtonRole.RejectRole)
    box.setEscapeButton(end)
    return box, answers | {again.text(): AGAIN, end.text(): QUIT}


def told(error: EngineError) -> None:
    """Say what could not be done when there is no window any more."""
    QMessageBox.critical(None, "Earwitness", str(error))


def asked(error: StoreError, can_mend: bool) -> str:
    """Ask before there is a window to ask in."""
    box, answers = question(error, can_mend)
    box.exec()
    return answers.get(box.clickedButton().text(), QUIT)


def check_later(library_dir: Path, tell: Tell, after_ms: int = CHECK_AFTER_MS) -> Reader:
    """Read the whole library for damage in the background; tell when there is any.

    Returns:
        What reads; close it with the window.
    """
    reader = Reader(lambda: Store(library_dir, read_only=True))

    def report(problems: list[str]) -> None:
        if problems:
            tr = QCoreApplication.translate
            hint = tr("damaged", "Close the window and run: earwitness library repair")
            tell(tr("damaged", "The library is damaged: {what}").format(what=problems[0]), hint)

    QTimer.singleShot(after_ms, reader, lambda: reader.read(care.check, report))
    return reader
