"""Benchmarks of answering, as markdown rows with the command that makes each.

    python tests/benchmarks/answering.py qa --systems bm25,dense,hybrid,agent [--limit N]
    python tests/benchmarks/answering.py planted --minutes 60 --seeds 1,2,3 --systems agent
    python tests/benchmarks/answering.py planted --no-writer --systems agent,agent-noplan
    python tests/benchmarks/answering.py length --minutes 10,60,180,540
    python tests/benchmarks/answering.py noise --minutes 60
    python tests/benchmarks/answering.py judge --minutes 30 --systems agent

``agent-retrieval`` needs no language model and takes seconds. The neutral question sets and their
scorer lie in ../shared (or EARWITNESS_SHARED).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "benchmarks")]

import planted  # noqa: E402

from engine.agent.judge import Judged, judge, judged  # noqa: E402
from engine.agent.loop import AskOptions, answer  # noqa: E402
from engine.agent.synthesise import Pen  # noqa: E402
from engine.agent.systems import SYSTEMS  # noqa: E402
from engine.embed import Embedder  # noqa: E402
from engine.evaluate import WithoutModel, evaluate  # noqa: E402
from engine.graph.build import build_graph  # noqa: E402
from engine.graph.store import Store  # noqa: E402
from engine.llm import ChatModel, LocalChat  # noqa: E402
from engine.progress import silent  # noqa: E402
from engine.types import Utterance  # noqa: E402
from engine.types_answer import Answer  # noqa: E402

SHARED = Path(os.environ.get("EARWITNESS_SHARED", ROOT.parent / "shared"))
CHAT_MODEL = "qwen2.5-coder-1.5b"
NOISE_WORDS = [
    "the",
    "of",
    "and",
    "actually",
    "basically",
    "so",
    "you",
    "know",
    "a",
    "is",
    "it",
    "that",
    "this",
    "very",
]


def main() -> None:
    """Run one benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["qa", "planted", "length", "noise", "judge"])
    parser.add_argument("--systems", default="agent-retrieval")
    parser.add_argument("--minutes", default="60")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument(
        "--no-writer", action="store_true", help="quotations only: what the search itself is worth"
    )
    options = parser.parse_args()
    if options.no_writer:
        for name in options.systems.split(","):
            SYSTEMS[name] = replace(SYSTEMS[name], has_writer=False, has_reflection=False)
    tools = Tools()
    runs = {
        "qa": run_qa,
        "planted": run_planted,
        "length": run_length,
        "noise": run_noise,
        "judge": run_judge,
    }
    runs[options.what](options, tools)


class Tools:
    """Models, loaded once."""

    def __init__(self) -> None:
        self.embedder = Embedder()
        self._chat: ChatModel | None = None

    def chat(self) -> ChatModel:
        self._chat = self._chat or LocalChat(CHAT_MODEL)
        return self._chat

    def chat_for(self, system: str) -> ChatModel:
        return self.chat() if SYSTEMS[system].has_writer else WithoutModel()


