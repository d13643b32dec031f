"""Which pieces of speech are the same person: clustering of voice embeddings. Numpy only.

Only embeddings of enough clean speech decide who there is; every other piece goes to the nearest
voice, so that a breath or a cough never becomes a person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from engine.types import FloatArray

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MAX_LINKED = 1500  # more embeddings than this are first joined to near copies inside time blocks
TIGHT = 0.55  # similarity of such copies
ONE_VOICE = 0.5  # a set count never splits groups that sound this much alike
_GONE = -9.0


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How voices are told apart.

    Attributes:
        lowest: Groups less alike than this (mean cosine similarity) are always two people.
            Pieces of about two seconds score .42-.67 for one voice and .11-.14 for two.
        highest: Groups more alike than this are always one person. In between, the widest gap
            in the similarities of the groups that merge decides: synthetic and telephone voices
            are more alike than real ones, but one voice is still more like itself.
        min_clean: Seconds of clean speech a piece needs to decide who there is.
        min_share: A person has at least this share of all clean seconds, where that lies between
            ``least`` and ``enough`` seconds (windows overlap, so speech counts several times).
        least: See ``min_share``.
        enough: See ``min_share``.
        sure_seconds: A piece this long is judged by its own sound alone, a shorter one also by
            the rest of its track.
    """

    lowest: float = 0.22
    highest: float = 0.5
    min_clean: float = 0.8
    min_share: float = 0.02
    least: float = 1.0
    enough: float = 20.0
    sure_seconds: float = 2.0


@dataclass(frozen=True, slots=True)
class VoicePieces:
    """Stretches of one local speaker, with how they sound.

    Attributes:
        embeddings: (pieces, 192) float32 unit rows; a zero row says nothing.
        tracks: (pieces,) int64, pieces of one local speaker in one window share a number.
        clean: (pieces,) float32, seconds without overlap.
        used: (pieces,) float32, seconds behind the embedding.
        rivals: (pairs, 2) int64, pieces heard at the same time: never one person.
    """

    embeddings: FloatArray
    tracks: Ints
    clean: FloatArray
    used: FloatArray
    rivals: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))


def cluster(pieces: VoicePieces, n_speakers: int, options: ClusterOptions) -> Ints:
    """Group pieces by person.

    Average linkage on cosine similarity over the clean pieces. With a given count the tree is cut
    where that many groups are large enough to be people, so that a stray sound does not take the
    place of one.

    Args:
        pieces: What was heard.
        n_speakers: 0 to estimate.
        options: Thresholds.

    Returns:
        (pieces,) labels 0..k-1, all -1 when no piece says anything.
    """
    usable = np.linalg.norm(pieces.embeddings, axis=1) > 0.5
    if not usable.any():
        return np.full(len(usable), -1, dtype=np.int64)
    chosen = np.flatnonzero(usable & (pieces.clean >= options.min_clean))
    if not len(chosen):
        chosen = np.flatnonzero(usable)
    embeddings, clean = pieces.embeddings[chosen], np.maximum(pieces.clean[chosen], 0.05)
    groups = near_copies(embeddings)
    merges = link(embeddings, groups)
    needed = float(np.clip(options.min_share * clean.sum(), options.least, options.enough))
    if n_speakers:
        labels = _cut_to(groups, merges, clean, n_speakers, needed)
    else:
        threshold = _threshold(groups, merges, clean, needed, options)
        labels = cut(groups, merges, sum(1 for *_, s in merges if s >= threshold))
    centres = centroids(embeddings, clean, _substantial(labels, clean, needed))
    return assign(pieces, usable, centres, options.sure_seconds)


