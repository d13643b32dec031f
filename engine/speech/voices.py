"""What the speaker models hear: pieces of local speakers with their voices, kept on disk.

The models run here and nowhere else; deciding who is who is ``engine.speech.diarize``.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine import sealed
from engine.audio.decode import SAMPLE_RATE
from engine.progress import Report
from engine.speech.backend import physical_cores
from engine.speech.embedding import DIM, VoiceEmbedder
from engine.speech.segmentation import (
    FIRST_FRAME,
    FRAME_SECONDS,
    N_LOCAL,
    Segmenter,
    window_samples,
)
from engine.types import FloatArray, Span

FORMAT = 2
_SCALARS = ("format", "key", "duration")
MAX_PIECE = 3.0  # a longer stretch of one local speaker may hide a change of voice, so it is cut
PIECE = 2.0  # ... into parts of about this many seconds
# Windows overlap; a piece whose borders differ by no more (seconds) is the same sound and is not
# embedded again. 0.05 to 0.2 leave the diarization error as it is, 0.2 saves a fifth of the work.
SAME_PIECE = 0.2
SPLIT_PAUSE = 0.2  # a pause this long may be a change of voice too
RIVAL_SECONDS = 0.2  # two pieces with this much in common are two people
ACTIVE = 127  # of 255
MOST_WAITING = 16  # pieces whose voice is not computed yet
MIN_HEARD = 0.3  # shorter stretches have no voice of their own, seconds


@dataclass(frozen=True, slots=True)
class Pieces:
    """What the models found, before anybody decides who is who.

    Attributes:
        key: Fingerprint of the timeline and the speech it was made from.
        duration: Of the recording, seconds.
        starts: (windows,) float64, seconds.
        activity: (windows, frames, 3) uint8, probability times 255.
        windows: (pieces,) int64, window of each piece.
        locals: (pieces,) int64, local speaker 0..2.
        frames: (pieces, 2) int64, first and end frame of the piece in its window.
        clean: (pieces,) float32, seconds without overlap.
        used: (pieces,) float32, seconds behind the embedding.
        embeddings: (pieces, 192) float32, unit rows, zero where there is too little sound.
    """

    key: str
    duration: float
    starts: npt.NDArray[np.float64]
    activity: npt.NDArray[np.uint8]
    windows: npt.NDArray[np.int64]
    locals: npt.NDArray[np.int64]
    frames: npt.NDArray[np.int64]
    clean: FloatArray
    used: FloatArray
    embeddings: FloatArray


def find_pieces(path: Path, spans: Sequence[Span], key: str, report: Report) -> Pieces:
    """Run segmentation and voice embedding over a timeline; see ``diarize``."""
    segmenter, embedder = _models()
    segmented = segmenter.run(path, spans, report.part(0.0, 0.5))
    rest = report.part(0.5, 1.0)
    rows: list[_Row] = []
    earlier: list[_Row] = []
    n_done = 0
    with ThreadPoolExecutor(embedder.threads) as pool:

        def describe(samples: FloatArray) -> Future[FloatArray]:
            return pool.submit(embedder.embed, samples)

        for w, start in enumerate(segmented.starts):
            rest("tell speakers apart", w, len(segmented.starts))
            active = segmented.activity[w] > 0.5
            if not active.any():
                continue
            earlier = [row for row in earlier if row.until > start]
            window = _Window(w, float(start), active, window_samples(path, float(start)))
            found = _window_rows(window, earlier, describe)
            rows += found
            earlier += found
            # Sound that waits for its turn is held in memory.
            while len(rows) - n_done > MOST_WAITING:
                rows[n_done].voice.result()
                n_done += 1
    return Pieces(
        key,
        segmented.duration,
        segmented.starts,
        np.round(np.clip(segmented.activity.astype(np.float32), 0, 1) * 255).astype(np.uint8),
        np.array([row.window for row in rows], dtype=np.int64),
        np.array([row.local for row in rows], dtype=np.int64),
        np.array([(row.first, row.end) for row in rows], dtype=np.int64).reshape(-1, 2),
        np.array([row.clean for row in rows], dtype=np.float32),
        np.array([row.used for row in rows], dtype=np.float32),
        np.array([row.voice.result() for row in rows], dtype=np.float32).reshape(-1, DIM),
    )


def simultaneous(pieces: Pieces) -> npt.NDArray[np.int64]:
    """Pairs of pieces of different local speakers who talk at the same time.

    Returns:
        (pairs, 2) int64 indices; only those with ``RIVAL_SECONDS`` in common.
    """
    pairs: list[tuple[int, int]] = []
    borders = np.searchsorted(pieces.windows, np.arange(len(pieces.starts) + 1))
    for window, (first, end) in enumerate(pairwise(borders.tolist())):
        active = pieces.activity[window] > ACTIVE
        for a, b in combinations(range(first, end), 2):
            i, j = pieces.locals[a], pieces.locals[b]
            begin = max(pieces.frames[a, 0], pieces.frames[b, 0])
            until = min(pieces.frames[a, 1], pieces.frames[b, 1])
            if i != j and begin < until:
                both = active[begin:until, i] & active[begin:until, j]
                if both.sum() * FRAME_SECONDS >= RIVAL_SECONDS:
                    pairs.append((a, b))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def save_pieces(path: Path, pieces: Pieces) -> None:
    """Write findings beside the timeline; a full disk only costs a later rerun."""
    part = path.with_suffix(".part")
    try:
        with sealed.open_file(part, "wb") as file:
            np.savez_compressed(
                file,
                format=FORMAT,
                key=pieces.key,
                duration=pieces.duration,
                starts=pieces.starts,
                activity=pieces.activity,
                windows=pieces.windows,
                locals=pieces.locals,
                frames=pieces.frames,
                clean=pieces.clean,
                used=pieces.used,
                embeddings=pieces.embeddings,
            )
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)


def load_pieces(path: Path) -> Pieces | None:
    """Read findings, None where there are none that this version understands."""
    try:
        # An open file, because numpy leaves one behind when the archive is damaged.
        with sealed.open_file(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
            if int(kept["format"]) != FORMAT:
                return None
            arrays = {name: kept[name] for name in kept.files if name not in _SCALARS}
            return Pieces(str(kept["key"]), float(kept["duration"]), **arrays)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


@lru_cache(maxsize=1)
def _models() -> tuple[Segmenter, VoiceEmbedder]:
    """Both models, loaded once per process."""
    threads = physical_cores()
    return Segmenter(threads), VoiceEmbedder(threads)


@dataclass(frozen=True, slots=True)
class _Window:
    """One window: its number, its start in seconds, (frames, 3) activity, (160000,) samples."""

    number: int
    start: float
    active: npt.NDArray[np.bool_]
    samples: FloatArray


@dataclass(frozen=True, slots=True)
class _Row:
    """One piece while it is collected, see ``Pieces``; ``since`` and ``until`` are its seconds."""

    window: int
    local: int
    first: int
    end: int
    clean: float
    used: float
    since: float
    until: float
    voice: Future[FloatArray]


def _window_rows(
    window: _Window, earlier: list[_Row], describe: Callable[[FloatArray], Future[FloatArray]]
) -> list[_Row]:
    """The pieces of one window; a voice that an earlier window heard is not described again."""
    rows: list[_Row] = []
    active = window.active
    is_alone = active.sum(axis=1) == 1
    for local in range(N_LOCAL):
        for first, end in split_track(active[:, local]):
            part = np.zeros(len(active), dtype=bool)
            part[first:end] = active[first:end, local]
            alone = part & is_alone
            clean = float(alone.sum()) * FRAME_SECONDS
            use = alone if clean >= 0.5 else part
            used = float(use.sum()) * FRAME_SECONDS
            if used < 0.1:
                continue
            since, until = (window.start + at * FRAME_SECONDS for at in (first, end))
            if used < MIN_HEARD:
                voice = _no_voice()
            else:
                known = _heard_before(earlier, since, until, clean, used)
                voice = known or describe(_only(window.samples, use))
            number = window.number
            rows.append(_Row(number, local, first, end, clean, used, since, until, voice))
    return rows


def _no_voice() -> Future[FloatArray]:
    """What stands for a piece too short to tell a voice by."""
    none: Future[FloatArray] = Future()
    none.set_result(np.zeros(DIM, dtype=np.float32))
    return none


def _heard_before(
    earlier: list[_Row], since: float, until: float, clean: float, used: float
) -> Future[FloatArray] | None:
    """The voice of the same sound as an earlier window described it."""
    wanted = np.array((since, until, clean, used))
    for row in reversed(earlier):
        if np.abs(wanted - (row.since, row.until, row.clean, row.used)).max() <= SAME_PIECE:
            return row.voice
    return None


def split_track(active: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Cut one local speaker's activity at pauses and, where it is long, evenly.

    Segmentation sometimes takes two similar voices for one local speaker; pieces of two seconds
    can still be told apart by their sound.

    Args:
        active: (frames,) bool.

    Returns:
        (first, end) frames of each piece, ascending.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], active.astype(np.int8), [0]])))
    stretches: list[tuple[int, int]] = []
    for first, end in edges.reshape(-1, 2).tolist():
        if stretches and (first - stretches[-1][1]) * FRAME_SECONDS < SPLIT_PAUSE:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((first, end))
    pieces: list[tuple[int, int]] = []
    for first, end in stretches:
        seconds = (end - first) * FRAME_SECONDS
        n = max(1, round(seconds / PIECE)) if seconds > MAX_PIECE else 1
        borders = [first + (end - first) * i // n for i in range(n + 1)]
        pieces += pairwise(borders)
    return pieces


def _only(samples: FloatArray, use: npt.NDArray[np.bool_]) -> FloatArray:
    """The samples of the chosen frames, joined."""
    hop = round(FRAME_SECONDS * SAMPLE_RATE)
    first = round(FIRST_FRAME * SAMPLE_RATE) - hop // 2
    mask = np.zeros(len(samples), dtype=bool)
    body = np.repeat(use, hop)[: len(samples) - first]
    mask[first : first + len(body)] = body
    return samples[mask]
