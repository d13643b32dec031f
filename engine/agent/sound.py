"""Evidence of the ear: numbers measured on the recording itself for a moment asked about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.agent.evidence import Selection, as_evidence
from engine.agent.execute import Found
from engine.agent.session import Session
from engine.agent.times import clock
from engine.types_answer import Evidence

LONGEST_LISTEN = 60.0
"""Seconds of a moment that are measured again at most."""

SHORT = 4
"""An utterance that touches fewer seconds has no moments of its own."""

STANDS_OUT = 2.0
"""Robust standard deviations, the same as of the cues of whole utterances."""


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
    path = session.store.sound_of(item.meeting_id)
    if path is not None:
        from engine.audio.decode import read

        samples = read(path, utterance.start, min(utterance.end, utterance.start + LONGEST_LISTEN))
        if len(samples):
            level = 20 * float(np.log10(max(float(np.sqrt(np.mean(samples**2))), 1e-6)))
            parts.append(f"{level:.1f} dB measured on the recording")
    elif acoustics is not None:
        parts.append(f"{acoustics.loudness_db:.1f} dB")
    parts += standing_out(item, session)
    return replace(item, note=", ".join(parts))


def standing_out(item: Evidence, session: Session) -> list[str]:
    """The seconds inside an utterance at which its voice rose most, against its speaker's habit."""
    seconds = session.store.seconds(item.meeting_id)
    first, last = int(item.utterance.start), min(int(item.utterance.end) + 1, len(seconds))
    if last - first < SHORT:
        return []
    from engine.speech.seconds import relative

    shelf = next(s for s in session.corpus.shelves if s.meeting.id == item.meeting_id)
    against = relative(seconds, shelf.utterances)
    found = []
    for what, z in (("loudest", against.loudness_db), ("highest voice", against.pitch_hz)):
        place = first + int(np.argmax(z[first:last]))
        if z[place] >= STANDS_OUT:
            found.append(f"{what} at {clock(place)}, z {z[place]:+.1f}")
    return found
