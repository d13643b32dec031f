"""How a large library behaves: open, search, one meeting, a question to all, delete.

    python tests/benchmarks/library_scale.py [--meetings 100] [--lines 1000] [--keep DIR]

Texts are drawn from a vocabulary with the frequencies of speech (Zipf), vectors are random unit
vectors around topics; both are seeded. Times are processor time, which on an idle machine is
what one waits; the search is single-threaded. Figures are printed as a table or, with
``--json``, as JSON. 1,000 meetings of 1,000 lines are the size the product promises; a library
that was kept is measured again without being made again.

A question is timed until the meetings it is put to are chosen and read; see the benchmarks of the
answers for what follows.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.agent.corpus import corpus_of
from engine.agent.narrow import narrowed
from engine.graph import library_index
from engine.graph.search import hybrid_search, keyword_search, library_search
from engine.graph.store import Store
from engine.progress import silent
from engine.types import Utterance

DIM = 384
N_WORDS = 30_000
N_TOPICS = 500


class RandomEncoder:
    """Queries near the topics that the library is about."""

    model_id = "random"
    dim = DIM

    def __init__(self):
        rng = np.random.default_rng(1)
        self.topics = unit(rng.standard_normal((N_TOPICS, DIM)))
        self.rng = rng

    def encode(self, texts):
        picked = self.rng.integers(0, N_TOPICS, len(texts))
        noise = self.rng.standard_normal((len(texts), DIM)) * 0.04
        return unit(self.topics[picked] + noise).astype(np.float32)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def timed(function, n=1):
    """Processor seconds of this thread: what it takes on an idle machine, busy or not."""
    times = []
    for _ in range(n):
        began = time.process_time()
        function()
        times.append(time.process_time() - began)
    return np.array(times)


def fill(store, encoder, n_meetings, n_lines):
    rng = random.Random(7)
    ranks = np.arange(1, N_WORDS + 1)
    weights = (1 / ranks**1.07).cumsum()
    words = vocabulary()
    for number in range(n_meetings):
        meeting = store.create_meeting(f"Meeting {number}")
        rows = []
        for i in range(n_lines):
            text = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(3, 25)))
            rows.append(Utterance(i, i * 3.0, i * 3 + 2.5, f"Person {rng.randrange(5)}", text))
        store.save_utterances(meeting.id, rows)
        store.save_vectors(meeting.id, "utterance", encoder.model_id, encoder.encode(rows))
        if number % 50 == 49:
            print(f"  {number + 1} meetings", file=sys.stderr, flush=True)


def vocabulary():
    return ["the", "and", "to", "we", "budget"] + [f"w{i:05d}" for i in range(N_WORDS - 5)]


def read_for(store, encoder, ids, question):
    """What is read for a question to all meetings."""
    return corpus_of(store, narrowed(question, (), ids, store, encoder).ids)


def queries(words, n):
    rng = random.Random(11)
    common, rare = words[20:400], words[2000:]
    return [
        " ".join([*rng.sample(common, rng.randint(0, 2)), *rng.sample(rare, rng.randint(1, 2))])
        for _ in range(n)
    ]


def question_figures(store, encoder, ids, asked):
    """The first question reads its meetings from the disk; one that follows on has them."""
    first = [timed(lambda q=q: read_for(store, encoder, ids, q))[0] for q in asked[:10]]
    again = [timed(lambda q=q: read_for(store, encoder, ids, q))[0] for q in asked[9:10] * 3]
    return {"question_s": float(max(first)), "question_again_s": float(max(again))}


def measured(folder, n_meetings, n_lines):
    figures = {"meetings": n_meetings, "utterances": n_meetings * n_lines}
    encoder = RandomEncoder()
    with Store(folder) as store:
        began = time.process_time()
        words = vocabulary()
        if not store.meetings():
            fill(store, encoder, n_meetings, n_lines)
            figures["save_ms_per_1000"] = (
                1e3 * (time.process_time() - began) / (n_meetings * n_lines / 1000)
            )
        began = time.process_time()
        library_index.update(store, encoder, silent())
        figures["index_build_s"] = time.process_time() - began
        ids = [m.id for m in store.meetings()]
    figures["open_ms"] = 1e3 * float(timed(lambda: Store(folder).close(), 5).max())
    with Store(folder) as store:
        figures["list_ms"] = 1e3 * float(timed(store.meetings, 5).max())
        figures["index_load_s"] = float(timed(lambda: library_index.opened(store, encoder))[0])
        asked = queries(words, 200)
        searches = {
            "keyword": lambda q: keyword_search(store, (), q, 20),
            "hybrid": lambda q: hybrid_search(store, encoder, (), q, 20),
            "window_search": lambda q: library_search(store, encoder, q, limit=50),
            "hybrid_one_meeting": lambda q: hybrid_search(store, encoder, ids[3:4], q, 20),
            "hybrid_20_meetings": lambda q: hybrid_search(store, encoder, ids[:20], q, 20),
        }
        for name, search in searches.items():
            search(asked[0])
            times = np.concatenate([timed(lambda q=q, s=search: s(q)) for q in asked])
            figures[f"{name}_p50_ms"] = 1e3 * float(np.percentile(times, 50))
            figures[f"{name}_p95_ms"] = 1e3 * float(np.percentile(times, 95))
        figures["common_word_ms"] = 1e3 * float(
            timed(lambda: keyword_search(store, (), "budget", 20), 5).max()
        )
        figures |= question_figures(store, encoder, ids, asked)
        figures["delete_s"] = float(timed(lambda: store.delete_meeting(ids[5])).max())
        figures["second_delete_s"] = float(timed(lambda: store.delete_meeting(ids[6])).max())
    figures["database_mb"] = (folder / "library.db").stat().st_size / 1e6
    index = folder / library_index.INDEX_NAME
    figures["index_mb"] = index.stat().st_size / 1e6 if index.exists() else 0.0
    figures["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--meetings", type=int, default=100)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="make the library here and leave it")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary) / "library"
        figures = measured(folder, arguments.meetings, arguments.lines)
    if arguments.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        print(f"{name:28} {value:12,.2f}" if isinstance(value, float) else f"{name:28} {value:12,}")


if __name__ == "__main__":
    main()
