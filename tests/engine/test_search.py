import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import StoreError
from engine.graph import edits, library_index
from engine.graph.build import build_graph, refresh_vectors
from engine.graph.search import (
    hybrid_search,
    keyword_search,
    library_search,
    match_expression,
    named_speakers,
    neighbours,
    semantic_search,
)
from engine.graph.store import Store
from engine.progress import silent
from engine.types import Utterance

_spec = importlib.util.spec_from_file_location(
    "build_fakes", Path(__file__).with_name("test_build.py")
)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
FakeEncoder = _module.FakeEncoder

TEXTS = [
    "We don't have a budget for version 20.04 yet",
    "mm-hmm",
    "The a-b test at user@example.org costs 50% more",
    "我们使用itgc系统管理税务问题",
    "税は高いです",
    'Das Straßenfest kostet "viel" Geld * AND OR NOT',
    "🎉 party",
    "We discussed the budgets of every department at length today",
]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


@pytest.fixture
def meeting(store):
    made = store.create_meeting("Talk")
    names = ["Ann", "Bob"]
    store.save_utterances(
        made.id, [Utterance(i, i, i + 1, names[i % 2], text) for i, text in enumerate(TEXTS)]
    )
    return made


def found(store, query, meeting_ids=()):
    return [hit.index for hit in keyword_search(store, meeting_ids, query, 10)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("don't", 0), ("20.04", 0), ("a-b", 2), ("@example", 2), ("user@example.org", 2),
        ("50%", 2), ("税务", 3), ("税", 3), ("务", 3), ("题", 3), ("问题", 3), ("itgc", 3),
        ("ITGC", 3), ("系统管理税务", 3), ("高い", 4), ("straßenfest", 5),
        ('"viel"', 5), ("*", 5), ("🎉", 6), ('"budgets of every"', 7), ("budget", 0),
        ("bud", 0), ("@", 2),
    ],
)  # fmt: skip
def test_every_query_finds_its_words(store, meeting, query, expected):
    """Field report I1."""
    assert expected in found(store, query)
    assert expected in found(store, query, [meeting.id])


@pytest.mark.parametrize(
    "query",
    ['"', '""', "AND", "NOT", "OR OR", "NEAR(", "text:", "a*b*", "^x", "{", "(", "-", "'", "\\",
     "\x00", "\ud800", "x" * 100_000, "a " * 5000, "; DROP TABLE utterances", "%", "_", "NEAR/3"],
)  # fmt: skip
def test_no_query_is_a_syntax_error(store, meeting, query):
    found(store, query)
    found(store, query, [meeting.id])


@settings(
    max_examples=int(os.environ.get("EARWITNESS_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from([*'"*^:(){}+-~', "NEAR", "AND ", "税", "a", "'", "\x00"])).map(
            "".join
        ),
    )
)
def test_random_queries_are_only_words(store, meeting, query):
    for ids in ((), [meeting.id]):
        for hit in keyword_search(store, ids, query, 5):
            assert 0 <= hit.index < len(TEXTS)


def test_blank_finds_nothing(store, meeting):
    assert found(store, " \t") == []
    assert hybrid_search(store, FakeEncoder(), [meeting.id], "  ", 5) == []


def test_a_failure_is_never_zero_hits(store, meeting):
    """Field report I1."""
    store.connection.execute("DROP TABLE utterances_fts")
    with pytest.raises(StoreError):
        found(store, "budget")


def test_two_character_words_of_other_scripts(store):
    """C4: words of scripts without spaces, also short ones."""
    made = store.create_meeting("Scripts")
    texts = ["ประชุมวันนี้เรื่องงบประมาณ", "회의에서예산을논의했다", "x db库y"]
    store.save_utterances(made.id, [Utterance(i, i, i + 1, "", t) for i, t in enumerate(texts)])
    assert found(store, "งบประมาณ") == [0]
    assert found(store, "예산") == [1]
    assert found(store, "db") == [2]
    assert found(store, "库") == [2]


def test_expressions_hold_only_quoted_tokens():
    assert match_expression("what about the budget?") == '"budget"'
    assert match_expression('he said "new budget"') == '"new budget" OR "new" OR "budget"'
    assert match_expression("what is it") == '"what" OR "is" OR "it"'
    assert match_expression("?!") == ""


