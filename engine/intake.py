"""Bringing a transcript into the library, with or without the sound it belongs to."""

from __future__ import annotations

from pathlib import Path

from engine.audio import decode as audio
from engine.embed import Embedder
from engine.errors import Cancelled, EngineError
from engine.graph.build import build_graph
from engine.graph.store import Store
from engine.pipeline import Stage, peak_memory_mb
from engine.progress import Report
from engine.speech import acoustics
from engine.transcripts import read_transcript
from engine.types import Meeting, StageRecord, Turn


def import_transcript(
    path: Path,
    audio_path: Path | None,
    title: str,
    store: Store,
    embedder: Embedder,
    report: Report,
) -> Meeting:
    """Add a transcript as a meeting; its sound is measured when there is any.

    Args:
        path: JSON, WebVTT or SubRip.
        audio_path: The recording the times refer to, or None.
        title: Shown to the user; empty for the file's name.
        store: Open for writing.
        embedder: For the index.
        report: Progress.

    Returns:
        The complete meeting.

    Raises:
        TranscriptError: The file is not a transcript.
        AudioError: The recording cannot be read. In both cases nothing is kept.
        Cancelled: The user stopped it; nothing is kept.
    """
    utterances = read_transcript(path)
    meeting = store.create_meeting(title or path.stem, path.name, has_audio=audio_path is not None)
    try:
        store.save_utterances(meeting.id, utterances)
        duration = max((utterance.end for utterance in utterances), default=0.0)
        if audio_path is not None:
            duration = _measure_sound(store, meeting.id, audio_path, report.part(0.0, 0.6))
        store.update_meeting(meeting.id, duration=duration)
        build_graph(store, meeting.id, embedder, report.part(0.6, 1.0))
        store.record_stage(meeting.id, StageRecord(Stage.INDEX, 0.0, peak_memory_mb()))
        return store.update_meeting(meeting.id, is_complete=True)
    except (EngineError, Cancelled):
        store.delete_meeting(meeting.id)
        raise


def _measure_sound(store: Store, meeting_id: str, audio_path: Path, report: Report) -> float:
    """Decode the recording, measure every utterance in it, and return its duration."""
    timeline = audio.decode(audio_path, store.media_dir(meeting_id), "mix", report.part(0, 0.5))
    utterances = store.utterances(meeting_id)
    turns = [Turn(u.start, u.end, u.speaker_id or 0) for u in utterances]
    measured = acoustics.measure(timeline.path, utterances, turns, report.part(0.5, 1))
    store.save_acoustics(meeting_id, measured.utterances)
    store.save_seconds(meeting_id, measured.seconds)
    return timeline.duration
