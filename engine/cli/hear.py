"""Commands that bring sound or text into the library."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine import messages, process
from engine.cli import output, session
from engine.errors import AudioError, EngineError
from engine.types import Meeting


def analyse(arguments: argparse.Namespace) -> int:
    """Hear every file; a bad one does not stop the others."""
    engine = process.EngineProcess()
    meetings: list[Meeting] = []
    try:
        for path in arguments.files:
            try:
                meetings.append(_analyse_one(path, arguments, engine))
            except EngineError as error:
                output.print_error(error)
    finally:
        engine.close()
    if arguments.json:
        _print_summaries(meetings, arguments)
    else:
        for meeting in meetings:
            _print_meeting(meeting)
    return 0 if len(meetings) == len(arguments.files) else 1


def _analyse_one(
    path: Path, arguments: argparse.Namespace, engine: process.EngineProcess
) -> Meeting:
    options = messages.AnalyseOptions(
        title=arguments.title,
        n_speakers=arguments.speakers,
        language=arguments.language,
        asr_model=arguments.model,
        vocabulary=arguments.vocabulary,
        channels=arguments.channels,
        is_forced=arguments.force,
    )
    request = messages.Analyse(
        process.new_job_id(), str(session.library_path(arguments)), str(path.absolute()), options
    )
    meeting: Meeting = session.perform(request, path.name, engine)
    return meeting


def _print_summaries(meetings: list[Meeting], arguments: argparse.Namespace) -> None:
    """One object for one file, a list for several."""
    if not meetings:
        return
    with session.open_store(arguments) as store:
        summaries = [
            output.meeting_summary(meeting, store.finished_stages(meeting.id))
            for meeting in meetings
        ]
    output.print_json(summaries[0] if len(arguments.files) == 1 else summaries)


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