def test_questions_made_by_enrichment_are_searched(store, meeting):
    store.save_expansions(meeting.id, {4: ["How expensive is the levy?"]})
    assert found(store, "levy") == [4]
    assert found(store, "levy", [meeting.id]) == [4]


def test_meaning_and_words_together(store, meeting):
    encoder = FakeEncoder()
    refresh_vectors(store, meeting.id, encoder, silent())
    best = hybrid_search(store, encoder, [meeting.id], "budget of the department", 3)
    assert best[0].index == 7
    assert semantic_search(store, encoder, [meeting.id], TEXTS[0], 1)[0].index == 0


def test_back_channels_come_last(store, meeting):
    encoder = FakeEncoder()
    refresh_vectors(store, meeting.id, encoder, silent())
    hits = [h.index for h in hybrid_search(store, encoder, [meeting.id], "mm-hmm budget", 8)]
    assert hits.index(1) > hits.index(0)


def test_library_search_reads_the_hits(store, meeting):
    other = store.create_meeting("Other")
    store.save_utterances(other.id, [Utterance(0, 0, 1, "Ann", "budget again")])
    hits = library_search(store, None, "budget")
    assert {(h.meeting_title, h.utterance.index) for h in hits} == {
        ("Talk", 0), ("Talk", 7), ("Other", 0)
    }  # fmt: skip
    assert [h.meeting_id for h in library_search(store, None, "budget", [other.id])] == [other.id]
    assert {h.utterance.speaker for h in library_search(store, None, "budget", speaker="ann")} == {
        "Ann"
    }
    assert len(library_search(store, None, "budget", limit=1)) == 1


def test_neighbours(store, meeting):
    assert neighbours(store, meeting.id, 0) == [1]
    assert neighbours(store, meeting.id, 3, 2) == [1, 2, 4, 5]


def test_speakers_are_recognised_in_questions():
    names = ["Project Manager", "Marketing", "Ann Lee", "Ann Smith"]
    assert named_speakers("What did the Project Manager say?", names) == {"Project Manager"}
    assert named_speakers("What did Lee want?", names) == {"Ann Lee"}
    assert named_speakers("What did Ann want?", names) == set()


@pytest.fixture
def big(store, monkeypatch):
    """A library that is searched through its index."""
    monkeypatch.setattr("engine.graph.search.EXACT_ROWS", 0)
    monkeypatch.setattr(library_index, "MIN_ROWS", 0)
    monkeypatch.setattr(library_index, "MAX_LATE_ROWS", 0)
    monkeypatch.setattr(library_index, "MAX_DEAD_SHARE", 0.5)
    encoder = FakeEncoder()
    ids = []
    for number in range(3):
        made = store.create_meeting(f"M{number}")
        texts = [f"meeting{number} topic{i} word{i * 7}" for i in range(40)]
        rows = [Utterance(i, i, i + 1, "A", text) for i, text in enumerate(texts)]
        store.save_utterances(made.id, rows)
        build_graph(store, made.id, encoder, silent())
        ids.append(made.id)
    return encoder, ids


def nearest(store, encoder, text, ids=()):
    hits = semantic_search(store, encoder, ids, text, 1)
    return (hits[0].meeting_id, hits[0].index) if hits else None


def test_the_library_index_finds_and_filters(store, big):
    encoder, ids = big
    assert nearest(store, encoder, "meeting1 topic5 word35") == (ids[1], 5)
    both = ids[:2]
    assert nearest(store, encoder, "meeting2 topic5 word35", both)[0] in both
    assert hybrid_search(store, encoder, (), "meeting2 topic9 word63", 3)[0].meeting_id == ids[2]


