import numpy as np
import pytest

from engine.errors import Cancelled
from engine.graph.build import build_graph, refresh_vectors, window_text
from engine.graph.entities import find_entities
from engine.graph.store import Store
from engine.progress import Report, silent
from engine.types import Edge, Relation, Utterance


class FakeEncoder:
    """Bags of hashed words: texts with common words are near each other."""

    def __init__(self, dim=64):
        self.model_id = "fake"
        self.dim = dim
        self.seen = []

    def encode(self, texts):
        self.seen += list(texts)
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, sum(map(ord, word)) % self.dim] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(norms, 1e-9)


def lines(*rows):
    return [
        Utterance(i, start, start + 2, speaker, text)
        for i, (start, speaker, text) in enumerate(rows)
    ]


TALK = lines(
    (0, "Ann", "The marketing budget is 40 percent too high, says Petra Novak"),
    (2.5, "Bob", "Why is the marketing so expensive?"),
    (5, "Ann", "Because of the ACME campaign on Monday"),
    (20, "Bob", "Then Petra Novak must cut the ACME campaign"),
)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


def test_four_kinds_of_edges_with_reasons(store):
    meeting = store.create_meeting("x")
    store.save_utterances(meeting.id, TALK)
    store.save_edges(meeting.id, [Edge(3, 0, Relation.SEMANTIC, 0.8, "the same person")])
    build_graph(store, meeting.id, FakeEncoder(), silent())
    by_kind = {kind: store.edges(meeting.id, kind) for kind in Relation}
    assert [(e.source, e.target) for e in by_kind[Relation.TEMPORAL]] == [(0, 1), (1, 2), (2, 3)]
    replies = [(e.source, e.target) for e in by_kind[Relation.REPLY_TO]]
    assert replies == [(1, 0), (2, 1)], "13 s of silence is no reply"
    assert "question" in by_kind[Relation.REPLY_TO][1].reason
    same = [(e.source, e.target) for e in by_kind[Relation.SAME_SPEAKER]]
    assert same == [(0, 2), (1, 3)]
    entity = {(e.source, e.target): e.reason for e in by_kind[Relation.ENTITY]}
    assert "Petra Novak" in entity[0, 3]
    assert "ACME" in entity[2, 3]
    assert len(by_kind[Relation.SEMANTIC]) == 1
    assert all(0 < e.weight <= 1 and e.reason for e in store.edges(meeting.id))


def test_entities_have_kinds():
    found = find_entities(TALK)
    assert found["Petra Novak", "name"] == [0, 3]
    assert found["ACME", "acronym"] == [2, 3]
    assert found["40 percent", "number"] == [0]
    assert found["monday", "date"] == [2]
    assert ("marketing", "keyword") in found


def test_sums_of_money_in_words_and_figures():
    found = find_entities(lines((0, "A", "It costs twenty five euros or $30 or 1,200 dollars")))
    kinds = {name: kind for name, kind in found}
    assert kinds["twenty five euros"] == "money"
    assert kinds["$30"] == "money"
    assert kinds["1,200 dollars"] == "money"


def test_only_what_changed_is_embedded_again(store):
    meeting = store.create_meeting("x")
    store.save_utterances(meeting.id, TALK)
    encoder = FakeEncoder()
    build_graph(store, meeting.id, encoder, silent())
    assert len(encoder.seen) == 8
    encoder.seen.clear()
    refresh_vectors(store, meeting.id, encoder, silent())
    assert encoder.seen == []
    store.save_expansions(meeting.id, {0: ["How high?", "Who?"]})
    refresh_vectors(store, meeting.id, encoder, silent())
    assert encoder.seen == ["How high?", "Who?"]
    assert store.vectors(meeting.id, "question").shape == (2, 64)


def test_another_model_embeds_everything_again(store):
    meeting = store.create_meeting("x")
    store.save_utterances(meeting.id, TALK)
    refresh_vectors(store, meeting.id, FakeEncoder(), silent())
    other = FakeEncoder(32)
    other.model_id = "other"
    refresh_vectors(store, meeting.id, other, silent())
    assert store.vectors(meeting.id, "utterance").shape == (4, 32)


def test_a_window_keeps_its_middle():
    long = lines(*((i, "A", f"w{i} " * 400) for i in range(5)))
    words = window_text(long, 2).split()
    assert len(words) < 256
    assert words.count("w2") == 110
    assert window_text(lines((0, "A", "")), 0) == ""


def test_cancelled_between_batches(store):
    meeting = store.create_meeting("x")
    store.save_utterances(meeting.id, TALK)
    with pytest.raises(Cancelled):
        build_graph(store, meeting.id, FakeEncoder(), Report(is_cancelled=lambda: True))
    assert store.edges(meeting.id) == []


def test_an_empty_meeting_has_an_empty_graph(store):
    meeting = store.create_meeting("x")
    store.save_utterances(meeting.id, [])
    build_graph(store, meeting.id, FakeEncoder(), silent())
    assert store.edges(meeting.id) == []


def test_progress_only_grows(store):
    meeting = store.create_meeting("x")
    store.save_utterances(meeting.id, TALK)
    seen = []
    build_graph(
        store, meeting.id, FakeEncoder(), Report(lambda progress: seen.append(progress.overall))
    )
    assert len(seen) > 3
    assert seen == sorted(seen)
