"""How each utterance sounded: loudness, pitch, rate, pause, overlap, and what stands out.

Everything is measured from the waveform between the utterance's own times and compared with the
same speaker's habit, so that "suddenly loud" is a number. No emotion is inferred here.

Cues and their thresholds (z: standard deviations from the speaker's own median, robust):

============  ==================================================================================
loud          loudness z >= 2 and at least 5 dB above the speaker's median
quiet         loudness z <= -2 and at least 5 dB below
raised        pitch z >= 2 and at least 3 semitones above
fast          syllables per second of speech (pauses left out): z >= 2 and 1.35 times the
              speaker's median or more (4 words or more, not where voices overlap); chosen on
              tests/benchmarks/hearing_cues.py, where sentences spoken at 0.6 of their time read
              1.39 or more and others 1.25 or less
slow          the same with z <= -2 and 0.65 times or less
overlap       another voice for at least 0.3 s and 15 % of the utterance, or 1 s
interruption  it begins while another speaker talks, who stops within 1.5 s, and it goes on
long_pause    at least 2.5 s of silence before it
============  ==================================================================================

Loud, quiet, raised, fast and slow also hold when a single sentence of the utterance sounds so.

A baseline needs ``habit.MIN_BASELINE`` utterances of the speaker; with fewer, the meeting's own
median over all speakers is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.progress import Report
from engine.speech.frames import Frames, measure_frames
from engine.speech.habit import SPREAD_FLOOR, relative_to_habit, semitones
from engine.speech.merge import SENTENCE_END
from engine.speech.seconds import per_second
from engine.speech.syllables import syllables
from engine.speech.timetable import Timetable
from engine.types import Acoustics, Cue, Turn, Utterance, Word
from engine.types_seconds import Seconds

LOUD_Z, LOUD_DB = 2.0, 5.0
RAISED_Z, RAISED_SEMITONES = 2.0, 3.0
RATE_Z, FAST_RATIO, SLOW_RATIO, RATE_WORDS = 2.0, 1.35, 0.65, 4
OVERLAP_SECONDS, OVERLAP_SHARE, OVERLAP_LONG = 0.3, 0.15, 1.0
FLOOR_TAKEN_SECONDS = 1.5
LONG_PAUSE_SECONDS = 2.5
WORD_ERROR = 0.1  # the first and last word of a sentence may begin or end this much off, seconds
SENTENCE_SECONDS = 1.5  # shorter sentences say too little about the manner
MANNERS = frozenset((Cue.LOUD, Cue.QUIET, Cue.RAISED, Cue.FAST, Cue.SLOW))


@dataclass(frozen=True, slots=True)
class Sound:
    """How a meeting sounded.

    Attributes:
        utterances: One value per utterance, in their order.
        seconds: One value per second of the timeline.
    """

    utterances: list[Acoustics]
    seconds: Seconds


@dataclass(frozen=True, slots=True)
class _Raw:
    """What is measured of one utterance before it is compared with others."""

    loudness_db: float
    pitch_hz: float | None
    rate: float
    syllable_rate: float
    pause_before: float
    overlap_seconds: float
    overlap: float
    is_interruption: bool


def measure(
    timeline_path: Path, utterances: Sequence[Utterance], turns: Sequence[Turn], report: Report
) -> Sound:
    """Measure every utterance and every second, utterances compared with their speaker's habit.

    Args:
        timeline_path: FLAC written by ``engine.audio.decode``.
        utterances: Ascending by start, seconds; words are used for the rate where present.
        turns: Diarization, may overlap; they tell overlap, pause and interruption.
        report: Called about once per 30 s of audio.

    Raises:
        AudioError: The timeline cannot be read.
        Cancelled: The user asked to stop.

    Source:
        Levels as in ITU-T P.56 in spirit (active frames only); robust z by median and MAD.
    """
    frames = measure_frames(timeline_path, utterances, report)
    timetable = Timetable(turns)
    whole: list[_Raw] = []
    pieces: list[Utterance] = []
    raws: list[_Raw] = []
    last_end = 0.0
    for i, utterance in enumerate(utterances):
        nearby = timetable.between(utterance.start, utterance.end)
        whole.append(_measure_one(utterance, frames, nearby, last_end))
        own = sentences(replace(utterance, index=i))
        for sentence in own if len(own) > 1 else []:
            pieces.append(sentence)
            raws.append(_measure_one(sentence, frames, (), sentence.start))
        last_end = max(last_end, utterance.end)
    found = _compare([*utterances, *pieces], [*whole, *raws])
    manners = _with_manners(found[: len(utterances)], pieces, found[len(utterances) :])
    return Sound(manners, per_second(frames, utterances, turns))


def sentences(utterance: Utterance) -> list[Utterance]:
    """An utterance as the sentences it consists of, short ones joined to the one before.

    Somebody may say one sentence loud and the next one not, without a pause; measured together
    they would sound like neither.
    """
    parts: list[list[Word]] = [[]]
    for word in utterance.words:
        held = parts[-1]
        is_whole = bool(held) and held[-1].text.endswith(SENTENCE_END)
        if is_whole and held[-1].end - held[0].start >= SENTENCE_SECONDS:
            parts.append([])
        parts[-1].append(word)
    if len(parts) > 1 and parts[-1][-1].end - parts[-1][0].start < SENTENCE_SECONDS:
        last = parts.pop()
        parts[-1] += last
    return [
        replace(
            utterance,
            start=part[0].start,
            end=max(word.end for word in part),
            text=" ".join(word.text for word in part),
            words=tuple(part),
        )
        for part in parts
        if part
    ]


def _with_manners(
    found: list[Acoustics], pieces: Sequence[Utterance], measured: Sequence[Acoustics]
) -> list[Acoustics]:
    """Give each utterance (by index) also the manner of its single sentences."""
    cues: dict[int, set[Cue]] = {}
    for piece, sound in zip(pieces, measured, strict=True):
        cues.setdefault(piece.index, set()).update(MANNERS.intersection(sound.cues))
    both = []
    for i, sound in enumerate(found):
        own = cues.get(i, set()).union(sound.cues)
        # Where two talk at once, words of the other may count as its own and look like haste.
        own -= {Cue.FAST, Cue.SLOW} if Cue.OVERLAP in own else set()
        both.append(replace(sound, cues=tuple(cue for cue in Cue if cue in own)))
    return both


def _measure_one(
    utterance: Utterance, frames: Frames, turns: Sequence[Turn], last_end: float
) -> _Raw:
    words = utterance.words
    texts = [word.text for word in words] or utterance.text.split()
    duration = max(utterance.end - utterance.start, 0.1)
    around = frames.between(utterance.start - WORD_ERROR, utterance.end + WORD_ERROR)
    seconds = max(around.speech_seconds(), 0.2)
    overlap_seconds = _overlap(utterance, turns)
    sound = frames.between(utterance.start, utterance.end)
    return _Raw(
        loudness_db=sound.loudness_db(),
        pitch_hz=sound.median_pitch(),
        rate=len(texts) / seconds,
        syllable_rate=sum(map(syllables, texts)) / seconds,
        pause_before=max(0.0, utterance.start - last_end),
        overlap_seconds=overlap_seconds,
        overlap=min(1.0, overlap_seconds / duration),
        is_interruption=_interrupts(utterance, turns),
    )


def _others(utterance: Utterance, turns: Sequence[Turn]) -> list[Turn]:
    """Those of the turns that are not its own speaker's."""
    return [turn for turn in turns if turn.speaker != utterance.speaker_id]


