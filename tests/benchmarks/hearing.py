"""Measures hearing on real recordings and prints markdown tables.

    python tests/benchmarks/hearing.py [--quick] [--no-peers] [--model ID]

Word errors are counted after ``hearing_scoring.normalise``, against all words of all speakers in
the order of their starts, so overlapped speech counts as it is. DER scores overlap, with optimal
speaker mapping. Peers run in the same session when EARWITNESS_PEERS names a virtual environment
that has faster-whisper and sherpa-onnx and a folder ``whisper-base`` with the same weights in
CTranslate2 form. Data: EARWITNESS_SHARED or ../shared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).parent))

import hearing_scoring as scoring  # noqa: E402
import numpy as np  # noqa: E402

from engine.audio.decode import Timeline, decode  # noqa: E402
from engine.progress import silent  # noqa: E402
from engine.speech import acoustics, asr, diarize, events, merge, vad  # noqa: E402
from engine.speech.recogniser import Recogniser  # noqa: E402

SHARED = Path(os.environ.get("EARWITNESS_SHARED", ROOT.parent / "shared"))
AUDIO = SHARED / "data" / "audio"
AMI = ["dev00", "dev01", "trn00", "trn03", "trn04", "trn05", "trn06"]
COMPOSED = [
    "libri/libri_meeting_4spk.flac",
    "libri/libri_meeting_6spk.flac",
    "misc/falcon_three_speakers.wav",
]


@dataclass
class Run:
    """What was found in one file, and how long each stage took."""

    timeline: Timeline
    transcription: asr.Transcription
    diarization: diarize.Diarization
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def turns(self) -> list[scoring.Segment]:
        return [(t.start, t.end, str(t.speaker)) for t in self.diarization.turns]


def hear(path: Path, recogniser: Recogniser | None, folder: Path) -> Run:
    """Run the stages on one file; without a recogniser only the speakers."""
    clock = time.perf_counter
    seconds: dict[str, float] = {}

    def timed(name, function, *arguments):
        began = clock()
        result = function(*arguments)
        seconds[name] = clock() - began
        return result

    media = folder / path.stem
    media.mkdir()
    timeline = timed("decode", decode, path, media, "auto", silent())
    spans = timed("vad", vad.speech_spans, timeline.path, silent())
    heard = asr.Transcription((), "")
    if recogniser is not None:
        options = asr.AsrOptions(language="en")
        heard = timed("asr", asr.transcribe, recogniser, timeline.path, spans, options, silent())
    found = timed("speakers", diarize.diarize, timeline, spans, 0, silent())
    utterances = timed("merge", merge.utterances, heard.words, found.turns)
    timed("sound", acoustics.measure, timeline.path, utterances, found.turns, silent())
    timed("events", events.find_events, timeline.path, spans, heard.events, silent())
    return Run(timeline, heard, found, seconds)


def spoken(stem: str) -> list[dict]:
    words = json.loads((AUDIO / "ami" / f"{stem}.json").read_text())["words"]
    return sorted(words, key=lambda word: word["start"])


def word_scores(stem: str, words: list[tuple[float, str]]) -> tuple[int, int, list[float]]:
    """(errors, reference words, start differences in seconds) of an AMI clip."""
    reference, starts, said, said_starts = [], [], [], []
    for word in spoken(stem):
        for token in scoring.normalise(word["word"]):
            reference.append(token)
            starts.append(word["start"])
    for start, text in words:
        for token in scoring.normalise(text):
            said.append(token)
            said_starts.append(start)
    errors, pairs = scoring.edit_distance(reference, said)
    return errors, len(reference), [said_starts[j] - starts[i] for i, j in pairs]


def attributed(stem: str, run: Run) -> tuple[int, int]:
    """(words with the right speaker, words matched) with the mapping that is best for the clip."""
    groups = merge.assign_speakers(run.transcription.words, run.diarization.turns)
    said = [
        (token, who) for who, words in groups for w in words for token in scoring.normalise(w.text)
    ]
    truth = [
        (token, word["speaker"])
        for word in spoken(stem)
        for token in scoring.normalise(word["word"])
    ]
    _, pairs = scoring.edit_distance([t for t, _ in truth], [t for t, _ in said])
    people = sorted({who for _, who in truth})
    heard = sorted({-1 if who is None else who for _, who in said})
    counts = np.zeros((len(people), max(1, len(heard))), dtype=int)
    for i, j in pairs:
        who = said[j][1]
        counts[people.index(truth[i][1]), heard.index(-1 if who is None else who)] += 1
    return sum(int(counts[i, j]) for i, j in scoring.best_assignment(counts)), len(pairs)


def ami_table(stems: list[str], runs: dict[str, Run]) -> None:
    print(
        "\n| AMI clip | WER | right speaker | DER | DER .25 s | speakers (true) | coverage |"
        " start error median | RTF |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    errors = n = right = matched = 0
    total, soft, differences, spent, length = (
        scoring.Der(0, 0, 0, 0),
        scoring.Der(0, 0, 0, 0),
        [],
        0.0,
        0.0,
    )
    for stem in stems:
        run = runs[stem]
        reference = scoring.read_rttm(AUDIO / "ami" / f"{stem}.rttm")
        e, words, diffs = word_scores(stem, [(w.start, w.text) for w in run.transcription.words])
        r, m = attributed(stem, run)
        strict = scoring.der(reference, run.turns, end=run.timeline.duration)
        collar = scoring.der(reference, run.turns, 0.25, run.timeline.duration)
        seconds = sum(run.seconds.values())
        people = len({who for *_, who in reference})
        print(
            f"| {stem} | {e / words:.3f} | {r / max(m, 1):.2f} | {strict.rate:.3f} |"
            f" {collar.rate:.3f} |"
            f" {run.diarization.n_speakers} ({people}) | {run.transcription.coverage:.2f} |"
            f" {np.median(np.abs(diffs)) * 1000:.0f} ms | {seconds / run.timeline.duration:.2f} |"
        )
        errors, n, right, matched = errors + e, n + words, right + r, matched + m
        total, soft, differences = total + strict, soft + collar, differences + diffs
        spent, length = spent + seconds, length + run.timeline.duration
    print(
        f"| **all** | **{errors / n:.3f}** | {right / max(matched, 1):.2f} | **{total.rate:.3f}** |"
        f" {soft.rate:.3f} | | | {np.median(np.abs(differences)) * 1000:.0f} ms |"
        f" {spent / length:.2f} |"
    )
    print(
        f"\nDER parts: missed {total.missed / total.total:.3f}, false alarm "
        f"{total.false_alarm / total.total:.3f}, confusion {total.confusion / total.total:.3f}."
    )


def composed_table(runs: dict[str, Run]) -> None:
    print(
        "\n| composed recording | DER | DER .25 s | missed | confusion | speakers (true) |"
        " reference without sound | RTF |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, run in runs.items():
        reference = scoring.read_rttm((AUDIO / name).with_suffix(".rttm"))
        strict = scoring.der(reference, run.turns, end=run.timeline.duration)
        collar = scoring.der(reference, run.turns, 0.25, run.timeline.duration)
        spans = [(s.start, s.end, "x") for s in vad.speech_spans(run.timeline.path, silent())]
        single = [(start, end, "x") for start, end, _ in reference]
        floor = scoring.der(single, spans, end=run.timeline.duration)
        people = len({who for *_, who in reference})
        print(
            f"| {Path(name).stem} | {strict.rate:.3f} | {collar.rate:.3f} |"
            f" {strict.missed / strict.total:.3f} | {strict.confusion / strict.total:.3f} |"
            f" {run.diarization.n_speakers} ({people}) | {floor.missed / floor.total:.3f} |"
            f" {sum(run.seconds.values()) / run.timeline.duration:.2f} |"
        )


def peers_dir() -> Path | None:
    value = os.environ.get("EARWITNESS_PEERS", "")
    return Path(value) if value and Path(value).is_dir() else None


def ask_peer(*arguments: str) -> dict:
    peers = peers_dir()
    assert peers is not None
    command = [str(peers / "bin" / "python"), str(Path(__file__).with_name("hearing_peers.py"))]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def transcription_peer(stems: list[str], runs: dict[str, Run]) -> None:
    peers = peers_dir()
    assert peers is not None
    files = {str(AUDIO / "ami" / f"{stem}.wav"): stem for stem in stems}
    found = ask_peer("faster-whisper", str(peers / "whisper-base"), *files)
    errors = n = 0
    differences: list[float] = []
    for path, stem in files.items():
        e, words, diffs = word_scores(stem, [tuple(w) for w in found[path]["words"]])
        errors, n, differences = errors + e, n + words, differences + diffs
    spent = sum(result["seconds"] for result in found.values())
    length = sum(runs[stem].timeline.duration for stem in stems)
    ours = sum(runs[stem].seconds["asr"] + runs[stem].seconds["vad"] for stem in stems)
    print(
        f"\nfaster-whisper int8, same weights, with word times and VAD: WER {errors / n:.3f}, start"
        f" error median {np.median(np.abs(differences)) * 1000:.0f} ms, RTF {spent / length:.3f};"
        f" ours takes {ours / spent:.2f} of its time (RTF {ours / length:.3f})."
    )


def diarization_peer(stems: list[str], composed: dict[str, Run]) -> None:
    from engine.weights.locate import locate

    ami = {str(AUDIO / "ami" / f"{stem}.wav"): AUDIO / "ami" / f"{stem}.rttm" for stem in stems}
    long = {str(AUDIO / name): (AUDIO / name).with_suffix(".rttm") for name in composed}
    print("\n| sherpa-onnx diarization | AMI | LibriSpeech | falcon |")
    print("|---|---|---|---|")
    for threshold in (0.5, 0.7, 0.8):
        found = ask_peer(
            "sherpa",
            str(locate("segmentation-3.0")),
            str(locate("campplus")),
            str(threshold),
            *ami,
            *long,
        )
        sums = {
            "ami": scoring.Der(0, 0, 0, 0),
            "libri": scoring.Der(0, 0, 0, 0),
            "falcon": scoring.Der(0, 0, 0, 0),
        }
        for path, rttm in (ami | long).items():
            group = "ami" if path in ami else "libri" if "libri" in path else "falcon"
            turns = [tuple(turn) for turn in found[path]["turns"]]
            sums[group] += scoring.der(scoring.read_rttm(rttm), turns)
        print(
            f"| threshold {threshold} | "
            + " | ".join(f"{d.rate:.3f}" for d in sums.values())
            + " |"
        )


def peak_memory_mb() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="two clips, no peers")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--model", default="whisper-base")
    options = parser.parse_args()
    stems = ["dev00", "trn04"] if options.quick else AMI
    recogniser = Recogniser(options.model)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = {stem: hear(AUDIO / "ami" / f"{stem}.wav", recogniser, folder) for stem in stems}
        ami_table(stems, runs)
        composed = {} if options.quick else {c: hear(AUDIO / c, None, folder) for c in COMPOSED}
        if composed:
            composed_table(composed)
        jfk = hear(AUDIO / "misc" / "jfk.wav", recogniser, folder).transcription
        print("\njfk:", merge.join_words(jfk.words))
        stages = {
            key: sum(run.seconds[key] for run in runs.values()) for key in runs[stems[0]].seconds
        }
        length = sum(run.timeline.duration for run in runs.values())
        print(
            "\nRTF by stage (AMI):", ", ".join(f"{k} {v / length:.3f}" for k, v in stages.items())
        )
        print(f"\nPeak memory {peak_memory_mb():.0f} MB.")
        if options.quick or options.no_peers or peers_dir() is None:
            print("\nPeers not run.")
            return
        transcription_peer(stems, runs)
        diarization_peer(stems, composed)


if __name__ == "__main__":
    main()
