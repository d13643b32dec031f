"""What is prepared in the background for the pages: the waveform's columns, voices to know."""

from itertools import pairwise

import numpy as np
import pytest

from engine.graph.store import Store
from engine.types import Acoustics, Utterance
from gui.content import load, voice_samples
from gui.tracks import PEAKS_PER_SECOND, Track

COLOURS = {1: 0, 2: 1, 3: 4}


def said(*spans):
    """Utterances of (start, end, speaker)."""
    return [
        Utterance(i, start, end, "", "words", speaker)
        for i, (start, end, speaker) in enumerate(spans)
    ]


def test_a_column_knows_who_speaks_and_where_two_do():
    track = Track(None, 10.0, said((0, 3, 1), (2, 5, 2), (7, 8, None), (7.5, 9, 3)), COLOURS)
    columns = track.columns(0, 10, 10)
    assert track.lane_colours == [0, 1, 4]
    first, second, third = columns.lanes.tolist()
    assert [i for i, on in enumerate(first) if on] == [0, 1, 2]
    assert [i for i, on in enumerate(second) if on] == [2, 3, 4]
    assert [i for i, on in enumerate(third) if on] == [7, 8]
    assert columns.speaker.tolist() == [0, 0, 1, 1, 1, -1, -1, 4, 4, -1]
    assert np.flatnonzero(columns.is_overlap).tolist() == [2, 7]
    assert not columns.low.any()
    assert not columns.high.any()


@pytest.mark.parametrize("view", [(0.0, 40.0), (11.3, 29.0), (20.0, 20.4)])
@pytest.mark.parametrize("n_columns", [1, 7, 300])
def test_columns_say_what_every_frame_says(view, n_columns):
    rng = np.random.default_rng(5)
    starts = np.sort(rng.uniform(0, 36, 40))
    spoken = said(*((s, s + rng.choice([0, 0.5, 4]), int(rng.choice([1, 2, 3]))) for s in starts))
    peaks = rng.uniform(-1, 1, (30 * PEAKS_PER_SECOND, 2)).astype(np.float16)  # 10 s are missing
    columns = Track(peaks, 40.0, spoken, COLOURS).columns(*view, n_columns)
    n_frames = 40 * PEAKS_PER_SECOND
    count = np.zeros(n_frames, int)
    for u in spoken:
        first = int(u.start * PEAKS_PER_SECOND)
        count[first : max(first + 1, int(u.end * PEAKS_PER_SECOND))] += 1
    low = np.zeros(n_frames, np.float32)
    low[: len(peaks)] = peaks[:, 0] / np.abs([peaks.min(), peaks.max()]).max()
    edges = (np.linspace(*view, n_columns + 1) * PEAKS_PER_SECOND).astype(int).clip(0, n_frames - 1)
    for i, (left, right) in enumerate(pairwise(edges)):
        part = slice(left, max(right, left + 1))
        assert columns.is_overlap[i] == (count[part] > 1).any()
        assert columns.lanes[:, i].any() == (count[part] > 0).any()
        assert columns.low[i] == pytest.approx(min(0, low[part].min()), abs=1e-3)


def test_nothing_said_has_columns_too():
    columns = Track(None, 3.0, [], {}).columns(0, 3, 5)
    assert columns.speaker.tolist() == [-1] * 5
    assert columns.lanes.shape == (0, 5)
    assert not columns.is_overlap.any()


def test_a_voice_is_known_by_an_utterance_of_its_own(library_dir):
    spoken = said((0, 1, 1), (2, 12, 1), (13, 21, 1), (30, 80, 1), (81, 82, 2))
    with Store(library_dir) as store:
        meeting = store.create_meeting("Voices", "voices.wav", True)
        store.save_utterances(meeting.id, spoken)
        alone, disturbed = Acoustics(-20.0, overlap=0.0), Acoustics(-20.0, overlap=0.9)
        store.save_acoustics(meeting.id, [alone, disturbed, alone, alone, None])
        kept = store.utterances(meeting.id)
        samples = voice_samples(store, meeting.id, kept)
        # Neither the longest nor the one with another voice in it; a short one is better than none.
        first, second = kept[0].speaker_id, kept[4].speaker_id
        assert samples == {first: kept[2], second: kept[4]}
        assert {u.index for u in load(store, meeting.id).samples.values()} == {2, 4}
