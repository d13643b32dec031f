"""Predictions for question sets: which utterances a system cites for each question.

A question set is a folder of JSON files, each a meeting with ``utterances``, ``questions`` and
``unanswerable`` controls. The meetings are imported once into a library beside the temporary
files, so that a second run embeds nothing again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.agent import baselines
from engine.agent.corpus import corpus_of
from engine.agent.judge import judge
from engine.agent.loop import AskOptions, answer
from engine.agent.schema import Intent
from engine.agent.session import Session
from engine.agent.synthesise import Pen
from engine.agent.systems import SYSTEMS
from engine.agent.words import content_words
from engine.embed import Embedder
from engine.errors import EngineError
from engine.graph.build import build_graph
from engine.graph.store import Store
from engine.llm import ChatModel, Completion, Message
from engine.progress import Report
from engine.transcripts import read_transcript
from engine.types_answer import Answer, TraceEvent

LIBRARY_VERSION = "1"
"""Part of the cache key; raise it when import or graph change."""


@dataclass(frozen=True, slots=True)
class _Means:
    """What every question of a set is asked with."""

    store: Store
    embedder: Embedder
    chat: ChatModel
    report: Report
    system: str


class WithoutModel:
    """Stands in for the language model where a system only retrieves."""

    model_id = "none"
    context_tokens = 4096

    def count_tokens(self, text: str) -> int:
        """An estimate: four characters each."""
        return len(text) // 4 + 1

    def complete(
        self,
        messages: Sequence[Message],
        *,
        grammar: str = "",
        max_tokens: int,
        stop: Sequence[str] = (),
        on_text: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """Never called; a retrieval-only system that asks a model is a fault of ours."""
        raise AssertionError("this system must not need a language model")


def question_files(qa_dir: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The meetings of a question set.

    Raises:
        EngineError: There is none.
    """
    found = []
    for path in [qa_dir] if qa_dir.is_file() else sorted(qa_dir.glob("*.json")):
        try:
            content = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise EngineError(f"{path} cannot be read as JSON.", str(error)) from error
        if isinstance(content, dict) and "utterances" in content and "questions" in content:
            found.append((path, content))
    if not found:
        raise EngineError(f"There is no question set in {qa_dir}.", "Give a folder like data/qa.")
    return found


