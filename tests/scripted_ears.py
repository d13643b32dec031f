"""A fast stand-in for the models, and faults on request, for tests of everything around them.

``install`` replaces what needs a model; decoding, joining, saving and indexing stay real. Before
a stage runs, a file ``<stage>.<fault>`` in the folder ``$EARS_FAULTS`` makes it go wrong in that
way, once. Stages that ran are listed in ``log`` there.
"""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import sys
import time
from pathlib import Path

import numpy as np

from engine import worker
from engine.errors import ModelMissing
from engine.speech.acoustics import Sound
from engine.speech.asr import Transcription
from engine.speech.diarize import Diarization
from engine.types import Acoustics, Span, Turn, Word
from engine.types_seconds import Seconds

STAGES = ("decode", "vad", "transcribe", "diarize", "merge", "acoustics", "events", "index")
SIGNALS = {
    "kill": signal.SIGKILL,
    "segv": signal.SIGSEGV,
    "ill": signal.SIGILL,
    "abort": signal.SIGABRT,
}


def serve(connection):
    """Entry point of an engine process with these ears."""
    install()
    worker.serve(connection)


def serve_with_prompts_that_crash(connection):
    """Entry point of an engine process whose recogniser dies of any vocabulary."""
    install()
    from engine import pipeline
    from engine.speech import whisper

    backend = whisper.WhisperBackend.__new__(whisper.WhisperBackend)
    backend.threads = 1
    backend._is_cancelled = lambda: False
    backend._model = FakeWhisper()
    sys.modules["_pywhispercpp"] = FakeWhisper()

    def hear_then_transcribe(recogniser, path, spans, options, report):
        backend.hear(np.zeros(16_000, np.float32), "en", options.vocabulary, 0.0)
        return transcribe(recogniser, path, spans, options, report)

    pipeline.asr.transcribe = hear_then_transcribe
    worker.serve(connection)


class FakeWhisper:
    """The native module and its model at once; a prompt is a segmentation fault."""

    _ctx = _params = None
    prompt = ""

    def _set_params(self, values):
        FakeWhisper.prompt = values.get("initial_prompt", FakeWhisper.prompt)

    def whisper_full(self, *arguments):
        if FakeWhisper.prompt:
            os.kill(os.getpid(), signal.SIGSEGV)
            time.sleep(60)

    def __getattr__(self, name):
        return {"whisper_lang_str": lambda code: "en"}.get(name, lambda *arguments: 0)


def install():
    """Replace the models everywhere in this process."""
    from engine import pipeline
    from engine.jobs import Jobs

    for stage, name in zip(STAGES, pipeline.Stage, strict=True):
        pipeline._STAGES[name] = faulty(stage, pipeline._STAGES[name])
    pipeline.vad.speech_spans = lambda path, report: [Span(0.1, 1.9), Span(2.1, 3.9)]
    pipeline.asr.transcribe = transcribe
    pipeline.diarize.diarize = diarize
    pipeline.acoustics.measure = measure
    pipeline.events.find_events = lambda path, spans, heard, report: list(heard)
    Jobs.embedder = Encoder()
    Jobs.recogniser = lambda self, model_id: None


def uninstall(pipeline, originals):
    """Put back what ``install`` replaced; ``originals`` is from ``remembered``."""
    stages, vad, asr, diarizer, measure, find, embedder, recogniser = originals
    from engine.jobs import Jobs

    pipeline._STAGES.update(stages)
    pipeline.vad.speech_spans = vad
    pipeline.asr.transcribe = asr
    pipeline.diarize.diarize = diarizer
    pipeline.acoustics.measure = measure
    pipeline.events.find_events = find
    Jobs.embedder, Jobs.recogniser = embedder, recogniser


def remembered(pipeline):
    """What ``uninstall`` needs."""
    from engine.jobs import Jobs

    return (
        dict(pipeline._STAGES),
        pipeline.vad.speech_spans,
        pipeline.asr.transcribe,
        pipeline.diarize.diarize,
        pipeline.acoustics.measure,
        pipeline.events.find_events,
        Jobs.__dict__["embedder"],
        Jobs.recogniser,
    )


class Encoder:
    """Equal texts get equal vectors."""

    model_id, dim = "minilm", 384

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            rows[i, int(hashlib.sha256(text.encode()).hexdigest(), 16) % self.dim] = 1
        return rows


def transcribe(recogniser, path, spans, options, report):
    """Eight words over two spans."""
    report("transcribe", 0, 1)
    texts = ["we", "start", "now", "then", "we", "talk", "about", "water"]
    words = tuple(Word(0.2 + 0.45 * i, 0.5 + 0.45 * i, text, 0.9) for i, text in enumerate(texts))
    return Transcription(words, "en", (), (), 1.0)


def diarize(timeline, spans, n_speakers, report):
    """Two people, one after the other."""
    turns = (Turn(0.1, 1.9, 0), Turn(2.1, 3.9, 1))
    return Diarization(turns, np.zeros((2, 192), np.float32), 2)


def measure(path, utterances, turns, report):
    """Everybody speaks alike."""
    level = np.full(4, -20.0, np.float32)
    return Sound([Acoustics(-20.0) for _ in utterances], Seconds(level, level, level, level, level))


def faulty(stage, function):
    """A stage that first looks whether a fault was ordered."""

    def run(analysis, report):
        folder = Path(os.environ["EARS_FAULTS"])
        with (folder / "log").open("a") as log:
            log.write(f"{stage}\n")
        for order in folder.glob(f"{stage}.*"):
            text = order.read_text()
            order.unlink()
            commit(order.suffix[1:], text, report)
        return function(analysis, report)

    return run


def commit(fault, text, report):
    """Let something go wrong in this process."""
    if fault in SIGNALS:
        os.kill(os.getpid(), SIGNALS[fault])
        time.sleep(60)
    FAULTS[fault](text, report)


def hang(text, report):
    """Do what native code does: go on without looking whether anybody cancelled."""
    time.sleep(3600)


def dawdle(text, report):
    """Take half a minute, but look."""
    for _ in range(600):
        report.check()
        time.sleep(0.05)


def want_memory(text, report):
    """Ask for more than this process may have."""
    held = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 28), held[1]))
    try:
        np.ones(1 << 30, np.float32)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, held)


def err(text, report):
    """A fault of ours."""
    raise RuntimeError("a fault of ours")


def miss_model(text, report):
    """As when weights were deleted meanwhile."""
    raise ModelMissing("The model whisper-base is not on this machine.", "Fetch it.")


FAULTS = {
    "exit": lambda text, report: os._exit(255),
    "hang": hang,
    "slow": dawdle,
    "memory": want_memory,
    "bug": err,
    "model": miss_model,
    "unlink": lambda text, report: Path(text).unlink(),
    "fill": lambda text, report: fill(Path(text)),
}


def fill(folder):
    """Leave no byte free on the disk of a folder."""
    with (folder / "filler").open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
