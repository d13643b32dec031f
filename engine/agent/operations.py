"""Exact parser for questions whose answer is computed: counts, orders, firsts, lasts, times.

Each rule is one way of asking. What no rule knows is left to retrieval and the language model, so
a rule must be sure: it is better to search than to count the wrong thing.
"""

# ruff: noqa: E501, SIM905 - tables of patterns, one way of asking a line, and of words

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from engine.agent.cues import strip_cues
from engine.agent.schema import Operation as Op
from engine.agent.words import content_words, on_one_line

_MENTION = (
    r"(?:mention(?:ed|s)?|said|say|says|use[ds]?|utter(?:ed|s)?|come up|came up|comes up|brought up|"
    r"bring up|spoken of|named|referred to|refer to|talk(?:ed)? about|spoke about|speak about|"
    r"discuss(?:ed)?|raise[ds]?|occur(?:red|s)?|appear(?:ed|s)?|heard|introduced?)"
)
_WORD = r"(?:the\s+)?(?:exact\s+)?(?:words?|terms?|phrases?|names?|expression|topics?|subjects?|issue)\s+(?:of\s+)?"
_PEOPLE = r"(?:people|persons|speakers|participants|voices|attendees|members|individuals)"
_TALK = r"(?:speak|spoke|speaks|talk|talks|talked|say anything|said something|contribute[ds]?)"
_TIMES = r"(?:how (?:many times|often|frequently)|(?:count|give|tell me) (?:the number of times|how (?:many times|often))|what is the number of times)"
_DISCUSSION = r"(?:the )?(?:discussions?|conversation|talk|debate|topic|subject|part) (?:of|about|on|regarding)\s+"
_ADVERB = r"(?:right|immediately|directly|just|shortly|straight)?\s*"


@dataclass(frozen=True, slots=True)
class Computation:
    """What to compute, on which word or topic, or on which several items."""

    operation: Op
    target: str = ""
    items: tuple[str, ...] = ()


