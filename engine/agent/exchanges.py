"""Exact parser for questions about a reply ("what did Ann answer when Ben asked about the price").

A reply seldom repeats the words of what it replies to, so these are found by the link between the
two and not by their words. Each pattern is one way of asking; what none reads is searched for.
"""

# ruff: noqa: E501 - a table of patterns, one way of asking a line

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.agent.operations import clean_target
from engine.agent.schema import Exchange, Roster
from engine.agent.speakers import find_speakers
from engine.agent.words import on_one_line

_QUESTIONS = r"questions?|requests?|enquiry|enquiries|inquiry|inquiries"
_MOVES = (
    rf"{_QUESTIONS}|proposals?|suggestions?|ideas?|offers?|remarks?|comments?|concerns?|worr(?:y|ies)|"
    r"claims?|statements?|announcements?|complaints?|demands?|plans?|news|warnings?|criticism"
)
_ASKED = r"asks?|asked|wanted to know|wondered|enquired|inquired"
_SAID = (
    rf"{_ASKED}|said|says|suggest(?:s|ed)|propose[ds]|complain(?:s|ed)|mention(?:s|ed)|brought up|"
    r"announce[ds]|raise[ds]|offer(?:s|ed)|warn(?:s|ed)|claim(?:s|ed)"
)
_ABOUT = r"(?:about|on|of|for|to|that|whether|if|with|regarding|concerning|against)"
# "Ben's proposal about the roof", "the proposal to close the roof"
_NOUN = rf"(?:(?P<to>[^,?]{{1,40}}?)['’]s? |(?:the|an?|this|that|his|her|their) )(?:\w+ )?(?P<move>{_MOVES}) (?:{_ABOUT} )?(?P<x>.+)"
# "when Ben asked about the roof"
_CLAUSE = rf"(?:when|after|once) (?P<to>[^,?]{{1,40}}?) (?:had )?(?P<move>{_SAID})(?: {_ABOUT})? (?P<x>.+)"
_REPLIED = r"(?:answer|reply|respond|react|say|object|feel|counter|argue)(?:s|ed)?"
_REPLY = (
    r"(?:answers?|repl(?:y|ies)|responses?|reactions?|objections?|counter-?arguments?|feedback)"
)
_AGAINST = r"objected to|opposed|disagreed with|rejected|turned down|(?:was|were|is|are|spoke|argued) against|did not like|didn't like|refused|dismissed"
_FOR = r"agreed (?:with|to)|supported|accepted|seconded|backed|welcomed|liked|(?:was|were|is|are|spoke) (?:for|in favou?r of)|approved(?: of)?"
_BACK = r"answered|replied to|responded to|reacted to"

_PATTERNS = tuple(
    re.compile(pattern + "$", re.I)
    for pattern in (
        rf"(?:what|how) (?:did|does|do|was|were) (?P<by>.{{1,40}}?) {_REPLIED} (?:with )?(?:to|on hearing|against) {_NOUN}",
        rf"(?:what|how) (?:did|does|do|was|were) (?P<by>.{{1,40}}?) {_REPLIED} {_CLAUSE}",
        rf"(?:what|which) {_REPLY} (?:did|does|do) (?P<to>.{{1,40}}?) (?:get|receive|hear)(?: from (?P<by>.{{1,40}}?))? (?:to|on|for|about) (?:the|his|her|their) (?P<move>{_MOVES}) (?:{_ABOUT} )?(?P<x>.+)",
        rf"(?:what|how) (?:was|were|is) (?:(?P<by>.{{1,40}}?)['’]s? |the )?{_REPLY} (?:to|on|against) {_NOUN}",
        rf"(?:what|how) (?:was|were|is) (?:(?P<by>.{{1,40}}?)['’]s? |the )?{_REPLY} {_CLAUSE}",
        rf"what was (?:said )?in (?:answer|reply|response) to {_NOUN}",
        rf"(?:what|which) {_REPLY} (?:did|does|do) (?P<by>.{{1,40}}?) (?:have|give|raise|make|offer|bring up) (?:to|against|on|about) {_NOUN}",
        rf"(?:who|which (?:\w+ )?(?:speakers?|persons?|people|participants?)) (?:(?P<against>{_AGAINST})|(?P<for>{_FOR})|{_BACK}) {_NOUN}",
        rf"who (?:answered|replied|responded|reacted|objected) {_CLAUSE}",
    )
)
_ANYBODY = re.compile(
    r"(?:they|the others?|others|anyone|anybody|everyone|everybody|somebody|someone|people|"
    r"the (?:group|team|rest|room|board|committee|meeting))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who replied and what to, as a question has it.

    Attributes:
        topic: What was spoken of.
        speakers: Names of those who replied; empty for anybody.
        exchange: The other side.
    """

    topic: str
    speakers: tuple[str, ...]
    exchange: Exchange


def parse_exchange(question: str, roster: Roster) -> Asked | None:
    """Read a question about a reply; None for any other.

    A name that nobody here has makes it another question: that it is unknown must be said.

    Args:
        question: Without its time phrase.
        roster: Who speaks.
    """
    text = on_one_line(question)
    for pattern in _PATTERNS:
        match = pattern.match(text)
        if match is None:
            continue
        found = match.groupdict()
        by, to = _named(found.get("by"), roster), _named(found.get("to"), roster)
        topic = clean_target(found["x"])
        if by is None or to is None or not topic:
            continue
        side = "against" if found.get("against") else "for" if found.get("for") else ""
        is_question = re.fullmatch(rf"{_QUESTIONS}|{_ASKED}", found["move"], re.I) is not None
        return Asked(topic, by, Exchange(roster.ids_of(to), is_question, side))
    return None


def _named(text: str | None, roster: Roster) -> tuple[str, ...] | None:
    """The speakers a phrase names: none for anybody, None when it names somebody else."""
    if not text or _ANYBODY.fullmatch(text.strip()):
        return ()
    named = find_speakers(text, roster)
    return named.speakers + named.mentioned or None
