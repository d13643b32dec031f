from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import MeetingNotFound, StoreError
from engine.graph.store import Store
from engine.types import (
    Acoustics,
    Cue,
    Edge,
    Event,
    Note,
    Relation,
    Span,
    StageRecord,
    Topic,
    Turn,
    Utterance,
    Word,
)
from engine.types_answer import Answer, Citation, Receipt, Sentence, TraceEvent, Verdict


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "library") as opened:
        yield opened


def line(index, start, end, speaker_id, text, speaker=""):
    words = text.split()
    step = (end - start) / max(1, len(words))
    return Utterance(
        index,
        start,
        end,
        speaker,
        text,
        speaker_id,
        tuple(
            Word(start + i * step, start + (i + 1) * step, word, 0.9)
            for i, word in enumerate(words)
        ),
    )


LINES = [
    line(0, 0.0, 4.0, 0, "We must decide the budget today"),
    line(1, 4.2, 6.0, 1, "I would say forty thousand euros"),
    line(2, 6.1, 7.0, 0, "Agreed"),
]


def an_answer(meeting_id, quote="forty thousand"):
    citation = Citation(meeting_id, 1, 4.2, 6.0, "Speaker 2", quote)
    return Answer(
        question="How much?",
        text="Forty thousand.",
        sentences=(Sentence("Forty thousand.", (citation,)),),
        verdict=Verdict(5, True),
        abstained=False,
        system="agent",
        receipt=Receipt(n_read=3),
        trace=(TraceEvent("plan", 1, {"step": (1, 2)}),),
        meeting_ids=(meeting_id,),
    )


def test_everything_saved_is_read_back(store):
    meeting = store.create_meeting("Weekly", "weekly.wav")
    store.save_spans(meeting.id, [Span(0, 7)])
    store.save_words(meeting.id, LINES[0].words)
    store.save_turns(meeting.id, [Turn(0, 4, 0), Turn(4, 6, 1)])
    store.save_utterances(meeting.id, LINES)
    measured = Acoustics(-20.5, 1.5, None, cues=(Cue.LOUD, Cue.FAST), is_interruption=True)
    store.save_acoustics(meeting.id, [measured, None, measured])
    store.save_events(meeting.id, [Event(1, 2, "laughter", 0.8, "whisper")])
    edge = Edge(1, 0, Relation.REPLY_TO, 0.9, "after 0.2 s")
    store.save_edges(meeting.id, [edge, Edge(0, 9, Relation.TEMPORAL)])
    store.save_entities(meeting.id, {("budget", "keyword"): [0, 1]})
    store.save_topics(meeting.id, [Topic("Money", 0, 7, "How much")])
    store.save_expansions(meeting.id, {1: ["How much money?"]})
    store.save_roles(meeting.id, {1: ["Somebody says a sum."]})
    store.record_stage(meeting.id, StageRecord("vad", 1.5, 100, {"speech": 7.0}))

    assert store.spans(meeting.id) == [Span(0, 7)]
    assert [w.text for w in store.words(meeting.id)] == LINES[0].text.split()
    assert store.turns(meeting.id)[1] == Turn(4, 6, 1)
    read = store.utterances(meeting.id, with_words=True)
    assert [u.text for u in read] == [u.text for u in LINES]
    assert [u.speaker for u in read] == ["Speaker 1", "Speaker 2", "Speaker 1"]
    assert [w.text for w in read[1].words] == LINES[1].text.split()
    assert read[0].acoustics == measured
    assert read[1].acoustics is None
    plain = store.utterances(meeting.id, with_words=True, with_acoustics=False)
    assert plain == [replace(u, acoustics=None) for u in read]
    assert store.events(meeting.id)[0].label == "laughter"
    assert store.edges(meeting.id) == [edge]
    assert store.entities(meeting.id) == {("budget", "keyword"): [0, 1]}
    assert store.topics(meeting.id)[0].title == "Money"
    assert store.expansions(meeting.id) == [(1, "How much money?")]
    assert store.roles(meeting.id) == [(1, "Somebody says a sum.")]
    assert store.finished_stages(meeting.id)["vad"].details == {"speech": 7.0}
    speakers = store.speakers(meeting.id)
    assert [(s.name, s.n_utterances) for s in speakers] == [("Speaker 1", 2), ("Speaker 2", 1)]
    assert store.meeting(meeting.id).n_speakers == 2
    assert store.meeting(meeting.id).duration == 7.0


def test_part_of_a_transcript(store):
    meeting = store.create_meeting("Weekly")
    store.save_utterances(meeting.id, LINES)
    assert [u.index for u in store.utterances(meeting.id, start=4.1, end=6.0)] == [1]


def test_a_meeting_is_found_by_id_prefix_or_title(store):
    first, second = store.create_meeting("Same"), store.create_meeting("Other")
    assert store.meeting(first.id[:7]).id == first.id
    assert store.meeting("Other").id == second.id
    with pytest.raises(MeetingNotFound):
        store.meeting("nothing like it")
    with pytest.raises(MeetingNotFound, match="more than one"):
        store.meeting("m")
    store.create_meeting("Same")
    with pytest.raises(MeetingNotFound, match="2 meetings"):
        store.meeting("Same")


