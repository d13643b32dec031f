"""The demonstration: the sample meeting, heard and asked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine import messages, paths, process
from engine.cli import output, session
from engine.errors import EngineError
from engine.types import Meeting
from engine.types_answer import Answer

SAMPLE_TITLE = "Sample meeting"


def sample_audio() -> Path:
    """The recording shipped with the program.

    Raises:
        EngineError: It is not there: the installation is incomplete.
    """
    found = sorted(paths.resource("sample").glob("meeting.*"))
    audio = [path for path in found if path.suffix in {".ogg", ".opus", ".flac"}]
    if not audio:
        raise EngineError("The sample meeting is missing.", "Reinstall Earwitness.")
    return audio[0]


def demo_questions() -> list[str]:
    """The questions the demonstration asks."""
    entries = json.loads(paths.resource("sample/questions.json").read_text("utf-8"))
    questions = entries["questions"] if isinstance(entries, dict) else entries
    return [entry["question"] for entry in questions if entry.get("demo")]


def hear_sample(library: Path, engine: process.EngineProcess) -> Meeting:
    """Return the sample meeting, analysing it where it is not in the library yet."""
    options = messages.AnalyseOptions(title=SAMPLE_TITLE)
    request = messages.Analyse(process.new_job_id(), str(library), str(sample_audio()), options)
    meeting: Meeting = session.perform(request, SAMPLE_TITLE, engine)
    return meeting


def demo(arguments: argparse.Namespace) -> int:
    """Hear the sample and print the answers to its questions."""
    library = session.library_path(arguments)
    engine = process.EngineProcess()
    try:
        meeting = hear_sample(library, engine)
        questions = [] if arguments.prepare_only else demo_questions()
        answers = [_ask(meeting.id, question, library, engine) for question in questions]
    finally:
        engine.close()
    if arguments.json:
        output.print_json([output.answer_json(answer) for answer in answers])
    return 0


def _ask(meeting_id: str, question: str, library: Path, engine: process.EngineProcess) -> Answer:
    request = messages.Ask(process.new_job_id(), str(library), (meeting_id,), question)
    answer: Answer = session.perform(request, "ask", engine)
    print(f"\n{question}")
    output.print_answer(answer)
    return answer
