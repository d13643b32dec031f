"""A library with a made-up meeting, and an engine that answers from a script."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import soundfile
from PySide6.QtCore import QObject, Signal

from engine import messages
from engine.graph.store import Store
from engine.types import Edge, Event, Meeting, Note, Relation, Topic, Utterance, Word
from engine.types_answer import Answer, Citation, Evidence, Receipt, Sentence, TraceEvent, Verdict
from gui.engine_client import Job

NAMES = ("Anna Keller", "Tomás Rivera", "Priya Nair", "Jonas Weber")
LINES = (
    "Good morning everybody, shall we start with the budget for the autumn release?",
    "Yes. I went through the numbers last night and I am honestly worried about them.",
    "What exactly worries you?",
    "The hosting bill doubled in August, and nobody told finance about it until last week.",
    "Right.",
    "That was my fault, I moved the archive to the fast disks and forgot to move it back. "
    "I will write it up and send it round by Friday, so that everybody knows what happened.",
    "Thank you. Then let us decide now: the archive goes back to cold storage.",
    "Agreed.",
    "I agree too, but please let us keep the search index where it is, otherwise the support "
    "team waits half a minute for every single question, and they have enough to do.",
    "No, that is not acceptable! We talked about this in June already.",
    "Hold on, let him finish.",
    "The second point is the Lisbon workshop. Priya, did the venue answer?",
    "They did, we have the room from the twelfth to the fourteenth of October.",
    "Perfect. Who takes care of the travel?",
    "I can do that, I will book the trains before Wednesday.",
    "And I changed my mind about the keynote, let us ask somebody from outside after all.",
)


def utterances(count: int, seed: int = 1) -> list[Utterance]:
    """Made-up talk of four people, with word times."""
    rng = random.Random(seed)
    result, clock, speaker = [], 0.8, 0
    for index in range(count):
        text = LINES[index % len(LINES)]
        if index >= len(LINES) and rng.random() < 0.3:
            text = f"{text} {LINES[(index * 7) % len(LINES)]}"
        if rng.random() < 0.75:
            speaker = (speaker + rng.choice((1, 1, 2, 3))) % 4
        tokens = text.split()
        words, moment = [], clock
        for token in tokens if count < 500 else ():
            duration = 0.12 + 0.035 * len(token)
            probability = 0.3 if rng.random() < 0.03 else 0.95
            words.append(Word(round(moment, 3), round(moment + duration, 3), token, probability))
            moment += duration + 0.05
        end = words[-1].end if words else clock + 0.3 * len(tokens)
        result.append(Utterance(index, clock, end, NAMES[speaker], text, speaker + 1, tuple(words)))
        clock = round(max(clock + 0.2, end + rng.choice((-0.4, 0.15, 0.3, 0.5, 0.9))), 3)
    return result


def sound(spoken: list[Utterance], duration: float, rate: int = 16_000) -> np.ndarray:
    """Speech-like noise where somebody talks: another tone for each speaker."""
    rng = np.random.default_rng(3)
    samples = rng.normal(0, 0.002, int(duration * rate)).astype(np.float32)
    for u in spoken:
        for word in u.words or (Word(u.start, u.end, ""),):
            first, last = int(word.start * rate), min(len(samples), int(word.end * rate))
            if last <= first:
                continue
            t = np.arange(last - first) / rate
            level = 0.12 + 0.5 * rng.random() ** 2
            hum = np.sin(2 * np.pi * (110 + 45 * (u.speaker_id or 0)) * t)
            samples[first:last] += (level * hum * np.hanning(last - first)).astype(np.float32)
    return np.clip(samples, -1, 1)


@cache
def _sound_of(count: int) -> np.ndarray:
    spoken = utterances(count)
    return sound(spoken, spoken[-1].end + 1)


def peaks_of(samples: np.ndarray, rate: int = 16_000) -> np.ndarray:
    """(n, 2) float16 as the engine writes them."""
    step = rate // 50
    whole = samples[: len(samples) // step * step].reshape(-1, step)
    return np.stack([whole.min(1), whole.max(1)], 1).astype(np.float16)


def fill(
    library_dir: Path,
    *,
    count: int = 48,
    title: str = "Autumn release planning",
    audio: bool = True,
) -> Meeting:
    """Put one finished meeting into a library."""
    with Store(library_dir) as store:
        meeting = store.create_meeting(title, f"{title.lower().replace(' ', '-')}.m4a", audio)
        spoken = utterances(count)
        store.save_utterances(meeting.id, spoken)
        duration = spoken[-1].end + 1
        starts = [u.start for u in spoken]
        if count < 500:
            _add_findings(store, meeting.id, spoken, starts)
        if audio:
            samples = _sound_of(count) if count < 500 else np.zeros(16_000, np.float32)
            media = store.media_dir(meeting.id)
            soundfile.write(media / "audio.flac", samples, 16_000)
            np.save(media / "peaks.npy", peaks_of(samples))
        return store.update_meeting(
            meeting.id, duration=duration, language="en", coverage=0.97, is_complete=True
        )


def _add_findings(store: Store, key: str, spoken: list[Utterance], starts: list[float]) -> None:
    end = spoken[-1].end
    if len(spoken) < 20:
        return
    store.save_events(
        key,
        [
            Event(starts[9] - 0.2, starts[9] + 1.4, "laughter", 0.8),
            Event(starts[14], starts[14] + 2.5, "unheard", 1.0),
        ],
    )
    store.save_topics(
        key,
        [
            Topic("Autumn budget", 0, starts[11], "Why hosting costs doubled, and what to do."),
            Topic("Lisbon workshop", starts[11], starts[15], "Venue, dates and travel."),
            Topic("Keynote", starts[15], end, "Whom to invite."),
        ],
    )
    store.save_notes(
        key,
        "decision",
        [Note("decision", "The archive goes back to cold storage.", starts[6], spoken[6].end)],
    )
    store.save_notes(
        key,
        "action",
        [
            Note(
                "action", "Write up the disk mistake.", starts[5], spoken[5].end, "Priya", "Friday"
            ),
            Note("action", "Book the trains.", starts[14], spoken[14].end, "Jonas", "Wednesday"),
        ],
    )
    summary = "The team moved the archive back to cold storage after the hosting bill had doubled."
    store.save_notes(key, "summary", [Note("summary", summary)])
    store.add_note(key, Note("bookmark", "Ask finance", starts[3], source="user"))
    edges = [
        Edge(b.index, a.index, Relation.REPLY_TO, 1.0, "reply")
        for a, b in pairwise(spoken)
        if a.speaker != b.speaker
    ]
    store.save_edges(key, edges)
    store.save_entities(
        key,
        {
            ("Lisbon", "place"): [u.index for u in spoken if "Lisbon" in u.text],
            ("archive", "term"): [u.index for u in spoken if "archive" in u.text],
            ("finance", "term"): [u.index for u in spoken if "finance" in u.text],
        },
    )


def answer(meeting_id: str, spoken: list[Utterance], question: str) -> Answer:
    """A verified answer with two sentences and a trace."""

    def cite(index: int) -> Citation:
        u = spoken[index]
        return Citation(meeting_id, index, u.start, u.end, u.speaker, u.text)

    sentences = (
        Sentence("The archive goes back to cold storage.", (cite(6), cite(7))),
        Sentence(
            "The hosting bill had doubled because it was moved to fast disks.", (cite(3), cite(5))
        ),
    )
    evidence = tuple(
        Evidence(meeting_id, spoken[i], 1.0 / (i + 1), ("hybrid_search", "reply_to 3->5"))
        for i in (3, 5, 6, 7)
    )
    trace = (
        TraceEvent("intent", 0, {"form": "text", "concepts": ["decision", "archive"]}),
        TraceEvent(
            "plan", 1, {"steps": ["hybrid_search('archive decision')", "traverse_relations($1)"]}
        ),
        TraceEvent("sql", 1, "WITH s1 AS (\n  SELECT id FROM utterances\n) SELECT * FROM s1"),
        TraceEvent("evidence", 1, evidence),
        TraceEvent("verdict", 1, Verdict(5, True)),
    )
    text = " ".join(s.text for s in sentences)
    return Answer(
        question,
        text,
        sentences,
        Verdict(5, True),
        False,
        "agent",
        Receipt(48, 6, 2, 1, 900, 60, 420, 6.4),
        trace,
        (meeting_id,),
    )


Script = Callable[[messages.Request, Job], None]


class FakeEngineClient(QObject):
    """Has the signals and methods of ``EngineClient``; tests deliver the replies.

    ``script`` is called with every request and its job, and may deliver at once.
    """

    job_failed = Signal(object, object)
    busy_changed = Signal(bool)

    def __init__(self, name: str = "fake", script: Script | None = None) -> None:
        super().__init__()
        self.setObjectName(name)
        self.requests: list[messages.Request] = []
        self.jobs: list[Job] = []
        self.cancelled: list[Job] = []
        self.script = script
        self.is_busy = False

    def submit(self, request: messages.Request) -> Job:
        job_id = request.job_id or f"{self.objectName()}-{len(self.requests)}"
        request = replace(request, job_id=job_id)
        job = Job(request, self)
        self.requests.append(request)
        self.jobs.append(job)
        if self.script is not None:
            self.script(request, job)
        return job

    def deliver(self, job: Job, reply: messages.Reply) -> None:
        job.deliver(reply)
        if isinstance(reply, messages.Failed):
            self.job_failed.emit(job, reply)

    def cancel(self, job: Job) -> None:
        self.cancelled.append(job)

    def close(self) -> None:
        pass


class FakeClients:
    """One of each."""

    def __init__(self) -> None:
        self.analysis = FakeEngineClient("analysis")
        self.assistant = FakeEngineClient("assistant")
        self.clerk = FakeEngineClient("clerk")
        self.listener = FakeEngineClient("listener")

    def all(self) -> tuple[FakeEngineClient, ...]:
        return self.analysis, self.assistant, self.clerk, self.listener
