import numpy as np
import pytest
import soundfile as sf
from hypothesis import given
from hypothesis import strategies as st

from engine.speech.windows import WINDOW_SECONDS, halves, pack, split_long
from engine.types import Span


def test_long_silence_is_cut_out_and_times_map_back():
    (window,) = pack([Span(10, 15), Span(100, 104)])
    assert window.duration == pytest.approx(9.8)
    assert window.to_recording(1.0) == pytest.approx(11.0)
    assert window.to_recording(5.4 + 1.4) == pytest.approx(101.0)
    assert window.to_recording(99) == 104


def test_short_pauses_stay():
    (window,) = pack([Span(0, 2), Span(2.5, 4)])
    assert [(p.start, p.end) for p in window.pieces] == [(0, 4)]


def test_a_window_ends_at_a_long_pause_rather_than_mid_sentence():
    spans = [Span(0, 10), Span(10.2, 23), Span(24.5, 26), Span(26.1, 28), Span(28.2, 33)]
    first, _ = pack(spans)
    assert first.spans[-1] == Span(10.2, 23)


@given(st.lists(st.tuples(st.floats(0.05, 20), st.floats(0.1, 28)), max_size=40))
def test_every_span_is_in_exactly_one_window(parts):
    spans, at = [], 0.0
    for pause, length in parts:
        spans.append(Span(at + pause, at + pause + length))
        at += pause + length
    windows = pack(spans)
    assert [span for window in windows for span in window.spans] == spans
    assert all(window.duration <= WINDOW_SECONDS + 1e-6 for window in windows)


def test_halves_split_at_the_longest_pause():
    (window,) = pack([Span(0, 2), Span(2.3, 4), Span(6, 8)])
    assert [w.spans for w in halves(window)] == [(Span(0, 2), Span(2.3, 4)), (Span(6, 8),)]
    (alone,) = pack([Span(0, 2)])
    assert halves(alone) == [alone]


def test_long_speech_is_cut_where_it_is_quietest(tmp_path):
    x = 0.3 * np.sin(np.arange(16_000 * 60) * 0.3).astype(np.float32)
    x[16_000 * 22 : 16_000 * 22 + 4000] = 0
    sf.write(tmp_path / "a.flac", x, 16_000)
    parts = split_long([Span(0, 60)], tmp_path / "a.flac", 28)
    assert parts[0].end == pytest.approx(22.1, abs=0.1)
    assert (parts[0].start, parts[-1].end) == (0, 60)
    assert all(part.duration <= 28 for part in parts)
