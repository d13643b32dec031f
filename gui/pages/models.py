"""The model manager: what is installed, what it costs, and how to get the rest."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from engine import paths
from engine.messages import AddModel, FetchModels, ListModels, RemoveModel, VerifyModels
from engine.progress import Progress
from gui import theme
from gui.clock import remaining, size
from gui.dialogs import Dialogs
from gui.engine_client import EngineClient, Job
from gui.widgets.basics import Badge, Card, Column, Label, button, row


class ModelsPage(QWidget):
    """Shows the rows of the catalogue as the engine reports them.

    Signals:
        told(str, str): Good news.
        listed(tuple): The rows of the catalogue.
        missing_found(bool): Some model of the default set is, or is no longer, missing.
    """

    told = Signal(str, str)
    missing_found = Signal(bool)
    listed = Signal(tuple)

    def __init__(self, clerk: EngineClient, fetcher: EngineClient, dialogs: Dialogs) -> None:
        super().__init__()
        self._clerk = clerk
        self._fetcher = fetcher
        self._dialogs = dialogs
        self._rows: tuple[Any, ...] = ()
        self._fetch: Job | None = None
        self._build()

    def reload(self) -> None:
        """Ask the engine what is there."""
        job = self._clerk.submit(ListModels(""))
        job.finished.connect(self._on_listed)

    def fetch_missing(self) -> None:
        """Download what the default set lacks."""
        ids = tuple(r.id for r in self._rows if r.is_default and r.state != "present")
        if ids:
            self._start_fetch(ids)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the present state."""
        super().showEvent(event)
        self.reload()

    def _build(self) -> None:
        unit = theme.space(self)
        head = QVBoxLayout()
        head.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 0)
        head.setSpacing(2 * unit)
        self._missing = button(self.tr("Fetch what is missing"), self.fetch_missing, role="primary")
        add = button(self.tr("Add from disk…"), self._on_add)
        folder = button(self.tr("Open the folder"), self._on_folder)
        head.addWidget(Label(self.tr("Models"), "title"))
        text = self.tr(
            "Models turn sound into words and questions into answers, on this computer. "
            "Fetching one is the only time Earwitness uses the network."
        )
        head.addWidget(Label(text, "muted", wraps=True))
        head.addLayout(row(self._missing, add, folder, None))
        self._progress = QProgressBar()
        self._progress.setRange(0, 1000)
        self._progress.setAccessibleName(self.tr("Progress of the download"))
        self._doing = Label("", "muted", wraps=True)
        self._cancel = button(self.tr("Cancel"), self._on_cancel)
        for widget in (self._progress, self._doing, self._cancel):
            widget.hide()
        line = row(self._doing, self._cancel)
        line.setStretch(0, 1)
        head.addLayout(line)
        head.addWidget(self._progress)
        self._list = Column(self.tr("List of models"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self._list, 1)

    def _on_listed(self, rows: tuple[Any, ...]) -> None:
        self._rows = tuple(rows)
        is_missing = any(r.is_default and r.state != "present" for r in self._rows)
        self._missing.setVisible(is_missing)
        self.listed.emit(self._rows)
        self.missing_found.emit(is_missing)
        self._list.clear()
        for model in self._rows:
            self._list.add(self._card(model))

    def _card(self, model: Any) -> Card:
        card = Card(steps=2.5)
        states = {
            "present": (self.tr("installed"), "good"),
            "missing": (self.tr("not installed"), ""),
            "broken": (self.tr("damaged"), "danger"),
        }
        buttons: list[QWidget] = []
        if model.state == "present":
            buttons.append(button(self.tr("Check"), lambda: self._verify(model)))
            buttons.append(button(self.tr("Remove"), lambda: self._remove(model), role="danger"))
        elif model.can_download:
            buttons.append(button(self.tr("Fetch"), lambda: self._start_fetch((model.id,))))
        for widget in buttons:
            widget.setAccessibleName(f"{widget.text()}: {model.title}")  # type: ignore[attr-defined]
        badges: list[QWidget] = [Badge(*states.get(model.state, (model.state, "")))]
        if model.is_default:
            badges.append(Badge(self.tr("default set"), "accent"))
        card.column.addLayout(row(Label(model.title, "heading"), *badges, None, *buttons))
        facts = [QCoreApplication.translate("models", model.task), size(model.size), model.licence]
        if model.memory_mb:
            facts.append(self.tr("{n} MB of memory").format(n=model.memory_mb))
        card.column.addWidget(Label("  ·  ".join(facts), "small", wraps=True))
        if model.note:
            note = QCoreApplication.translate("models", model.note)
            card.column.addWidget(Label(note, "muted", wraps=True))
        return card

    def _start_fetch(self, ids: tuple[str, ...]) -> None:
        if self._fetch is not None:
            return
        self._fetch = self._fetcher.submit(FetchModels("", ids))
        self._fetch.progressed.connect(self._on_progress)
        self._fetch.ended.connect(self._on_fetched)
        self._doing.setText(self.tr("Waiting for the engine…"))
        for widget in (self._progress, self._doing, self._cancel):
            widget.show()

    def _on_progress(self, progress: Progress) -> None:
        self._progress.setValue(round(progress.overall * 1000))
        parts = [progress.stage, f"{progress.overall:.0%}", remaining(progress.remaining)]
        self._doing.setText("  ·  ".join(part for part in parts if part))

    def _on_fetched(self) -> None:
        self._fetch = None
        for widget in (self._progress, self._doing, self._cancel):
            widget.hide()
        self.reload()

    def _on_cancel(self) -> None:
        if self._fetch is not None:
            self._fetcher.cancel(self._fetch)

    def _verify(self, model: Any) -> None:
        job = self._clerk.submit(VerifyModels("", (model.id,)))
        text = self.tr("{title} is complete and unchanged.").format(title=model.title)
        job.finished.connect(lambda _=None: self.told.emit(text, ""))
        job.ended.connect(self.reload)

    def _remove(self, model: Any) -> None:
        self._dialogs.confirm(
            self.tr("Remove model"),
            self.tr("Remove {title} from this computer?").format(title=model.title),
            self.tr("Remove"),
            lambda: self._clerk.submit(RemoveModel("", model.id)).ended.connect(self.reload),
        )

    def _on_add(self) -> None:
        pattern = self.tr("Model files (*.bin *.gguf *.onnx *.safetensors *.whl);;All files (*)")
        self._dialogs.files(self.tr("Add a model"), pattern, self._add_files)

    def _add_files(self, files: list[str]) -> None:
        for file in files:
            self._clerk.submit(AddModel("", file)).ended.connect(self.reload)

    def _on_folder(self) -> None:
        folder = paths.weights_dir()
        folder.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