DAMAGES = ["truncate", "garbage", "links", "facts", "missing", "header"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_library_index_is_built_again(store, big, damage):
    encoder, ids = big
    path = store.library_dir / library_index.INDEX_NAME
    facts = store.library_dir / library_index.FACTS_NAME
    whole = path.read_bytes()
    library_index._open.clear()
    damaged = {
        "truncate": whole[: len(whole) // 2],
        "garbage": b"\xff" * len(whole),
        "links": whole[:100] + b"\xff" * 40 + whole[140:],
        "header": whole[:16] + b"\xff" * 8 + whole[24:],
    }
    if damage in damaged:
        path.write_bytes(damaged[damage])
    elif damage == "facts":
        facts.write_text('{"model": "fake"}')
    else:
        path.unlink()
    assert nearest(store, encoder, "meeting1 topic5 word35") == (ids[1], 5)
    library_index.update(store, encoder, silent())
    assert not library_index.opened(store, encoder).stale
    assert nearest(store, encoder, "meeting1 topic5 word35") == (ids[1], 5)


def test_a_changed_meeting_is_found_before_and_after_the_index_follows(store, big):
    encoder, ids = big
    rows = [Utterance(0, 0, 1, "A", "quite another thing altogether")]
    store.save_utterances(ids[1], rows)
    refresh_vectors(store, ids[1], encoder, silent())
    for _ in range(2):
        assert nearest(store, encoder, "quite another thing altogether") == (ids[1], 0)
        assert nearest(store, encoder, "meeting2 topic5 word35") == (ids[2], 5)
        library_index.update(store, encoder, silent())
    assert library_index.opened(store, encoder).facts["dead"] == 40


def test_few_late_meetings_are_found_and_leave_the_file_as_it_is(store, big, monkeypatch):
    encoder, ids = big
    path = store.library_dir / library_index.INDEX_NAME
    whole = path.read_bytes()
    monkeypatch.setattr(library_index, "MAX_LATE_ROWS", 40)
    rows = [Utterance(i, i, i + 1, "A", f"later{i} thing again") for i in range(30)]
    late = store.create_meeting("Late")
    store.save_utterances(late.id, rows)
    build_graph(store, late.id, encoder, silent())
    assert path.read_bytes() == whole
    assert nearest(store, encoder, "later7 thing again") == (late.id, 7)
    edits.edit_text(store, ids[0], 3, "zebra giraffe elephant rhinoceros")
    refresh_vectors(store, ids[0], encoder, silent())
    library_index.update(store, encoder, silent())
    assert path.read_bytes() != whole
    assert nearest(store, encoder, "later7 thing again") == (late.id, 7)


def test_a_corrected_text_is_found_by_its_new_meaning(store, big):
    encoder, ids = big
    edits.edit_text(store, ids[0], 3, "zebra giraffe elephant rhinoceros")
    refresh_vectors(store, ids[0], encoder, silent())
    assert nearest(store, encoder, "zebra giraffe elephant rhinoceros") == (ids[0], 3)
    library_index.update(store, encoder, silent())
    assert nearest(store, encoder, "zebra giraffe elephant rhinoceros") == (ids[0], 3)


def test_a_deleted_meeting_leaves_the_library_index(store, big):
    encoder, ids = big
    path = store.library_dir / library_index.INDEX_NAME
    vector = store.vectors(ids[1], "utterance")[5].tobytes()
    assert vector in path.read_bytes()
    with Store(store.library_dir) as other:
        other.delete_meeting(ids[1])
    assert vector not in path.read_bytes()
    assert not library_index.opened(store, encoder).stale
    for text in ("meeting1 topic5 word35", "meeting1"):
        hits = semantic_search(store, encoder, (), text, 80)
        assert len(hits) == 80
        assert ids[1] not in {hit.meeting_id for hit in hits}


def test_deleting_most_of_a_library_discards_its_index(store, big):
    encoder, ids = big
    store.delete_meeting(ids[0])
    store.delete_meeting(ids[1])
    assert not (store.library_dir / library_index.INDEX_NAME).exists()
    assert nearest(store, encoder, "meeting2 topic5 word35") == (ids[2], 5)


def test_a_small_library_has_no_index_file(store, meeting):
    encoder = FakeEncoder()
    build_graph(store, meeting.id, encoder, silent())
    assert not (store.library_dir / library_index.INDEX_NAME).exists()
    store.delete_meeting(meeting.id)


def test_labels_are_kept_as_runs():
    labels = [1, 2, 3, 7, 9, 10]
    assert library_index.compressed(labels) == [[1, 3], [7, 1], [9, 2]]
    assert library_index.expanded(library_index.compressed(labels)) == labels
