"""From the activity of local speakers to the turns of people. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.speech.segmentation import FIRST_FRAME, FRAME_SECONDS, frame_times
from engine.speech.timetable import Timetable
from engine.speech.voices import Pieces
from engine.types import FloatArray, Turn

TURN_PAUSE = 1.5  # a speaker who pauses this long keeps the turn if nobody else speaks, seconds


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """How activity becomes turns.

    Attributes:
        onset: Mean activity above which a speaker begins, 0 to 1.
        offset: Below which the turn ends.
        min_on: Shorter turns are dropped, seconds.
        min_off: Shorter pauses of one speaker are filled, seconds.
        turn_pause: Longer ones too, up to here, when nobody else speaks in them, seconds.
    """

    onset: float = 0.5
    offset: float = 0.5
    min_on: float = 0.1
    min_off: float = 0.3
    turn_pause: float = TURN_PAUSE


def lay_out(pieces: Pieces, labels: npt.NDArray[np.int64]) -> FloatArray:
    """Average the activity of every person over the windows that see a moment.

    Returns:
        (people, frames) float32 mean activity, 0 to 1.
    """
    n_people = int(labels.max()) + 1
    n_frames = pieces.activity.shape[1]
    total = int(np.ceil(pieces.duration / FRAME_SECONDS)) + n_frames + 1
    activity = np.zeros((n_people, total), dtype=np.float32)
    weight = np.zeros(total, dtype=np.float32)
    shape = _trust(n_frames)
    for start in pieces.starts:
        first = round(float(start) / FRAME_SECONDS)
        weight[first : first + n_frames] += shape
    for piece, label in enumerate(labels):
        if label < 0:
            continue
        w, k = pieces.windows[piece], pieces.locals[piece]
        begin, end = pieces.frames[piece]
        first = round(float(pieces.starts[w]) / FRAME_SECONDS)
        line = pieces.activity[w, begin:end, k].astype(np.float32) / 255 * shape[begin:end]
        activity[label, first + begin : first + end] += line
    return (activity / np.maximum(weight, 1e-6)).astype(np.float32)


def to_turns(activity: FloatArray, duration: float, options: TurnOptions) -> list[Turn]:
    """Turn mean activity into turns with hysteresis.

    Args:
        activity: (people, frames) float32, 0 to 1.
        duration: Of the recording, seconds.
        options: Thresholds.

    Returns:
        Turns ascending by start.
    """
    turns: list[Turn] = []
    for person, line in enumerate(activity):
        for start, end in _join(_active(line, options), options.min_off):
            if end - start >= options.min_on:
                turns.append(Turn(max(0.0, start), min(duration, end), person))
    turns = [turn for turn in turns if turn.end > turn.start]
    return _keep_floor(sorted(turns, key=lambda t: (t.start, t.end)), options.turn_pause)


def _trust(n_frames: int) -> FloatArray:
    """Weight of each frame of a window: its ends see too little context."""
    ramp = np.minimum(frame_times(n_frames), frame_times(n_frames)[::-1])
    return np.asarray(np.clip(ramp / 2.0, 0.1, 1.0), dtype=np.float32)


def _active(line: FloatArray, options: TurnOptions) -> list[tuple[float, float]]:
    """(start, end) in seconds of each stretch above the thresholds."""
    low = line >= min(options.onset, options.offset)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], low.astype(np.int8), [0]])))
    shift = FIRST_FRAME - FRAME_SECONDS / 2
    return [
        (first * FRAME_SECONDS + shift, last * FRAME_SECONDS + shift)
        for first, last in edges.reshape(-1, 2)
        if line[first:last].max() >= options.onset
    ]


def _join(stretches: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Fill pauses shorter than ``gap`` seconds."""
    joined: list[tuple[float, float]] = []
    for start, end in stretches:
        if joined and start - joined[-1][1] < gap:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _keep_floor(turns: list[Turn], pause: float) -> list[Turn]:
    """Join turns of one speaker over a pause in which nobody else speaks."""
    timetable = Timetable(turns)
    kept: list[Turn] = []
    latest: dict[int, int] = {}
    for turn in turns:
        i = latest.get(turn.speaker)
        if i is not None and turn.start - kept[i].end < pause:
            others = timetable.between(kept[i].end, turn.start)
            if all(other.speaker == turn.speaker for other in others):
                kept[i] = Turn(kept[i].start, max(kept[i].end, turn.end), turn.speaker)
                continue
        latest[turn.speaker] = len(kept)
        kept.append(turn)
    return sorted(kept, key=lambda t: (t.start, t.end))
