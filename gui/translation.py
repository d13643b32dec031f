"""Languages of the window, read from ``resources/i18n/*.ts`` without a build step."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QObject, QTranslator

from engine import paths


class TsTranslator(QTranslator):
    """Answers from a Qt ``.ts`` file; what it lacks stays English."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = _read(path)

    def translate(
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str:
        """The translation, "" where there is none."""
        return self._words.get((context, source)) or self._words.get(("", source), "")

    def isEmpty(self) -> bool:  # noqa: N802
        """Whether it knows nothing."""
        return not self._words


def _read(path: Path) -> dict[tuple[str, str], str]:
    root = ElementTree.parse(path).getroot()
    words = {}
    for context in root.iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            translated = message.find("translation")
            if translated is not None and translated.text and translated.get("type") is None:
                source = message.findtext("source", "")
                words[name, source] = translated.text
                # The same words in a part of the window the file does not know yet.
                words.setdefault(("", source), translated.text)
    return words


def install(app: QCoreApplication, language: str) -> None:
    """Use a language: a two-letter code, or "" for the system's."""
    code = language or QLocale.system().name().split("_")[0]
    path = paths.resource(f"i18n/earwitness_{code}.ts")
    if path.exists():
        app.installTranslator(TsTranslator(path, app))
        QLocale.setDefault(QLocale(code))