def _overlap(utterance: Utterance, turns: Sequence[Turn]) -> float:
    """Seconds in which its own speaker and another are both active."""
    own = [turn for turn in turns if turn.speaker == utterance.speaker_id]
    marks = np.zeros((2, max(1, int((utterance.end - utterance.start) * 100))), dtype=bool)
    for row, group in ((0, own), (1, _others(utterance, turns))):
        for turn in group:
            first = max(0, int((turn.start - utterance.start) * 100))
            marks[row, first : max(0, int((turn.end - utterance.start) * 100))] = True
    return float(np.sum(marks[0] & marks[1])) / 100


def _interrupts(utterance: Utterance, turns: Sequence[Turn]) -> bool:
    """It begins inside another's turn, that one soon stops, and it goes on."""
    for turn in _others(utterance, turns):
        is_inside = turn.start < utterance.start - 0.3 and turn.end > utterance.start + 0.15
        gives_way = turn.end < utterance.start + FLOOR_TAKEN_SECONDS
        if is_inside and gives_way and utterance.end > turn.end + 0.5:
            return True
    return False


def _compare(utterances: Sequence[Utterance], raws: Sequence[_Raw]) -> list[Acoustics]:
    """Turn raw measures into values relative to each speaker's habit."""
    loudness = np.array([raw.loudness_db for raw in raws])
    pitch = semitones(np.array([raw.pitch_hz or np.nan for raw in raws], dtype=np.float64))
    log_rate = np.array(
        [
            np.log(raw.syllable_rate) if len(u.text.split()) >= RATE_WORDS else np.nan
            for u, raw in zip(utterances, raws, strict=True)
        ]
    )
    speakers = [utterance.speaker_id for utterance in utterances]
    lines = {
        name: relative_to_habit(values, speakers, SPREAD_FLOOR[name])
        for name, values in (
            ("loudness", loudness),
            ("semitones", pitch),
            ("log_rate", log_rate),
        )
    }
    found = []
    for i, raw in enumerate(raws):
        relative = {name: (float(off[i]), float(z[i])) for name, (off, z) in lines.items()}
        found.append(
            Acoustics(
                loudness_db=round(raw.loudness_db, 2),
                loudness_z=round(relative["loudness"][1], 2),
                pitch_hz=round(raw.pitch_hz, 1) if raw.pitch_hz else None,
                pitch_z=round(relative["semitones"][1], 2),
                rate=round(raw.rate, 2),
                rate_z=round(relative["log_rate"][1], 2),
                pause_before=round(raw.pause_before, 2),
                overlap=round(raw.overlap, 3),
                is_interruption=raw.is_interruption,
                cues=_cues(raw, relative, is_first=i == 0),
            )
        )
    return found


