"""For the tests of a library under fire: a child to kill, lines to write, what to compare."""

import os
import time

import pytest

from engine.types import Utterance

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
N_KILLS = int(os.environ.get("EARWITNESS_KILLS", "10"))
N_LINES = 40


def lines(n, word="word"):
    return [Utterance(i, i, i + 1, f"S{i % 3}", f"{word} number {i} 会議") for i in range(n)]


def in_child(work):
    """Run a function in a forked process that knows nothing of this test's connections."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def wait_for(ready, pid):
    """Wait until a child has begun; one that ends instead has failed."""
    deadline = time.monotonic() + 30
    while not ready.exists() and time.monotonic() < deadline:
        assert os.waitpid(pid, os.WNOHANG) == (0, 0), "the child ended by itself"
        time.sleep(0.002)


def state(store):
    tables = ("meetings", "utterances", "speakers", "words", "notes", "versions", "edits")
    return [store.rows(f"SELECT * FROM {t} ORDER BY 1") for t in tables]
