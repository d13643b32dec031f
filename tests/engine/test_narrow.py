"""Questions to a whole archive: what is read does not grow with it, and what is not is said."""

import pytest
from fakes import FakeChat, FakeEmbedder

from engine.agent import corpus, narrow
from engine.agent.loop import AskOptions, answer
from engine.cli import output
from engine.graph.build import build_graph
from engine.graph.store import Store
from engine.progress import silent
from engine.types import Utterance

N_MEETINGS = 70
N_READ = 40
FILLER = ("We talked about the weather again.", "The lunch was late.", "Nothing else came up.")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Seventy meetings, newest first; four of them say something of their own."""
    store = Store(tmp_path_factory.mktemp("archive"))
    special = {
        9: [("Ann", "The turbine was postponed because the bearings arrived cracked.")],
        20: [("Zora Neale", "I will bring the projector."), ("Zora Neale", "And the spare lamp.")],
        31: [("Bob", "The turbine needs cracked bearings replaced before June.")],
    }
    for number in range(N_MEETINGS):
        lines = [*special.get(number, ()), *(("Carol", text) for text in FILLER)]
        title = "Harbour committee" if number == 40 else f"Weekly {number}"
        meeting = store.create_meeting(title, has_audio=False)
        rows = [
            Utterance(i, 9.0 * i, 9.0 * i + 8, who, text) for i, (who, text) in enumerate(lines)
        ]
        store.save_utterances(meeting.id, rows)
        build_graph(store, meeting.id, FakeEmbedder(), silent())
    yield store
    store.close()


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A meeting here has three lines; so many of these are read that forty and a bit have room."""
    monkeypatch.setattr(narrow, "MOST_UTTERANCES", 3 * N_READ + 4)


def ids(archive):
    return [meeting.id for meeting in archive.meetings()]


def titles(archive, question, history=(), refs=None):
    refs = refs or ids(archive)
    chosen, n_left = narrow.narrowed(question, history, refs, archive, FakeEmbedder())
    assert n_left == len(set(refs)) - len(chosen)
    n_lines = sum(archive.meeting(key).n_utterances for key in chosen)
    assert len(chosen) == len(set(chosen))
    assert narrow.MOST_UTTERANCES - 5 < n_lines <= narrow.MOST_UTTERANCES
    found = [archive.meeting(key).title for key in chosen]
    everything = [archive.meeting(key).title for key in ids(archive)]
    assert found == sorted(found, key=everything.index), "they stay in their order"
    return found


def test_few_meetings_are_all_read(archive):
    few = ids(archive)[:N_READ]
    assert narrow.narrowed("turbine", (), few, archive, FakeEmbedder()) == (tuple(few), 0)


def test_many_short_meetings_are_all_read(archive, monkeypatch):
    monkeypatch.setattr(narrow, "MOST_UTTERANCES", 4 * N_MEETINGS)
    every = narrow.narrowed("turbine", (), ids(archive), archive, FakeEmbedder())
    assert every == (tuple(ids(archive)), 0)


def test_a_meeting_that_is_named_twice_is_read_once(archive):
    key = ids(archive)[3]
    refs = [key, archive.meeting(key).title, key[:8]]
    assert narrow.narrowed("turbine", (), refs, archive, FakeEmbedder()) == ((key,), 0)


def test_one_meeting_is_read_however_long_it_is(archive, monkeypatch):
    monkeypatch.setattr(narrow, "MOST_UTTERANCES", 2)
    (only,) = narrow.narrowed("turbine bearings", (), ids(archive), archive, FakeEmbedder()).ids
    assert archive.meeting(only).title in ("Weekly 9", "Weekly 31")


def test_the_meetings_that_speak_of_it_are_read(archive):
    assert {"Weekly 9", "Weekly 31"} <= set(titles(archive, "Why was the turbine postponed?"))


def test_a_meeting_that_is_named_is_read(archive):
    assert "Harbour committee" in titles(archive, "What did the harbour committee talk about?")


@pytest.mark.parametrize("name", ["Zora", "zora neale", "Mrs Neale"])
def test_the_meetings_of_a_person_who_is_named_are_read(archive, name):
    assert "Weekly 20" in titles(archive, f"What did {name} promise?")


def test_a_question_that_follows_on_is_read_with_the_one_before(archive):
    before = (("Why was the turbine postponed?", "The bearings arrived cracked."),)
    assert "Weekly 9" in titles(archive, "And then?", before)


def test_without_anything_to_go_by_the_first_ones_are_read(archive):
    everything = [archive.meeting(key).title for key in ids(archive)]
    found = titles(archive, "?!")
    assert found == everything[: len(found)]


def test_meetings_may_be_named_by_title_and_twice(archive):
    refs = [archive.meeting(key).title for key in ids(archive)]
    assert "Weekly 9" in titles(archive, "turbine bearings", refs=[*refs, *refs])


def test_only_the_chosen_ones_of_a_selection_are_read(archive):
    """A selection of many meetings is no way to read others."""
    some = [key for key in ids(archive) if archive.meeting(key).title != "Weekly 31"]
    assert "Weekly 31" not in titles(archive, "turbine bearings", refs=some)


def test_the_answer_says_how_much_was_left_out(archive, capsys):
    events = []
    found = answer(
        "Why was the turbine postponed?", ids(archive), archive, FakeEmbedder(), FakeChat(),
        silent(), AskOptions(system="agent-retrieval"), events.append,
    )  # fmt: skip
    n_left = N_MEETINGS - len(found.meeting_ids)
    assert n_left >= N_MEETINGS - N_READ - 1
    assert found.receipt.n_meetings_left_out == n_left
    assert any(event.kind == "note" and str(n_left) in str(event.content) for event in events)
    quoted = {archive.meeting(c.meeting_id).title for s in found.sentences for c in s.citations}
    assert quoted & {"Weekly 9", "Weekly 31"}
    output.print_answer(found)
    assert f"{n_left} meetings were not read" in capsys.readouterr().out
    assert archive.answer(archive.save_answer(found)).receipt == found.receipt


def test_the_receipt_of_an_earlier_version_is_read(archive):
    key = archive.save_answer(
        answer(
            "Where is the projector?", ids(archive)[:1], archive, FakeEmbedder(), FakeChat(),
            silent(), AskOptions(system="agent-retrieval"), lambda _: None,
        )
    )  # fmt: skip
    with archive.transaction() as connection:
        connection.execute(
            "UPDATE answers SET payload = json_remove(payload, '$.receipt.n_meetings_left_out')"
        )
    assert archive.answer(key).receipt.n_meetings_left_out == 0


def test_what_was_read_stays_in_memory_but_not_more(archive, monkeypatch):
    assert narrow.MOST_UTTERANCES <= corpus.KEPT_UTTERANCES
    monkeypatch.setattr(corpus, "_shelves", type(corpus._shelves)())
    monkeypatch.setattr(corpus, "KEPT_UTTERANCES", 30)
    for key in ids(archive):
        corpus.shelf_of(archive, key)
    kept = [shelf.meeting.id for shelf in corpus._shelves.values()]
    assert kept == ids(archive)[-len(kept) :]
    assert 25 <= sum(archive.meeting(key).n_utterances for key in kept) <= 30
