"""How each second of a meeting sounded, and how that compares with its speaker's habit.

Utterances answer what was said how; seconds answer what happened inside one: where in a speech of
a minute the voice rose. They are measured whoever speaks; the comparison is made when it is asked
for, so that it follows later corrections of who spoke.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.speech.frames import Frames
from engine.speech.habit import SPREAD_FLOOR, Floats, relative_to_habit, semitones
from engine.speech.syllables import syllables
from engine.types import Turn, Utterance
from engine.types_seconds import Seconds

RATE_REACH = 1  # the rate of a second is that of the three around it: one holds too few syllables
LEAST_SPOKEN = 0.3  # seconds of words from which there is a rate
_GRID = 100  # marks of activity per second


def per_second(frames: Frames, utterances: Sequence[Utterance], turns: Sequence[Turn]) -> Seconds:
    """Measure every second.

    Args:
        frames: Of the whole timeline.
        utterances: Ascending by start; their words tell the rate.
        turns: Diarization, may overlap; they tell pause and overlap.
    """
    n = int(np.ceil(round(frames.duration, 6)))
    parts = [frames.between(i, i + 1) for i in range(n)]
    voices = _voices(turns, n)
    return Seconds(
        np.array([part.loudness_db() for part in parts], dtype=np.float32),
        np.array([part.median_pitch() or np.nan for part in parts], dtype=np.float32),
        _rate(utterances, n).astype(np.float32),
        np.mean(voices == 0, axis=1).astype(np.float32),
        np.mean(voices > 1, axis=1).astype(np.float32),
    )


def relative(seconds: Seconds, utterances: Sequence[Utterance]) -> Seconds:
    """Compare each second with what is usual for who speaks in it.

    Args:
        seconds: As measured.
        utterances: As they are now.

    Returns:
        Loudness, pitch and rate in robust standard deviations from the speaker's median; pause
        and overlap as difference from the speaker's mean share; 0 where nobody speaks.
    """
    speakers = speakers_of(utterances, len(seconds))
    is_spoken = speakers >= 0
    owners = speakers.tolist()

    def z(values: Floats, measure: str) -> npt.NDArray[np.float32]:
        spoken = np.where(is_spoken, values, np.nan)
        return relative_to_habit(spoken, owners, SPREAD_FLOOR[measure])[1].astype(np.float32)

    def over(share: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found = np.zeros_like(share)
        for speaker in np.unique(speakers[is_spoken]):
            mine = speakers == speaker
            found[mine] = share[mine] - share[mine].mean()
        return found

    return Seconds(
        z(seconds.loudness_db.astype(np.float64), "loudness"),
        z(semitones(seconds.pitch_hz.astype(np.float64)), "semitones"),
        z(np.log(seconds.rate.astype(np.float64)), "log_rate"),
        over(seconds.pause),
        over(seconds.overlap),
    )


def speakers_of(utterances: Sequence[Utterance], n: int) -> npt.NDArray[np.int64]:
    """Who fills most of each of ``n`` seconds: (n,) speaker ids, -1 for nobody known."""
    longest, owner = np.zeros(n), np.full(n, -1, dtype=np.int64)
    for utterance in utterances:
        if utterance.speaker_id is None:
            continue
        for second, share in _shares(utterance.start, utterance.end, n):
            if share > longest[second]:
                longest[second], owner[second] = share, utterance.speaker_id
    return owner


def _shares(start: float, end: float, n: int) -> list[tuple[int, float]]:
    """(second, how much of it) for each second that [start, end] touches."""
    first, last = max(0, int(start)), min(n - 1, int(end))
    return [(i, min(end, i + 1) - max(start, i)) for i in range(first, last + 1)]


def _rate(utterances: Sequence[Utterance], n: int) -> Floats:
    """Syllables per second of speech in the three seconds around each; see ``syllables``."""
    spoken, uttered = np.zeros(n + 2), np.zeros(n + 2)
    for utterance in utterances:
        for word in utterance.words:
            length = max(word.end - word.start, 0.05)
            per_second = syllables(word.text) / length
            for second, share in _shares(word.start, word.start + length, n):
                uttered[second + 1] += per_second * share
                spoken[second + 1] += share
    around = np.ones(2 * RATE_REACH + 1)
    sums, times = (np.convolve(values, around, mode="same")[1:-1] for values in (uttered, spoken))
    has_words = spoken[1:-1] >= LEAST_SPOKEN
    return np.where(has_words, sums / np.maximum(times, LEAST_SPOKEN), np.nan)


def _voices(turns: Sequence[Turn], n: int) -> npt.NDArray[np.int16]:
    """(n, 100) how many people speak at each hundredth."""
    count = np.zeros(n * _GRID, dtype=np.int16)
    for speaker in {turn.speaker for turn in turns}:
        is_active = np.zeros(n * _GRID, dtype=bool)
        for turn in turns:
            if turn.speaker == speaker:
                first, last = (max(0, round(at * _GRID)) for at in (turn.start, turn.end))
                is_active[first:last] = True
        count += is_active
    return count.reshape(n, _GRID)
