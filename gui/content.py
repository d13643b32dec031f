"""Everything a meeting's pages show, read and prepared in the background in one go.

What takes time for a long meeting (grids, lengths, comparisons) is done here, so that the window
only has to put it on screen.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine import sealed
from engine.graph.store import Store
from engine.types import Event, Meeting, Note, Speaker, Topic, Utterance
from gui.tracks import Track

AUDIO_FILE = "audio.flac"
PEAKS_FILE = "peaks.npy"
_SAMPLE_SECONDS = (3.0, 12.0)
_SAMPLES_COMPARED = 8
_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Transcript:
    """Utterances with what a list of them needs to know at once.

    Attributes:
        starts: (n,) float64 seconds.
        lengths: (n,) float64 characters.
        is_turn: (n,) bool, the first of a speaker's row of utterances.
        changed: First and last index that differ from the read before, None when nothing does,
            (0, -1) when everything may.
    """

    utterances: list[Utterance]
    starts: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    is_turn: npt.NDArray[np.bool_]
    changed: tuple[int, int] | None = (0, -1)


@dataclass(frozen=True, slots=True)
class MeetingContent:
    """One consistent read of a meeting.

    Attributes:
        track: Sound and speakers on a grid of 20 ms.
        audio_path: The timeline, None without sound.
        samples: An utterance to know each voice by, by speaker id.
        suggestions: Names of known voices for speakers who have none, by speaker id.
    """

    meeting: Meeting
    transcript: Transcript
    track: Track
    speakers: tuple[Speaker, ...] = ()
    events: tuple[Event, ...] = ()
    topics: tuple[Topic, ...] = ()
    notes: tuple[Note, ...] = ()
    audio_path: Path | None = None
    colour_by_speaker: dict[int, int] = field(default_factory=dict)
    samples: dict[int, Utterance] = field(default_factory=dict)
    suggestions: dict[int, str] = field(default_factory=dict)

    @property
    def utterances(self) -> list[Utterance]:
        """The utterances in their order."""
        return self.transcript.utterances


def load(store: Store, ref: str, before: MeetingContent | None = None) -> MeetingContent:
    """Read all that is shown of a meeting, words and acoustics excepted.

    Args:
        store: Open for reading.
        ref: Id, unique prefix or title.
        before: An earlier read of the same meeting, to tell what changed.
    """
    meeting = store.meeting(ref)
    media = store.media_dir(meeting.id)
    speakers = tuple(store.speakers(meeting.id))
    colours = {speaker.id: speaker.colour for speaker in speakers}
    audio_path = media / AUDIO_FILE
    utterances = store.utterances(meeting.id, with_acoustics=False)
    transcript = _prepared(utterances)
    if before is not None:
        changed = difference(before.utterances, utterances)
        if before.colour_by_speaker != colours:
            changed = (0, -1)
        transcript = replace(transcript, changed=changed)
    return MeetingContent(
        meeting,
        transcript,
        Track(_peaks(media / PEAKS_FILE), meeting.duration, utterances, colours),
        speakers,
        tuple(store.events(meeting.id)),
        tuple(store.topics(meeting.id)),
        tuple(store.notes(meeting.id)),
        audio_path if audio_path.exists() else None,
        colours,
        voice_samples(store, meeting.id, utterances),
        {s.speaker_id: s.name for s in store.voice_suggestions(meeting.id)},
    )


def difference(old: Sequence[Utterance], new: Sequence[Utterance]) -> tuple[int, int] | None:
    """First and last index that differ; (0, -1) when the number of utterances does."""
    if len(old) != len(new):
        return 0, -1
    changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    return (changed[0], changed[-1]) if changed else None


def voice_samples(
    store: Store, meeting_id: str, utterances: Sequence[Utterance]
) -> dict[int, Utterance]:
    """For each speaker an utterance long enough to know the voice by, alone where possible."""
    least, most = _SAMPLE_SECONDS
    speakers = _speaker_ids(utterances)
    seconds = np.array([u.end - u.start for u in utterances], float)
    fitness = np.minimum(seconds, 2 * most - seconds) - 5 * (seconds < least)
    samples = {}
    for speaker in set(speakers.tolist()) - {_NOBODY}:
        rows = np.flatnonzero(speakers == speaker)
        rows = rows[np.argsort(-fitness[rows], kind="stable")][:_SAMPLES_COMPARED]
        spoken = [utterances[row] for row in rows.tolist()]
        places = [(meeting_id, utterance.index) for utterance in spoken]
        heard = store.utterances_at(places)
        overlaps = [a.overlap if (a := heard[place].acoustics) else 0.0 for place in places]
        samples[speaker] = spoken[int(np.argmax(fitness[rows] - 8 * np.array(overlaps)))]
    return samples


def _speaker_ids(utterances: Sequence[Utterance]) -> npt.NDArray[np.int_]:
    return np.array([_NOBODY if u.speaker_id is None else u.speaker_id for u in utterances], int)


def _prepared(utterances: list[Utterance]) -> Transcript:
    speakers = _speaker_ids(utterances)
    is_turn = np.ones(len(utterances), bool)
    is_turn[1:] = speakers[1:] != speakers[:-1]
    return Transcript(
        utterances,
        np.array([u.start for u in utterances], float),
        np.array([len(u.text) for u in utterances], float),
        is_turn,
    )


def _peaks(path: Path) -> npt.NDArray[np.float16] | None:
    """The kept peaks; they are a cache, so that an unreadable file is as good as none."""
    if path.exists():
        with contextlib.suppress(OSError, ValueError), sealed.open_file(path, "rb") as file:
            peaks: npt.NDArray[np.float16] = np.load(file, allow_pickle=False)
            return peaks
    return None