def library_for(
    files: Sequence[tuple[Path, dict[str, Any]]], embedder: Embedder, report: Report
) -> tuple[Path, dict[Path, str]]:
    """Import the meetings of a question set, or find them imported.

    Returns:
        The library's folder and the meeting id of each file.
    """
    key = hashlib.sha256(f"{LIBRARY_VERSION} {embedder.model_id}".encode())
    for path, _ in files:
        key.update(path.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"earwitness-evaluate-{key.hexdigest()[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    ids: dict[Path, str] = {}
    with Store(folder) as store:
        known = {m.source_name: m.id for m in store.meetings() if m.is_complete}
        for position, (path, _) in enumerate(files):
            report("import", position, len(files))
            if path.name not in known:
                known[path.name] = _import(path, store, embedder, report)
            ids[path] = known[path.name]
    return folder, ids


def _import(path: Path, store: Store, embedder: Embedder, report: Report) -> str:
    meeting = store.create_meeting(path.stem, path.name, has_audio=False)
    utterances = read_transcript(path)
    store.save_utterances(meeting.id, utterances)
    store.update_meeting(meeting.id, duration=max((u.end for u in utterances), default=0.0))
    build_graph(store, meeting.id, embedder, report)
    store.update_meeting(meeting.id, is_complete=True)
    return meeting.id


def evaluate(  # noqa: PLR0913 - the collaborators of an evaluation
    qa_dir: Path,
    system: str,
    limit: int,
    embedder: Embedder,
    chat_factory: Callable[[], ChatModel],
    report: Report,
    judge_factory: Callable[[], ChatModel] | None = None,
) -> dict[str, dict[str, Any]]:
    """Let a system answer a question set.

    Baselines only retrieve here, unless a judge is to mark what they write; nothing of a model
    changes what they cite.

    Args:
        qa_dir: Folder of question sets, or one file.
        system: One of ``engine.agent.systems.SYSTEMS``.
        limit: Questions at most, taken from all meetings in turn; 0 for all.
        embedder: Makes the vectors.
        chat_factory: Gives the language model where one is needed.
        report: Progress and cancellation.
        judge_factory: Gives the model that marks the answers against those of the set, or None.

    Returns:
        Question id -> cited utterances, and for the agent its answer, tokens and seconds; with a
        judge also ``judged_right`` and ``mark``, 0 to 10, where the set has an answer.

    Raises:
        EngineError: No question set there, or no such system.
    """
    if system not in SYSTEMS:
        raise EngineError(
            f"There is no system called {system!r}.", f"One of: {', '.join(SYSTEMS)}."
        )
    files = question_files(qa_dir)
    folder, ids = library_for(files, embedder, report)
    chosen = SYSTEMS[system]
    is_written = chosen.is_agent or judge_factory is not None
    chat = chat_factory() if is_written and chosen.has_writer else WithoutModel()
    predictions: dict[str, dict[str, Any]] = {}
    questions = _interleaved(files, limit)
    with Store(folder) as store:
        means = _Means(store, embedder, chat, report, system)
        ask = _answered if is_written else _retrieved
        for position, (path, question) in enumerate(questions):
            report("evaluate", position, len(questions))
            predictions[question["id"]] = ask(question["question"], ids[path], means)
    if judge_factory is not None:
        _mark(predictions, [question for _, question in questions], judge_factory(), report)
    return predictions


def _mark(
    predictions: dict[str, dict[str, Any]],
    questions: Sequence[dict[str, Any]],
    chat: ChatModel,
    report: Report,
) -> None:
    """Let a model compare every answer with the one of the set (the papers' LLM-as-judge)."""
    pen = Pen(chat, report)
    for position, question in enumerate(questions):
        report("judge", position, len(questions))
        prediction = predictions[question["id"]]
        if question.get("answer") and "answer" in prediction:
            verdict = judge(
                question["question"], str(question["answer"]), prediction["answer"], pen
            )
            prediction["judged_right"], prediction["mark"] = verdict.is_right, verdict.mark


def _interleaved(
    files: Sequence[tuple[Path, dict[str, Any]]], limit: int
) -> list[tuple[Path, dict[str, Any]]]:
    """Questions of all meetings in turn, so that a limit still samples each meeting."""
    queues = [
        [(path, q) for q in [*content["questions"], *content.get("unanswerable", [])]]
        for path, content in files
    ]
    taken: list[tuple[Path, dict[str, Any]]] = []
    for depth in range(max(len(queue) for queue in queues)):
        taken += [queue[depth] for queue in queues if depth < len(queue)]
    return taken[:limit] if limit > 0 else taken


def _answered(question: str, meeting_id: str, means: _Means) -> dict[str, Any]:
    """What one system answers to one question."""
    return summary(
        answer(
            question, (meeting_id,), means.store, means.embedder, means.chat, means.report,
            AskOptions(system=means.system), _ignore,
        )
    )  # fmt: skip


def _retrieved(question: str, meeting_id: str, means: _Means) -> dict[str, Any]:
    """What a baseline finds for a question, without writing an answer."""
    corpus = corpus_of(means.store, (meeting_id,))
    session = Session(
        means.store, corpus, means.embedder, Pen(means.chat, means.report),
        AskOptions(system=means.system), SYSTEMS[means.system], _ignore, 0.0, [],
    )  # fmt: skip
    intent = Intent(question, topic=question, terms=tuple(content_words(question)))
    found = baselines.retrieved(intent, session)
    return {"cited": sorted(corpus.utterances[item.row].index for item in found)}


def summary(found: Answer) -> dict[str, Any]:
    """An answer as a prediction."""
    cited = {c.utterance for sentence in found.sentences for c in sentence.citations}
    cited |= {c.utterance for c in found.related}
    return {
        "cited": sorted(cited),
        "answer": found.text,
        "abstained": found.abstained,
        "verified": found.verdict.is_verified,
        "rounds": found.receipt.rounds,
        "evidence_tokens": found.receipt.evidence_tokens,
        "prompt_tokens": found.receipt.prompt_tokens,
        "seconds": found.receipt.seconds,
    }


def _ignore(event: TraceEvent) -> None:
    """Predictions keep no trace."""
