"""The vectors of the whole library in one HNSW file; a cache that can always be rebuilt.

``library.hnsw`` holds the vectors of utterances long enough to say something, with
``utterances.id`` as label; ``library.json`` says what they are: model, dimension, counts and,
for each meeting, the revision of its vectors and its labels. The database decides. A search
never waits for a rebuild: meetings that the file does not hold as they are now are compared
exactly, and ``update`` (part of building a graph) brings the file up to date once they are many.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from engine import sealed
from engine.graph import hnsw_file
from engine.graph.artefacts import ArtefactTables
from engine.graph.encoder import Encoder
from engine.progress import Report
from engine.types import FloatArray

INDEX_NAME = "library.hnsw"
FACTS_NAME = "library.json"
# Below so many vectors exact search is as quick and nothing is built.
MIN_ROWS = 15_000
# So many vectors of new and changed meetings are compared exactly in a few milliseconds. Only more
# than that is worth writing the file anew: of a million utterances it is 2 GB.
MAX_LATE_ROWS = 5_000
# Utterances of a word or two only disturb; in bytes, so that Chinese counts more per letter.
MIN_BYTES = 15
CONNECTIONS = 16
BUILD_BREADTH = 80
SEARCH_BREADTH = 96
GROWTH_ROWS = 20_000
# Removed vectors stay in the graph as dead ends; above this share it is built anew.
MAX_DEAD_SHARE = 0.3

State = list[Any]


@dataclass
class LibraryIndex:
    """The open index of one library.

    Attributes:
        graph: The hnswlib index.
        facts: What ``library.json`` holds.
        stale: Meetings that the graph does not hold as they are now.
        stamp: Of the facts file it was read from; another process may write a new one.
    """

    store: ArtefactTables
    graph: Any
    facts: dict[str, Any]
    stale: set[str]
    stamp: tuple[int, int] = (0, 0)

    def nearest(
        self, vector: FloatArray, k: int, meeting_ids: Sequence[str] = ()
    ) -> dict[int, float]:
        """Cosines by ``utterances.id`` of about the ``k`` nearest utterances."""
        if not vector.any():
            return {}
        stale = self.stale & set(meeting_ids) if meeting_ids else self.stale
        found = self._exact(vector, k, stale)
        found.update(self._approximate(vector, k, meeting_ids))
        best = sorted(found, key=lambda key: -found[key])[:k]
        return {key: found[key] for key in best}

    def _approximate(
        self, vector: FloatArray, k: int, meeting_ids: Sequence[str]
    ) -> dict[int, float]:
        known = self.facts["meetings"]
        held = [m for m in (meeting_ids or known) if m in known and m not in self.stale]
        allowed = None
        if meeting_ids or self.stale:
            allowed = {label for m in held for label in expanded(known[m][2])}
        n_alive = self.facts["count"] - self.facts["dead"] if allowed is None else len(allowed)
        wanted = min(k, n_alive)
        if wanted <= 0:
            return {}
        self.graph.set_ef(max(SEARCH_BREADTH, 2 * wanted))
        try:
            labels, distances = self.graph.knn_query(
                vector,
                k=wanted,
                num_threads=1,
                filter=None if allowed is None else allowed.__contains__,
            )
        except RuntimeError:
            # Too few reachable rows pass the filter; the vectors themselves are asked.
            return self._exact(vector, wanted, set(held))
        cosines = (1 - distances[0]).tolist()
        return dict(zip(labels[0].tolist(), cosines, strict=True))

    def _exact(self, vector: FloatArray, k: int, meeting_ids: Iterable[str]) -> dict[int, float]:
        found: dict[int, float] = {}
        for meeting_id in meeting_ids:
            keys, stored = self.store.owned_vectors(meeting_id, "utterance")
            if len(keys) and stored.shape[1] == len(vector):
                cosines = stored @ vector
                best = np.argsort(-cosines)[:k]
                found.update(zip(keys[best].tolist(), cosines[best].tolist(), strict=True))
        found.pop(0, None)
        return found


_open: WeakKeyDictionary[ArtefactTables, LibraryIndex] = WeakKeyDictionary()


def opened(store: ArtefactTables, embedder: Encoder) -> LibraryIndex:
    """The index of a library as its files have it, with what they lack marked as stale.

    Raises:
        StoreError: The library cannot be read.
    """
    index = _open.get(store)
    stamp = _stamp(store)
    if index is None or index.stamp != stamp or index.facts["model"] != embedder.model_id:
        index = _loaded(store, embedder) or _empty(store, embedder)
        index.stamp = stamp
        _open[store] = index
    wanted = _wanted(store, embedder)
    known = index.facts["meetings"]
    index.stale = {m for m, state in wanted.items() if known.get(m, [])[:2] != state}
    return index


def update(store: ArtefactTables, embedder: Encoder, report: Report) -> None:
    """Bring the file up to date with the database, meeting by meeting.

    Small libraries get no file, and few new or changed vectors do not change it.

    Raises:
        Cancelled: The user asked to stop; the file is as it was.
        StoreError: The library cannot be read or locked.
    """
    wanted = _wanted(store, embedder)
    total = sum(n_rows for _, n_rows in wanted.values())
    if store.is_read_only or total < MIN_ROWS:
        return
    index = opened(store, embedder)
    gone = [m for m in index.facts["meetings"] if m not in wanted]
    n_late = sum(wanted[meeting_id][1] for meeting_id in index.stale)
    if not gone and (n_late == 0 or (index.facts["meetings"] and n_late <= MAX_LATE_ROWS)):
        return
    _open.pop(store, None)
    for meeting_id in gone:
        _remove(index, meeting_id)
    if index.facts["dead"] > MAX_DEAD_SHARE * index.facts["count"]:
        index = _empty(store, embedder)
        index.stale = set(wanted)
    for done, meeting_id in enumerate(sorted(index.stale)):
        report("index", done, len(index.stale))
        if meeting_id in index.facts["meetings"]:
            _remove(index, meeting_id)
        _add(index, meeting_id, wanted[meeting_id])
    _save(index)


def forget_deleted(store: ArtefactTables) -> None:
    """Wipe the vectors of meetings that are no more from the file, in place.

    Raises:
        StoreError: The library cannot be read.
    """
    _open.pop(store, None)
    path = store.library_dir / INDEX_NAME
    facts = _facts(store)
    if facts is None:
        _discard(store)
        return
    alive = {row[0] for row in store.rows("SELECT id FROM meetings")}
    gone = {m: facts["meetings"].pop(m) for m in list(facts["meetings"]) if m not in alive}
    labels = [label for state in gone.values() for label in expanded(state[2])]
    if not labels:
        return
    facts["dead"] += len(labels)
    # A sealed file is not changed in place; its next update makes it anew.
    is_wiped = (
        facts["dead"] <= MAX_DEAD_SHARE * facts["count"]
        and not sealed.is_sealed(path)
        and hnsw_file.wipe(path, facts["dim"], labels)
    )
    if not is_wiped:
        _discard(store)
        return
    facts["generation"] = secrets.token_hex(8)
    _write_facts(store, facts)


def compressed(labels: Iterable[int]) -> list[list[int]]:
    """Ascending labels as [first, count] runs."""
    runs: list[list[int]] = []
    for label in labels:
        if runs and label == runs[-1][0] + runs[-1][1]:
            runs[-1][1] += 1
        else:
            runs.append([label, 1])
    return runs


def expanded(runs: Iterable[Sequence[int]]) -> list[int]:
    """The inverse of ``compressed``."""
    return [label for first, count in runs for label in range(first, first + count)]


def _wanted(store: ArtefactTables, embedder: Encoder) -> dict[str, State]:
    """[revision, rows] of each meeting's vectors, as the database has them."""
    found = store.rows(
        "SELECT meeting_id, revision, n_rows FROM vectors WHERE kind = 'utterance' "
        "AND model_id = ? AND dim = ? AND n_rows > 0",
        (embedder.model_id, embedder.dim),
    )
    return {row[0]: [row[1], row[2]] for row in found}


