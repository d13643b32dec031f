"""Evidence -> draft: the language model writes sentences that cite, under a grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine import prompts
from engine.agent.evidence import lines_of
from engine.agent.schema import AnswerForm, Claim, Draft, Intent
from engine.agent.support import cite, with_nearness
from engine.agent.words import content_words
from engine.embed import Embedder
from engine.grammar import choice, cited_sentences, grammar
from engine.llm import ChatModel, Completion
from engine.progress import Report
from engine.types_answer import Evidence

WAY_OUT = "NOT STATED"
MAX_TOKENS = 160
"""Longest draft; at 20 tokens a second this is 8 s."""

MOST_SENTENCES = 4


@dataclass(slots=True)
class Pen:
    """The model and what it has cost so far; shared by all steps of one answer.

    Attributes:
        chat: Writes.
        report: Carries cancellation.
        prompt_tokens: Read so far.
        completion_tokens: Written so far.
        on_text: Gets the text of a draft as it grows.
    """

    chat: ChatModel
    report: Report
    prompt_tokens: int = 0
    completion_tokens: int = 0
    on_text: Callable[[str], None] | None = None

    def write(
        self, prompt: str, max_tokens: int, gbnf: str = "", *, is_shown: bool = False, **slots: str
    ) -> Completion:
        """Fill a prompt and let the model continue it."""
        completion = self.chat.complete(
            prompts.conversation(prompt, **slots),
            grammar=gbnf,
            max_tokens=max_tokens,
            on_text=self.on_text if is_shown else None,
            is_cancelled=self.report.is_cancelled,
        )
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        return completion


def read_ahead(pen: Pen) -> None:
    """Let the model read what every question's prompt begins with, before one is asked.

    The worked examples take longer to read than most evidence; the next draft finds them read.
    """
    pen.write("answer", 1, lines="", question="")


def asked(intent: Intent) -> str:
    """The question as the model gets it, with what its form demands."""
    text = intent.question
    if intent.form is AnswerForm.YES_NO:
        text += " Answer in a full sentence."
    if intent.is_why and intent.form is not AnswerForm.CHOICE:
        text += " Name the cause."
    if intent.is_change:
        text += " Tell what it was before and what it is after."
    if _WANTS_MORE.match(text):
        text += " Write three or four sentences."
    if intent.language != "en":
        text += (
            f" Answer in {prompts.LANGUAGES.get(intent.language, 'the language of the question')}."
        )
    return text


_WANTS_MORE = re.compile(r"(?:please |can you )?(?:summari[sz]e|describe|explain|outline)\b", re.I)
"""A small model gives one sentence to whoever asks for a summary, unless told."""


def parse_draft(text: str, n_evidence: int) -> tuple[Claim, ...]:
    """Read sentences with ids in brackets; ids that do not exist are dropped.

    Understands what a model writes without a grammar too: ids before the full stop, several
    brackets, a last sentence that was cut off.
    """
    claims: list[Claim] = []
    position = 0
    pattern = re.compile(r"((?:\s*\[(?:\s*u?\d+\s*,?)+\])+)\s*\.?")
    for match in pattern.finditer(text):
        sentence = text[position : match.start()].strip(" .\n")
        position = match.end()
        ids = [int(n) - 1 for n in re.findall(r"\d+", match[1])]
        if sentence and not _ABOUT_LINES.match(sentence) and not _is_repeated(sentence, claims):
            known = tuple(dict.fromkeys(i for i in ids if 0 <= i < n_evidence))
            claims.append(Claim(_closed(sentence), known))
    rest = text[position:].strip(" .\n")
    if len(rest.split()) > 4 and not claims:
        claims.append(Claim(_closed(re.sub(r"\[[^\]]*$", "", rest).strip())))
    return tuple(claims)


_COPIED = re.compile(r"(?:\d+:\d\d(?::\d\d)? )?([^:(]{1,40}?)(?: \([^)]*\))?: (.+)", re.S)


def _as_quotations(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Claim, ...]:
    """Turn a line that the model copied whole, time and measures too, into a quotation."""
    speakers = {item.utterance.speaker for item in evidence}
    found = []
    for claim in claims:
        copied = _COPIED.match(claim.text)
        if copied and copied[1] in speakers:
            found.append(replace(claim, text=f"{copied[1]} said: “{copied[2].strip(' “”')}”"))
        else:
            found.append(claim)
    return tuple(found)


_ABOUT_LINES = re.compile(r"(?:the|these|this) (?:lines?|question|answer|transcript)\b", re.I)
"""A small model likes to add what it was told about its task; that is no answer."""


def _is_repeated(sentence: str, claims: Sequence[Claim]) -> bool:
    """Whether one of the claims says all the content words of a sentence already."""
    said = set(content_words(sentence))
    return any(said <= set(content_words(claim.text)) for claim in claims)


def _closed(sentence: str) -> str:
    sentence = sentence[0].upper() + sentence[1:]
    return sentence if sentence[-1] in ".!?…\"'”" else sentence + "."


def synthesise(
    intent: Intent, evidence: Sequence[Evidence], pen: Pen, embedder: Embedder, is_several: bool
) -> Draft:
    """Write an answer from the evidence.

    Args:
        intent: The question.
        evidence: In order of time; not empty.
        pen: The model.
        embedder: Measures which evidence carries which sentence.
        is_several: The evidence is from several meetings.
    """
    lines = "\n".join(lines_of(evidence, intent.terms, is_several))
    ids = [f"u{i}" for i in range(1, len(evidence) + 1)]
    completion = pen.write(
        "answer",
        MAX_TOKENS,
        cited_sentences(ids, MOST_SENTENCES, WAY_OUT),
        is_shown=True,
        lines=lines,
        question=asked(intent),
    )
    if completion.text.strip().startswith(WAY_OUT[:5]):
        return Draft((), tuple(evidence), is_abstention=True, reason="the lines found do not tell")
    written = _as_quotations(parse_draft(completion.text, len(evidence)), evidence)
    claims = cite(written, evidence, embedder)
    claims = with_nearness(claims, evidence, intent.topic or intent.question, embedder)
    return Draft(
        claims,
        tuple(evidence),
        is_abstention=not claims,
        reason="" if claims else "nothing written",
    )


def choose(intent: Intent, evidence: Sequence[Evidence], pen: Pen) -> str:
    """Let the model pick the letter of a multiple-choice question."""
    lines = "\n".join(lines_of(evidence, intent.terms))
    options = "\n".join(f"{letter}) {text}" for letter, text in intent.choices)
    stem_text = intent.question.split("A)")[0].strip() or intent.question
    completion = pen.write(
        "choose",
        4,
        grammar({"root": choice([letter for letter, _ in intent.choices])}),
        lines=lines,
        question=f"{stem_text}\n{options}",
    )
    return completion.text.strip()[:1]
