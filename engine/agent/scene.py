"""What a computed answer works on, and how it is worded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.agent.corpus import Corpus
from engine.agent.evidence import as_evidence
from engine.agent.execute import Found
from engine.agent.schema import Claim, Draft, Intent
from engine.agent.times import clock
from engine.embed import Embedder

MOST_SHOWN = 12
"""Moments cited for one count at most; the number itself counts all."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a computation works on.

    Attributes:
        intent: The question.
        corpus: The meetings.
        found: What the counting plan returned: filtered by time, speaker, sound.
        embedder: Finds a topic that is not said in its own words.
    """

    intent: Intent
    corpus: Corpus
    found: Sequence[Found]
    embedder: Embedder

    @property
    def rows(self) -> list[int]:
        """Rows inside the time asked about, by anybody."""
        time = self.intent.time
        every = range(len(self.corpus))
        if time is None:
            return list(every)
        return [
            r for r in every if self.corpus.end[r] > time.start and self.corpus.start[r] < time.end
        ]

    @property
    def own_rows(self) -> list[int]:
        """Of these, what the speakers asked about say; everybody's when none is named."""
        ids = self.intent.speaker_ids
        rows = self.rows
        return [r for r in rows if self.corpus.utterances[r].speaker_id in ids] if ids else rows


def draft(scene: Scene, text: str, rows: Sequence[int]) -> Draft:
    """A draft of one computed sentence that rests on rows."""
    shown = sorted(rows)[:MOST_SHOWN]
    paths = {item.row: item for item in scene.found}
    evidence = tuple(
        as_evidence(scene.corpus, paths.get(row, Found(row, 1.0, (scene.intent.operation.value,))))
        for row in shown
    )
    return Draft((Claim(text, tuple(range(len(shown)))),), evidence, is_computed=True)


def nothing(scene: Scene, text: str) -> Draft:
    """An abstention with its reason."""
    return Draft((), (), is_abstention=True, reason=text, is_computed=True)


def asked_about(scene: Scene) -> str:
    """The speakers asked about."""
    return " and ".join(dict.fromkeys(scene.intent.speakers))


def quote(scene: Scene, row: int, longest: int = 25) -> str:
    """What a row says, cut after some words."""
    tokens = scene.corpus.utterances[row].text.split()
    return "“" + " ".join(tokens[:longest]) + ("…”" if len(tokens) > longest else "”")


def name_of(scene: Scene, row: int) -> str:
    """Who says a row."""
    return scene.corpus.utterances[row].speaker or "somebody"


def first_of_each(scene: Scene, rows: Sequence[int]) -> dict[str, int]:
    """Who says the rows, each with the first of theirs."""
    firsts: dict[str, int] = {}
    for row in rows:
        firsts.setdefault(name_of(scene, row), row)
    return firsts


def clock_of(scene: Scene, row: int) -> str:
    """When a row begins."""
    return clock(float(scene.corpus.start[row]))


def told(scene: Scene, rows: Sequence[int]) -> str:
    """Who says what and when, row by row."""
    return "; ".join(
        f"{name_of(scene, row)} at {clock_of(scene, row)}: {quote(scene, row)}" for row in rows
    )


def by_whom(scene: Scene) -> str:
    """The speakers asked about, as "by Ann" with a blank before it; nothing where none is."""
    return f" by {asked_about(scene)}" if scene.intent.speakers else ""


def times(n: int) -> str:
    """Once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(n, f"{n} times")
