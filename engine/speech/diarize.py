"""Who spoke when: local speakers of overlapping windows, grouped by voice, laid on one timeline.

What the models say is kept in ``voices.npz`` beside the timeline, so that another number of
speakers takes seconds and no new inference. sherpa-onnx's own pipeline is not used: it holds the
interpreter for its whole run and its counts are worse (tests/benchmarks/hearing.py compares).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.audio.decode import Timeline
from engine.progress import Report
from engine.speech.channel_speech import channel_spans
from engine.speech.clustering import ClusterOptions, VoicePieces, centroids, cluster
from engine.speech.embedding import DIM
from engine.speech.segmentation import N_LOCAL
from engine.speech.turns import TurnOptions, lay_out, to_turns
from engine.speech.voices import Pieces, find_pieces, load_pieces, save_pieces, simultaneous
from engine.types import FloatArray, Span, Turn

PIECES_NAME = "voices.npz"


@dataclass(frozen=True, slots=True)
class Diarization:
    """Who spoke when.

    Attributes:
        turns: Ascending by start; overlapping where voices do.
        centroids: (n_speakers, 192) float32 unit rows, the voice of each speaker.
        n_speakers: How many people were heard.
        confidence: 0 to 1, how clearly the voices differ; low means the count is a guess.
    """

    turns: tuple[Turn, ...]
    centroids: FloatArray
    n_speakers: int
    confidence: float = 1.0


def diarize(
    timeline: Timeline, spans: Sequence[Span], n_speakers: int, report: Report
) -> Diarization:
    """Tell speakers apart.

    Channels with voices of their own are taken as speakers. Otherwise the models run once and
    their findings are kept; a second call with another count reuses them.

    Args:
        timeline: The decoded recording.
        spans: Speech, disjoint and ascending, seconds.
        n_speakers: 0 to estimate.
        report: Progress; checked about once per 20 s of audio.

    Returns:
        Turns with speakers numbered by first appearance.

    Raises:
        ModelMissing: Segmentation or embedding weights are not on this machine.
        AudioError: The timeline cannot be read.
        Cancelled: The user asked to stop.
    """
    if not spans:
        return Diarization((), np.zeros((0, DIM), dtype=np.float32), 0)
    if timeline.channel_paths and n_speakers in (0, len(timeline.channel_paths)):
        return _by_channel(timeline, report)
    key = _key(timeline, spans)
    path = timeline.path.parent / PIECES_NAME
    pieces = load_pieces(path)
    if pieces is None or pieces.key != key:
        pieces = find_pieces(timeline.path, spans, key, report)
        save_pieces(path, pieces)
    return recluster(pieces, n_speakers)


def recluster(
    pieces: Pieces,
    n_speakers: int,
    options: ClusterOptions | None = None,
    turn_options: TurnOptions | None = None,
) -> Diarization:
    """Decide who is who from kept findings; takes seconds for hours.

    Args:
        pieces: From ``find_pieces``.
        n_speakers: 0 to estimate.
        options: Clustering thresholds, None for the defaults.
        turn_options: Thresholds of the turns, None for the defaults.
    """
    voices = VoicePieces(
        pieces.embeddings,
        pieces.windows * N_LOCAL + pieces.locals,
        pieces.clean,
        pieces.used,
        simultaneous(pieces),
    )
    labels = cluster(voices, n_speakers, options or ClusterOptions())
    if not (labels >= 0).any():
        return Diarization((), np.zeros((0, DIM), dtype=np.float32), 0)
    activity = lay_out(pieces, labels)
    turns = to_turns(activity, pieces.duration, turn_options or TurnOptions())
    return _numbered(turns, pieces, labels)


def _numbered(turns: list[Turn], pieces: Pieces, labels: npt.NDArray[np.int64]) -> Diarization:
    """Number speakers by first appearance and describe their voices."""
    order = list(dict.fromkeys(turn.speaker for turn in turns))
    rank = {person: i for i, person in enumerate(order)}
    known = np.array([rank.get(int(label), -1) for label in labels])
    used = known >= 0
    centres = centroids(pieces.embeddings[used], np.maximum(pieces.clean[used], 0.05), known[used])
    renamed = tuple(Turn(turn.start, turn.end, rank[turn.speaker]) for turn in turns)
    return Diarization(renamed, centres, len(order), _confidence(centres))


def _confidence(centres: FloatArray) -> float:
    """1 when all voices are far apart, 0 when two of them could be one person."""
    if len(centres) < 2:
        return 1.0
    similarity = centres @ centres.T
    closest = float(similarity[~np.eye(len(centres), dtype=bool)].max())
    return float(np.clip((0.6 - closest) / 0.3, 0.0, 1.0))


def _by_channel(timeline: Timeline, report: Report) -> Diarization:
    """One speaker per channel: its own speech."""
    found = [
        Turn(span.start, span.end, channel)
        for channel, spans in enumerate(channel_spans(timeline.channel_paths, report))
        for span in spans
    ]
    found.sort(key=lambda turn: (turn.start, turn.end))
    order = list(dict.fromkeys(turn.speaker for turn in found))
    turns = tuple(Turn(t.start, t.end, order.index(t.speaker)) for t in found)
    return Diarization(turns, np.zeros((len(order), DIM), dtype=np.float32), len(order))


def _key(timeline: Timeline, spans: Sequence[Span]) -> str:
    """Fingerprint of what the findings depend on."""
    text = ";".join(f"{span.start:.2f}-{span.end:.2f}" for span in spans)
    digest = hashlib.sha256(f"{timeline.duration:.3f}|{text}".encode())
    return digest.hexdigest()
