"""Scores for hearing: word error rate, diarization error rate, word times. Numpy only.

Word normaliser: lower case; typographic apostrophes become ``'``; spelled letters ``N_E_Z_`` lose
their underscores; hyphens become blanks; everything that is no letter, digit or apostrophe goes;
``mm-hmm``, ``mm``, ``um``, ``uh``, ``hmm``, ``er``, ``ah``, ``eh``, ``mhm`` are left out on both
sides (recognisers are trained to leave them out); numbers below 1000 are written as words;
``okay`` -> ``ok``, ``alright`` -> ``all right``, ``gonna``/``wanna``/``cause`` -> full forms.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FILLERS = {"mm", "hmm", "mhm", "um", "uh", "er", "erm", "ah", "eh", "mmhmm", "hm", "mmm", "uhhuh"}
SAME = {
    "okay": "ok",
    "alright": "all right",
    "gonna": "going to",
    "wanna": "want to",
    "'cause": "because",
    "cause": "because",
    "mr": "mister",
    "mrs": "missus",
    "dr": "doctor",
    "yep": "yeah",
    "yup": "yeah",
}
UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

Segment = tuple[float, float, str]


def number_words(n: int) -> str:
    """Write 0..999 as words."""
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10] + (f" {UNITS[n % 10]}" if n % 10 else "")
    rest = f" {number_words(n % 100)}" if n % 100 else ""
    return f"{UNITS[n // 100]} hundred{rest}"


def normalise(text: str) -> list[str]:
    """Words of a text as they are compared; see the module docstring."""
    text = (
        text.lower().replace("’", "'").replace("_", "").replace("-", " ").replace("%", " percent")
    )
    text = re.sub(r"\bmm[ -]?hmm\b|\buh[ -]?huh\b", " ", text)
    words: list[str] = []
    for token in re.findall(r"[\w']+", text):
        token = token.strip("'") if token != "'cause" else token
        if token.isdigit() and int(token) < 1000:
            words += number_words(int(token)).split()
        elif token and token not in FILLERS:
            words += SAME.get(token, token).split()
    return words


def edit_distance(reference: list[str], hypothesis: list[str]) -> tuple[int, list[tuple[int, int]]]:
    """Levenshtein distance of two word lists and the pairs of equal words (i, j)."""
    n, m = len(reference), len(hypothesis)
    cost = np.zeros((n + 1, m + 1), dtype=np.int32)
    cost[:, 0] = np.arange(n + 1)
    cost[0] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            miss = int(reference[i - 1] != hypothesis[j - 1])
            cost[i, j] = min(cost[i - 1, j] + 1, cost[i, j - 1] + 1, cost[i - 1, j - 1] + miss)
    pairs = []
    i, j = n, m
    while i and j:
        if reference[i - 1] == hypothesis[j - 1] and cost[i, j] == cost[i - 1, j - 1]:
            pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif cost[i, j] == cost[i - 1, j - 1] + 1:
            i, j = i - 1, j - 1
        elif cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return int(cost[n, m]), pairs[::-1]


def wer(reference: str, hypothesis: str) -> tuple[int, int]:
    """(errors, reference words)."""
    words = normalise(reference)
    return edit_distance(words, normalise(hypothesis))[0], len(words)


def read_rttm(path: Path) -> list[Segment]:
    """(start, end, speaker) of an RTTM file."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("SPEAKER")]
    return [(float(r[3]), float(r[3]) + float(r[4]), r[7]) for r in rows]


@dataclass(frozen=True)
class Der:
    """Seconds of each kind of error, and of reference speech (speakers counted apart)."""

    missed: float
    false_alarm: float
    confusion: float
    total: float

    @property
    def rate(self) -> float:
        return (self.missed + self.false_alarm + self.confusion) / max(self.total, 1e-9)

    def __add__(self, other: Der) -> Der:
        return Der(
            self.missed + other.missed,
            self.false_alarm + other.false_alarm,
            self.confusion + other.confusion,
            self.total + other.total,
        )


def der(
    reference: list[Segment],
    hypothesis: list[Segment],
    collar: float = 0.0,
    end: float | None = None,
    step: float = 0.005,
) -> Der:
    """Diarization error with optimal speaker mapping, overlapped speech scored.

    Args:
        reference: (start, end, speaker), seconds.
        hypothesis: The same.
        collar: Seconds left out on either side of every reference border.
        end: Score up to here; default is the last border of either.
        step: Grid in seconds.
    """
    end = end or max([s[1] for s in (*reference, *hypothesis)], default=0.0)
    n = int(np.ceil(end / step)) + 1
    ref, hyp = _raster(reference, n, step), _raster(hypothesis, n, step)
    scored = np.ones(n, dtype=bool)
    if collar:
        for start, stop, _ in reference:
            for border in (start, stop):
                scored[
                    max(0, round((border - collar) / step)) : round((border + collar) / step)
                ] = False
    ref, hyp = ref[:, scored], hyp[:, scored]
    n_ref, n_hyp = ref.sum(axis=0), hyp.sum(axis=0)
    shared = ref.astype(np.int64) @ hyp.T.astype(np.int64)
    matched = best_assignment(shared)
    correct = sum(shared[i, j] for i, j in matched)
    missed = np.maximum(n_ref - n_hyp, 0).sum()
    false_alarm = np.maximum(n_hyp - n_ref, 0).sum()
    confusion = np.minimum(n_ref, n_hyp).sum() - correct
    return Der(missed * step, false_alarm * step, confusion * step, n_ref.sum() * step)


def _raster(segments: list[Segment], n: int, step: float) -> np.ndarray:
    names = sorted({s[2] for s in segments})
    grid = np.zeros((max(1, len(names)), n), dtype=bool)
    for start, end, name in segments:
        grid[names.index(name), round(start / step) : round(end / step)] = True
    return grid


def best_assignment(gain: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (row, column) of the largest total gain, by dynamic programming over row sets."""
    if gain.shape[0] > gain.shape[1]:
        return [(j, i) for i, j in best_assignment(gain.T)]
    best: dict[int, tuple[int, list[tuple[int, int]]]] = {0: (0, [])}
    for column in range(gain.shape[1]):
        grown = dict(best)
        for used, (score, pairs) in best.items():
            for row in range(gain.shape[0]):
                if not used >> row & 1 and gain[row, column]:
                    key, value = used | 1 << row, score + int(gain[row, column])
                    if key not in grown or grown[key][0] < value:
                        grown[key] = (value, [*pairs, (row, column)])
        best = grown
    return max(best.values(), key=lambda item: item[0])[1]


def ami_reference(stem: Path) -> dict:
    """Words (text, start, speaker in time order) and turns of an AMI clip."""
    return json.loads(stem.with_suffix(".json").read_text())
