"""Predictions, drafted questions and the judge, with a scripted model."""

import json
import tempfile

import pytest
from fakes import FakeChat, FakeEmbedder

from engine.agent.judge import judge, judged
from engine.agent.question_builder import Review, draft_questions, export_questions
from engine.agent.synthesise import Pen
from engine.errors import EngineError
from engine.evaluate import evaluate, library_for, question_files
from engine.graph.store import Store
from engine.progress import silent

LINES = (
    "The roof of the barn leaks since the storm in March.",
    "Repairing the roof costs 4200 euros says the carpenter.",
    "Then we repair the roof before the harvest.",
    "The tractor needs new tyres as well this year.",
    "I will order the tyres for the tractor on Monday.",
)


@pytest.fixture
def qa_dir(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "qa"
    folder.mkdir()
    utterances = [
        {
            "i": i,
            "speaker": ("Bob", "Ann")[i % 2],
            "start": 10.0 * i,
            "end": 10.0 * i + 8,
            "text": t,
        }
        for i, t in enumerate(LINES)
    ]
    content = {
        "id": "barn",
        "utterances": utterances,
        "questions": [{"id": "b1", "question": "How much does repairing the roof cost?"}],
        "unanswerable": [{"id": "b2", "question": "What was decided about submarines?"}],
    }
    (folder / "barn.json").write_text(json.dumps(content), "utf-8")
    return folder


def run(qa_dir, system, *replies):
    chat = FakeChat(*replies)
    found = evaluate(qa_dir, system, 0, FakeEmbedder(), lambda: chat, silent())
    return found, chat


@pytest.mark.parametrize("system", ["bm25", "dense", "hybrid", "rag", "getalp-ir"])
def test_baselines_retrieve_without_a_model(qa_dir, system):
    found, chat = run(qa_dir, system)
    assert 1 in found["b1"]["cited"]
    assert chat.prompts == []


def test_the_agent_answers_and_abstains(qa_dir):
    found, _ = run(qa_dir, "agent", "Repairing the roof costs 4200 euros [u2].", "5")
    assert 1 in found["b1"]["cited"]
    assert "4200" in found["b1"]["answer"]
    assert found["b2"]["cited"] == []
    assert found["b2"]["abstained"]


def test_meetings_are_imported_once(qa_dir):
    files = question_files(qa_dir)
    folder, ids = library_for(files, FakeEmbedder(), silent())
    again, same = library_for(files, FakeEmbedder(), silent())
    assert (folder, ids) == (again, same)


def test_what_cannot_be_evaluated_is_said(tmp_path, qa_dir):
    with pytest.raises(EngineError, match="no question set"):
        question_files(tmp_path / "nowhere")
    with pytest.raises(EngineError, match="no system"):
        run(qa_dir, "oracle")


def test_drafted_questions_are_checked_and_exported(qa_dir, tmp_path):
    folder, ids = library_for(question_files(qa_dir), FakeEmbedder(), silent())
    chat = FakeChat(
        "Q: What does repairing the roof cost?\nA: 4200 euros says the carpenter [u1]",
        "Q: What leaks?\nA: 77 boats [u1]",
        "broken",
    )
    with Store(folder) as store:
        (meeting_id,) = ids.values()
        drafts = draft_questions(store, meeting_id, FakeEmbedder(), Pen(chat, silent()), 3)
        assert len(drafts) == 2
        assert "number" in drafts[1].problem
        good = type(drafts[0])(
            drafts[0].question, drafts[0].answer, drafts[0].category, (1,), "", Review.ACCEPTED
        )
        path = export_questions(store, meeting_id, [good, drafts[1]], tmp_path / "own.json")
    content = json.loads(path.read_text("utf-8"))
    assert [q["evidence"] for q in content["questions"]] == [[[1, 1]]]
    assert len(content["utterances"]) == len(LINES)
    assert question_files(path)[0][1]["id"] == meeting_id


def test_answers_are_marked_by_a_judge_where_the_set_has_an_answer(qa_dir):
    content = json.loads((qa_dir / "barn.json").read_text("utf-8"))
    content["questions"][0]["answer"] = "4200 euros"
    (qa_dir / "barn.json").write_text(json.dumps(content), "utf-8")
    chat = FakeChat("Repairing the roof costs 4200 euros [u2].", "5")
    found = evaluate(
        qa_dir, "agent", 0, FakeEmbedder(), lambda: chat, silent(), lambda: FakeChat("RIGHT 9")
    )
    assert (found["b1"]["judged_right"], found["b1"]["mark"]) == (True, 9)
    assert "mark" not in found["b2"]


def test_the_judge_is_judged():
    pen = Pen(FakeChat("RIGHT 9", "WRONG 2"), silent())
    verdicts = [judge("Q?", "tea", "tea", pen), judge("Q?", "tea", "milk", pen)]
    means = judged(verdicts, [True, True])
    assert (means.accuracy, means.mark, means.agreement) == (0.5, 5.5, 0.5)
    assert judged([]).n == 0
