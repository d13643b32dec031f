"""Commands that bring sound or text into the library."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine import messages, process, vault
from engine.cli import output, session
from engine.errors import AudioError, EngineError
from engine.types import Meeting

_NAMES = (
    "3gp aac ac3 aif aifc aiff amr ape au avi caf flac flv gsm m4a m4b m4v mka mkv mov mp2 mp3 mp4 "
    "mpeg mpg oga ogg ogv opus ra rf64 snd spx ts tta voc w64 wav weba webm wma wmv wv"
)
SUFFIXES = frozenset(f".{name}" for name in _NAMES.split())
"""How recordings are named. Only chooses files in folders; a file that is named is always tried."""


def analyse(arguments: argparse.Namespace) -> int:
    """Hear every file, and every recording in every folder; a bad one does not stop the others."""
    files = recordings(arguments.files)
    hear = _on_cluster if arguments.cluster else _one_by_one
    meetings = hear(files, arguments)
    if arguments.json:
        _print_summaries(meetings, arguments)
    else:
        for meeting in meetings:
            _print_meeting(meeting)
    return 0 if files and len(meetings) == len(files) else 1


def recordings(paths: list[Path]) -> list[Path]:
    """The files a user means: those named, and those in the folders named that may hold sound.

    Raises:
        AudioError: There is none.
    """
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            is_meant = file == path or (file.is_file() and file.suffix.lower() in SUFFIXES)
            if is_meant and not file.name.startswith("._"):
                found[file] = None
    if not found:
        raise AudioError("There is no recording in this folder.", "Name the files themselves.")
    return list(found)


def _one_by_one(files: list[Path], arguments: argparse.Namespace) -> list[Meeting]:
    """Hear the files in one engine process; one that died is started anew for the next file."""
    engine = process.EngineProcess()
    meetings: list[Meeting] = []
    library_dir, options = str(session.library_path(arguments)), _options(arguments)
    try:
        for path in files:
            request = messages.Analyse(
                process.new_job_id(), library_dir, str(path.absolute()), options
            )
            try:
                meetings.append(session.perform(request, path.name, engine))
            except EngineError as error:
                output.print_error(error)
    finally:
        engine.close()
    return meetings


def _on_cluster(files: list[Path], arguments: argparse.Namespace) -> list[Meeting]:
    """Spread the files over the user's machines, saying how each ended."""
    from engine.cluster import analyse_files

    meetings: list[Meeting] = []
    library_dir = session.library_path(arguments)
    if vault.is_encrypted(library_dir):
        # Workers keep what they hear in plain files until it is sent.
        raise EngineError(
            "A cluster would leave meetings of this encrypted library in plain files meanwhile.",
            "Analyse them on this machine, or name another library.",
        )
    outcomes = analyse_files(arguments.cluster, files, library_dir, _options(arguments))
    for n, outcome in enumerate(outcomes, 1):
        how = "in the library already" if outcome.was_held else "done"
        if outcome.meeting is not None:
            meetings.append(outcome.meeting)
        else:
            how = f"failed. {outcome.error}"
        print(f"{n}/{len(files)} {outcome.path.name}: {how}", file=sys.stderr)
    return meetings


def _options(arguments: argparse.Namespace) -> messages.AnalyseOptions:
    return messages.AnalyseOptions(
        title=arguments.title,
        n_speakers=arguments.speakers,
        language=arguments.language,
        asr_model=arguments.model,
        vocabulary=arguments.vocabulary,
        channels=arguments.channels,
        is_forced=arguments.force,
        check_model=arguments.check_model,
    )


def _print_summaries(meetings: list[Meeting], arguments: argparse.Namespace) -> None:
    """One object for one file, a list for several."""
    if not meetings:
        return
    with session.open_store(arguments) as store:
        summaries = [
            output.meeting_summary(meeting, store.finished_stages(meeting.id))
            for meeting in meetings
        ]
    is_one = len(arguments.files) == 1 and not arguments.files[0].is_dir()
    output.print_json(summaries[0] if is_one else summaries)


def _print_meeting(meeting: Meeting) -> None:
    if meeting.n_utterances == 0:
        print(f"{meeting.id}  {meeting.title}: no speech found in {output.clock(meeting.duration)}")
        return
    heard = "" if meeting.coverage is None else f", {meeting.coverage:.0%} of the speech has words"
    print(
        f"{meeting.id}  {meeting.title}: {output.clock(meeting.duration)}, "
        f"{meeting.n_speakers} speakers, {meeting.n_utterances} utterances{heard}"
    )


def import_transcript(arguments: argparse.Namespace) -> int:
    """Read a transcript file."""
    request = messages.ImportTranscript(
        process.new_job_id(),
        str(session.library_path(arguments)),
        str(arguments.file.absolute()),
        str(arguments.audio.absolute()) if arguments.audio else "",
        arguments.title,
    )
    meeting: Meeting = session.perform(request, arguments.file.name)
    if arguments.json:
        _print_summaries([meeting], argparse.Namespace(**vars(arguments), files=[arguments.file]))
    else:
        _print_meeting(meeting)
    return 0


def record(arguments: argparse.Namespace) -> int:
    """Record until the time is up or Ctrl-C, then say where the recording lies."""
    from engine.audio import devices
    from engine.audio.record import record_to_file

    if arguments.list_devices:
        for device in devices.inputs():
            print(device.name)
        return 0
    folder = session.library_path(arguments) / "recordings"
    print("Recording; Ctrl-C stops. Tell everybody that you record.", file=sys.stderr)
    path = record_to_file(folder, arguments.device, arguments.seconds)
    if path is None:
        raise AudioError("Nothing was recorded.", "Check the microphone with --list-devices.")
    print(path)
    return 0
