"""How long our transcription takes beside faster-whisper's, on idle and on busy cores.

    EARWITNESS_PEERS=VENV python tests/benchmarks/hearing_speed.py [ROUNDS]

The AMI clips, one by one and as one recording of three and a half minutes; the same weights, word
times and voice activity detection on both sides, models loaded beforehand, the two in turn. Busy:
one endless loop per core beside them. Prints the ratio of the medians. VENV as for ``hearing.py``.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hearing
import numpy as np
import soundfile as sf

from engine.audio.decode import decode
from engine.progress import silent
from engine.speech import asr, vad
from engine.speech.backend import physical_cores
from engine.speech.recogniser import Recogniser


def clips() -> list[Path]:
    """The AMI clips of 30 s."""
    return [hearing.AUDIO / "ami" / f"{stem}.wav" for stem in hearing.AMI]


def joined(folder: Path) -> Path:
    """All AMI clips as one recording."""
    parts = [sf.read(path, dtype="float32") for path in clips()]
    path = folder / "ami.wav"
    sf.write(path, np.concatenate([samples for samples, _ in parts]), parts[0][1])
    return path


def ours(paths: list[Path], recogniser: Recogniser) -> float:
    """Seconds for voice activity and words."""
    return sum(_heard(path, recogniser) for path in paths)


def _heard(path: Path, recogniser: Recogniser) -> float:
    with tempfile.TemporaryDirectory() as name:
        timeline = decode(path, Path(name), "auto", silent())
        began = time.perf_counter()
        spans = vad.speech_spans(timeline.path, silent())
        asr.transcribe(recogniser, timeline.path, spans, asr.AsrOptions(language="en"), silent())
        return time.perf_counter() - began


def theirs(paths: list[Path]) -> float:
    """Seconds for the same in faster-whisper, which counts from a loaded model too."""
    peers = hearing.peers_dir()
    found = hearing.ask_peer("faster-whisper", str(peers / "whisper-base"), *map(str, paths))
    return sum(result["seconds"] for result in found.values())


def spin(parent: int) -> None:
    """Keep a core busy for as long as the benchmark lives, however it ends."""
    while os.getppid() == parent:
        pass


@contextmanager
def busy_cores():
    """An endless loop for every core."""
    context = multiprocessing.get_context("spawn")
    loops = [context.Process(target=spin, args=(os.getpid(),)) for _ in range(physical_cores())]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()


def main() -> None:
    if hearing.peers_dir() is None:
        sys.exit("Set EARWITNESS_PEERS to a virtual environment with faster-whisper.")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    recogniser = Recogniser("whisper-base")
    print("| recording | cores | Earwitness | faster-whisper | ratio of medians |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        recordings = {"seven clips of 30 s": clips(), "one of 3.5 min": [joined(Path(name))]}
        for (label, paths), is_busy in itertools.product(recordings.items(), (False, True)):
            with ExitStack() as stack:
                if is_busy:
                    stack.enter_context(busy_cores())
                pairs = [(ours(paths, recogniser), theirs(paths)) for _ in range(rounds)]
            mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
            cores = "busy" if is_busy else "idle"
            row = f"| {label} | {cores} | {mine:.1f} s | {other:.1f} s | {mine / other:.2f} |"
            print(row, flush=True)


if __name__ == "__main__":
    main()