def _add(index: LibraryIndex, meeting_id: str, state: State) -> None:
    long_enough = {
        row[0]
        for row in index.store.rows(
            "SELECT id FROM utterances WHERE meeting_id = ? AND length(CAST(text AS BLOB)) >= ?",
            (meeting_id, MIN_BYTES),
        )
    }
    keys, vectors = index.store.owned_vectors(meeting_id, "utterance")
    used = vectors.any(axis=1) & np.isin(keys, np.fromiter(long_enough, np.int64))
    facts = index.facts
    n_after = facts["count"] + int(used.sum())
    if n_after > index.graph.get_max_elements():
        index.graph.resize_index(n_after + max(GROWTH_ROWS, n_after // 4))
    if used.any():
        index.graph.add_items(vectors[used], keys[used], num_threads=1)
    # A label that was removed and came back takes its old place.
    facts["dead"] -= n_after - index.graph.get_current_count()
    facts["count"] = index.graph.get_current_count()
    facts["meetings"][meeting_id] = [*state, compressed(sorted(keys[used].tolist()))]


def _remove(index: LibraryIndex, meeting_id: str) -> None:
    labels = expanded(index.facts["meetings"].pop(meeting_id)[2])
    if not labels:
        return
    # Overwritten, not only marked: the file must not keep what was deleted.
    blank = np.zeros((len(labels), index.facts["dim"]), np.float32)
    index.graph.add_items(blank, labels, num_threads=1)
    for label in labels:
        index.graph.mark_deleted(label)
    index.facts["dead"] += len(labels)


def _new_graph(dim: int) -> Any:
    import hnswlib

    graph = hnswlib.Index(space="ip", dim=dim)
    graph.init_index(
        max_elements=GROWTH_ROWS, ef_construction=BUILD_BREADTH, M=CONNECTIONS, random_seed=7
    )
    graph.set_num_threads(1)
    return graph


def _empty(store: ArtefactTables, embedder: Encoder) -> LibraryIndex:
    facts = {
        "model": embedder.model_id,
        "dim": embedder.dim,
        "count": 0,
        "dead": 0,
        "generation": _generation(store),
        "meetings": {},
    }
    return LibraryIndex(store, _new_graph(embedder.dim), facts, set())


def _facts(store: ArtefactTables) -> dict[str, Any] | None:
    """The facts file, None when it is missing or not what we write."""
    try:
        facts = json.loads(sealed.read_text(store.library_dir / FACTS_NAME))
        has_all = {"model", "dim", "count", "dead", "size", "generation", "meetings"} <= set(facts)
        is_whole = sealed.size(store.library_dir / INDEX_NAME) == facts["size"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return facts if has_all and is_whole else None


def _stamp(store: ArtefactTables) -> tuple[int, int]:
    """Time and size of the facts file, (0, 0) without one; cheap enough for every search."""
    try:
        state = (store.library_dir / FACTS_NAME).stat()
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size


def _generation(store: ArtefactTables) -> str:
    facts = _facts(store)
    return str(facts["generation"]) if facts else ""


def _loaded(store: ArtefactTables, embedder: Encoder) -> LibraryIndex | None:
    """The index in the files, None when they are missing, damaged or of another model."""
    facts = _facts(store)
    if facts is None or facts["model"] != embedder.model_id or facts["dim"] != embedder.dim:
        return None
    path = store.library_dir / INDEX_NAME
    graph = hnsw_file.load(path, embedder.dim, facts["count"], GROWTH_ROWS)
    if graph is None:
        return None
    graph.set_num_threads(1)
    return LibraryIndex(store, graph, facts, set())


def _save(index: LibraryIndex) -> None:
    """Write the cache; where that fails the library is searched all the same, only slower."""
    store = index.store
    path = store.library_dir / INDEX_NAME
    temporary = path.with_suffix(".part")
    try:
        # The lock keeps a meeting that another process deletes meanwhile from coming back.
        with store.transaction():
            if _generation(store) != index.facts["generation"]:
                return
            hnsw_file.save(index.graph, temporary)
            index.facts["size"] = sealed.size(temporary)
            index.facts["generation"] = secrets.token_hex(8)
            temporary.replace(path)
            _write_facts(store, index.facts)
        index.stamp = _stamp(store)
        _open[store] = index
    except (OSError, RuntimeError):
        _discard(store)
    finally:
        temporary.unlink(missing_ok=True)


def _write_facts(store: ArtefactTables, facts: dict[str, Any]) -> None:
    temporary = store.library_dir / f"{FACTS_NAME}.part"
    sealed.write_text(temporary, json.dumps(facts, separators=(",", ":")))
    temporary.replace(store.library_dir / FACTS_NAME)


def _discard(store: ArtefactTables) -> None:
    for name in (FACTS_NAME, INDEX_NAME, f"{FACTS_NAME}.part"):
        (store.library_dir / name).unlink(missing_ok=True)