def scorer() -> Any:
    """The neutral scorer as a module."""
    spec = importlib.util.spec_from_file_location("score", SHARED / "tools" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_qa(options: argparse.Namespace, tools: Tools) -> None:
    """Citations on the neutral question sets, tolerance 2 s."""
    score = scorer()
    gold = score.load_gold([str(SHARED / "data" / "qa")])
    print("| system | P | R | F1 | claim | hit | cites | controls | median s | command |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for system in options.systems.split(","):
        found = evaluate(
            SHARED / "data" / "qa", system, options.limit, tools.embedder, tools.chat, silent()
        )
        rows, controls = [], []
        for meeting in gold:
            tolerance = 0.0 if meeting.get("times") == "synthetic" else 2.0
            for question in meeting["questions"]:
                if question.get("scope") == "meeting" or question.get("origin") == "derived":
                    continue
                if question["id"] in found:
                    scored = score.score_one(meeting, question, found[question["id"]], tolerance)
                    rows += [scored] if scored else []
            controls += [
                bool(found[q["id"]]["cited"]) for q in meeting["unanswerable"] if q["id"] in found
            ]
        shown = [f"{score.mean(rows, c):.3f}" for c in ("P", "Rcore", "F1", "claim", "hit")]
        seconds = [p["seconds"] for p in found.values() if "seconds" in p]
        median = f"{statistics.median(seconds):.1f}" if seconds else "-"
        share = sum(controls) / max(1, len(controls))
        print(
            f"| {system} | {' | '.join(shown)} | {score.mean(rows, 'n_cited'):.1f} | {share:.2f} | "
            f"{median} | `evaluate data/qa --system {system}` |",
            flush=True,
        )


@contextmanager
def library(meeting: planted.Meeting, tools: Tools) -> Iterator[tuple[Store, str]]:
    """A temporary library with one planted meeting."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        made = store.create_meeting("Planted", "planted.json", has_audio=False)
        store.save_utterances(made.id, meeting.utterances)
        store.save_acoustics(made.id, [u.acoustics for u in meeting.utterances])
        store.save_events(made.id, meeting.events)
        store.update_meeting(made.id, duration=meeting.utterances[-1].end)
        build_graph(store, made.id, tools.embedder, silent())
        yield store, made.id


Asked = Callable[[planted.Question], Answer]


def asker(store: Store, meeting_id: str, system: str, tools: Tools) -> Asked:
    """A function that answers a question about one meeting."""
    chat = tools.chat_for(system)

    def ask(question: planted.Question) -> Answer:
        return answer(
            question.text, [meeting_id], store, tools.embedder, chat, silent(),
            AskOptions(system=system), lambda event: None,
        )  # fmt: skip

    return ask


def planted_scores(
    meeting: planted.Meeting, system: str, tools: Tools, verbose: bool = False
) -> dict[str, list[float]]:
    """Right or wrong by category, abstention, tokens, seconds."""
    scores: dict[str, list[float]] = defaultdict(list)
    with library(meeting, tools) as (store, meeting_id):
        ask = asker(store, meeting_id, system, tools)
        for question in meeting.questions:
            found = ask(question)
            right = planted.is_right(found, question)
            scores[question.category].append(float(right))
            scores["all"].append(float(right))
            if question.kind in ("never_said", "unknown_speaker", "choice_none"):
                scores["abstention"].append(float(right))
            elif not question.gold.is_abstention:
                scores["wrong abstention"].append(float(found.abstained))
            scores["tokens"].append(found.receipt.evidence_tokens)
            scores["seconds"].append(found.receipt.seconds)
            scores["rounds"].append(found.receipt.rounds)
            if verbose and not right:
                print(f"  {question.kind}: {question.text}\n    -> {found.text[:160]}", flush=True)
    return scores


def run_planted(options: argparse.Namespace, tools: Tools) -> None:
    """Right answers by category."""
    names = [*planted.CATEGORIES, "all", "abstention", "wrong abstention"]
    print(f"| minutes | system | {' | '.join(names)} | tokens max | median s | n |")
    print("|" + "---|" * (len(names) + 5))
    for minutes in (int(m) for m in options.minutes.split(",")):
        for system in options.systems.split(","):
            total: dict[str, list[float]] = defaultdict(list)
            for seed in options.seeds.split(","):
                found = planted_scores(
                    planted.make(minutes, int(seed)), system, tools, options.verbose
                )
                for name, values in found.items():
                    total[name] += values
            shown = [f"{statistics.mean(total[n]):.2f}" if total[n] else "-" for n in names]
            print(
                f"| {minutes} | {system} | {' | '.join(shown)} | {max(total['tokens']):.0f} | "
                f"{statistics.median(total['seconds']):.1f} | {len(total['all'])} |",
                flush=True,
            )


def run_length(options: argparse.Namespace, tools: Tools) -> None:
    """Evidence tokens and seconds against the length of the meeting."""
    print("| minutes | utterances | evidence tokens median | max | seconds median |")
    print("|---|---|---|---|---|")
    for minutes in (int(m) for m in options.minutes.split(",")):
        meeting = planted.make(minutes, 1)
        found = planted_scores(meeting, options.systems.split(",")[0], tools)
        read = [t for t in found["tokens"] if t] or [0]
        print(
            f"| {minutes} | {len(meeting.utterances)} | {statistics.median(read):.0f} | "
            f"{max(read):.0f} | {statistics.median(found['seconds']):.2f} |",
            flush=True,
        )


def noisy(meeting: planted.Meeting, wer: float, shuffled: float, seed: int = 0) -> planted.Meeting:
    """The meeting as poorer ears would have it: words replaced, speakers confused."""
    rng = random.Random(seed)
    names = sorted({u.speaker for u in meeting.utterances})

    def spoiled(utterance: Utterance) -> Utterance:
        words = [
            rng.choice(NOISE_WORDS) if rng.random() < wer else word
            for word in utterance.text.split()
        ]
        speaker = rng.choice(names) if rng.random() < shuffled else utterance.speaker
        return replace(utterance, text=" ".join(words), speaker=speaker)

    return replace(meeting, utterances=[spoiled(u) for u in meeting.utterances])


def run_noise(options: argparse.Namespace, tools: Tools) -> None:
    """How far each system falls with worse words and worse speakers."""
    print("| system | WER 0 | WER .20 | WER .35 | speakers .18 wrong | speakers .50 wrong |")
    print("|---|---|---|---|---|---|")
    levels = ((0.0, 0.0), (0.2, 0.0), (0.35, 0.0), (0.0, 0.18), (0.0, 0.5))
    for system in options.systems.split(","):
        shown = []
        for wer, shuffled in levels:
            right: list[float] = []
            for seed in options.seeds.split(","):
                meeting = planted.make(int(options.minutes.split(",")[0]), int(seed))
                right += planted_scores(noisy(meeting, wer, shuffled), system, tools)["all"]
            shown.append(f"{statistics.mean(right):.2f}")
        print(f"| {system} | {' | '.join(shown)} |", flush=True)


def run_judge(options: argparse.Namespace, tools: Tools) -> None:
    """How far the default model, as judge, agrees with exact gold.

    Each question is judged with its answer and with the answer of the question before it, which
    is wrong: a judge that finds everything right agrees with half.
    """
    system = options.systems.split(",")[0]
    meeting = planted.make(int(options.minutes.split(",")[0]), 1)
    questions = [q for q in meeting.questions if q.evidence and q.gold.number is None]
    with library(meeting, tools) as (store, meeting_id):
        ask = asker(store, meeting_id, system, tools)
        answers = [ask(question) for question in questions]
    pen = Pen(tools.chat(), silent())

    def judgements(found: Sequence[Answer]) -> tuple[Judged, list[bool]]:
        gold = [planted.is_right(a, q) for a, q in zip(found, questions, strict=True)]
        verdicts = [
            judge(q.text, spoken(meeting, q), a.text, pen)
            for a, q in zip(found, questions, strict=True)
        ]
        return judged(verdicts, gold), gold

    print("| answers | judge | n | judged right | right by rule | mark | agreement |")
    print("|---|---|---|---|---|---|---|")
    for label, found in (("its own", answers), ("another's", answers[-1:] + answers[:-1])):
        means, gold = judgements(found)
        print(
            f"| {label} | {CHAT_MODEL} | {means.n} | {means.accuracy:.2f} | "
            f"{statistics.mean(gold):.2f} | {means.mark:.1f} | {means.agreement:.2f} |"
        )


def spoken(meeting: planted.Meeting, question: planted.Question) -> str:
    """The lines that hold the answer with their times, as a reference."""
    choice = f"{question.gold.letter}). " if question.gold.letter else ""
    lines = [
        f"[{int(u.start) // 60}:{int(u.start) % 60:02}] {u.speaker}: {u.text}"
        for u in (meeting.utterances[i] for i in question.evidence)
    ]
    return choice + " ".join(lines)


if __name__ == "__main__":
    main()
