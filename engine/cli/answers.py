"""Commands that answer: ask and evaluate."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import messages, process
from engine.cli import output, session
from engine.errors import EngineError
from engine.types_answer import Answer, Reheard


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
    with closing(process.EngineProcess()) as engine:
        answer: Answer = session.perform(request, "ask", engine)
        heard: tuple[Reheard, ...] = ()
        if arguments.hear_again:
            again = messages.RehearEvidence(process.new_job_id(), request.library_dir, answer.id)
            heard = session.perform(again, "hear again", engine)
    if arguments.json:
        found = output.answer_json(answer)
        output.print_json(found | {"reheard": heard} if arguments.hear_again else found)
    else:
        output.print_answer(answer)
        output.print_reheard(heard)
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
        arguments.judge,
    )
    predictions: dict[str, dict[str, Any]] = session.perform(
        request, f"evaluate {arguments.system}"
    )
    if arguments.out is None:
        output.print_json(predictions)
    else:
        _write(arguments.out, predictions)
        print(f"{len(predictions)} predictions: {arguments.out}")
    if arguments.judge:
        _print_marks(arguments.judge, predictions)
    return 0


def _print_marks(model: str, predictions: dict[str, dict[str, Any]]) -> None:
    marked = [found for found in predictions.values() if "mark" in found]
    if not marked:
        print(
            f"{model} had nothing to judge: no question has an answer to compare.", file=sys.stderr
        )
        return
    right = sum(found["judged_right"] for found in marked) / len(marked)
    mark = sum(found["mark"] for found in marked) / len(marked)
    print(
        f"Judged by {model}: {right:.0%} right, mark {mark:.1f} of 10, {len(marked)} answers. "
        "How far it is to be trusted: tests/benchmarks/answering.py judge",
        file=sys.stderr,
    )


def _write(path: Path, predictions: dict[str, dict[str, Any]]) -> None:
    try:
        path.write_text(json.dumps(predictions, ensure_ascii=False, indent=1), "utf-8")
    except OSError as error:
        raise EngineError(f"{path} cannot be written: {error.strerror}.") from error
