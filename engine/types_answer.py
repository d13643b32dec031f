"""What an answer is made of: evidence, citations, sentences, verdict, receipt and trace."""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import Utterance


@dataclass(frozen=True, slots=True)
class Evidence:
    """An utterance offered in support of an answer.

    Attributes:
        meeting_id: Whose.
        utterance: The node itself.
        score: Fused rank score, larger is better.
        path: How it was reached, step by step: ``("hybrid_search", "reply_to 14->15")``.
        note: Measured facts to show beside the text, such as ``"+9 dB against her mean"``.
    """

    meeting_id: str
    utterance: Utterance
    score: float = 0.0
    path: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A moment that a sentence rests on."""

    meeting_id: str
    utterance: int
    start: float
    end: float
    speaker: str
    quote: str


@dataclass(frozen=True, slots=True)
class Reheard:
    """A cited moment heard once more.

    Attributes:
        citation: The moment and the words it shows.
        text: What was heard this time.
        unheard: Words of the citation that were not heard again.
        new: Words that the citation does not have.
    """

    citation: Citation
    text: str
    unheard: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer with its moments; unsupported ones are marked, never plain."""

    text: str
    citations: tuple[Citation, ...] = ()
    is_supported: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What reflection thinks of an answer.

    Attributes:
        score: 1 (wrong) to 5 (fully grounded).
        is_verified: The score reached the pass mark and every mechanical check held.
        problems: What failed, in plain words.
        advice: What the next plan should look for.
    """

    score: int
    is_verified: bool
    problems: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an answer cost and how much of the meeting it rests on.

    Attributes:
        n_searched: Utterances of the meetings that were read.
        n_read: Utterances that the answer could rest on.
        n_left_out: Utterances that were found and had no room.
        rounds: How often it searched.
        prompt_tokens: Tokens the language model read.
        completion_tokens: Tokens it wrote.
        evidence_tokens: Tokens of evidence in the longest prompt.
        seconds: From the question to the answer.
        n_meetings_left_out: Meetings asked about that were not read, because they were too many.
    """

    n_searched: int = 0
    n_read: int = 0
    n_left_out: int = 0
    rounds: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    evidence_tokens: int = 0
    seconds: float = 0.0
    n_meetings_left_out: int = 0


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One step of the agent.

    ``kind`` is intent, plan, sql, evidence, text, draft, verdict or note.
    """

    kind: str
    round: int
    content: object


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer.

    Attributes:
        related: Moments that may help; nothing is claimed from them.
        id: Its key in the library, 0 while it is not kept there.
    """

    question: str
    text: str
    sentences: tuple[Sentence, ...]
    verdict: Verdict
    abstained: bool
    system: str
    receipt: Receipt
    trace: tuple[TraceEvent, ...] = ()
    meeting_ids: tuple[str, ...] = ()
    related: tuple[Citation, ...] = ()
    id: int = 0

    def citations(self) -> list[Citation]:
        """Every moment that its sentences rest on, in order, each once."""
        return list(dict.fromkeys(c for sentence in self.sentences for c in sentence.citations))
