"""Evidence of the ear: numbers measured on the recording itself for a moment asked about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.agent.evidence import Selection, as_evidence
from engine.agent.execute import Found
from engine.agent.session import Session
from engine.types import Evidence

LONGEST_LISTEN = 60.0
"""Seconds of a moment that are measured again at most."""


def measured(found: list[Found], session: Session) -> Selection:
    """Evidence of a moment with what the recording says about it, in order of time."""
    items = sorted(found, key=lambda item: item.row)
    strongest = max(found, key=lambda item: item.score).row
    evidence = [as_evidence(session.corpus, item) for item in items]
    place = next(i for i, item in enumerate(items) if item.row == strongest)
    evidence[place] = listened(evidence[place], session)
    session.note("note", {"audio_segment": evidence[place].note})
    return Selection(tuple(evidence), 0)


def listened(item: Evidence, session: Session) -> Evidence:
    """Measure the loudness of an utterance on the raw waveform, beside what is stored."""
    utterance = item.utterance
    acoustics = utterance.acoustics
    parts = [item.note] if item.note else []
    path = audio_path(item.meeting_id, session)
    if path is not None:
        from engine.audio.decode import read

        samples = read(path, utterance.start, min(utterance.end, utterance.start + LONGEST_LISTEN))
        if len(samples):
            level = 20 * float(np.log10(max(float(np.sqrt(np.mean(samples**2))), 1e-6)))
            parts.append(f"{level:.1f} dB measured on the recording")
    elif acoustics is not None:
        parts.append(f"{acoustics.loudness_db:.1f} dB")
    return replace(item, note=", ".join(parts))


def audio_path(meeting_id: str, session: Session) -> Path | None:
    """The recording of a meeting, None when there is only a transcript."""
    meeting = session.store.meeting(meeting_id)
    path = session.store.library_dir / "media" / meeting_id / "audio.flac"
    return path if meeting.has_audio and path.is_file() else None
