"""Voices that are known again: opt-in, suggested and never imposed, forgotten on request.

The voice of a speaker is what the present transcript says it is: exemplars are taken from the
utterances that are assigned to the speaker now, so that a rename, a reassigned utterance, a merge
or an undo corrects the remembered voice as well. Channels, overlaps and short remarks are left
out where there is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engine.audio.decode import read
from engine.graph.store import Store
from engine.graph.voices import Suggestion
from engine.speech import voiceprints
from engine.speech.embedding import DIM
from engine.types import FloatArray, Span, Utterance

MODEL_ID = "campplus"
N_STRETCHES = 8
"""How many utterances of a speaker are heard for its voice."""

LEAST_SECONDS = 1.5
MOST_SECONDS = 5.0
_MOST_OVERLAP = 0.1

EDITS = frozenset(
    [
        "rename_speaker",
        "merge_speakers",
        "reassign",
        "split_utterance",
        "merge_utterances",
        "undo",
        "redo",
    ]
)
"""Edits that may change whose voice is whose."""


class VoiceEmbedder(Protocol):
    """What turns sound into a voice, such as ``engine.speech.embedding.VoiceEmbedder``."""

    def embed(self, samples: FloatArray) -> FloatArray:
        """(samples,) float32 at 16 kHz to (192,) float32 of length 1, or zeros."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What the voice of a speaker would be taken from."""

    name: str
    is_named: bool
    spans: tuple[Span, ...]


def bases(store: Store, meeting_id: str) -> dict[int, Basis]:
    """Where each speaker of a meeting is heard best, by the speaker's key."""
    said: dict[int, list[Utterance]] = {}
    for utterance in store.utterances(meeting_id):
        if utterance.speaker_id is not None:
            said.setdefault(utterance.speaker_id, []).append(utterance)
    return {
        speaker.id: Basis(speaker.name, speaker.is_named, _best_stretches(said.get(speaker.id, [])))
        for speaker in store.speakers(meeting_id)
    }


def suggest(store: Store, meeting_id: str) -> list[Suggestion]:
    """The names suggested to unnamed speakers of a meeting, as they were found last."""
    return store.voice_suggestions(meeting_id)


def after_analysis(store: Store, meeting_id: str, embedder: VoiceEmbedder) -> list[Suggestion]:
    """Look for known voices in a meeting, and remember those that have a name in it.

    Returns:
        The suggestions, which are also saved.

    Raises:
        AudioError: The sound of the meeting is gone.
    """
    found = bases(store, meeting_id)
    timeline = _timeline(store, meeting_id)
    if timeline is None:
        return []
    named = {key for key, basis in found.items() if basis.is_named}
    _remember(store, timeline, found, named, embedder)
    known = store.voiceprints(MODEL_ID, without_meeting=meeting_id)
    present = {found[key].name for key in named}
    known = {name: rows for name, rows in known.items() if name not in present}
    strangers = {key: basis for key, basis in found.items() if key not in named} if known else {}
    voices = {
        key: rows
        for key, basis in strangers.items()
        if len(rows := _voice(timeline, basis.spans, embedder))
    }
    suggestions = [
        Suggestion(m.voice, m.name, round(m.score, 3), m.is_sure)
        for m in voiceprints.match(voices, known)
    ]
    store.save_voice_suggestions(meeting_id, suggestions)
    return suggestions


def after_edit(
    store: Store, meeting_id: str, before: dict[int, Basis], embedder: VoiceEmbedder
) -> None:
    """Bring remembered voices in line with what the user corrected.

    Args:
        store: Open for writing.
        meeting_id: Whose speakers were edited.
        before: ``bases`` from before the edit; only speakers that changed are heard again.
        embedder: Only used when one did.
    """
    present = bases(store, meeting_id)
    changed = {key for key, basis in present.items() if before.get(key) != basis}
    remembered = store.remembered_speakers(meeting_id)
    timeline = _timeline(store, meeting_id)
    if timeline is not None:
        named = {key for key in changed if present[key].is_named}
        _remember(store, timeline, present, named, embedder)
    for key in remembered:
        # A name that was taken back, or a speaker who says nothing any more.
        if key in changed and not present[key].is_named:
            store.save_voiceprints(key, MODEL_ID, np.zeros((0, DIM), np.float32))


def _remember(
    store: Store,
    timeline: Path,
    found: dict[int, Basis],
    keys: Iterable[int],
    embedder: VoiceEmbedder,
) -> None:
    """Replace the voiceprints of some speakers; a voice that does not hang together is left out."""
    for key in keys:
        store.save_voiceprints(key, MODEL_ID, _voice(timeline, found[key].spans, embedder))


def _voice(timeline: Path, spans: Sequence[Span], embedder: VoiceEmbedder) -> FloatArray:
    rows = [embedder.embed(read(timeline, span.start, span.end)) for span in spans]
    if not rows:
        return np.zeros((0, DIM), np.float32)
    return voiceprints.exemplars(np.stack(rows))


def _best_stretches(utterances: Sequence[Utterance]) -> tuple[Span, ...]:
    """The middles of the longest undisturbed utterances, spread over the meeting."""
    clear = [
        u
        for u in utterances
        if u.end - u.start >= LEAST_SECONDS
        and (u.acoustics is None or u.acoustics.overlap <= _MOST_OVERLAP)
    ]
    longest = sorted(clear, key=lambda u: u.start - u.end)[:N_STRETCHES]
    stretches = []
    for u in longest:
        spare = max(0.0, u.end - u.start - MOST_SECONDS) / 2
        stretches.append(Span(round(u.start + spare, 3), round(u.end - spare, 3)))
    return tuple(stretches)


def _timeline(store: Store, meeting_id: str) -> Path | None:
    """The decoded sound of a meeting, None for a transcript without any."""
    record = store.finished_stages(meeting_id).get("decode")
    details: dict[str, Any] = record.details if record else {}
    path = store.media_dir(meeting_id) / str(details.get("file", "audio.flac"))
    return path if path.is_file() else None