@pytest.mark.parametrize(
    "title",
    [
        "../../etc/passwd",
        "<script>",
        "'; DROP TABLE meetings; --",
        "שלום\u202e",
        "x" * 10_000,
        "\x00a",
    ],
)
def test_odd_titles_are_only_titles(store, title):
    meeting = store.create_meeting(title)
    assert store.meeting(meeting.id).title == title.replace("\x00", " ").strip()
    assert store.media_dir(meeting.id).parent == store.library_dir / "media"


def test_an_id_that_is_a_path_is_refused(store):
    with pytest.raises(StoreError):
        store.media_dir("../outside")


def test_names_survive_a_second_hearing_with_other_clusters(store):
    meeting = store.create_meeting("Weekly")
    store.save_utterances(meeting.id, LINES)
    with store.transaction() as connection:
        connection.execute("UPDATE speakers SET name = 'Ann', is_named = 1 WHERE cluster = 0")
    heard_again = [
        line(0, 0.1, 2.0, 7, "We must decide"),
        line(1, 2.0, 4.0, 7, "the budget today"),
        line(2, 4.2, 6.1, 3, "I'd say forty thousand euros"),
        line(3, 6.1, 7.0, 7, "Agreed"),
    ]
    store.save_utterances(meeting.id, heard_again)
    assert [u.speaker for u in store.utterances(meeting.id)] == ["Ann", "Ann", "Speaker 2", "Ann"]


def test_notes_follow_their_moment(store):
    meeting = store.create_meeting("Weekly")
    store.save_utterances(meeting.id, LINES)
    store.add_note(meeting.id, Note("decision", "40k", 4.2, 6.0, utterances=(1,)))
    split = [line(0, 0.0, 2.0, 0, "We must"), line(1, 2.0, 4.0, 0, "decide"), *LINES[1:]]
    store.save_utterances(meeting.id, split)
    assert store.notes(meeting.id)[0].utterances == (2,)


def test_answers_are_kept_and_follow_their_moment(store):
    meeting = store.create_meeting("Weekly")
    store.save_utterances(meeting.id, LINES)
    store.save_answer(an_answer(meeting.id))
    store.save_utterances(meeting.id, [line(0, 0.0, 1.0, 0, "Hm"), *LINES])
    (answer,) = store.answers(meeting.id)
    assert answer.sentences[0].citations[0].utterance == 2
    assert answer.trace[0].content == {"step": [1, 2]}


def test_a_newer_library_is_refused(tmp_path):
    with Store(tmp_path) as store:
        store.connection.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreError, match="newer"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="newer"):
        Store(tmp_path, read_only=True)


def test_reading_only_never_writes(tmp_path):
    with pytest.raises(StoreError, match="no library"):
        Store(tmp_path / "none", read_only=True)
    with Store(tmp_path) as store:
        meeting = store.create_meeting("Weekly")
    with Store(tmp_path, read_only=True) as store:
        assert store.meetings() == [meeting]
        with pytest.raises(StoreError):
            store.create_meeting("Another")


def test_a_failed_save_leaves_the_old_state(store):
    meeting = store.create_meeting("Weekly")
    store.save_utterances(meeting.id, LINES)
    broken = [LINES[0], Utterance(1, "not a number", 2.0, "", "x")]  # type: ignore[arg-type]
    with pytest.raises((ValueError, TypeError)):
        store.save_utterances(meeting.id, broken)
    assert [u.text for u in store.utterances(meeting.id)] == [u.text for u in LINES]


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_deleting_leaves_no_trace(tmp_path):
    with Store(tmp_path) as store:
        kept = store.create_meeting("Kept")
        store.save_utterances(kept.id, [line(0, 0, 1, 0, "ordinary words stay")])
        meeting = store.create_meeting("Xylotitle")
        (store.media_dir(meeting.id) / "audio.flac").write_bytes(b"xylosound" * 100)
        secret = [
            line(i, i, i + 1, i % 2, f"xyloword {i} 秘密使用xylodense系统") for i in range(300)
        ]
        store.save_utterances(meeting.id, secret)
        store.save_utterances(meeting.id, secret[1:])
        store.save_entities(meeting.id, {"xyloentity": [0]})
        store.save_expansions(meeting.id, {0: ["xyloquestion?"]})
        store.add_note(meeting.id, Note("note", "xylonote", utterances=(0,)))
        store.save_answer(an_answer(meeting.id, "xyloquote"))
        elsewhere = an_answer(kept.id)
        store.save_answer(elsewhere)
        store.save_words(meeting.id, secret[0].words)
        receipt = store.delete_meeting(meeting.id)
    assert receipt.rows["utterances"] == 299
    assert receipt.rows["answers"] == 1
    assert receipt.rows["chats" if "chats" in receipt.rows else "versions"] >= 1
    assert (receipt.n_files, receipt.n_bytes) == (1, 900)
    content = bytes_of(tmp_path)
    assert b"xylo" not in content.lower()
    assert "秘密".encode() not in content
    with Store(tmp_path) as store:
        assert [m.id for m in store.meetings()] == [kept.id]
        assert len(store.answers(kept.id)) == 1
        for table in ("words", "mentions", "entities", "expansions_fts", "utterances_dense"):
            if table != "words":
                assert store.value(f"SELECT count(*) FROM {table}") == 0


def test_opening_a_library_does_not_walk_through_its_files(store, monkeypatch):
    def refuse(*_):
        raise AssertionError("a large library would open slowly")

    monkeypatch.setattr(Path, "rglob", refuse)
    Store(store.library_dir).close()
    Store(store.library_dir, read_only=True).close()
