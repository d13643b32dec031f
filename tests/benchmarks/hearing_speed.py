"""How long our transcription takes beside faster-whisper's, on idle and on busy cores.

    EARWITNESS_PEERS=VENV python tests/benchmarks/hearing_speed.py [ROUNDS]

One recording of three and a half minutes, made of the AMI clips, the same weights, word times and
voice activity detection on both sides, models loaded beforehand, the two in turn. Busy: one endless
loop per core beside them. Prints the ratio of the medians. VENV as for ``hearing.py``.
"""

from __future__ import annotations

import multiprocessing
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


def joined(folder: Path) -> Path:
    """All AMI clips as one recording."""
    clips = [
        sf.read(hearing.AUDIO / "ami" / f"{stem}.wav", dtype="float32") for stem in hearing.AMI
    ]
    path = folder / "ami.wav"
    sf.write(path, np.concatenate([samples for samples, _ in clips]), clips[0][1])
    return path


def ours(path: Path, recogniser: Recogniser) -> float:
    """Seconds for voice activity and words."""
    with tempfile.TemporaryDirectory() as name:
        timeline = decode(path, Path(name), "auto", silent())
        began = time.perf_counter()
        spans = vad.speech_spans(timeline.path, silent())
        asr.transcribe(recogniser, timeline.path, spans, asr.AsrOptions(language="en"), silent())
        return time.perf_counter() - began


def theirs(path: Path) -> float:
    """Seconds for the same in faster-whisper, which counts from a loaded model too."""
    peers = hearing.peers_dir()
    found = hearing.ask_peer("faster-whisper", str(peers / "whisper-base"), str(path))
    return float(found[str(path)]["seconds"])


def spin() -> None:
    while True:
        pass


@contextmanager
def busy_cores():
    """An endless loop for every core."""
    context = multiprocessing.get_context("spawn")
    loops = [context.Process(target=spin, daemon=True) for _ in range(physical_cores())]
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
    print("| cores | Earwitness | faster-whisper | ratio of medians |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        path = joined(Path(name))
        for is_busy in (False, True):
            with ExitStack() as stack:
                if is_busy:
                    stack.enter_context(busy_cores())
                pairs = [(ours(path, recogniser), theirs(path)) for _ in range(rounds)]
            mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
            label = "busy" if is_busy else "idle"
            print(f"| {label} | {mine:.1f} s | {other:.1f} s | {mine / other:.2f} |", flush=True)


if __name__ == "__main__":
    main()
