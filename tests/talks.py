"""Small meetings of a few lines, and what the agent says of them without a model."""

from __future__ import annotations

from fakes import FakeEmbedder

from engine.agent.loop import AskOptions, answer
from engine.evaluate import WithoutModel
from engine.graph.build import build_graph
from engine.graph.store import Store
from engine.progress import silent
from engine.types import Utterance
from engine.types_answer import Answer


def said(store: Store, *lines: tuple[str, str]) -> str:
    """The id of a meeting of these (speaker, text) lines."""
    meeting = store.create_meeting("Talk", "talk.json", has_audio=False)
    store.save_utterances(
        meeting.id, [Utterance(i, 9.0 * i, 9.0 * i + 8, *line) for i, line in enumerate(lines)]
    )
    build_graph(store, meeting.id, FakeEmbedder(), silent())
    return meeting.id


def told(store: Store, meeting_id: str, question: str, system: str = "agent") -> Answer:
    """An answer for which no model may be asked."""
    return answer(
        question, [meeting_id], store, FakeEmbedder(), WithoutModel(), silent(),
        AskOptions(system=system), lambda event: None,
    )  # fmt: skip
