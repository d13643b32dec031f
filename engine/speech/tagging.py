"""Labels for sounds from an audio-tagging model, where the user has installed one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio.decode import SAMPLE_RATE, chunks
from engine.progress import Report
from engine.speech.backend import physical_cores
from engine.types import Event
from engine.weights.catalogue import ModelSpec, catalogue
from engine.weights.locate import is_present, locate

CHUNK_SECONDS = 5.0
MIN_SCORE = 0.4
LABELS = {
    "Laughter": "laughter",
    "Giggle": "laughter",
    "Chuckle, chortle": "laughter",
    "Applause": "applause",
    "Clapping": "applause",
    "Music": "music",
    "Singing": "music",
}
"""AudioSet names we report, and what we call them."""


def installed_tagger() -> ModelSpec | None:
    """The first audio-tagging model of the catalogue that is on this machine."""
    for entry in catalogue():
        if entry.task == "audio tagging" and is_present(entry.id):
            return entry
    return None


def tag_events(timeline_path: Path, entry: ModelSpec, report: Report) -> list[Event]:
    """Run a tagging model over a recording.

    Args:
        timeline_path: FLAC written by ``engine.audio.decode``.
        entry: An installed tagging model.
        report: Called once per ``CHUNK_SECONDS``.

    Returns:
        Events ascending by start, neighbours with one label joined; the source is the model's id.

    Raises:
        AudioError: The timeline cannot be read.
        Cancelled: The user asked to stop.
    """
    tagger = _tagger(entry)
    found: list[Event] = []
    for event in _tagged(timeline_path, tagger, entry.id, report):
        same = next((e for e in reversed(found) if e.label == event.label), None)
        if same is not None and event.start - same.end < 0.01:
            found[found.index(same)] = Event(
                same.start, event.end, same.label, max(same.score, event.score), same.source
            )
        else:
            found.append(event)
    return found


def _tagged(path: Path, tagger: Any, source: str, report: Report) -> Iterator[Event]:
    """Events of each chunk."""
    for start, samples in chunks(path, CHUNK_SECONDS):
        report("find events", start, start + CHUNK_SECONDS)
        stream = tagger.create_stream()
        stream.accept_waveform(SAMPLE_RATE, np.ascontiguousarray(samples, dtype=np.float32))
        best: dict[str, float] = {}
        for tag in tagger.compute(stream):
            label = LABELS.get(tag.name)
            if label and tag.prob >= MIN_SCORE:
                best[label] = max(best.get(label, 0.0), float(tag.prob))
        for label, score in best.items():
            yield Event(start, start + len(samples) / SAMPLE_RATE, label, score, source)


def _tagger(entry: ModelSpec) -> Any:
    """Load the model."""
    import sherpa_onnx

    model = str(locate(entry.id))
    kind: dict[str, Any] = {"ced": model}
    if entry.kind == "sherpa-zipformer-tagging":
        kind = {
            "zipformer": sherpa_onnx.OfflineZipformerAudioTaggingModelConfig(model=model),
        }
    labels = next(o.name for o in entry.outputs if o.name.endswith(".csv"))
    return sherpa_onnx.AudioTagging(
        sherpa_onnx.AudioTaggingConfig(
            model=sherpa_onnx.AudioTaggingModelConfig(num_threads=physical_cores(), **kind),
            labels=str(locate(entry.id, labels)),
            top_k=10,
        )
    )