_RULES: tuple[tuple[Op, str], ...] = (
    (
        Op.EDGE,
        r"how (?:did|does) (?:the|this|our) (?:whole )?(?:meeting|recording|call|conversation|session) (?P<x>start|begin|open|end|close|conclude|finish)(?: up)?$",
    ),
    (
        Op.EDGE,
        r"what (?:is|was|were|are) the (?:very )?(?P<x>first|opening|last|closing|final) (?:thing|words?|sentence|line|remark)s?(?: (?:that )?(?:was |were |is )?(?:said|spoken))?$",
    ),
    (
        Op.TOPIC_TIME,
        rf"how (?:long|much time|many minutes) (?:did|do|was|were|is|has been) (?:they |we |people |the group )?(?:(?:{_TALK}|spen[dt])(?: time)? (?:about|on|over|discussing|talking about)|discuss(?:ed)?|debated?) (?P<x>.+)$",
    ),
    (
        Op.TOPIC_TIME,
        r"how long (?:was|is|were) (?P<x>.+?) (?:discussed|talked about|debated)$",
    ),
    # How many people: before words, since "how many people mentioned X" also fits those.
    (
        Op.COUNT_SPEAKERS,
        rf"how many (?:different |distinct |of the )?{_PEOPLE} (?:{_MENTION}|{_TALK} (?:about|of|on)|had (?:something|anything) to say about) (?P<x>.+)",
    ),
    (
        Op.COUNT_SPEAKERS,
        rf"(?:how many|count|what is the number of|number of) (?:the )?(?:different |distinct |unique )?{_PEOPLE}",
    ),
    (
        Op.COUNT_TURNS,
        rf"{_TIMES} (?:did|does|do|has|have) .{{1,40}}? (?:speak|spoken|talk|talked|take the floor|have the floor|say something)$",
    ),
    (Op.COUNT_TURNS, r"how many (?:utterances|turns|contributions|statements) "),
    (
        Op.COUNT_WORD,
        rf"{_TIMES} (?:(?:is|was|were|are|does|do|did|has|have|had) )?(?:been )?{_WORD}(?P<x>.+?) (?:get |been )?{_MENTION}(?: up)?(?: by .+)?$",
    ),
    (
        Op.COUNT_WORD,
        rf"{_TIMES} (?:is|was|were|are|has|have|had) (?:the )?(?P<x>.+?) (?:been )?{_MENTION}(?: up)?(?: by .+)?$",
    ),
    (
        Op.COUNT_WORD,
        rf"{_TIMES} (?:did|does|do|has|have|had) .{{1,40}}? (?:{_MENTION}) (?:{_WORD})?(?P<x>.+)$",
    ),
    (
        Op.COUNT_WORD,
        rf"{_TIMES} (?:do we hear|is there (?:a )?mention of|does anyone say|did anyone say) (?:{_WORD})?(?P<x>.+)$",
    ),
    (
        Op.COUNT_WORD,
        rf"(?:how many|count(?: all| the)*|number of) (?:mentions|occurrences|uses|instances) of (?:{_WORD})?(?P<x>.+?)(?: are there| does .+| did .+)?$",
    ),
    (
        Op.DURATION,
        r"how long (?:is|was|did|does) (?:the|this) (?:meeting|recording|call|conversation|talk)(?: last| take| run)?$",
    ),
    (
        Op.TALK_TIME,
        rf"(?:for )?how (?:long|much time|much|many (?:minutes|seconds)) (?:did|does|was|has) .{{1,40}}? (?:{_TALK}|spoken|speaking|talking|have the floor)$",
    ),
    (Op.TALK_TIME, r"(?:what (?:is|was)|how much) .{1,40}?(?:speaking|talk(?:ing)?) time"),
    (
        Op.ORDER,
        r"(?:which|what)(?: of (?:these|the following|the two))?(?: \w+)? (?:came|comes|was|were|is|happened|occurred|did they|got|gets)(?: up)?(?: \w+)? (?P<end>first|earlier|last|later|before)[,:;]? (?P<x>.+? or .+)$",
    ),
    (
        Op.ORDER,
        r"(?:which|what)(?: of (?:these|the following|the two))?(?: \w+)? (?:came|comes|was|were|is|happened|occurred|got)(?: up)?(?: \w+)? (?P<end>first|earlier|last|later)[,:;] (?P<x>.+)$",
    ),
    (
        Op.ORDER,
        r"(?:in (?:what|which) order (?:were|was|did|are|do)|(?:put|place|arrange|sort|order)(?: the following| these)?(?: \w+)?(?: in (?:the )?(?:\w+ )?order)?(?: (?:of|by|in) [\w ]+?)?[:]) ?(?P<x>.+?)(?: (?:mentioned|discussed|come up|brought up|raised|appear|happen|talked about))?$",
    ),
    (
        Op.ORDER,
        rf"(?P<yes>did|was|were|is) (?:they |the group |the speakers )?(?:{_MENTION} )?(?P<a>.+?) (?:{_MENTION} |come |happen |take place )?(?P<side>before|after) (?:they {_MENTION} )?(?P<b>.+)$",
    ),
    (
        Op.WHO_FIRST,
        rf"(?:who|which {_PEOPLE[3:-1]}|which speaker) (?:was|is) the (?:very )?first (?:person |one |speaker |to )*(?:{_MENTION}|bring up|{_TALK} about) (?P<x>.+)$",
    ),
    (Op.WHO_FIRST, rf"who {_TALK} (?:the )?(?:very )?first (?:about|of|on) (?P<x>.+)$"),
    (
        Op.WHO_FIRST,
        rf"who (?:opened|opens|started|starts|began|begins|kicked off) {_DISCUSSION}(?P<x>.+)$",
    ),
    (Op.WHO_FIRST, rf"who (?:first|initially|originally) (?:{_MENTION}) (?P<x>.+)$"),
    (Op.WHO_FIRST, rf"who (?:{_MENTION}) (?P<x>.+?) (?:first|for the first time)$"),
    (
        Op.WHO_FIRST,
        r"who (?:(?:speaks|spoke|talks|talked) (?:the )?(?:very )?first|(?:opened|opens|started|starts|began|begins|kicked off) (?:the|this) (?:meeting|recording|call|conversation|discussion)|(?:is|was) the (?:very )?first (?:person |one |speaker )*(?:to (?:speak|talk))?$|had the first word)",
    ),
    (
        Op.WHO_LAST,
        rf"(?:who|which speaker) (?:was|is) the (?:very )?last (?:person |one |speaker |to )*(?:{_MENTION}|bring up) (?P<x>.+)$",
    ),
    (Op.WHO_LAST, rf"who {_TALK} (?:the )?(?:very )?last (?:about|of|on) (?P<x>.+)$"),
    (Op.WHO_LAST, rf"who (?:last) (?:{_MENTION}) (?P<x>.+)$"),
    (Op.WHO_LAST, rf"who (?:{_MENTION}) (?P<x>.+?) (?:last|for the last time)$"),
    (
        Op.WHO_LAST,
        r"who (?:(?:speaks|spoke|talks|talked) (?:the )?(?:very )?last|(?:closed|closes|ended|ends|concluded) (?:the|this) (?:meeting|recording|call|conversation|discussion)|(?:is|was) the (?:very )?last (?:person |one |speaker )*(?:to (?:speak|talk))?$|had the (?:last|final) word)",
    ),
    (Op.WHO_MOST, rf"who {_TALK} (?:the )?most (?:about|of|on) (?P<x>.+)$"),
    (Op.WHO_MOST, rf"who (?:{_MENTION}) (?P<x>.+?) (?:the )?most(?: often| frequently)?$"),
    (
        Op.WHO_MOST,
        r"(?:who|which (?:speaker|person|participant)) (?:(?:speaks|spoke|talks|talked) (?:for )?(?:the )?(?:most|longest)|dominated|dominates|had (?:the )?(?:most|longest) (?:speaking|talk(?:ing)?) time|(?:is|was) (?:the )?most (?:talkative|active)|said the most)",
    ),
    (
        Op.WHO_LEAST,
        r"(?:who|which (?:speaker|person|participant)) (?:(?:speaks|spoke|talks|talked) (?:for )?(?:the )?(?:least|shortest)|had (?:the )?(?:least|shortest) (?:speaking|talk(?:ing)?) time|(?:is|was) (?:the )?least (?:talkative|active)|said the least)",
    ),
    (
        Op.SPEAKERS,
        rf"(?:who (?:is|was|were|are) (?:in|at|present at|part of|on) (?:the|this) (?:meeting|call|recording|conversation)|who (?:took|takes) part|who attended|(?:list|name)(?: all)?(?: the)? {_PEOPLE}|who (?:are|were) the {_PEOPLE})",
    ),
    (
        Op.WHO_MENTIONED,
        rf"(?:who all|who else|list everyone who|name everyone who|which (?:of the )?{_PEOPLE}) (?:{_MENTION}) (?P<x>.+)$",
    ),
    (
        Op.WHEN_LAST,
        rf"(?:when|at (?:what|which) (?:time|point|minute)) (?:was|is|did|does|were) (?:{_WORD})?(?P<x>.+?) (?:last|for the last time) ?(?:{_MENTION})?$",
    ),
    (
        Op.WHEN,
        rf"(?:when|at (?:what|which) (?:time|point|minute)) (?:was|is|did|does|do|were) {_DISCUSSION}(?P<x>.+?) (?:first )?(?:begin|began|start|started|open|opened|come up|take place|happen|occur)$",
    ),
    (
        Op.WHEN,
        rf"(?:when|at (?:what|which) (?:time|point|minute)) (?:was|is|were|did|does) (?:{_WORD})?(?P<x>.+?) (?:first |initially )?{_MENTION}(?: for the first time)?(?: by .+)?$",
    ),
    (
        Op.WHEN,
        rf"(?:when|at (?:what|which) (?:time|point|minute)) (?:did|does|do) .{{1,40}}? (?:first )?(?:(?:start|begin) (?:to talk|talking|to speak|speaking|to discuss|discussing)(?: about)?|{_MENTION}) (?:that |{_WORD})?(?P<x>.+?)(?: for the first time| first)?$",
    ),
    (
        Op.AFTER,
        rf"(?:what|which topic|who|whose)\b.{{0,60}}? {_ADVERB}(?:after|following) (?:{_DISCUSSION}|they (?:had )?(?:{_MENTION}|talked about) )?(?P<x>.+)$",
    ),
    (
        Op.BEFORE,
        rf"(?:what|which topic|who|whose)\b.{{0,60}}? {_ADVERB}(?:before|preceding|prior to) (?:{_DISCUSSION}|they {_MENTION} )?(?P<x>.+)$",
    ),
)
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"numbers?|figures?|amounts?", ("number", "money")),
    (r"prices?|costs?|sums?|sums? of money", ("money",)),
    (r"dates?|days|deadlines?", ("date",)),
    (r"names?|people|persons", ("name", "speaker")),
    (r"acronyms?|abbreviations?", ("acronym",)),
)
"""What can be listed, and the kinds of entities that are it."""
_LISTED = re.compile(
    rf"(?:which|what|(?:list|name|give me|show me)(?: all)?(?: of)?(?: the)?) (?:(?:concrete|different|exact|important|other|specific) )?(?P<kind>{'|'.join(words for words, _ in _KINDS)}) "
    rf"(?:(?:were|was|are|is|have been|that were|did .{{1,40}}?|does .{{1,40}}?) )?(?:{_MENTION}|name)(?: by .+)?",
    re.I,
)
_ASKED_MOST = re.compile(
    r"(?:who|which (?:speaker|person|participant)) (?:asks|asked|poses|posed|had) (?:the )?(?P<end>most|least|fewest) questions",
    re.I,
)
_ASKED = re.compile(
    r"(?:how many|which|what|list(?: all)?(?: the)?) questions (?:(?:were|was|are|have been|did .{1,40}?|does .{1,40}?|has .{1,40}?|that .{1,40}?) )?(?:asked|ask|posed|pose|raised|raise)(?: by .+)?",
    re.I,
)
_OF_THE_MEETING = frozenset(
    "altogether attend attended attending audible contributed conversation distinguished hear heard "
    "involved join joined part participate participated present session".split()
)
"""Words behind a question about the whole meeting that name no matter."""
_COMPILED = tuple((op, re.compile(pattern, re.I)) for op, pattern in _RULES)
_CUE_WHO = re.compile(
    r"^(?:who|which (?:\w+ )?(?:speakers?|persons?|people|participants?))\b", re.I
)
_ANYBODY = re.compile(
    r"(?:did|does|do|was|were|is|are)\s+(?:there\s+)?(?:ever\s+)?(?:any|anyone|anybody|someone|somebody|"
    r"(?:two|any|several|some) (?:of them|people|speakers|persons)|people|they|speakers)\b",
    re.I,
)
_NOBODY = frozenset(
    ("people", "two", "speakers", "persons", "talk", "speak", "talking", "speaking")
)
_BESIDE = re.compile(
    rf"who {_TALK[:-1]}|answer(?:s|ed)?|repl(?:y|ies|ied)|respond(?:s|ed)?|react(?:s|ed)?) "
    r".{0,20}\b(?:after|before|when|to)\b",
    re.I,
)
"""Somebody else beside the voice that sounded so."""
_SOUND = r"(?:laugh\w*|giggl\w*|chuckl\w*|applau\w*|clap\w*|music|noise|bang|crash|knock\w*)"
_WHOSE_SOUND = r"(?:(?!say|said|think|talk|mean|about)\w+ ){1,4}?"
_BEFORE_SOUND = re.compile(
    rf"(?:why|what) (?:did|do|does|was|were|is|are) {_WHOSE_SOUND}{_SOUND}(?: (?:so \w+|out loud))?(?: (?:at|about|for))?|"
    rf"what (?:\w+ )?(?:made|caused|triggered|provoked|started|set off|led to) (?:{_WHOSE_SOUND})?{_SOUND}|"
    rf"what (?:did|was|were|is|are) .{{0,40}}?before (?:{_WHOSE_SOUND})?{_SOUND}|"
    r"what (?:is|was) (?:so |that )?funny",
    re.I,
)
"""Asks for what made others laugh or clap, and for nothing else."""
_LOUDEST = re.compile(r"\b(?:loudest|quietest|fastest|slowest|longest (?:pause|silence))\b", re.I)
_PAST_SUBJECT = re.compile(r"^(?:it|that|this|them|he|she)$", re.I)


