"""The vectors of the whole library in one HNSW file; a cache that can always be rebuilt.

``library.hnsw`` holds the utterance vectors with ``utterances.id`` as label, ``library.json``
says what they are: model, dimension, count and the revision of each meeting's vectors. The
database decides; whatever differs is added, removed or built anew when the index is opened.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from engine.graph.artefacts import ArtefactTables
from engine.graph.encoder import Encoder
from engine.types import FloatArray

INDEX_NAME = "library.hnsw"
FACTS_NAME = "library.json"
CONNECTIONS = 16
BUILD_BREADTH = 100
SEARCH_BREADTH = 128
GROWTH_ROWS = 20_000


@dataclass
class LibraryIndex:
    """The open index of one library."""

    store: ArtefactTables
    graph: Any
    facts: dict[str, Any]

    def nearest(
        self, vector: FloatArray, k: int, meeting_ids: Sequence[str] = ()
    ) -> dict[int, float]:
        """Cosines by ``utterances.id`` of about the ``k`` nearest utterances."""
        n = int(self.facts["count"])
        if not n or not vector.any():
            return {}
        allowed = self._keys_of(meeting_ids) if meeting_ids else None
        wanted = min(k if allowed is None else len(allowed), k, n)
        if not wanted:
            return {}
        self.graph.set_ef(max(SEARCH_BREADTH, 2 * wanted))
        accept = None if allowed is None else allowed.__contains__
        try:
            labels, distances = self.graph.knn_query(vector, k=wanted, num_threads=1, filter=accept)
        except RuntimeError:
            # Too few reachable rows pass the filter; ask the vectors themselves.
            return self._exact(vector, wanted, meeting_ids)
        return {
            int(key): 1 - float(distance)
            for key, distance in zip(labels[0], distances[0], strict=True)
        }

    def _keys_of(self, meeting_ids: Sequence[str]) -> set[int]:
        keys: set[int] = set()
        for meeting_id in meeting_ids:
            keys.update(self.store.owned_vectors(meeting_id, "utterance")[0].tolist())
        return keys

    def _exact(self, vector: FloatArray, k: int, meeting_ids: Sequence[str]) -> dict[int, float]:
        ids = meeting_ids or [row[0] for row in self.store.rows("SELECT id FROM meetings")]
        found: dict[int, float] = {}
        for meeting_id in ids:
            keys, stored = self.store.owned_vectors(meeting_id, "utterance")
            if len(keys) and stored.shape[1] == len(vector):
                found.update(zip(keys.tolist(), (stored @ vector).tolist(), strict=True))
        best = sorted(found, key=lambda key: -found[key])[:k]
        return {key: found[key] for key in best}


_open: WeakKeyDictionary[ArtefactTables, LibraryIndex] = WeakKeyDictionary()


def opened(store: ArtefactTables, embedder: Encoder) -> LibraryIndex:
    """The index of a library, brought up to date with its database.

    Raises:
        StoreError: The library cannot be read.
    """
    index = _open.get(store)
    if index is None or index.facts["model"] != embedder.model_id:
        index = _loaded(store, embedder) or _empty(store, embedder)
        _open[store] = index
    if _wanted(store, embedder) != index.facts["meetings"]:
        index = _updated(index, embedder)
        _open[store] = index
    return index


def forget_deleted(store: ArtefactTables) -> None:
    """Remove the vectors of deleted meetings from the cache."""
    _open.pop(store, None)
    for name in (INDEX_NAME, FACTS_NAME):
        (store.library_dir / name).unlink(missing_ok=True)


def _wanted(store: ArtefactTables, embedder: Encoder) -> dict[str, list[int]]:
    """Revision and number of vectors of each meeting, as the database has them."""
    found = store.rows(
        "SELECT meeting_id, revision, n_rows FROM vectors WHERE kind = 'utterance' "
        "AND model_id = ? AND dim = ? AND n_rows > 0",
        (embedder.model_id, embedder.dim),
    )
    return {row[0]: [row[1], row[2]] for row in found}


def _new_graph(dim: int, n_rows: int) -> Any:
    import hnswlib

    graph = hnswlib.Index(space="ip", dim=dim)
    graph.init_index(
        max_elements=n_rows, ef_construction=BUILD_BREADTH, M=CONNECTIONS, random_seed=7
    )
    graph.set_num_threads(1)
    return graph


def _empty(store: ArtefactTables, embedder: Encoder) -> LibraryIndex:
    facts = {
        "model": embedder.model_id, "dim": embedder.dim, "count": 0, "meetings": {},
    }  # fmt: skip
    return LibraryIndex(store, _new_graph(embedder.dim, GROWTH_ROWS), facts)


def _loaded(store: ArtefactTables, embedder: Encoder) -> LibraryIndex | None:
    """The index in the files, None when they are missing, damaged or of another model."""
    import hnswlib

    try:
        facts = json.loads((store.library_dir / FACTS_NAME).read_text("utf-8"))
        if facts["model"] != embedder.model_id or facts["dim"] != embedder.dim:
            return None
        path = store.library_dir / INDEX_NAME
        if path.stat().st_size != facts["size"]:
            return None
        graph = hnswlib.Index(space="ip", dim=embedder.dim)
        graph.load_index(str(path), max_elements=facts["count"] + GROWTH_ROWS)
        if graph.get_current_count() != facts["count"]:
            return None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):
        return None
    return LibraryIndex(store, graph, facts)


def _updated(index: LibraryIndex, embedder: Encoder) -> LibraryIndex:
    """Add what is new, build anew when something changed or went; then save."""
    store = index.store
    wanted = _wanted(store, embedder)
    have = index.facts["meetings"]
    if any(wanted.get(meeting_id) != state for meeting_id, state in have.items()):
        index = _empty(store, embedder)
        have = index.facts["meetings"]
    for meeting_id, state in wanted.items():
        if have.get(meeting_id) == state:
            continue
        keys, vectors = store.owned_vectors(meeting_id, "utterance")
        used = vectors.any(axis=1) & (keys > 0)
        n_after = index.facts["count"] + int(used.sum())
        if n_after > index.graph.get_max_elements():
            index.graph.resize_index(n_after + max(GROWTH_ROWS, n_after // 4))
        index.graph.add_items(vectors[used], keys[used], num_threads=1)
        index.facts["count"] += int(used.sum())
        index.facts["meetings"][meeting_id] = state
    _save(index)
    return index


def _save(index: LibraryIndex) -> None:
    """Write the cache; a library that cannot be written is searched all the same."""
    if index.store.is_read_only:
        return
    path = index.store.library_dir / INDEX_NAME
    temporary = path.with_suffix(".part")
    try:
        index.graph.save_index(str(temporary))
        index.facts["size"] = temporary.stat().st_size
        temporary.replace(path)
        facts_part = path.with_suffix(".facts-part")
        facts_part.write_text(json.dumps(index.facts), "utf-8")
        facts_part.replace(index.store.library_dir / FACTS_NAME)
    except (OSError, RuntimeError):
        temporary.unlink(missing_ok=True)