def centroids(embeddings: FloatArray, weights: FloatArray, labels: Ints) -> FloatArray:
    """Mean voice of each label.

    Args:
        embeddings: (pieces, 192) float32.
        weights: (pieces,) seconds.
        labels: (pieces,) 0..k-1, -1 is left out.

    Returns:
        (k, 192) float32 unit rows.
    """
    n = int(labels.max()) + 1 if len(labels) else 0
    centres = np.zeros((n, embeddings.shape[1]))
    known = labels >= 0
    np.add.at(centres, labels[known], embeddings[known] * weights[known, None])
    lengths = np.linalg.norm(centres, axis=1, keepdims=True)
    return np.asarray(centres / np.maximum(lengths, 1e-9), dtype=np.float32)


def near_copies(embeddings: FloatArray) -> Ints:
    """Groups to start linking from: every piece alone, or near copies joined when there are many.

    Overlapping windows hear the same speech several times, so joining within time blocks loses
    nothing and keeps hours of speech within memory.

    Returns:
        (pieces,) labels 0..k-1.
    """
    n = len(embeddings)
    groups = np.arange(n, dtype=np.int64)
    if n <= MAX_LINKED:
        return groups
    count = 0
    for first in range(0, n, MAX_LINKED // 3):
        part = slice(first, min(n, first + MAX_LINKED // 3))
        alone = np.arange(part.stop - part.start, dtype=np.int64)
        merges = link(embeddings[part], alone, TIGHT)
        local = cut(alone, merges, len(merges))
        groups[part] = local + count
        count += int(local.max()) + 1
    return groups


def link(
    embeddings: FloatArray, groups: Ints, threshold: float = -1.0
) -> list[tuple[int, int, float]]:
    """Average-linkage clustering that starts from given groups.

    The mean similarity of two sets of unit vectors is the product of their sums divided by their
    sizes, so one row is renewed per merge and nothing larger than (groups, groups) is held.

    Args:
        embeddings: (pieces, 192) float32 unit rows.
        groups: (pieces,) labels 0..k-1.
        threshold: Stop when no two groups are this similar.

    Returns:
        Merges in order: (group that stays, group that goes, mean similarity).
    """
    n = int(groups.max()) + 1
    sums = np.zeros((n, embeddings.shape[1]))
    np.add.at(sums, groups, embeddings)
    sizes = np.bincount(groups, minlength=n).astype(np.float64)
    similarity = ((sums @ sums.T) / np.outer(sizes, sizes)).astype(np.float32)
    np.fill_diagonal(similarity, _GONE)
    best = similarity.argmax(axis=1)
    value = similarity[np.arange(n), best]
    merges: list[tuple[int, int, float]] = []
    while len(merges) < n - 1:
        a = int(np.argmax(value))
        b = int(best[a])
        if value[a] < threshold:
            break
        merges.append((a, b, float(value[a])))
        sums[a] += sums[b]
        sizes[a] += sizes[b]
        gone = similarity[a] == _GONE
        row = ((sums @ sums[a]) / (sizes * sizes[a])).astype(np.float32)
        row[gone] = _GONE
        _renew(similarity, best, value, (a, b), row)
    return merges


def _renew(
    similarity: FloatArray, best: Ints, value: FloatArray, pair: tuple[int, int], row: FloatArray
) -> None:
    """Put the merged group's similarities in place and the nearest groups right."""
    a, b = pair
    row[b] = _GONE
    similarity[a], similarity[:, a] = row, row
    similarity[b], similarity[:, b] = _GONE, _GONE
    value[b] = _GONE
    stale = np.flatnonzero((best == a) | (best == b) | (row > value))
    stale = np.append(stale[stale != b], a)
    best[stale] = similarity[stale].argmax(axis=1)
    value[stale] = similarity[stale, best[stale]]


def cut(groups: Ints, merges: list[tuple[int, int, float]], n_merges: int) -> Ints:
    """Labels 0..k-1 after the first ``n_merges`` merges."""
    parent = np.arange(int(groups.max()) + 1)
    for a, b, _ in reversed(merges[:n_merges]):
        parent[b] = a
    # Later merges join groups that earlier ones made, so follow the chain to its end.
    while not np.array_equal(parent, parent[parent]):
        parent = parent[parent]
    return _compact(parent[groups])


def assign(
    pieces: VoicePieces, usable: npt.NDArray[np.bool_], centres: FloatArray, sure_seconds: float
) -> Ints:
    """Give every piece the voice it sounds most like.

    A short piece says little, so the mean of its track speaks for it in proportion.

    Returns:
        (pieces,) labels 0..k-1.
    """
    similarity = (pieces.embeddings @ centres.T).astype(np.float64)
    weights = np.where(usable, pieces.used, 0.0)
    n_tracks = int(pieces.tracks.max()) + 1
    totals = np.zeros((n_tracks, len(centres)))
    np.add.at(totals, pieces.tracks, similarity * weights[:, None])
    seconds = np.bincount(pieces.tracks, weights=weights, minlength=n_tracks)
    track_mean = (totals / np.maximum(seconds, 1e-6)[:, None])[pieces.tracks]
    own = np.where(usable, np.clip(pieces.used / sure_seconds, 0.0, 1.0), 0.0)[:, None]
    return _kept_apart(own * similarity + (1 - own) * track_mean, pieces)


def _kept_apart(scores: Floats, pieces: VoicePieces) -> Ints:
    """The best label of each piece, where of two rivals the less sure one takes its second best.

    Sure is who is far from the second best label and was heard alone: two voices at once sound
    like one of them.

    Args:
        scores: (pieces, labels) float64.
        pieces: What was heard.
    """
    labels: Ints = scores.argmax(axis=1).astype(np.int64)
    if scores.shape[1] < 2:
        return labels
    order = np.argsort(-scores, axis=1)[:, :2]
    ordered = np.take_along_axis(scores, order, axis=1)
    sure = (ordered[:, 0] - ordered[:, 1]) * np.maximum(pieces.clean, 0.1)
    for a, b in pieces.rivals:
        if labels[a] == labels[b]:
            loser = a if sure[a] < sure[b] else b
            other = order[loser][order[loser] != labels[loser]]
            labels[loser] = other[0]
    return labels


def _threshold(
    groups: Ints,
    merges: list[tuple[int, int, float]],
    clean: FloatArray,
    needed: float,
    options: ClusterOptions,
) -> float:
    """Middle of the widest gap between the similarities at which large groups merge."""
    seconds = np.bincount(groups, weights=clean)
    marks = [options.lowest, options.highest]
    for a, b, similarity in merges:
        if min(seconds[a], seconds[b]) >= needed and options.lowest < similarity < options.highest:
            marks.append(similarity)
        seconds[a] += seconds[b]
    marks.sort()
    _, middle = max((high - low, (high + low) / 2) for low, high in pairwise(marks))
    return middle


def _cut_to(
    groups: Ints,
    merges: list[tuple[int, int, float]],
    clean: FloatArray,
    n_speakers: int,
    needed: float,
) -> Ints:
    """Cut the tree where ``n_speakers`` groups are large enough, or as near as it gets."""
    best, best_count = cut(groups, merges, len(merges)), 1
    for undone in range(1, len(merges) + 1):
        if best_count >= n_speakers or merges[-undone][2] > ONE_VOICE:
            break
        labels = cut(groups, merges, len(merges) - undone)
        count = int(np.sum(np.bincount(labels, weights=clean) >= needed))
        if best_count < count <= n_speakers:
            best, best_count = labels, count
    return best


def _substantial(labels: Ints, clean: FloatArray, needed: float) -> Ints:
    """Mark groups too small to be a person with -1; the largest always stays."""
    seconds = np.bincount(labels, weights=clean)
    keep = seconds >= min(needed, float(seconds.max()))
    return _compact(np.where(keep[labels], labels, -1))


def _compact(labels: Ints) -> Ints:
    """Renumber labels 0..k-1 by first appearance; -1 stays."""
    known = labels[labels >= 0]
    _, first = np.unique(known, return_index=True)
    order = known[np.sort(first)]
    lookup = np.full(int(labels.max(initial=-1)) + 2, -1, dtype=np.int64)
    lookup[order] = np.arange(len(order))
    return lookup[labels]
