"""Exact parser for who a question is about: names, roles and initials of those who speak.

A name constrains the search only where the question makes its bearer the one who speaks ("what
did Ann say", "Ann's proposal", "according to Ann"); "what was said about Ann" does not.
"""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from engine.agent.schema import Roster
from engine.agent.words import WHETHER

_HONORIFICS = frozenset(
    "hon right mr mrs ms miss dr prof sir madam lord lady the am mp ms. mr. mrs. dr. rt".split()
)
_GENERIC = re.compile(r"(?:speaker|spk|voice|person|s|unknown)[ _-]?\d*", re.I)
_ROLE_TAILS = r"(?:\s+(?:expert|designer|manager|specialist|person|guy|lady|representative|team))?"

_SAYING = (
    r"say|said|says|think|thought|thinks|propose[ds]?|suggest(?:s|ed)?|mention(?:s|ed)?|argue[ds]?|"
    r"claim(?:s|ed)?|ask(?:s|ed)?|answer(?:s|ed)?|reply|replied|respond(?:s|ed)?|recommend(?:s|ed)?|"
    r"explain(?:s|ed)?|feel|felt|believe[ds]?|want(?:s|ed)?|promise[ds]?|agree[ds]?|disagree[ds]?|"
    r"object(?:s|ed)?|talk(?:s|ed)?|speak|spoke|discuss(?:es|ed)?|comment(?:s|ed)?|state[ds]?|tell|"
    r"told|express(?:es|ed)?|raise[ds]?|offer(?:s|ed)?|report(?:s|ed)?|describe[ds]?|point(?:ed)?|"
    r"decide[ds]?|refuse[ds]?|insist(?:s|ed)?|warn(?:s|ed)?|admit(?:s|ted)?|react(?:s|ed)?|"
    r"learn(?:s|ed)?|present(?:s|ed)?|contribute[ds]?|complain(?:s|ed)?|laugh(?:s|ed)?|"
    r"interrupt(?:s|ed)?|shout(?:s|ed)?|whisper(?:s|ed)?|sound(?:s|ed)?|give|gave|get|got|bring|"
    r"brought|change[ds]?|call(?:s|ed)?|volunteer(?:s|ed)?|commit(?:s|ted)?|support(?:s|ed)?|"
    r"oppose[ds]?|prefer(?:s|red)?|share[ds]?|estimate[ds]?|quote[ds]?|note[ds]?|announce[ds]?|"
    r"confirm(?:s|ed)?|have|make|made|see|saw|become|became|go|went|use[ds]?"
)
_BEFORE_OBJECT = re.compile(
    r"\b(?:about|regarding|concerning|to|with|for|than|on|towards?|at|like|invite|thank|interrupt(?:ed)?|"
    r"answer(?:ed)?|ask(?:ed)?|tell|told)\s+(?:the\s+|mr\.?\s+|mrs\.?\s+|ms\.?\s+|dr\.?\s+)?$",
    re.I,
)
_BEFORE_SUBJECT = re.compile(
    r"\b(?:according to|attributed to|did|does|do|was|were|is|has|had)\s+(?:the\s+)?$", re.I
)
_WHETHER = re.compile(rf"^\W*(?:(?:and|but|so)\s+)?{WHETHER}\s+(?:the\s+)?$", re.I)
_OWN_WORDS = re.compile(
    r"^\s+(?:\w+ly\s+|ever\s+|also\s+)?(?:say|mention|talk|speak|discuss|comment|state|tell|ask|answer|reply|"
    r"respond|explain|propose|suggest|promise|argue|claim|raise|report|describe|announce|confirm|"
    r"present|warn|admit|insist|express|complain|recommend|offer|agree|disagree|object|volunteer|"
    r"laugh|interrupt|shout|whisper|sound|change (?:his|her|their) mind)(?:e?d)?\b"
    r"(?!.*\bbecause\b)",
    re.I,
)
"""What only somebody's own words tell. Whether they did anything else, others may have said."""