def clean_target(text: str) -> str:
    """A word or topic without quotation marks, fillers and final punctuation."""
    text = re.sub(
        r"\s+(?:in|during|throughout|over|at) (?:the|this|our) (?:whole |entire )?(?:meeting|recording|call|conversation|discussion)\b",
        "",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"\s+(?:in total|altogether|overall|at all)\s*$", "", text.strip(" ?.!,;:"), flags=re.I
    )
    text = re.sub(rf"^{_WORD}(?=[\"'“‘\w])", "", text, flags=re.I)
    text = re.sub(
        r"\s+(?:was|were|is|got|had been|has been)\s+(?:\w+ly\s+)?(?:done|over|finished|mentioned|discussed|"
        r"named|brought up|raised|heard|closed|settled|decided|presented|talked about)\s*$",
        "",
        text,
        flags=re.I,
    )
    text = re.sub(r"^(?:the|a|an|about|of)\s+", "", text.strip(" \"'“”‘’?.!,;:"), flags=re.I)
    return text.strip(" \"'“”‘’?.!,;:")


def split_items(text: str) -> tuple[str, ...]:
    """Items of an enumeration "A, B and C" or "A or B"."""
    parts = re.split(r"\s*(?:,\s*(?:and|or)\s+|,|;|\s+or\s+|\s+and\s+)\s*", text.strip(" ?."))
    return tuple(clean_target(part) for part in parts if clean_target(part))


