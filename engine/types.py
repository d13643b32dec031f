"""The nouns of Earwitness: frozen values that cross every border.

All times are float seconds from the start of the recording. Indices of utterances are
positions in their meeting (0, 1, 2, ...) in ascending order of ``start``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time."""

    start: float
    end: float

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Word:
    """One recognised word.

    Attributes:
        start: Seconds.
        end: Seconds, not before ``start``.
        text: As written, with its punctuation and no surrounding blanks.
        probability: The recogniser's own, 0 to 1; low where a second recogniser heard otherwise.
        channel: Number of the channel it was heard in, where each voice has one of its own.
    """

    start: float
    end: float
    text: str
    probability: float = 1.0
    channel: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One speaker's stretch of speech as diarization finds it; turns may overlap."""

    start: float
    end: float
    speaker: int


class Cue(StrEnum):
    """What an ear would notice about an utterance, measured against its speaker's own habit."""

    LOUD = "loud"
    QUIET = "quiet"
    RAISED = "raised"
    FAST = "fast"
    SLOW = "slow"
    OVERLAP = "overlap"
    INTERRUPTION = "interruption"
    LONG_PAUSE = "long_pause"


@dataclass(frozen=True, slots=True)
class Acoustics:
    """How an utterance sounded.

    Attributes:
        loudness_db: RMS level of its speech, dB full scale.
        loudness_z: The same in standard deviations from the speaker's own mean.
        pitch_hz: Median fundamental frequency, or None where nothing is voiced.
        pitch_z: In standard deviations (of semitones) from the speaker's own mean.
        rate: Words per second.
        rate_z: In standard deviations from the speaker's own mean.
        pause_before: Silence before it in seconds, 0 where another voice runs into it.
        overlap: Share of its time in which somebody else speaks too, 0 to 1.
        is_interruption: It starts while another speaker is talking and takes the floor.
        cues: The labels that follow from these numbers, see ``engine.speech.acoustics``.
    """

    loudness_db: float
    loudness_z: float = 0.0
    pitch_hz: float | None = None
    pitch_z: float = 0.0
    rate: float = 0.0
    rate_z: float = 0.0
    pause_before: float = 0.0
    overlap: float = 0.0
    is_interruption: bool = False
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """A sound that is not speech, or a gap worth showing.

    Attributes:
        start: Seconds.
        end: Seconds.
        label: ``laughter, applause, music, noise, silence`` or ``unheard`` (speech without words).
        score: 0 to 1.
        source: What found it: ``whisper``, ``signal`` or the id of a tagging model.
    """

    start: float
    end: float
    label: str
    score: float = 1.0
    source: str = "signal"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One speaker's connected words: a node of the meeting graph.

    Attributes:
        index: Position in the meeting.
        start: Seconds.
        end: Seconds.
        speaker: Name shown to the user, current after every rename; "" when unknown.
        text: As shown, with the user's edits.
        speaker_id: Key in the store's ``speakers``, or None when unknown.
        words: Empty for imported transcripts.
        acoustics: None where there is no sound.
        is_edited: The user changed the text.
    """

    index: int
    start: float
    end: float
    speaker: str
    text: str
    speaker_id: int | None = None
    words: tuple[Word, ...] = ()
    acoustics: Acoustics | None = None
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody heard in one meeting."""

    id: int
    name: str
    colour: int
    seconds: float = 0.0
    n_utterances: int = 0
    is_named: bool = False


class Relation(StrEnum):
    """The five edge kinds of the meeting graph (GRGA, section 3.2)."""

    TEMPORAL = "temporal"
    REPLY_TO = "reply_to"
    SAME_SPEAKER = "same_speaker"
    ENTITY = "entity"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed link between two utterances of one meeting, by their indices."""

    source: int
    target: int
    relation: Relation
    weight: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting of the library.

    Attributes:
        id: Stable, short, safe as a folder name.
        title: Shown to the user.
        source_name: File name it came from.
        created: ISO 8601, when it entered the library.
        duration: Seconds of the timeline.
        language: ISO 639-1 code or "".
        has_audio: False for a transcript imported alone.
        is_complete: Every stage of the analysis is finished.
        n_utterances: Count.
        n_speakers: Count.
        coverage: Seconds of speech with words / seconds of speech, 0 to 1, None if not measured.
        tags: The user's.
    """

    id: str
    title: str
    source_name: str
    created: str
    duration: float = 0.0
    language: str = ""
    has_audio: bool = True
    is_complete: bool = False
    n_utterances: int = 0
    n_speakers: int = 0
    coverage: float | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One finished stage of an analysis."""

    stage: str
    seconds: float
    peak_memory_mb: float = 0.0
    details: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One utterance found by a search over the library."""

    meeting_id: str
    meeting_title: str
    utterance: Utterance
    score: float


@dataclass(frozen=True, slots=True)
class DeleteReceipt:
    """What deleting a meeting removed: rows per table, files and bytes."""

    meeting_id: str
    title: str
    rows: dict[str, int]
    n_files: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A stretch of the meeting about one thing."""

    title: str
    start: float
    end: float
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something written about a meeting, by enrichment or by the user.

    Attributes:
        kind: ``decision, action, summary, profile, bookmark`` or ``note``.
        text: What it says.
        start: Seconds, the moment it belongs to.
        end: Seconds.
        owner: Who promised it, or whose profile it is.
        due: As it was said.
        utterances: Indices of the utterances it rests on, current after every change.
        source: What wrote it: ``user`` or a model id.
        id: Key in the store, 0 before it is saved.
        is_edited: The user changed it, so that a new enrichment keeps it.
    """

    kind: str
    text: str
    start: float = 0.0
    end: float = 0.0
    owner: str = ""
    due: str = ""
    utterances: tuple[int, ...] = ()
    source: str = ""
    id: int = 0
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier transcript of a meeting, kept when it was heard again."""

    id: int
    created: str
    label: str
    n_utterances: int


@dataclass(frozen=True, slots=True)
class LiveUtterance:
    """A line of the transcript while a meeting is being recorded.

    Attributes:
        key: A later line with the same key replaces this one.
        start: Recorded seconds.
        end: Seconds.
        track: Number of the track it was heard on, from 0.
        speaker: ``Speaker 1``..., a first guess; "" while it is not clear.
        text: What was heard so far; empty takes the line back.
        is_final: It does not change any more until the full analysis replaces it.
    """

    key: int
    start: float
    end: float
    track: int
    speaker: str
    text: str
    is_final: bool
