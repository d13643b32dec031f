"""What menu entries do that concerns more than one page."""

from __future__ import annotations

import platform
import sys
import zipfile
from pathlib import Path

import PySide6
from PySide6.QtCore import QObject, QPoint, Signal

import engine
from engine import paths
from engine.messages import Enrich, HearAgain
from gui.clock import with_ending
from gui.dialogs import Dialogs
from gui.engine_client import EngineClient
from gui.pages.meeting import MeetingPage
from gui.pages.speakers import SpeakersPage
from gui.player import Player
from gui.recording import Recording
from gui.session import Session

# The steps of enrichment that people read; naming them runs them even when they are done.
_MINUTES = ("topics", "commitments", "summary", "profiles")


class Commands(QObject):
    """Joins the session, the player and the pages for single commands.

    Signals:
        told(str, str): Good news for the banner.
        refused(str, str): Bad news for the banner.
        close_requested(): The user agreed to close while recording.
        minutes_progressed(str, object): How far the minutes of a meeting are, None at the end.
    """

    told = Signal(str, str)
    refused = Signal(str, str)
    close_requested = Signal()
    minutes_progressed = Signal(str, object)

    def __init__(
        self,
        session: Session,
        player: Player,
        meeting: MeetingPage,
        speakers: SpeakersPage,
        analysis: EngineClient,
        dialogs: Dialogs,
    ) -> None:
        super().__init__()
        self._session = session
        self._player = player
        self._meeting = meeting
        self._speakers = speakers
        self._analysis = analysis
        self._dialogs = dialogs
        self.library_dir = Path()
        self._recording: Recording | None = None
        self._is_closing = False

    def bookmark(self, at: float | None = None) -> None:
        """Mark a moment, by default the one heard."""
        moment = self._player.position if at is None else at

        def take(text: str) -> None:
            self._session.edit("add_bookmark", at=moment, text=text.strip())

        self._dialogs.text(self.tr("Bookmark"), self.tr("What is here?"), "", take)

    def add_note(self, kind: str) -> None:
        """Write a note, decision or action item at the moment heard."""
        moment = self._player.position

        def take(text: str) -> None:
            if text.strip():
                self._session.edit("add_note", kind=kind, text=text.strip(), at=moment)

        self._dialogs.text(self.tr("Minutes"), self.tr("What is to be noted?"), "", take)

    def minutes_copied(self) -> None:
        """Say that the minutes are on the clipboard."""
        self.told.emit(self.tr("The minutes were copied."), "")

    def change_speaker(self) -> None:
        """Offer speakers for the current utterance."""
        transcript = self._meeting.transcript
        row = transcript.current_row()
        if not transcript.model.rowCount():
            return
        corner = transcript.view.text_rect(row).topLeft()
        point: QPoint = transcript.view.viewport().mapToGlobal(corner)
        self._speakers.open_menu(row, point)

    def summarise(self, steps: tuple[str, ...] = _MINUTES) -> None:
        """Write minutes of the open meeting again; what the user changed or removed stays so."""
        if self._session.content is None:
            return
        meeting_id = self._session.meeting_id
        job = self._analysis.submit(Enrich("", str(self.library_dir), meeting_id, steps))
        job.progressed.connect(lambda progress: self.minutes_progressed.emit(meeting_id, progress))
        job.partial.connect(lambda _step: self._refresh(meeting_id))
        job.finished.connect(self._on_summarised)
        job.ended.connect(lambda: self.minutes_progressed.emit(meeting_id, None))
        self.told.emit(self.tr("The minutes are being written."), "")

    def hear_gap(self, start: float, end: float) -> None:
        """Have a stretch without words heard once more."""
        meeting_id = self._session.meeting_id
        request = HearAgain("", str(self.library_dir), meeting_id, start, end)
        job = self._analysis.submit(request)
        job.finished.connect(lambda n_words: self._on_gap_heard(meeting_id, n_words))
        self.told.emit(self.tr("The gap is being heard again."), "")

    def hear_gaps(self) -> None:
        """Have every stretch without words heard once more."""
        content = self._session.content
        gaps = [e for e in content.events if e.label == "unheard"] if content else []
        for gap in gaps:
            self.hear_gap(gap.start, gap.end)
        if not gaps:
            self.told.emit(self.tr("All speech of this meeting has words."), "")

    def export_log(self) -> None:
        """Write the logs, which hold no meeting content, to one file."""

        def take(path: str) -> None:
            target = with_ending(path, "zip")
            try:
                _write_log(target)
            except OSError as error:
                self.refused.emit(self.tr("The log cannot be written."), str(error))
                return
            self.told.emit(self.tr("The log was exported."), target)

        self._dialogs.save(self.tr("Export the log"), "earwitness-log.zip", "Zip (*.zip)", take)

    def about(self) -> None:
        """Say what this is."""
        text = self.tr(
            "Earwitness {version}\n\nA private desktop app for meetings: who said what, when and "
            "how, with answers you can hear. Nothing leaves this computer.\n\nLicence: Apache-2.0"
        ).format(version=engine.__version__)
        self._dialogs.tell(self.tr("About Earwitness"), text, versions())

    def licences(self) -> None:
        """Show under which licences stands what ships and what can be fetched."""
        text = self.tr(
            "Earwitness is under Apache-2.0. The libraries it is made of, and every model, have "
            "licences of their own; the details name them."
        )
        table = paths.licences_path().read_text("utf-8")
        self._dialogs.tell(self.tr("Licences"), text, table)

    def set_recording(self, recording: Recording) -> None:
        """Know the recording, which a closing window would end."""
        self._recording = recording

    def may_close(self) -> bool:
        """Whether the window may go away now; a running recording is asked about."""
        if self._recording is None or not self._recording.is_running or self._is_closing:
            return True

        def close() -> None:
            self._is_closing = True
            self.close_requested.emit()

        self._dialogs.confirm(
            self.tr("Recording"),
            self.tr("A meeting is being recorded. Stop and keep the recording?"),
            self.tr("Stop and close"),
            close,
        )
        return False

    def _on_gap_heard(self, meeting_id: str, n_words: int) -> None:
        if n_words:
            self.told.emit(self.tr("{n} words were found in the gap.").format(n=n_words), "")
        else:
            self.told.emit(self.tr("No words could be made out in the gap."), "")
        self._refresh(meeting_id)

    def _refresh(self, meeting_id: str) -> None:
        """Show what changed, if that meeting is still the open one."""
        if meeting_id == self._session.meeting_id:
            self._session.refresh()

    def _on_summarised(self, _result: object) -> None:
        self._session.refresh()
        self.told.emit(self.tr("The minutes are ready."), "")


def _write_log(target: str) -> None:
    """Put the logs and the versions into one file."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(paths.log_dir().glob("*")):
            if file.is_file():
                archive.write(file, file.name)
        archive.writestr("versions.txt", versions())


def versions() -> str:
    """The versions that matter in a report."""
    return "\n".join(
        [
            f"Earwitness {engine.__version__}",
            f"Python {sys.version.split()[0]}",
            f"PySide {PySide6.__version__}",
            platform.platform(),
        ]
    )