_AFTER_SUBJECT = re.compile(rf"^\s*(?:'s|’s|\s(?:\w+ly\s+)?(?:{_SAYING})\b)", re.I)

_ROLE_WORDS = frozenset(
    """minister president chair chairman chairwoman chairperson manager designer director officer
    engineer professor doctor teacher secretary treasurer accountant analyst developer
    consultant client customer leader head marketing lawyer researcher student postdoc phd
    grad editor host guest moderator interviewer ceo cto cfo founder nurse assistant
    coordinator architect scientist""".split()
)
_GROUPS = frozenset(
    """group team meeting committee everyone everybody anyone anybody someone somebody people
    they we you i he she it participants members speakers speaker company government board
    user users audience others us them who one panel class crowd council department party
    university universities discussion conversation project that this these those there""".split()
)


FIRST_NAME = 4
"""Rank of a first name as an alias; it counts only with its capital, "mark" is also a word."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a question says about who speaks.

    Attributes:
        speakers: Roster names in the role of the one who speaks.
        mentioned: Roster names it only talks about.
        unknown: Named as speaking, but nobody here has that name.
    """

    speakers: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def base_name(name: str) -> str:
    """A name without what stands in brackets: one person may be listed with and without a title."""
    return re.sub(r"\s*\(.*?\)+", "", name).strip() or name


def _plain(text: str) -> str:
    return re.sub(r"[^\w ]", "", text).strip().lower()


def is_generic(name: str) -> bool:
    """Whether a name is only a number given by diarization ("Speaker 2")."""
    return _GENERIC.fullmatch(base_name(name)) is not None


def aliases(name: str) -> dict[str, int]:
    """Every way to call a speaker, with how specific it is (more is better)."""
    base = base_name(name)
    parts = [p for p in base.split() if _plain(p) and _plain(p) not in _HONORIFICS]
    found = {_plain(base): 10, _plain(" ".join(parts)): 9}
    for role in re.findall(r"\(([^()]*)", name):
        for piece in re.split(r"[,;]", role):
            if len(_plain(piece)) > 3:
                found.setdefault(_plain(piece), 8)
    if len(parts) > 1 and not is_generic(name):
        last = parts[-1]
        found.setdefault(last if len(last) == 1 else _plain(last), 6 if len(last) > 1 else 5)
        if len(parts[0]) > 2 and _plain(parts[0]) not in _ROLE_WORDS:
            found.setdefault(_plain(parts[0]), FIRST_NAME)
        if len(last) == 1:
            found.setdefault(_plain(parts[0]), 3)
    return {alias: rank for alias, rank in found.items() if alias}


def _occurrences(alias: str, rank: int, question: str) -> Iterable[re.Match[str]]:
    """Places of an alias; initials only as capitals, and never the article at the beginning."""
    if len(alias) == 1:
        return [
            match
            for match in re.finditer(rf"(?<![\w']){alias.upper()}(?![\w'-])", question)
            if match.start() > 0
            and not re.match(r"\s+[a-z]+\s+(?:of|for)\b", question[match.end() :])
        ]
    spaced = r"\W+".join(re.escape(part) for part in alias.split())
    if rank <= FIRST_NAME:
        return re.finditer(rf"(?<!\w){spaced.capitalize()}(?!\w)", question)
    return re.finditer(rf"(?<!\w){spaced}{_ROLE_TAILS}(?!\w)", question, re.I)


def _is_subject(question: str, match: re.Match[str], alias: str) -> bool:
    before, after = question[: match.start()], question[match.end() :]
    if _WHETHER.match(before):
        return _OWN_WORDS.match(after) is not None
    if _BEFORE_SUBJECT.search(before) or _AFTER_SUBJECT.match(after):
        return True
    if len(alias) == 1:
        return False
    return _BEFORE_OBJECT.search(before) is None


