"""The vectors of the whole library in one HNSW file; a cache that can always be rebuilt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.graph.store import Store

INDEX_NAME = "library.hnsw"
FACTS_NAME = "library.json"


def forget_deleted(store: Store) -> None:
    """Remove the vectors of deleted meetings from the cache."""
    for name in (INDEX_NAME, FACTS_NAME):
        (store.library_dir / name).unlink(missing_ok=True)
