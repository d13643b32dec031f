"""The agent's own nouns: what a question wants, what is planned, what was drafted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from engine.agent.words import words
from engine.types import Cue
from engine.types_answer import Evidence


class AnswerForm(StrEnum):
    """The shape an answer must have."""

    TEXT = "text"
    YES_NO = "yes_no"
    NUMBER = "number"
    SPEAKER = "speaker"
    TIME = "time"
    LIST = "list"
    CHOICE = "choice"


class Scope(StrEnum):
    """How much of the meeting a question is about."""

    SPECIFIC = "specific"
    MEETING = "meeting"
    SPEAKER = "speaker"


class Stream(StrEnum):
    """The layers of a meeting that a plan reads."""

    TEXT = "text"
    SPEAKER = "speaker"
    ACOUSTICS = "acoustics"
    EVENTS = "events"
    ENTITIES = "entities"
    ROLES = "roles"
    TOPICS = "topics"


class Operation(StrEnum):
    """What a structural question computes; its answer is exact, the model only words others."""

    NONE = ""
    COUNT_WORD = "count_word"
    COUNT_SPEAKERS = "count_speakers"
    COUNT_TURNS = "count_turns"
    COUNT_EVENTS = "count_events"
    COUNT_CUE = "count_cue"
    WHO_FIRST = "who_first"
    WHO_LAST = "who_last"
    WHO_MOST = "who_most"
    WHO_LEAST = "who_least"
    WHO_CUE = "who_cue"
    WHO_MENTIONED = "who_mentioned"
    WHO_SAID = "who_said"
    WHEN = "when"
    WHEN_LAST = "when_last"
    WHEN_EVENT = "when_event"
    BEFORE_EVENT = "before_event"
    ORDER = "order"
    TALK_TIME = "talk_time"
    DURATION = "duration"
    AFTER = "after"
    BEFORE = "before"
    AT_TIME = "at_time"
    CUE_MOMENT = "cue_moment"
    SPEAKERS = "speakers"
    NAMED = "named"
    EDGE = "edge"
    TOPIC_TIME = "topic_time"
    QUESTIONS = "questions"
    REPLY = "reply"
    FINAL_STANCE = "final_stance"


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A stretch of the meeting that a question names.

    Attributes:
        start: Seconds.
        end: Seconds.
        phrase: The words of the question that name it.
        is_past_end: It begins after the meeting ends.
        point: The moment itself, when the phrase names one, else None.
    """

    start: float
    end: float
    phrase: str
    is_past_end: bool = False
    point: float | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A moment named by what was said or heard there: "after the market research"."""

    side: str
    topic: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a reply that is asked for replies to.

    Attributes:
        to_ids: Store ids of who said that; empty for anybody.
        is_question: It was asked, not proposed or stated.
        side: ``for`` or ``against`` where the question says how the reply took it, else "".
    """

    to_ids: tuple[int, ...] = ()
    is_question: bool = False
    side: str = ""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who speaks in the meetings asked about: name -> ids, several for one person."""

    ids_by_name: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def ids_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """All ids of some speakers, each once."""
        return tuple(dict.fromkeys(i for name in names for i in self.ids_by_name[name]))

    @property
    def words(self) -> frozenset[str]:
        """The words of all names, folded."""
        return frozenset(word for name in self.ids_by_name for word in words(name))


@dataclass(frozen=True, slots=True)
class Intent:
    """What a question asks, as constraints (design, "decompose").

    Attributes:
        question: Complete in itself: a follow-up has been resolved.
        topic: What it is about, without the boilerplate of asking.
        context: The larger topic it is set in ("when discussing the budget"), or "".
        terms: Content words of the topic, in the order of the question.
        quotes: Words the question puts in quotation marks.
        speakers: Names of the roster that constrain who speaks.
        speaker_ids: All store ids of these.
        unknown_speakers: Named as speakers but nobody here has that name.
        time: The stretch named, or None.
        anchor: A moment named by content, or None.
        exchange: What the reply that is asked for replies to, for ``Operation.REPLY``.
        cues: How it must have sounded.
        events: Non-speech sounds named.
        form: Shape of the answer.
        operation: What is computed exactly, or ``Operation.NONE``.
        target: The word, phrase or topic the operation works on.
        items: Several of them, or kinds, for operations such as ``Operation.ORDER``.
        scope: Whole meeting, one speaker's whole contribution, or something specific.
        choices: (letter, text) of a multiple-choice question.
        is_why: It asks for a reason.
        is_change: It asks how somebody's mind changed.
        language: ISO 639-1 code of the question.
        queries: Texts to search with, best first.
    """

    question: str
    topic: str = ""
    context: str = ""
    terms: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    speaker_ids: tuple[int, ...] = ()
    unknown_speakers: tuple[str, ...] = ()
    time: TimeRange | None = None
    anchor: Anchor | None = None
    exchange: Exchange | None = None
    cues: tuple[Cue, ...] = ()
    events: tuple[str, ...] = ()
    form: AnswerForm = AnswerForm.TEXT
    operation: Operation = Operation.NONE
    target: str = ""
    items: tuple[str, ...] = ()
    scope: Scope = Scope.SPECIFIC
    choices: tuple[tuple[str, str], ...] = ()
    is_why: bool = False
    is_change: bool = False
    language: str = "en"
    queries: tuple[str, ...] = ()

    @property
    def is_specific(self) -> bool:
        """It is about something said, not about all of a part, and nothing is computed for it."""
        return self.scope is Scope.SPECIFIC and self.operation is Operation.NONE


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool; ``inputs`` are positions of earlier steps whose result it works on."""

    tool: str
    arguments: dict[str, object] = field(default_factory=dict)
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A typed program over the action space. Data, never text to be executed.

    Attributes:
        steps: In order; a step may only refer to earlier ones.
        streams: Layers read.
        fusion_seconds: Largest distance of midpoints that joins two streams.
        return_fields: Columns wanted of each utterance.
        answer_schema: Shape of the answer.
        purpose: One line for the reader of the trace.
    """

    steps: tuple[Step, ...]
    streams: tuple[Stream, ...] = (Stream.TEXT,)
    fusion_seconds: float = 2.5
    return_fields: tuple[str, ...] = ("idx", "start", "end", "speaker", "text")
    answer_schema: AnswerForm = AnswerForm.TEXT
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A drafted sentence and the evidence it rests on.

    Attributes:
        text: The sentence.
        evidence: Positions in the evidence list.
        support: How well the best of them carries it, 0 to 1.
        nearness: How near sentence and evidence are to the question, a cosine.
    """

    text: str
    evidence: tuple[int, ...] = ()
    support: float = 1.0
    nearness: float = 1.0


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate answer.

    Attributes:
        claims: In order.
        evidence: What was read, in order of time.
        is_abstention: It says that the meeting does not tell.
        reason: Why it abstains, in plain words.
        is_computed: Counted or looked up by the plan, not written by a model.
    """

    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...] = ()
    is_abstention: bool = False
    reason: str = ""
    is_computed: bool = False

    @property
    def text(self) -> str:
        """The claims as one text."""
        return " ".join(claim.text for claim in self.claims)
