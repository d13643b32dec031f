"""What the user does with whole meetings: add, rename, tag, export, delete."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.messages import AnalyseOptions, Delete, Edit, Export, RestoreVersion
from engine.types import DeleteReceipt, Meeting
from gui.clock import file_name, size, with_ending
from gui.dialogs import Dialogs
from gui.engine_client import EngineClient, Job
from gui.jobs import TRANSCRIPTS, JobQueue

RECORDINGS = frozenset(
    f".{ending}"
    for line in (
        "wav mp3 m4a mp4 aac flac ogg oga opus webm mkv mov avi wma aiff aif aifc amr",
        "3gp caf w64 rf64 mka m4b mpg mpeg",
    )
    for ending in line.split()
)
FORMATS = {
    "md": "Markdown (*.md)",
    "docx": "Word (*.docx)",
    "pdf": "PDF (*.pdf)",
    "txt": "Text (*.txt)",
    "srt": "SubRip (*.srt)",
    "vtt": "WebVTT (*.vtt)",
    "csv": "CSV (*.csv)",
    "json": "JSON (*.json)",
    "html": "HTML (*.html)",
}


class LibraryActions(QObject):
    """Sends wishes about meetings to the clerk and the queue, and tells the outcome.

    Signals:
        library_changed(): The list should be read again.
        meeting_deleted(str): Id of a meeting that is gone.
        told(str, str): A message and a second line, good news.
        refused(str, str): A message and a hint.
    """

    library_changed = Signal()
    meeting_changed = Signal(str)
    meeting_deleted = Signal(str)
    told = Signal(str, str)
    refused = Signal(str, str)

    def __init__(
        self, clerk: EngineClient, queue: JobQueue, library_dir: Path, dialogs: Dialogs
    ) -> None:
        super().__init__()
        self._clerk = clerk
        self._queue = queue
        self._library_dir = library_dir
        self._dialogs = dialogs

    def add_paths(self, paths: Iterable[str]) -> int:
        """Queue files, and the recordings inside folders; returns how many."""
        files = [file for path in paths for file in expanded(Path(path))]
        for file in files:
            self._queue.add(str(file))
        if not files:
            self.refused.emit(
                self.tr("There is no recording in what you chose."),
                self.tr("Sound, video, .vtt, .srt and .json files can be added."),
            )
        return len(files)

    def choose_files(self) -> None:
        """Ask for files and queue them."""
        suffixes = " ".join(f"*{s} *{s.upper()}" for s in sorted(RECORDINGS | TRANSCRIPTS))
        known = self.tr("Recordings and transcripts")
        everything = self.tr("All files")
        pattern = f"{known} ({suffixes});;{everything} (*)"
        self._dialogs.files(self.tr("Add recordings"), pattern, self.add_paths)

    def choose_folder(self) -> None:
        """Ask for a folder and queue what is in it."""
        self._dialogs.folder(self.tr("Add a folder"), lambda path: self.add_paths([path]))

    def finish(self, meeting: Meeting) -> None:
        """Resume an analysis that was stopped."""
        self._queue.add("", AnalyseOptions(title=meeting.title), meeting.id)

    def analyse_again(self, meeting: Meeting) -> None:
        """Hear a meeting anew; edits and names stay."""
        self._dialogs.confirm(
            self.tr("Analyse again"),
            self.tr("Hear “{title}” again? Names and edits are kept.").format(title=meeting.title),
            self.tr("Analyse again"),
            lambda: self._queue.add(
                "", AnalyseOptions(title=meeting.title, is_forced=True), meeting.id
            ),
        )

    def restore(self, meeting: Meeting, version_id: int, name: str) -> None:
        """Ask, then make an earlier transcript the present one."""

        def go() -> None:
            request = RestoreVersion("", str(self._library_dir), meeting.id, version_id)
            job = self._clerk.submit(request)
            job.finished.connect(lambda _result: self._on_restored(meeting.id))

        text = self.tr("Go back to the transcript of {name}? The present one is kept as well.")
        self._dialogs.confirm(
            self.tr("Earlier transcripts"), text.format(name=name), self.tr("Go back"), go
        )

    def rename(self, meeting: Meeting) -> None:
        """Ask for another title."""

        def take(title: str) -> None:
            if title.strip():
                self._edit(meeting, "rename_meeting", title=title.strip())

        self._dialogs.text(self.tr("Rename"), self.tr("Title"), meeting.title, take)

    def change_tags(self, meeting: Meeting) -> None:
        """Ask for tags."""

        def take(text: str) -> None:
            tags = tuple(dict.fromkeys(t.strip(" #") for t in text.split(",") if t.strip(" #")))
            self._edit(meeting, "set_tags", tags=tags)

        label = self.tr("Tags, with commas between them")
        self._dialogs.text(self.tr("Tags"), label, ", ".join(meeting.tags), take)

    def export(self, meeting: Meeting) -> None:
        """Ask for a file and write the meeting to it; the ending decides the format."""

        def take(path: str) -> None:
            target = with_ending(path, *FORMATS)
            kind = Path(target).suffix.lower().lstrip(".")
            request = Export("", str(self._library_dir), meeting.id, kind, target)
            job = self._clerk.submit(request)
            job.finished.connect(self._on_exported)

        name = file_name(meeting.title)
        pattern = ";;".join(FORMATS.values())
        self._dialogs.save(self.tr("Export"), f"{name}.md", pattern, take)

    def delete(self, meeting: Meeting) -> None:
        """Ask, then remove every trace of a meeting."""
        text = self.tr(
            "Delete “{title}” with its recording, transcript, answers and notes? "
            "This cannot be undone."
        ).format(title=meeting.title)
        self._dialogs.confirm(
            self.tr("Delete"), text, self.tr("Delete"), lambda: self._delete(meeting)
        )

    def _delete(self, meeting: Meeting) -> None:
        # The open meeting lets go of its files first; some systems delete no open file.
        self.meeting_deleted.emit(meeting.id)
        job = self._clerk.submit(Delete("", str(self._library_dir), meeting.id))
        # Wiping its traces from a large library takes longer than the list should show it.
        job.partial.connect(lambda _gone: self.library_changed.emit())
        job.finished.connect(self._on_deleted)

    def _edit(self, meeting: Meeting, operation: str, **arguments: object) -> Job:
        request = Edit("", str(self._library_dir), meeting.id, operation, arguments)
        job = self._clerk.submit(request)
        job.finished.connect(lambda _result: self._on_edited(meeting.id))
        return job

    def _on_edited(self, meeting_id: str) -> None:
        self.library_changed.emit()
        self.meeting_changed.emit(meeting_id)

    def _on_restored(self, meeting_id: str) -> None:
        self.meeting_changed.emit(meeting_id)
        self.told.emit(self.tr("The earlier transcript is back."), "")

    def _on_exported(self, path: str) -> None:
        self.told.emit(self.tr("Exported."), str(path))

    def _on_deleted(self, receipt: DeleteReceipt) -> None:
        n_rows = sum(receipt.rows.values())
        self.told.emit(
            self.tr("“{title}” was deleted.").format(title=receipt.title),
            self.tr("Removed: {files} files ({bytes}) and {rows} entries.").format(
                files=receipt.n_files, bytes=size(receipt.n_bytes), rows=n_rows
            ),
        )
        self.library_changed.emit()


def expanded(path: Path) -> list[Path]:
    """A file as it is; of a folder, the recordings inside, by name."""
    path = path.absolute()
    if path.is_dir():
        inside = (p for p in path.rglob("*") if p.suffix.lower() in RECORDINGS and p.is_file())
        return sorted(inside)
    return [path] if path.is_file() else []