def _cues(
    raw: _Raw, relative: dict[str, tuple[float, float]], *, is_first: bool
) -> tuple[Cue, ...]:
    """The labels that follow from the numbers; thresholds as in the module docstring."""
    decibels, loudness_z = relative["loudness"]
    interval, pitch_z = relative["semitones"]
    log_ratio, rate_z = relative["log_rate"]
    is_overlap = raw.overlap_seconds >= OVERLAP_LONG or (
        raw.overlap_seconds >= OVERLAP_SECONDS and raw.overlap >= OVERLAP_SHARE
    )
    checks = {
        Cue.LOUD: loudness_z >= LOUD_Z and decibels >= LOUD_DB,
        Cue.QUIET: loudness_z <= -LOUD_Z and decibels <= -LOUD_DB,
        Cue.RAISED: pitch_z >= RAISED_Z and interval >= RAISED_SEMITONES,
        Cue.FAST: rate_z >= RATE_Z and log_ratio >= np.log(FAST_RATIO),
        Cue.SLOW: rate_z <= -RATE_Z and log_ratio <= np.log(SLOW_RATIO),
        Cue.OVERLAP: is_overlap,
        Cue.INTERRUPTION: raw.is_interruption,
        Cue.LONG_PAUSE: raw.pause_before >= LONG_PAUSE_SECONDS and not is_first,
    }
    return tuple(cue for cue, holds in checks.items() if holds)
