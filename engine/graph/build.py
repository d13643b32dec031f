"""From a transcript to the meeting graph: entities, edges and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from engine.graph import edges, library_index
from engine.graph.encoder import Encoder
from engine.graph.entities import find_entities
from engine.graph.store import Store
from engine.progress import Report
from engine.types import Relation, Utterance

WINDOW = 2
# The encoder reads 256 tokens; the middle of a window must not be what is cut off.
MIDDLE_WORDS = 110
NEIGHBOUR_WORDS = 30
BATCH_ROWS = 128


def build_graph(store: Store, meeting_id: str, embedder: Encoder, report: Report) -> None:
    """Compute entities, edges and vectors of a meeting and save them.

    Semantic edges, which enrichment adds, stay. Vectors whose text did not change are kept.

    Raises:
        ModelMissing: The encoder is not on this machine; edges are saved by then.
        Cancelled: The user asked to stop.
    """
    link(store, meeting_id, report.part(0.0, 0.1))
    refresh_vectors(store, meeting_id, embedder, report.part(0.1, 0.9))
    library_index.update(store, embedder, report.part(0.9, 1.0))


def link(store: Store, meeting_id: str, report: Report) -> None:
    """Compute and save entities and edges."""
    utterances = store.utterances(meeting_id)
    report("link", 0, 1)
    entities = find_entities(utterances)
    report("link", 0.5, 1)
    found = chain(
        edges.temporal_edges(utterances),
        edges.reply_edges(utterances),
        edges.same_speaker_edges(utterances),
        edges.entity_edges(entities, len(utterances)),
    )
    semantic = store.edges(meeting_id, Relation.SEMANTIC)
    with store.transaction():
        store.save_entities(meeting_id, entities)
        store.save_edges(meeting_id, chain(found, semantic))
    report("link", 1, 1)


def refresh_vectors(store: Store, meeting_id: str, embedder: Encoder, report: Report) -> None:
    """Embed what has no vector yet, or one of another model or of a text that changed."""
    utterances = store.utterances(meeting_id)
    kinds = {
        "utterance": [u.text for u in utterances],
        "window": [window_text(utterances, i) for i in range(len(utterances))],
        "question": [question for _, question in store.expansions(meeting_id)],
    }
    total = sum(len(texts) for texts in kinds.values())
    done = 0
    for kind, texts in kinds.items():
        report("embed", done, total)
        if texts:
            _refresh(store, meeting_id, kind, texts, (embedder, report, done, total))
        done += len(texts)
    report("embed", 1, 1)


def _refresh(
    store: Store,
    meeting_id: str,
    kind: str,
    texts: Sequence[str],
    work: tuple[Encoder, Report, int, int],
) -> None:
    embedder, report, done, total = work
    vectors = np.zeros((len(texts), embedder.dim), np.float32)
    if store.vector_model(meeting_id, kind) == embedder.model_id:
        kept = store.vectors(meeting_id, kind)
        if kept.shape == vectors.shape:
            vectors = kept.copy()
    missing = [i for i, text in enumerate(texts) if text.strip() and not vectors[i].any()]
    for first in range(0, len(missing), BATCH_ROWS):
        report("embed", done + first, total)
        rows = missing[first : first + BATCH_ROWS]
        vectors[rows] = embedder.encode([texts[i] for i in rows])
    has_all = store.vector_model(meeting_id, kind) == embedder.model_id and not missing
    if not has_all:
        store.save_vectors(meeting_id, kind, embedder.model_id, vectors)


def window_text(utterances: Sequence[Utterance], index: int) -> str:
    """An utterance between the ends of its neighbours, two on either side; "" if it is empty."""
    if not utterances[index].text:
        return ""
    parts = []
    for position in range(max(0, index - WINDOW), min(len(utterances), index + WINDOW + 1)):
        words = utterances[position].text.split()
        if position < index:
            words = words[-NEIGHBOUR_WORDS:]
        elif position > index:
            words = words[:NEIGHBOUR_WORDS]
        else:
            words = words[:MIDDLE_WORDS]
        parts.append(" ".join(words))
    return " ".join(part for part in parts if part)
