"""Clustering and turns with made-up voices; the models are tested end to end."""

import numpy as np
import pytest
import soundfile as sf

import engine.speech.voices
from engine.progress import silent
from engine.speech.clustering import ClusterOptions, VoicePieces, cluster, link, near_copies
from engine.speech.diarize import recluster
from engine.speech.segmentation import FRAME_SECONDS, Segmented, window_starts
from engine.speech.turns import TurnOptions, to_turns
from engine.speech.voices import (
    Pieces,
    find_pieces,
    load_pieces,
    save_pieces,
    simultaneous,
    split_track,
)
from engine.types import Span

RANDOM = np.random.default_rng(3)
PEOPLE = np.linalg.qr(RANDOM.standard_normal((192, 12)))[0].T.astype(np.float32)


def voices(people: list[int], likeness: float = 0.6, clean: float = 2.0) -> VoicePieces:
    """Pieces whose similarity within a person is about ``likeness``."""
    noise = RANDOM.standard_normal((len(people), 192)).astype(np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    rows = np.sqrt(likeness) * PEOPLE[people] + np.sqrt(1 - likeness) * noise
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    seconds = np.full(len(people), clean, np.float32)
    return VoicePieces(rows.astype(np.float32), np.arange(len(people)), seconds, seconds)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_the_number_of_people_is_found(n):
    """D3, D5: one threshold for two people and for eight."""
    people = [i % n for i in range(20 * n)]
    labels = cluster(voices(people), 0, ClusterOptions())
    assert len(set(labels.tolist())) == n
    assert len({(a, b) for a, b in zip(people, labels.tolist(), strict=True)}) == n


def test_uneven_shares_and_a_set_count():
    """D4: who speaks little is not merged into who speaks much."""
    people = [0] * 63 + [1] * 37 + [2] * 4
    assert len(set(cluster(voices(people), 0, ClusterOptions()).tolist())) == 3
    assert len(set(cluster(voices(people), 2, ClusterOptions()).tolist())) == 2
    # One voice is never torn apart because the user set too many.
    assert len(set(cluster(voices([0] * 60), 4, ClusterOptions()).tolist())) == 1


def test_a_stray_sound_is_no_person():
    people = [0] * 200 + [1] * 200 + [2]
    assert len(set(cluster(voices(people), 0, ClusterOptions()).tolist())) == 2


def test_short_pieces_follow_their_track():
    pieces = voices([0] * 20 + [1] * 20 + [1], clean=2.0)
    tracks = np.append(np.arange(40), 0)
    used = np.append(np.full(40, 2.0), 0.1).astype(np.float32)
    clean = np.append(np.full(40, 2.0), 0.1).astype(np.float32)
    labels = cluster(VoicePieces(pieces.embeddings, tracks, clean, used), 0, ClusterOptions())
    assert labels[40] == labels[0]


def test_two_pieces_heard_at_once_are_two_people():
    # Both voices at once sound like the first; the second piece is known only by its rival.
    pieces = voices([0] * 20 + [1] * 20 + [0, 0])
    clean = np.append(np.full(41, 2.0), 0.0).astype(np.float32)
    rivals = np.array([[40, 41]])
    heard = VoicePieces(pieces.embeddings, pieces.tracks, clean, pieces.used, rivals)
    labels = cluster(heard, 0, ClusterOptions())
    assert (labels[40], labels[41]) == (labels[0], labels[20])


def test_pieces_are_rivals_only_where_both_are_active():
    activity = np.zeros((1, 589, 3), np.uint8)
    activity[0, :300, 0] = activity[0, 200:, 1] = activity[0, 295:400, 2] = 255
    zeros = np.zeros(3, np.float32)
    found = Pieces(
        "",
        10.0,
        np.zeros(1),
        activity,
        np.zeros(3, np.int64),
        np.arange(3),
        np.array([(0, 300), (200, 589), (295, 400)]),
        zeros,
        zeros,
        np.zeros((3, 192), np.float32),
    )
    # The first and the third share five frames only.
    assert simultaneous(found).tolist() == [[0, 1], [1, 2]]


def test_nothing_usable():
    """D9: nothing to cluster."""
    nobody = VoicePieces(np.zeros((3, 192), np.float32), np.arange(3), np.ones(3), np.ones(3))
    assert cluster(nobody, 0, ClusterOptions()).tolist() == [-1, -1, -1]


def test_many_pieces_stay_within_memory_and_time():
    """D9: hours of pieces."""
    people = [i % 4 for i in range(2400)]
    pieces = voices(people, likeness=0.7)
    assert near_copies(pieces.embeddings).max() < 2400
    assert len(set(cluster(pieces, 0, ClusterOptions()).tolist())) == 4


def test_linkage_is_average_linkage():
    rows = voices([0, 0, 1, 1, 1], 0.6).embeddings
    merges = link(rows, np.arange(5))
    assert len(merges) == 4
    last = merges[-1][2]
    assert last == pytest.approx(float((rows[:2] @ rows[2:].T).mean()), abs=1e-5)


def made_up(turns: list[tuple[float, float, int]], duration: float) -> Pieces:
    """Pieces as the models would find them for these turns, without overlap in a window."""
    starts = np.arange(0.0, max(0.1, duration - 10) + 0.1, 2.5)
    frames = np.arange(589) * FRAME_SECONDS + 0.031
    activity = np.zeros((len(starts), 589, 3), np.uint8)
    rows = []
    for w, start in enumerate(starts):
        present = sorted({p for s, e, p in turns if s < start + 10 and e > start})
        for k, person in enumerate(present[:3]):
            for s, e, p in turns:
                if p == person:
                    inside = (frames + start >= s) & (frames + start < e)
                    activity[w, inside, k] = 255
            for first, end in split_track(activity[w, :, k] > 127):
                rows.append((w, k, first, end, person))
    seconds = np.array([(r[3] - r[2]) * FRAME_SECONDS for r in rows], np.float32)
    found = voices([r[4] for r in rows], 0.65)
    return Pieces(
        "key",
        duration,
        starts,
        activity,
        np.array([r[0] for r in rows]),
        np.array([r[1] for r in rows]),
        np.array([(r[2], r[3]) for r in rows]),
        seconds,
        seconds,
        found.embeddings,
    )


TURNS = [(1.0, 9.0, 0), (9.2, 15.0, 1), (14.0, 20.0, 2), (22.0, 30.0, 0), (30.1, 38.0, 1)]


def test_turns_come_back_with_their_overlap():
    found = recluster(made_up(TURNS, 40.0), 0)
    assert found.n_speakers == 3
    assert [turn.speaker for turn in found.turns] == [0, 1, 2, 0, 1]
    for turn, (start, end, _) in zip(found.turns, TURNS, strict=True):
        assert turn.start == pytest.approx(start, abs=0.1)
        assert turn.end == pytest.approx(end, abs=0.1)
    assert found.centroids.shape == (3, 192)
    assert 0 <= found.confidence <= 1


def test_another_count_needs_no_models():
    assert recluster(made_up(TURNS, 40.0), 2).n_speakers == 2


def test_a_breath_keeps_the_turn_but_not_over_somebody_else():
    line = np.zeros((2, 1000), np.float32)
    line[0, 100:200] = line[0, 260:360] = 1
    (alone,) = to_turns(line, 20.0, TurnOptions())
    assert alone.end - alone.start == pytest.approx(260 * FRAME_SECONDS, abs=0.02)
    line[1, 210:250] = 1
    assert len(to_turns(line, 20.0, TurnOptions())) == 3


def test_findings_survive_the_disk_and_damage_means_again(tmp_path):
    pieces = made_up(TURNS, 40.0)
    save_pieces(tmp_path / "voices.npz", pieces)
    again = load_pieces(tmp_path / "voices.npz")
    assert again is not None
    assert again.key == "key"
    assert np.array_equal(again.embeddings, pieces.embeddings)
    content = (tmp_path / "voices.npz").read_bytes()
    (tmp_path / "voices.npz").write_bytes(content[: len(content) // 2])
    assert load_pieces(tmp_path / "voices.npz") is None
    assert load_pieces(tmp_path / "none.npz") is None


def test_tracks_are_cut_at_pauses_and_evenly():
    active = np.zeros(589, bool)
    active[0:300] = active[340:400] = True
    pieces = split_track(active)
    assert pieces[-1] == (340, 400)
    assert [first for first, _ in pieces[:-1]] == [0, 100, 200] or len(pieces) in (3, 4)
    assert split_track(np.zeros(589, bool)) == []


def test_the_same_sound_is_described_once(monkeypatch, tmp_path):
    """Windows overlap, the work does not: what an earlier window heard is not heard again."""
    lengths: list[int] = []

    class Segmenter:
        def run(self, path, spans, report):
            starts = np.arange(0.0, 30.1, 2.5)
            activity = np.zeros((len(starts), 589, 3), np.float16)
            for w, start in enumerate(starts):
                at = start + FRAME_SECONDS * np.arange(589)
                activity[w, at % 5 < 4, int(start // 2.5) % 3] = 1
            return Segmented(starts, activity, 40.0)

    class Embedder:
        threads = 2

        def embed(self, samples):
            lengths.append(len(samples))
            return np.ones(192, np.float32)

    monkeypatch.setattr(engine.speech.voices, "_models", lambda: (Segmenter(), Embedder()))
    sf.write(tmp_path / "a.flac", np.zeros(40 * 16_000, np.float32), 16_000)
    pieces = find_pieces(tmp_path / "a.flac", [Span(0, 40)], "key", silent())
    assert len(pieces.embeddings) == len(pieces.windows) > 1.5 * len(lengths)
    assert np.all(pieces.embeddings == 1)


def test_windows_cover_the_speech_only():
    starts = window_starts(100.0, [Span(40, 45)])
    assert starts.min() > 29
    assert starts.max() <= 45
    assert window_starts(100.0, []).size == 0
    assert window_starts(3.0, [Span(0, 3)]).tolist() == [0.0]
