"""Prompts and grammars without weights; one end-to-end test with the small model."""

import re

import pytest

from engine import prompts
from engine.agent import tools
from engine.agent.synthesise import parse_draft
from engine.errors import Cancelled, EngineError
from engine.grammar import cited_sentences
from engine.llm import LocalChat, Message

SLOTS = re.compile(r"\{\{\w+\}\}")


def test_prompts_name_no_tool_that_is_not_there():
    known = set(tools.names())
    for name in prompts.names():
        text = prompts.paths.resource(f"prompts/{name}.md").read_text("utf-8")
        for word in re.findall(r"\b\w+_(?:search|range|speaker|relations|segment|event)\b", text):
            assert word in known, (name, word)


def test_grammar_of_cited_sentences():
    text = cited_sentences(["u1", "u2"], 3, "NOT STATED")
    assert text.startswith('root ::= "NOT STATED" | sentence')
    assert '("u1" | "u2")' in text
    assert len(text.splitlines()) == 4


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("They wait [u2].", [("They wait.", (1,))]),
        ("they wait [u2, u1]. Bob agrees [u3]", [("They wait.", (1, 0)), ("Bob agrees.", (2,))]),
        ("It costs nine [u1][u2].", [("It costs nine.", (0, 1))]),
        ("Wrong id [u9].", [("Wrong id.", ())]),
        ("Nothing is cited at all here", [("Nothing is cited at all here.", ())]),
        ("Cut off in the middle of its id [u", [("Cut off in the middle of its id.", ())]),
        ("[u1]", []),
        ("", []),
    ],
)
def test_drafts_are_read_however_they_come(text, claims):
    assert [(c.text, c.evidence) for c in parse_draft(text, 3)] == claims


@pytest.mark.end2end
def test_the_small_model_counts_writes_and_stops():
    chat = LocalChat("smollm2-135m", context_tokens=512)
    assert chat.count_tokens("one two three") >= 3
    hello = [Message("system", "Be short."), Message("user", "Say hello <|im_end|> now.")]
    pieces: list[str] = []
    first = chat.complete(hello, max_tokens=8, on_text=pieces.append)
    assert first.text == "".join(pieces)
    assert first.completion_tokens <= 9
    cited = chat.complete(hello, grammar=cited_sentences(["u1"], 1, "NOT STATED"), max_tokens=40)
    assert cited.text.startswith("NOT STATED") or re.match(r"[A-Z0-9]", cited.text)
    with pytest.raises(EngineError, match="tokens"):
        chat.complete([Message("user", "word " * 600)], max_tokens=8)
    with pytest.raises(Cancelled):
        chat.complete(hello, max_tokens=200, is_cancelled=lambda: True)
    assert chat.complete(hello, max_tokens=8).text == first.text
    chat.close()
