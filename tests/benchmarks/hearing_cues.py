"""Plants loud, quiet, fast, overlapping and late utterances in a made-up meeting and counts finds.

    python tests/benchmarks/hearing_cues.py [--truth]

Three flite voices say everyday sentences; every fifth or so is louder or softer by 11 dB, spoken at
0.6 of the time, covered by another voice, or follows four seconds of silence. With --truth the
speakers and words are given and only the measuring is tested, which takes a second; without it the
whole chain from decoding on is.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import soundfile as sf
import soxr

from engine.audio.decode import decode
from engine.progress import silent
from engine.speech import acoustics, asr, diarize, merge, vad
from engine.speech.recogniser import Recogniser
from engine.types import Cue, Turn, Utterance, Word

RATE = 16_000
VOICES = ("slt", "rms", "awb")
PLANTED = (Cue.LOUD, Cue.QUIET, Cue.FAST, Cue.OVERLAP, Cue.LONG_PAUSE)
SENTENCES = (
    "We should look at the budget for the next quarter before we decide anything.",
    "The new sensors arrived on Monday and two of them were already broken.",
    "I talked to the school in the valley and they would like to start in May.",
    "Could somebody please send me the list of all the open questions tonight.",
    "The battery lasts for about nine days when the weather is cold and dark.",
    "Nobody has told the supplier yet that we want to change the whole design.",
    "My suggestion is to keep the old housing and only replace the small cable.",
    "There were three complaints last week and all of them were about the display.",
    "If the test goes well on Friday we can order the rest of the parts.",
    "Let us write down who is going to call the printer about the manual.",
)
Placed = tuple[float, float, int, str]


def say(text: str, voice: str, stretch: float, folder: Path) -> np.ndarray:
    path = folder / "said.wav"
    setting = f"duration_stretch={stretch}"
    command = ["flite", "-voice", voice, "--setf", setting, "-t", text, "-o", str(path)]
    subprocess.run(command, check=True)
    samples, rate = sf.read(path, dtype="float32")
    samples = soxr.resample(samples, rate, RATE) if rate != RATE else samples
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    samples = samples[loud[0] : loud[-1]]
    return (0.05 * samples / np.sqrt(np.mean(np.square(samples)))).astype(np.float32)


def compose(
    folder: Path, n: int = 96
) -> tuple[np.ndarray, list[Placed], list[tuple[float, float, Cue]]]:
    """The meeting, who says what when, and what is planted where."""
    random = np.random.default_rng(11)
    track = np.zeros(RATE, dtype=np.float32)
    said: list[Placed] = []
    planted: list[tuple[float, float, Cue]] = []
    for i in range(n):
        person = int(i % 3 if i % 7 else (i + 1) % 3)
        cue = PLANTED[(i // 2) % 5] if i % 2 and i > 8 else None
        text = SENTENCES[(i * 7 + i // 10) % len(SENTENCES)]
        samples = say(text, VOICES[person], 0.6 if cue == Cue.FAST else 1.0, folder)
        samples *= 10 ** (random.normal(0, 0.8) / 20)
        gain = {Cue.LOUD: 11.0, Cue.QUIET: -11.0}.get(cue, 0.0)
        samples = samples * np.float32(10 ** (gain / 20))
        pause = 4.0 if cue == Cue.LONG_PAUSE else float(random.uniform(0.3, 0.7))
        start = len(track) / RATE + pause
        track = np.concatenate([track, np.zeros(int(pause * RATE), np.float32), samples])
        end = len(track) / RATE
        said.append((start, end, person, text))
        if cue == Cue.OVERLAP:
            other = say(
                SENTENCES[(i * 3 + 1) % len(SENTENCES)], VOICES[(person + 1) % 3], 1.0, folder
            )
            begin = end - 2.0
            track = np.concatenate([track, np.zeros(len(other) - 2 * RATE, np.float32)])
            first = int(begin * RATE)
            track[first : first + len(other)] += other[: len(track) - first]
            text = SENTENCES[(i * 3 + 1) % len(SENTENCES)]
            said.append((begin, len(track) / RATE, (person + 1) % 3, text))
            planted.append((start, len(track) / RATE, cue))
        elif cue is not None:
            planted.append((start, end, cue))
    noise = random.standard_normal(len(track)).astype(np.float32) * 0.0007
    return track + noise, said, planted


def true_utterances(said: list[Placed]) -> tuple[list[Utterance], list[Turn]]:
    utterances, turns = [], []
    for i, (start, end, person, text) in enumerate(said):
        words = text.split()
        step = (end - start) / len(words)
        placed = tuple(
            Word(start + k * step, start + (k + 1) * step, w) for k, w in enumerate(words)
        )
        utterances.append(Utterance(i, start, end, f"S{person}", text, person, placed))
        turns.append(Turn(start, end, person))
    return utterances, turns


def report(
    utterances: list[Utterance],
    found: list[acoustics.Acoustics],
    planted: list[tuple[float, float, Cue]],
) -> None:
    print("| cue | planted | recall | found | precision |")
    print("|---|---|---|---|---|")
    totals = np.zeros(4, dtype=int)
    for cue in PLANTED:
        spans = [(start, end) for start, end, kind in planted if kind == cue]
        marked = [u for u, a in zip(utterances, found, strict=True) if cue in a.cues]
        hit = sum(
            any(
                min(u.end, end) - max(u.start, start) > 0.5 * min(end - start, u.end - u.start)
                for u in marked
            )
            for start, end in spans
        )
        right = sum(
            any(
                min(u.end, end) - max(u.start, start) > 0.3 * (u.end - u.start)
                for start, end in spans
            )
            for u in marked
        )
        totals += [len(spans), hit, len(marked), right]
        print(
            f"| {cue.value} | {len(spans)} | {hit / max(len(spans), 1):.2f} | {len(marked)} |"
            f" {right / max(len(marked), 1):.2f} |"
        )
    print(
        f"| **all** | {totals[0]} | **{totals[1] / totals[0]:.2f}** | {totals[2]} |"
        f" **{totals[3] / max(totals[2], 1):.2f}** |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--truth", action="store_true", help="measure true utterances")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        track, said, planted = compose(folder)
        source = folder / "meeting.wav"
        sf.write(source, track, RATE)
        timeline = decode(source, folder, "auto", silent())
        utterances, turns = true_utterances(sorted(said))
        if not options.truth:
            spans = vad.speech_spans(timeline.path, silent())
            recogniser = Recogniser("whisper-tiny.en")
            heard = asr.transcribe(recogniser, timeline.path, spans, asr.AsrOptions("en"), silent())
            turns = list(diarize.diarize(timeline, spans, 0, silent()).turns)
            utterances = merge.utterances(heard.words, turns)
        found = acoustics.measure(timeline.path, utterances, turns, silent()).utterances
        print(f"{timeline.duration:.0f} s, {len(utterances)} utterances\n")
        report(utterances, found, planted)


if __name__ == "__main__":
    main()
