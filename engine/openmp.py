"""How the threads of native libraries wait for each other; set before one of them is loaded.

ggml meets a barrier after every operation of its graph, some hundred times for one token. Threads
that spin there starve every other process on busy cores (an engine beside another took ten times
as long); threads that sleep at once pay for waking up (a token of the recogniser takes a third
longer on idle cores). A thousand rounds, about 15 microseconds, outlast nearly every barrier on
idle cores and cost nothing worth naming on busy ones.

Source:
    ``OMP_WAIT_POLICY`` of the OpenMP specification; ``GOMP_SPINCOUNT`` of GNU libgomp, which takes
    precedence there.
"""

from __future__ import annotations

import os

VARIABLES = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "1000"}


def configure() -> None:
    """Set what OpenMP reads at load time, unless the user has set it."""
    for name, value in VARIABLES.items():
        os.environ.setdefault(name, value)
