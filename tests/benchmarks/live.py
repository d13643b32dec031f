"""Follow a growing recording in real time: how late the lines come and how right they are.

    python tests/benchmarks/live.py [SECONDS] [SPEED]

The sample meeting is appended to a WAV at the pace of a recorder (times SPEED) while a listener
follows it. Printed: median and largest delay from the end of speech to its final line and to its
first provisional one, word error rate against the truth, speakers, share of a core, peak memory.
"""

from __future__ import annotations

import contextlib
import json
import resource
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
RATE_HZ = 16_000


def written(path: Path, samples: np.ndarray, speed: float, began: float) -> None:
    """Append the samples at the pace of a recorder."""
    from engine.audio.take import TrackFile

    track = TrackFile(path, RATE_HZ)
    while track.n_samples < len(samples):
        due = min(len(samples), int((time.monotonic() - began) * speed * RATE_HZ))
        track.append(samples[track.n_samples : due])
        time.sleep(0.1)
    track.close()


def plain(text: str) -> list[str]:
    """Words without case and punctuation."""
    kept = "".join(c if c.isalnum() or c in "' " else " " for c in text.lower())
    return kept.split()


def word_errors(truth: list[str], heard: list[str]) -> int:
    """Levenshtein distance in words."""
    row = list(range(len(heard) + 1))
    for i, a in enumerate(truth, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def followed(seconds: float, speed: float) -> dict[str, float]:
    """Run it and measure."""
    from engine.audio.decode import decode, read
    from engine.errors import Cancelled
    from engine.jobs import Jobs
    from engine.messages import Listen
    from engine.progress import Report, silent
    from engine.types import LiveUtterance

    with tempfile.TemporaryDirectory() as folder:
        timeline = decode(SAMPLE / "meeting.opus", Path(folder), "mix", silent())
        samples = (read(timeline.path, 0.0, seconds) * 32767).astype(np.int16)
    seconds = len(samples) / RATE_HZ
    jobs = Jobs()
    jobs.recogniser("whisper-tiny.en")  # not what is measured
    lines: dict[int, LiveUtterance] = {}
    final_delays, first_delays = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "microphone.wav"
        began = time.monotonic()
        cpu = time.process_time()

        def on_line(line: LiveUtterance) -> None:
            at = (time.monotonic() - began) * speed
            if line.key not in lines:
                first_delays.append(at - line.start)
            if line.is_final:
                final_delays.append(at - line.end)
            lines[line.key] = line

        def is_over() -> bool:
            return time.monotonic() - began > seconds / speed + 6

        writer = threading.Thread(target=written, args=(path, samples, speed, began))
        writer.start()
        with contextlib.suppress(Cancelled):
            jobs.run(Listen("live", (str(path),), "en"), Report(None, is_over), on_line)
        writer.join()
        cpu = time.process_time() - cpu
    truth = json.loads((SAMPLE / "truth.json").read_text("utf-8"))
    said = [u for u in truth["utterances"] if u["end"] <= seconds]
    expected = plain(" ".join(u["text"] for u in said))
    ordered = sorted((line for line in lines.values() if line.text), key=lambda line: line.start)
    heard = plain(" ".join(line.text for line in ordered))
    return {
        "seconds": seconds,
        "speed": speed,
        "lines": len(ordered),
        "final delay, median": statistics.median(final_delays),
        "final delay, largest": max(final_delays),
        "first words after start of line, median": statistics.median(first_delays),
        "WER": word_errors(expected, heard) / max(1, len(expected)),
        "speakers": len({line.speaker for line in ordered if line.speaker}),
        "share of one core": cpu / (seconds / speed),
        "peak memory MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    arguments = [float(value) for value in sys.argv[1:]]
    for name, value in followed(*(arguments + [90.0, 1.0][len(arguments) :])).items():
        print(f"{name:>42}  {value:.3f}")