def find_speakers(question: str, roster: Roster) -> Named:
    """Find who a question names.

    The most specific alias at a place wins; an alias that several people share means all of them.

    Args:
        question: Any text.
        roster: Everybody who speaks in the meetings asked about.
    """
    found = [
        (match.start(), match.end(), rank, name, _is_subject(question, match, alias))
        for name in roster.ids_by_name
        for alias, rank in aliases(name).items()
        for match in _occurrences(alias, rank, question)
    ]
    best: dict[tuple[int, int], list[tuple[int, str, bool]]] = {}
    # Longest first, so that "Minister of Seniors" keeps "Minister" from meaning someone else.
    for start, end, rank, name, subject in sorted(found, key=lambda f: (f[0] - f[1], -f[2])):
        overlapping = [k for k in best if k[0] < end and start < k[1] and k != (start, end)]
        if not overlapping:
            best.setdefault((start, end), []).append((rank, name, subject))
    speakers: dict[str, None] = {}
    mentioned: dict[str, None] = {}
    for options in best.values():
        top = max(rank for rank, _, _ in options)
        for rank, name, subject in options:
            if rank == top:
                (speakers if subject else mentioned)[name] = None
    people = {base_name(name) for name in speakers}
    for name in roster.ids_by_name:
        if base_name(name) in people:
            speakers[name] = None
    return Named(
        tuple(speakers),
        tuple(name for name in mentioned if name not in speakers),
        _unknown(question, list(best), roster),
    )


LIKE = 0.75
"""Least similarity (difflib) at which a name may stand for another: Petr for Peter."""


def nearest(name: str, roster: Roster) -> str:
    """The one speaker whose name is nearly this one; "" when there is none or more than one."""
    called = {alias: full for full in roster.ids_by_name for alias in aliases(full)}
    near = get_close_matches(_plain(name), called, n=3, cutoff=LIKE)
    people = {called[alias] for alias in near}
    return people.pop() if len(people) == 1 else ""


def _unknown(question: str, known: list[tuple[int, int]], roster: Roster) -> tuple[str, ...]:
    """Names or roles in the place of a speaker that the roster does not have."""
    candidates = [
        rf"\b(?i:did|does|do|would|had|has|could|will)\s+(?:the\s+)?((?:[\w.'’-]+\s+){{1,4}}?)(?={_SAYING})\b",
        r"\b(?i:according to|attributed to)\s+(?:the\s+)?((?:[A-Z][\w.'-]+\s*){1,3})",
        rf"\b(?i:when|while|why|that|what|whether|if)\s+((?:[A-Z][\w.-]+\s+){{1,3}})(?={_SAYING})\b",
        r"\b((?:[A-Z][\w.-]+\s?){1,3})['’]s\s+(?:view|opinion|comment|position|stance|proposal|idea|"
        r"suggestion|reaction|response|answer|attitude|concern|promise|argument|reason)",
    ]
    unknown: dict[str, None] = {}
    for pattern in candidates:
        for match in re.finditer(pattern, question):
            name = match[1].strip()
            start, end = match.start(1), match.end(1)
            if name and not any(a < end and start < b for a, b in known) and _is_person(name):
                unknown[name] = None
    if not roster.ids_by_name:
        return ()
    return tuple(unknown)


def _is_person(phrase: str) -> bool:
    """A proper name, an initial, a numbered speaker or a role; never a group or a pronoun."""
    tokens = phrase.split()
    plain = [_plain(token) for token in tokens]
    if any(token in _GROUPS for token in plain) and not re.fullmatch(
        r"speaker \d+", " ".join(plain)
    ):
        return False
    if all(re.fullmatch(r"[A-Z][\w.'’-]*", token) for token in tokens):
        return True
    if tokens and re.fullmatch(r"[A-Z][\w.'’-]*", tokens[0]) and len(tokens) <= 2:
        return True
    return len(tokens) <= 3 and plain[-1] in _ROLE_WORDS
