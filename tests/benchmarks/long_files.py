"""Hear recordings of several lengths and print what each stage costs: is it linear, does it fit?

    python tests/benchmarks/long_files.py MINUTES[,MINUTES...] [--model ID | --no-words]

The recordings are composed of the AMI clips, the LibriSpeech meetings and the falcon conversation,
in another order and a little louder or softer in every round. With --no-words a made-up transcript
takes the place of the recogniser (a word every 0.4 s of speech), so that five hours of everything
else take minutes. Each length runs in a process of its own; the peak is that of the whole process
so far. The processor's time is printed too: on a machine that does other work beside it, the one
to compare. Data: EARWITNESS_SHARED or ../shared.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).parent))

import hearing  # noqa: E402
import numpy as np  # noqa: E402
import soundfile as sf  # noqa: E402

RATE = 16_000
SOURCES = (
    *(
        f"ami/{stem}.wav"
        for stem in ("dev00", "dev01", "trn00", "trn03", "trn04", "trn05", "trn06")
    ),
    *hearing.COMPOSED,
)
SENTENCE = "so we thought that the battery could last nine days in winter"


def compose(minutes: float, path: Path) -> None:
    """Write a recording of this length."""
    random = np.random.default_rng(5)
    left = round(minutes * 60 * RATE)
    with sf.SoundFile(path, "w", RATE, 1, "PCM_16", format="FLAC") as out:
        while left > 0:
            for i in random.permutation(len(SOURCES)):
                samples, rate = sf.read(hearing.AUDIO / SOURCES[i], dtype="float32", always_2d=True)
                assert rate == RATE, SOURCES[i]
                gain = 10 ** (random.uniform(-3, 3) / 20)
                piece = np.clip(samples[:left, 0] * gain, -1, 1)
                out.write(piece)
                left -= len(piece)


def made_up_words(recogniser, path, spans, options, report):
    """A transcript without a recogniser: a word every 0.4 s of speech."""
    from engine.speech.asr import Transcription
    from engine.types import Word

    words: list[Word] = []
    texts = SENTENCE.split()
    for span in spans:
        for start in np.arange(span.start, span.end - 0.3, 0.4):
            text = texts[len(words) % len(texts)] + ("." if len(words) % 12 == 11 else "")
            words.append(Word(float(start), float(start) + 0.35, text, 0.9))
    return Transcription(tuple(words), "en")


def heard(source: Path, library: Path, model: str, answers) -> None:
    """Analyse one recording and put what it cost into the queue."""
    from engine import pipeline
    from engine.graph.store import Store
    from engine.jobs import Jobs
    from engine.messages import AnalyseOptions
    from engine.progress import silent

    if not model:
        pipeline.asr.transcribe = made_up_words
        Jobs.recogniser = lambda self, model_id: None
    with Store(library) as store:
        options = AnalyseOptions(asr_model=model or "none")
        meeting = pipeline.analyse(source, store, Jobs(), options, silent())
        records = store.finished_stages(meeting.id).values()
        answers.put(
            (
                meeting.duration,
                meeting.n_utterances,
                meeting.n_speakers,
                [(str(r.stage), r.seconds, r.peak_memory_mb) for r in records],
                time.process_time(),
            )
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", type=lambda text: [float(part) for part in text.split(",")])
    parser.add_argument("--model", default="whisper-tiny.en")
    parser.add_argument("--no-words", action="store_true")
    options = parser.parse_args()
    model = "" if options.no_words else options.model
    context = multiprocessing.get_context("spawn")
    print(f"Words: {model or 'made up'}. Per stage: real-time factor, peak memory so far.\n")
    for minutes in options.minutes:
        with tempfile.TemporaryDirectory() as name:
            source = Path(name) / "long.flac"
            compose(minutes, source)
            answers = context.Queue()
            arguments = (source, Path(name) / "library", model, answers)
            child = context.Process(target=heard, args=arguments)
            child.start()
            duration, n_utterances, n_speakers, stages, busy = answers.get()
            child.join()
        total = sum(seconds for _, seconds, _ in stages)
        print(f"{minutes:g} min, {n_utterances} utterances, {n_speakers} speakers")
        for stage, seconds, peak in stages:
            print(f"  {stage:<24} {seconds:8.1f} s  {seconds / duration:.4f}  {peak:6.0f} MB")
        print(f"  {'all':<24} {total:8.1f} s  {total / duration:.4f}")
        print(f"  {'processor':<24} {busy:8.1f} s  {busy / duration:.4f}\n", flush=True)


if __name__ == "__main__":
    main()