def parse_operation(
    question: str, has_cue: bool, has_event: bool, names: Collection[str] = ()
) -> Computation:
    """Recognise what is to be computed.

    Args:
        question: Without its time phrase and without choices.
        has_cue: It names how something sounded.
        has_event: It names a non-speech sound.
        names: Words of the speakers' names, folded.
    """
    text = on_one_line(question)
    text = re.sub(
        r"\s+(?:in|during|throughout) (?:the|this|our) (?:whole |entire )?(?:meeting|recording|call|conversation)$",
        "",
        text,
        flags=re.I,
    )
    text = re.sub(
        r"^(?:in the meeting,? |and |so |please |can you (?:tell me|say) |tell me )+",
        "",
        text,
        flags=re.I,
    )
    if has_event or has_cue:
        heard = _heard(text, has_cue, has_event)
        if heard is not None:
            return heard
    listed = _listed(text)
    if listed is not None:
        return listed
    for operation, pattern in _COMPILED:
        match = pattern.match(text)
        if match is None or _has_more(text[match.end() :], names):
            continue
        found = match.groupdict()
        if operation is Op.ORDER:
            return _order(found)
        if operation is Op.EDGE:
            is_first = re.match(r"first|open|start|begin", found["x"], re.I)
            return Computation(operation, items=("first" if is_first else "last",))
        target = clean_target(found.get("x") or "")
        if _PAST_SUBJECT.match(target):
            return Computation(Op.NONE)
        return Computation(operation, target)
    return Computation(Op.NONE)


