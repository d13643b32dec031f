"""Commands over the library: list, show, delete, search, export, enrich."""

from __future__ import annotations

import argparse

from engine import messages, process
from engine.cli import output, session
from engine.errors import StoreError
from engine.types import DeleteReceipt, SearchHit


def list_meetings(arguments: argparse.Namespace) -> int:
    """Print one line or object per meeting, newest first."""
    with session.open_store(arguments) as store:
        meetings = store.meetings()
    if arguments.json:
        output.print_json(meetings)
        return 0
    for meeting in meetings:
        state = "" if meeting.is_complete else "  (unfinished: analyse it again to resume)"
        print(
            f"{meeting.id}  {meeting.created[:16].replace('T', ' ')}  "
            f"{output.clock(meeting.duration):>8}  {meeting.title}{state}"
        )
    if not meetings:
        print("The library is empty. Add a recording: earwitness analyse FILE")
    return 0


def show(arguments: argparse.Namespace) -> int:
    """Print a meeting's transcript."""
    from engine.export import meeting_json

    with session.open_store(arguments) as store:
        meeting = store.meeting(arguments.meeting)
        if arguments.json:
            output.print_json(meeting_json(store, meeting.id, with_seconds=arguments.seconds))
            return 0
        utterances = store.utterances(meeting.id)
    print(f"{meeting.title}  ({output.clock(meeting.duration)})")
    for utterance in utterances:
        cues = ", ".join(utterance.acoustics.cues) if utterance.acoustics else ""
        heard = f"  [{cues}]" if cues else ""
        who = utterance.speaker or "?"
        print(f"{output.clock(utterance.start):>7}  {who}: {utterance.text}{heard}")
    if not utterances:
        print("No speech was found.")
    return 0


def delete(arguments: argparse.Namespace) -> int:
    """Delete a meeting and print what was removed."""
    with session.open_store(arguments, read_only=False) as store:
        meeting_id = store.meeting(arguments.meeting).id
        receipt: DeleteReceipt = store.delete_meeting(meeting_id, with_recordings=True)
    if arguments.json:
        output.print_json(receipt)
        return 0
    rows = sum(receipt.rows.values())
    print(f"Deleted {receipt.title}: {rows} records, {receipt.n_files} files.")
    return 0


def search(arguments: argparse.Namespace) -> int:
    """Print the utterances that fit best."""
    ids = (session.find_meeting(arguments, arguments.meeting),) if arguments.meeting else ()
    request = messages.Search(
        process.new_job_id(),
        str(session.library_path(arguments)),
        arguments.text,
        ids,
        arguments.speaker,
        arguments.limit,
    )
    hits: tuple[SearchHit, ...] = session.perform(request, "search")
    if arguments.json:
        output.print_json([_hit_json(hit) for hit in hits])
        return 0
    for hit in hits:
        said = hit.utterance
        print(
            f"{hit.meeting_title}  {output.clock(said.start)}  {said.speaker or '?'}: {said.text}"
        )
    if not hits:
        print("Nothing found.")
    return 0


def _hit_json(hit: SearchHit) -> dict[str, object]:
    said = hit.utterance
    return {
        "meeting": hit.meeting_id,
        "title": hit.meeting_title,
        "utterance": said.index,
        "start": said.start,
        "end": said.end,
        "speaker": said.speaker,
        "text": said.text,
        "score": hit.score,
    }


def export(arguments: argparse.Namespace) -> int:
    """Write a meeting to a file."""
    from engine.export import export as write

    with session.open_store(arguments) as store:
        path = write(store, store.meeting(arguments.meeting).id, arguments.format, arguments.output)
    output.print_json({"path": path}) if arguments.json else print(path)
    return 0


def enrich(arguments: argparse.Namespace) -> int:
    """Run the background enrichment now."""
    meeting_id = session.find_meeting(arguments, arguments.meeting)
    request = messages.Enrich(
        process.new_job_id(), str(session.library_path(arguments)), meeting_id
    )
    done: tuple[str, ...] = session.perform(request, "enrich")
    output.print_json(done) if arguments.json else print("Done: " + ", ".join(done))
    return 0


def voices(arguments: argparse.Namespace) -> int:
    """List the remembered voices, or forget one.

    Raises:
        StoreError: No voice is remembered under this name.
    """
    if arguments.action == "list":
        with session.open_store(arguments) as store:
            known = store.known_voices()
        if arguments.json:
            output.print_json(known)
            return 0
        for voice in known:
            print(f"{voice.name}: {voice.n_exemplars} stretches of {voice.n_meetings} meetings")
        if not known:
            print("No voice is remembered. It is off unless the settings allow it.")
        return 0
    with session.open_store(arguments, read_only=False) as store:
        if not (n_removed := store.forget_voice(arguments.name)):
            raise StoreError(
                f"No voice is remembered as {arguments.name!r}.", "See `earwitness voices list`."
            )
    print(f"Forgot the voice of {arguments.name} ({n_removed} stretches).")
    return 0
