"""A few hostile inputs at every door; ``tests/benchmarks/fuzz.py`` tries thousands."""

import os
import random

import pytest
from hostile_inputs import DOORS

N_INPUTS = int(os.environ.get("EARWITNESS_EXAMPLES", "12"))


@pytest.mark.parametrize("door", DOORS)
def test_what_means_harm_is_taken_or_refused(door, tmp_path):
    attempt = DOORS[door](tmp_path)
    for number in range(N_INPUTS):
        attempt(random.Random(f"{door} {number}"))
