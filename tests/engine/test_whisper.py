"""How whisper.cpp is asked to work: pure functions, no model."""

import pytest

from engine.speech.whisper import (
    FRAMES_PER_SECOND,
    FULL_CONTEXT,
    LEAST_CONTEXT,
    SILENCE_BEHIND,
    context_size,
)

RATE = 16_000


@pytest.mark.parametrize("seconds", [0.1, 1.0, 2.0, 13.8, 18.6, 23.0])
def test_a_short_window_is_not_encoded_as_thirty_seconds(seconds):
    size = context_size(int(seconds * RATE))
    assert (seconds + SILENCE_BEHIND) * FRAMES_PER_SECOND <= size < FULL_CONTEXT
    assert size % 8 == 0
    assert size >= LEAST_CONTEXT


@pytest.mark.parametrize("seconds", [24.0, 29.8, 30.0])
def test_a_full_window_is_encoded_whole(seconds):
    assert context_size(int(seconds * RATE)) == 0