def _has_more(rest: str, names: Collection[str]) -> bool:
    """Whether a question goes on with a matter of its own: "how many people agreed with Ann"."""
    return any(word not in names and word not in _OF_THE_MEETING for word in content_words(rest))


def _listed(text: str) -> Computation | None:
    """Lists of what was named or asked; None where a topic stands beside them."""
    if match := _LISTED.fullmatch(text):
        kinds = next(kinds for words, kinds in _KINDS if re.fullmatch(words, match["kind"], re.I))
        return Computation(Op.NAMED, items=kinds)
    if match := _ASKED_MOST.fullmatch(text):
        return Computation(Op.QUESTIONS, items=("most" if match["end"] == "most" else "least",))
    return Computation(Op.QUESTIONS) if _ASKED.fullmatch(text) else None


def _order(found: dict[str, str | None]) -> Computation:
    """Items to sort, or a yes/no question whether a came before b."""
    if found.get("a"):
        first, second = clean_target(found["a"] or ""), clean_target(found["b"] or "")
        return Computation(Op.ORDER, str(found["side"]).lower(), (first, second))
    end = (found.get("end") or "").lower()
    side = {"earlier": "first", "before": "first", "later": "last"}.get(end, end)
    return Computation(Op.ORDER, side, split_items(found["x"] or ""))


def _is_whether(text: str) -> bool:
    """Whether it asks if something sounded so at all, with no other matter in it."""
    if not _ANYBODY.match(text):
        return False
    return not set(content_words(strip_cues(text))) - _NOBODY


def _heard(text: str, has_cue: bool, has_event: bool) -> Computation | None:
    """Counts and moments of sounds and voices."""
    is_count = re.match(
        r"how (?:many|often|frequently)|count|(?:what is the )?number of", text, re.I
    )
    if is_count and re.match(
        r"how many (?:different )?(?:people|speakers|participants)", text, re.I
    ):
        is_count = None
    if has_event and is_count:
        return Computation(Op.COUNT_EVENTS)
    if has_cue and (is_count or _is_whether(text)):
        return Computation(Op.COUNT_CUE)
    if has_event and re.match(
        r"(?:when|where|at (?:what|which) (?:time|point|minute))\b", text, re.I
    ):
        return Computation(Op.WHEN_EVENT)
    if has_event and _BEFORE_SOUND.fullmatch(text):
        return Computation(Op.BEFORE_EVENT)
    if has_cue and _CUE_WHO.match(text) and not _BESIDE.match(text):
        return Computation(Op.WHO_CUE)
    if has_cue and (
        _LOUDEST.search(text)
        or re.search(r"\bwhy\b", text, re.I)
        or re.match(
            r"(?:when|why|at (?:what|which)|what (?:did|was|were|made|caused|is))\b", text, re.I
        )
    ):
        return Computation(Op.CUE_MOMENT)
    return None
