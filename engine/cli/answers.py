"""Commands that answer: ask and evaluate."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine import messages, process
from engine.cli import output, session
from engine.errors import EngineError
from engine.types import Answer


def ask(arguments: argparse.Namespace) -> int:
    """Answer one question about one meeting or all of them."""
    meeting_ids, question = _scope(arguments)
    request = messages.Ask(
        process.new_job_id(),
        str(session.library_path(arguments)),
        meeting_ids,
        question,
        arguments.system,
    )
    answer: Answer = session.perform(request, "ask")
    if arguments.json:
        output.print_json(output.answer_json(answer))
    else:
        output.print_answer(answer)
    return 0


def _scope(arguments: argparse.Namespace) -> tuple[tuple[str, ...], str]:
    """Tell the meeting from the question."""
    words: list[str] = arguments.words
    if arguments.all:
        return (), " ".join(words)
    if len(words) < 2:
        raise EngineError(
            "Name the meeting before the question, or ask --all.",
            'Example: earwitness ask talk "Why was it postponed?"',
        )
    return (session.find_meeting(arguments, words[0]),), " ".join(words[1:])


def evaluate(arguments: argparse.Namespace) -> int:
    """Write predictions in the form the scoring tool reads."""
    if not arguments.qa_dir.exists():
        raise EngineError(f"There is no {arguments.qa_dir}.", "Name a folder of QA meetings.")
    request = messages.Evaluate(
        process.new_job_id(),
        str(arguments.qa_dir.absolute()),
        arguments.system,
        arguments.limit,
    )
    predictions: dict[str, object] = session.perform(request, f"evaluate {arguments.system}")
    if arguments.out is None:
        output.print_json(predictions)
    else:
        _write(arguments.out, predictions)
        print(f"{len(predictions)} predictions: {arguments.out}")
    return 0


def _write(path: Path, predictions: dict[str, object]) -> None:
    try:
        path.write_text(json.dumps(predictions, ensure_ascii=False, indent=1), "utf-8")
    except OSError as error:
        raise EngineError(f"{path} cannot be written: {error.strerror}.") from error
