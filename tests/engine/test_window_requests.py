"""What the window asks of an engine process beside hearing and answering: run through ``Jobs``."""

import csv
import json

import pytest
from fakes import FakeChat, FakeEmbedder

from engine import messages, prompts
from engine.errors import Cancelled, EngineError, ModelBroken, ModelMissing, StoreError
from engine.graph import removal, versions
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.progress import Report, silent
from engine.questions import Category, DraftQuestion, Review
from engine.types import Utterance
from engine.types_answer import Answer, Citation, Receipt, Sentence, Verdict


@pytest.fixture
def library(tmp_path):
    with Store(tmp_path) as store:
        meeting = store.create_meeting("Barn", has_audio=False)
        lines = ("The roof leaks.", "Then we repair it.")
        store.save_utterances(
            meeting.id, [Utterance(i, 5.0 * i, 5.0 * i + 4, "Ann", t) for i, t in enumerate(lines)]
        )
        cite = Citation(meeting.id, 0, 0.0, 4.0, "Ann", lines[0])
        answer = Answer(
            "What leaks?", "The roof.", (Sentence("The roof.", (cite,)),), Verdict(5, True), False,
            "agent", Receipt(2, 1, 0, 1, 9, 9, 9, 0.1), (), (meeting.id,),
        )  # fmt: skip
        key = store.save_answer(answer)
    return tmp_path, meeting.id, key


def run(request):
    jobs = Jobs()
    jobs.__dict__["embedder"] = FakeEmbedder()
    return jobs.run(request, silent(), lambda _piece: None)


def test_an_edit_is_told_as_stored_before_the_search_is_brought_up_to_date(library):
    folder, meeting_id, _key = library
    told = []

    def seen(piece):
        with Store(folder, read_only=True) as store:
            told.append(
                (store.utterance(meeting_id, 0).text, store.vectors(meeting_id, "utterance"))
            )

    jobs = Jobs()
    jobs.__dict__["embedder"] = FakeEmbedder()
    change = {"index": 0, "text": "The gutter leaks."}
    jobs.run(messages.Edit("j", str(folder), meeting_id, "edit_text", change), silent(), seen)
    ((text, vectors),) = told
    assert text == "The gutter leaks."
    assert not vectors.any()
    with Store(folder, read_only=True) as store:
        assert store.vectors(meeting_id, "utterance").any(axis=1).all()


def test_a_deleted_meeting_is_gone_for_the_window_before_its_traces_are_wiped(library, monkeypatch):
    folder, meeting_id, _key = library
    order = []
    wipe = removal.scrub
    monkeypatch.setattr(removal, "scrub", lambda store: (order.append("wiped"), wipe(store)))

    def seen(piece):
        assert piece == messages.Stored(meeting_id)
        with Store(folder, read_only=True) as store:
            order.append([meeting.title for meeting in store.meetings()])

    Jobs().run(messages.Delete("j", str(folder), meeting_id), silent(), seen)
    assert order == [[], "wiped"]


def test_what_an_edit_stopped_too_soon_left_the_next_one_does(library):
    folder, meeting_id, _key = library
    jobs = Jobs()
    jobs.__dict__["embedder"] = FakeEmbedder()

    def edit(operation, report, **change):
        request = messages.Edit("j", str(folder), meeting_id, operation, change)
        jobs.run(request, report, lambda _piece: None)

    with pytest.raises(Cancelled):
        edit("edit_text", Report(lambda _progress: None, lambda: True), index=0, text="It is dry.")
    edit("add_bookmark", silent(), at=1.0, text="here")
    with Store(folder, read_only=True) as store:
        assert store.utterance(meeting_id, 0).text == "It is dry."
        assert store.vectors(meeting_id, "utterance").any(axis=1).all()


def test_marks_are_kept_and_exported(library, tmp_path):
    folder, _meeting_id, key = library
    table = tmp_path / "ratings.csv"
    with pytest.raises(EngineError, match="No answer is rated"):
        run(messages.ExportRatings("j", str(folder), str(table)))
    marks = {"correct": 5, "grounded": 4, "coherent": 3}
    run(messages.RateAnswer("j", str(folder), key, marks))
    assert run(messages.ExportRatings("j", str(folder), str(table))) == 1
    (row,) = csv.DictReader(table.read_text("utf-8-sig").splitlines())
    assert (row["question"], row["grounded"]) == ("What leaks?", "4")
    run(messages.ExportRatings("j", str(folder), str(tmp_path / "ratings.json")))
    assert json.loads((tmp_path / "ratings.json").read_text("utf-8"))[0]["ratings"] == marks


def test_a_mark_outside_its_bounds_is_refused(library):
    folder, _meeting_id, key = library
    with pytest.raises(StoreError):
        run(messages.RateAnswer("j", str(folder), key, {"correct": 6}))


def test_an_answer_becomes_one_page_with_its_quotes(library, tmp_path):
    folder, _meeting_id, key = library
    page = tmp_path / "evidence.html"
    assert run(messages.ExportEvidence("j", str(folder), key, str(page))) == str(page)
    assert "The roof leaks." in page.read_text("utf-8")
    with pytest.raises(StoreError, match="not in the library"):
        run(messages.ExportEvidence("j", str(folder), 999, str(page)))


def test_an_earlier_transcript_comes_back(library):
    folder, meeting_id, _key = library
    with Store(folder) as store:
        store.save_utterances(meeting_id, [Utterance(0, 0.0, 4.0, "Ann", "The proof speaks.")])
        (version,) = versions.versions(store, meeting_id)
    run(messages.RestoreVersion("j", str(folder), meeting_id, version.id))
    with Store(folder) as store:
        assert store.utterances(meeting_id)[0].text == "The roof leaks."
        assert len(versions.versions(store, meeting_id)) == 2


def test_accepted_questions_are_written_as_a_set(library, tmp_path):
    folder, meeting_id, _key = library
    drafts = tuple(
        DraftQuestion(f"Q{i}?", "A", Category.EXPLICIT, (0,), "", review)
        for i, review in enumerate(Review)
    )
    path = tmp_path / "set.json"
    run(messages.ExportQuestions("j", str(folder), meeting_id, drafts, str(path)))
    written = json.loads(path.read_text("utf-8"))
    assert [q["question"] for q in written["questions"]] == ["Q1?"]
    with pytest.raises(EngineError, match="cannot be written"):
        run(messages.ExportQuestions("j", str(folder), meeting_id, drafts, "/nowhere/x.json"))


def test_getting_ready_reads_all_that_stands_before_the_evidence():
    chat = FakeChat("")
    jobs = Jobs()
    jobs.chat = lambda: chat
    assert jobs.run(messages.GetReady("ready"), silent(), lambda _piece: None) is True
    (read,) = chat.prompts
    drafted = prompts.conversation(
        "answer", lines="[u1] 0:05 Ann: Then we repair it.", question="?"
    )
    assert read[:-1] == drafted[:-1]


@pytest.mark.parametrize("error", [ModelMissing("not here"), ModelBroken("cut")])
def test_getting_ready_says_nothing_about_a_model_that_is_not_there(error):
    def chat():
        raise error

    jobs = Jobs()
    jobs.chat = chat
    assert jobs.run(messages.GetReady("ready"), silent(), lambda _piece: None) is False
