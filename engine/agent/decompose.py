"""Question -> Intent: exact parsers first, the language model only for what they cannot know.

The model is asked three times at most: to complete a follow-up question from the chat before it, to
put a question of another language into the language of the meeting, and to rephrase a question for
a count or an order that no rule can read.
"""

# ruff: noqa: E501 - tables of patterns

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.agent.cues import parse_choices, parse_cues, parse_events, parse_form, strip_cues
from engine.agent.exchanges import parse_exchange
from engine.agent.final_stance import parse_final_stance
from engine.agent.operations import parse_operation
from engine.agent.rephrase import looks_structural
from engine.agent.schema import Anchor, AnswerForm, Intent, Operation, Roster, Scope
from engine.agent.speakers import Named, aliases, find_speakers, nearest
from engine.agent.times import parse_time
from engine.agent.words import content_words, on_one_line
from engine.graph.languages import language_of
from engine.types import Cue

_CONTEXT = re.compile(
    r",?\s+(?:when|while|during|in|as part of)\s+(?:they\s+|the group\s+)?(?:were\s+)?"
    r"(?:discussing|talking about|speaking (?:of|about)|the discussions? (?:about|of|on))\s+(?P<x>[^?.,]+)",
    re.I,
)
_BOILERPLATE = (
    r"^(?:please\s+|can you\s+|could you\s+)*(?:summari[sz]e|describe|explain|outline|tell me about|"
    r"give (?:me )?an? (?:summary|overview) of)\s+(?:what (?:was|were) (?:said|discussed) (?:about|on|regarding)\s+|"
    r"(?:the\s+)?discussions?\s+(?:about|on|of|regarding)\s+)?",
    r"^(?:what|which|how|why|who|when|where|did|does|do|was|were|is|are|had|has|have|would|could|can|will)\s+"
    r"(?:(?:did|does|do|was|were|is|are|had|has|have|would|could|can|will)\s+)?"
    r"(?:the\s+)?(?:(?:group|team|meeting|committee|everyone|anyone|anybody|they|we|participants|people|members|"
    r"speakers)\b)?(?:'s)?\s*(?:members?\s+)?(?:have\s+)?",
)
_OPINION = re.compile(
    r"^(?:the\s+)?(?:'s\s+)?(?:opinions?|views?|thoughts?|comments?|attitudes?|stances?|positions?|remarks?)\s+"
    r"(?:about|of|on|towards?|regarding)\s+",
    re.I,
)
_VERB_START = re.compile(
    r"^(?:say|said|think|thought|propose[d]?|suggest(?:ed)?|mention(?:ed)?|recommend(?:ed)?|learn(?:ed)?|"
    r"explain(?:ed)?|talk(?:ed)?|speak|discuss(?:ed)?|comment(?:ed)?|feel|felt|express(?:ed)?|decided?|"
    r"agreed?|conclude[d]?)\b\s*(?:(?:about|of|on|upon|towards?|regarding|that)\b)?\s*",
    re.I,
)
# "Whose idea about the benches did Ann support?" is about the benches.
_WHOSE = re.compile(
    r"^whose (?:ideas?|proposals?|suggestions?|plans?|offers?) (?:about|on|of|for|regarding|with) (?P<x>.+?) "
    r"(?:is|was|are|were|did|does|do|has|had)\b.*$",
    re.I,
)
_MEETING_SCOPE = re.compile(
    r"\b(?:summari[sz]e (?:the|this) (?:whole |entire )?(?:meeting|recording|call|conversation)|"
    r"(?:whole|entire) meeting|(?:general|overall) discussion|what (?:was|is) (?:the|this) (?:meeting|call|"
    r"recording|conversation) about|overview of (?:the|this) (?:meeting|call)|"
    r"(?:what are|list|name)? ?(?:the )?(?:main|key|major) (?:topics|points|themes|issues|takeaways|conclusions)|"
    r"what topics (?:were|are)|what (?:was|were) (?:discussed|talked about|the topics) ?(?:in|at|during)? ?(?:the|this)? ?(?:meeting)?\s*\?*$|"
    r"^(?:please )?(?:(?:list|show|name|give|tell)(?: (?:me|us))? |(?:what|which) (?:are |were |is )?)?(?:all |any |every )?(?:the )?"
    r"(?:action items?|to-?dos?|tasks|next steps|follow-ups|decisions|agreements|promises|commitments)"
    r"(?: (?:there (?:are|were)|(?:that )?(?:were|was|are) \w+|made|taken))?\s*[?.]*$|"
    r"general consensus|what happened (?:in|at|during) (?:the|this) meeting|"
    r"(?:what|how many) (?:decisions|action items|agreements|promises|tasks) (?:were|was|are)|(?:what|which) (?:did they|did the group|was|were) "
    r"(?:decided?|agreed?)(?: on| upon)?(?: (?:in|at) (?:the|this) meeting)?\s*\?*$)",
    re.I,
)
_SPEAKER_SCOPE = re.compile(
    r"\b(?:contribut(?:e|ed|ion|ions)(?: to (?:the|this) (?:meeting|discussion))?|role of|main points? of|"
    r"what did .{1,30} (?:talk|speak) about|summari[sz]e what .{1,30} said)\s*(?:overall|in (?:the|this) meeting)?\s*\?*$",
    re.I,
)
_QUOTED = re.compile(r"[\"“„]([^\"”“]{2,})[\"”“]|(?<![\w])['‘]([^'’]{2,}?)['’](?!\w)")
_FOLLOW_UP = re.compile(
    r"^(?:and|but|so|also|then|what about|how about|why(?: not)?\s*\?|who else|what else|where|when\s*\?)\b|"
    r"\b(?:it|that|this|those|these|he|she|they|him|her|them|his|their|there|one|the same)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Help:
    """What the language model can do with a question; None where it is not to be asked.

    Attributes:
        complete: (follow-up, earlier turns) -> the question complete in itself.
        translate: (text, language) -> the text in that language.
        rephrase: (question, speakers named) -> one of the forms that the rules read, or "".
    """

    complete: Callable[[str, Sequence[tuple[str, str]]], str] | None = None
    translate: Callable[[str, str], str] | None = None
    rephrase: Callable[[str, Sequence[str]], str] | None = None


ALONE = Help()


def is_follow_up(question: str) -> bool:
    """Whether a question seems to lean on what was said before it."""
    return bool(_FOLLOW_UP.search(question)) or len(content_words(question)) < 2


def topic_of(question: str, names: Sequence[str]) -> tuple[str, str]:
    """Split a question into its topic and the larger topic it is set in ("when discussing X").

    Args:
        question: Without its time phrase.
        names: Speakers named, whose names are no topic.
    """
    text = on_one_line(question)
    context = ""
    text = _WHOSE.sub(r"\g<x>", text)
    if match := _CONTEXT.search(text):
        context = re.sub(r"\s+and why$", "", match["x"].strip(), flags=re.I)
        text = (text[: match.start()] + text[match.end() :]).strip()
    for pattern in _BOILERPLATE:
        shorter = re.sub(pattern, "", text, count=1, flags=re.I)
        if shorter != text:
            text = shorter.strip()
            break
    for name in sorted({a for n in names for a in aliases(n)}, key=len, reverse=True):
        if len(name) == 1:
            text = re.sub(rf"(?<![\w']){name.upper()}(?![\w'])", " ", text)
        else:
            spaced = r"\W+".join(re.escape(part) for part in name.split())
            text = re.sub(
                rf"(?<!\w){spaced}(?:\s+(?:expert|designer))?(?:['’]s)?(?!\w)",
                " ",
                text,
                flags=re.I,
            )
    text = re.sub(r"^\s*(?:the|mr\.?|mrs\.?|ms\.?|dr\.?|hon\.?)\s+", "", text.strip(), flags=re.I)
    text = re.sub(r"^['’]s\s+", "", text.strip())
    text = _VERB_START.sub("", _OPINION.sub("", text.strip()).strip())
    text = _OPINION.sub("", text)
    return re.sub(r"\s+", " ", text).strip(" ?.!,") or text.strip(), context


def _scope(question: str, named: Named, has_limits: bool) -> Scope:
    if has_limits:
        return Scope.SPECIFIC
    if _MEETING_SCOPE.search(question) and not named.speakers:
        return Scope.MEETING
    if named.speakers and _SPEAKER_SCOPE.search(question):
        return Scope.SPEAKER
    return Scope.SPECIFIC


def parse(question: str, roster: Roster, duration: float) -> Intent:
    """Read a question with the exact parsers alone. Pure.

    Args:
        question: Complete in itself, in English or with names and times in any language.
        roster: Who speaks.
        duration: Of the longest meeting asked about, seconds.
    """
    choices, stem = parse_choices(question)
    time, rest = parse_time(stem, duration)
    form = AnswerForm.CHOICE if choices else parse_form(stem)
    cues, events = _cues(rest, form), parse_events(rest)
    computation = parse_operation(rest, bool(cues), bool(events), roster.words)
    operation, target = computation.operation, computation.target
    # A name inside what is counted or looked for is no speaker: "... the user interface concept".
    named = find_speakers(stem.replace(target, "…") if target else stem, roster)
    is_change = _CHANGE.search(rest) is not None
    topic, context = _topics(_without_change(rest) if is_change else rest, named, target)
    if operation is Operation.NONE and time is not None and not content_words(topic):
        operation = Operation.AT_TIME
    if cues and operation in (Operation.CUE_MOMENT, Operation.WHO_CUE, Operation.COUNT_CUE):
        topic = strip_cues(topic)
    quotes = tuple((a or b).strip() for a, b in _QUOTED.findall(stem))
    has_limits = bool(time or quotes or context or choices or operation is not Operation.NONE)
    is_beside = operation in (Operation.AFTER, Operation.BEFORE)
    intent = Intent(
        question=question,
        topic=topic,
        context=context,
        terms=tuple(content_words(topic)),
        quotes=quotes,
        speakers=named.speakers,
        speaker_ids=roster.ids_of(named.speakers),
        unknown_speakers=named.unknown,
        time=time,
        anchor=Anchor(operation.value, target) if is_beside else None,
        cues=cues,
        events=events,
        form=form,
        operation=operation,
        target=target,
        items=computation.items,
        scope=_scope(stem, named, has_limits),
        choices=choices,
        is_why=_WHY.search(stem) is not None and form is not AnswerForm.YES_NO,
        is_change=is_change,
        language=language_of(stem),
        queries=tuple(dict.fromkeys(q for q in (topic, stem) if q)),
    )
    return _with_two_sides(intent, rest, roster)


def _with_two_sides(intent: Intent, rest: str, roster: Roster) -> Intent:
    """A question about a reply or a final stance, else the same intent."""
    if intent.cues or intent.events or intent.choices:
        return intent
    if asked := parse_exchange(rest, roster):
        found = _about(intent, asked.speakers, asked.topic, roster)
        return replace(found, exchange=asked.exchange, operation=Operation.REPLY)
    # "In the end" is no stretch of time here.
    if stance := parse_final_stance(intent.question, roster):
        found = _about(intent, *stance, roster)
        return replace(found, time=None, operation=Operation.FINAL_STANCE)
    return intent


def _about(intent: Intent, who: tuple[str, ...], topic: str, roster: Roster) -> Intent:
    """The same question about what some people say of a topic."""
    return replace(
        intent,
        topic=topic,
        target=topic,
        terms=tuple(content_words(topic)),
        speakers=who,
        speaker_ids=roster.ids_of(who),
        anchor=None,
        scope=Scope.SPECIFIC,
        queries=tuple(dict.fromkeys((topic, *intent.queries))),
    )


def _cues(text: str, form: AnswerForm) -> tuple[Cue, ...]:
    """How it sounded. "Did she shout because ...?" asks for a reason, which is in no voice."""
    return () if form is AnswerForm.YES_NO and _WHY.search(text) else parse_cues(text)


_STANCE = r"\b(?:minds?|opinions?|views?|attitudes?|stances?|positions?)\b"
_CHANGED = r"\b(?:chang\w+|shift\w*|evol\w+|revis\w+|reconsider\w*)\b"
_CHANGE = re.compile(rf"{_STANCE}.*{_CHANGED}|{_CHANGED}.{{0,20}}{_STANCE}", re.I)
_CHANGE_WORDS = re.compile(
    rf"{_CHANGED}(?:\s+(?:his|her|their|its|the))?|{_STANCE}(?:\s+(?:about|on|of|towards?|regarding)\b)?|"
    r",?\s+and how\s*\??$|\bover time\b",
    re.I,
)


def _without_change(question: str) -> str:
    """The question without the words for a change of mind: what the mind is about."""
    return re.sub(r"\s+", " ", _CHANGE_WORDS.sub(" ", question))


_WHY = re.compile(r"\bwhy\b|\breasons?\b|\bcause[ds]?\b|\bbecause\b|\bwhat made\b", re.I)


def _topics(rest: str, named: Named, target: str) -> tuple[str, str]:
    """Topic and larger topic; the target of a computation is its topic."""
    topic, context = topic_of(rest, named.speakers)
    topic = target or topic or context
    return topic, "" if topic == context else context


def decompose(
    question: str,
    roster: Roster,
    duration: float,
    history: Sequence[tuple[str, str]] = (),
    model: Help = ALONE,
) -> Intent:
    """Turn a question into constraints.

    Args:
        question: As asked.
        roster: Who speaks.
        duration: Of the longest meeting asked about, seconds.
        history: Earlier (question, answer) pairs of the chat.
        model: What may be asked of the language model.
    """
    whole = english = question.strip()
    if history and model.complete and is_follow_up(whole):
        whole = english = model.complete(whole, history)
    language = language_of(whole)
    if language != "en" and model.translate:
        english = model.translate(whole, "English")
    if english != whole:
        english = _with_names_of(roster, english, duration)
    intent = parse(english, roster, duration)
    if model.rephrase and intent.is_specific and looks_structural(english):
        intent = _in_a_form(intent, model.rephrase(english, intent.speakers), roster, duration)
    if english == whole:
        return replace(intent, language=language)
    queries = tuple(dict.fromkeys([*intent.queries, whole]))
    return replace(intent, language=language, queries=queries, question=whole)


def _with_names_of(roster: Roster, english: str, duration: float) -> str:
    """A translated question with the speakers' own names: Petr may be what Peter is called there."""
    for name in parse(english, roster, duration).unknown_speakers:
        if own := nearest(name, roster):
            english = english.replace(name, own)
    return english


def _in_a_form(intent: Intent, form: str, roster: Roster, duration: float) -> Intent:
    """The computation that the rephrased question asks for, with all else as the question has it."""
    if not form:
        return intent
    found = parse(form, roster, duration)
    if found.operation is Operation.NONE:
        return intent
    return replace(
        found,
        question=intent.question,
        time=intent.time,
        cues=intent.cues,
        events=intent.events,
        queries=tuple(dict.fromkeys([*found.queries, *intent.queries])),
    )
