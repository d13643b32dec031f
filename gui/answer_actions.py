"""What the user does with an answer: mark it, take its evidence along, export all marks."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.messages import ExportEvidence, ExportRatings, RateAnswer, RehearEvidence
from engine.types_answer import Answer
from gui.clock import file_name, with_ending
from gui.dialogs import Dialogs
from gui.engine_client import EngineClient
from gui.widgets.answer_card import AnswerCard


class AnswerActions(QObject):
    """Sends wishes about answers to the clerk and tells the outcome.

    Signals:
        told(str, str): A message and a second line, good news.
    """

    told = Signal(str, str)

    def __init__(
        self, clerk: EngineClient, analysis: EngineClient, library_dir: Path, dialogs: Dialogs
    ) -> None:
        super().__init__()
        self._clerk = clerk
        self._analysis = analysis
        self._library = str(library_dir)
        self._dialogs = dialogs

    def rate(self, answer: Answer, marks: dict[str, int]) -> None:
        """Keep the user's marks."""
        self._clerk.submit(RateAnswer("", self._library, answer.id, marks))

    def export_evidence(self, answer: Answer) -> None:
        """Ask for a file and write the answer with the sound of its moments into it."""

        def take(path: str) -> None:
            target = with_ending(path, "html", "htm")
            job = self._clerk.submit(ExportEvidence("", self._library, answer.id, target))
            job.finished.connect(self._on_evidence)

        name = file_name(answer.question[:60].rstrip("?! ."))
        title = self.tr("Export the answer with its evidence")
        self._dialogs.save(title, f"{name}.html", "HTML (*.html)", take)

    def rehear(self, card: AnswerCard) -> None:
        """Have the moments an answer cites heard once more, after what is being heard now."""
        if card.answer is None:
            return
        job = self._analysis.submit(RehearEvidence("", self._library, card.answer.id))
        job.finished.connect(card.show_reheard)
        job.failed.connect(lambda failed: card.fail_to_hear(failed.message))

    def export_ratings(self) -> None:
        """Ask for a file and write every marked answer to it."""

        def take(path: str) -> None:
            target = with_ending(path, "csv", "json")
            job = self._clerk.submit(ExportRatings("", self._library, target))
            job.finished.connect(lambda n: self._on_ratings(n, target))

        pattern = "CSV (*.csv);;JSON (*.json)"
        self._dialogs.save(self.tr("Export the ratings"), "ratings.csv", pattern, take)

    def _on_evidence(self, path: str) -> None:
        self.told.emit(self.tr("The answer and its sound are in one file."), str(path))

    def _on_ratings(self, n: int, path: str) -> None:
        self.told.emit(self.tr("{n} rated answers were exported.").format(n=n), path)
