"""The agent, its ablations and the baselines, as values: every claim is a ``--system`` away."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.agent.relevance import DEFAULT_WEIGHTS, Weights


@dataclass(frozen=True, slots=True)
class System:
    """What a system may use.

    Attributes:
        name: As on the command line.
        is_agent: It plans; baselines retrieve once and write.
        has_plan: Constraints and computations; without it only the words of the question count.
        has_reflection: Drafts are judged and the search is repeated.
        has_graph: Edges are followed.
        has_acoustics: It sees how something sounded.
        has_roles: It reads semantic roles (AMR) beside, or instead of, the words.
        has_text: It reads the words.
        has_writer: A language model writes; without it the answer is quotations.
        weights: Shares of the retrieval signals.
        k: Utterances a baseline reads.
    """

    name: str
    is_agent: bool = True
    has_plan: bool = True
    has_reflection: bool = True
    has_graph: bool = True
    has_acoustics: bool = True
    has_roles: bool = False
    has_text: bool = True
    has_writer: bool = True
    weights: Weights = DEFAULT_WEIGHTS
    k: int = 10


_AGENT = System("agent")
_PLAIN = Weights(questions=0, length=0, density=0, shortest=1)
_BASELINE = System(
    "baseline",
    is_agent=False,
    has_plan=False,
    has_reflection=False,
    has_graph=False,
    has_acoustics=False,
)
_DENSE = replace(_PLAIN, lexical=0, utterance=1, window=0)
_GETALP = replace(_PLAIN, lexical=0, utterance=1, window=0, questions=1)

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        _AGENT,
        replace(_AGENT, name="agent-retrieval", has_writer=False, has_reflection=False),
        replace(_AGENT, name="agent-noplan", has_plan=False),
        replace(_AGENT, name="agent-noreflect", has_reflection=False),
        replace(_AGENT, name="agent-nograph", has_graph=False),
        replace(
            _AGENT, name="agent-nosemantic", weights=Weights(utterance=0, window=0, questions=0)
        ),
        replace(_AGENT, name="agent-noacoustic", has_acoustics=False),
        replace(
            _BASELINE, name="bm25", k=5, weights=replace(_PLAIN, lexical=1, utterance=0, window=0)
        ),
        replace(_BASELINE, name="dense", k=5, weights=_DENSE),
        replace(
            _BASELINE,
            name="hybrid",
            k=5,
            weights=replace(_PLAIN, lexical=0.4, utterance=0.6, window=0),
        ),
        replace(_BASELINE, name="rag", weights=_DENSE),
        replace(_BASELINE, name="getalp-ir", weights=_GETALP),
        replace(_BASELINE, name="getalp-ir-amr", weights=_GETALP, has_roles=True),
        replace(_BASELINE, name="getalp-amr", weights=_GETALP, has_roles=True, has_text=False),
        replace(_BASELINE, name="whole", k=0, weights=_DENSE),
    )
}
"""By name. ``rag`` adds a penalty for what is far in time from the best hit (lambda 0.25)."""
