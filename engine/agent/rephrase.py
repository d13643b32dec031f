"""A question no exact parser reads -> one that it does, in the model's choice of fixed forms.

There are more ways to ask for a count, an order or a first mention than rules can list. The model
picks a form and fills it with a stretch of the question itself; its grammar has no other words, so
it cannot invent what is counted. Questions that do not look structural never get here.

Source: GRGA, section 3.3 (decomposition); the forms are those of ``engine.agent.operations``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.agent.synthesise import Pen
from engine.agent.words import content_words, words
from engine.grammar import choice, grammar, literal

OTHER = "other"

_COUNT = r"times|often|frequent\w*|number|count|tally|mentions|occurrences"
_WHO = (
    r"who|whose|whom|(?:which|what) (?:of the )?(?:speaker|person|people|participant|member)s?|rank"
)
_SAID = (
    r"mention\w*|sa(?:y|ys|id)|c[ao]m(?:e|es|ing)|br(?:ing|ings|ought)|rais\w+|words?|terms?|occur\w*|"
    r"appear\w*|talk\w*|refer\w*|nam(?:e|es|ed)|heard|hear|tally|utter\w*|sp[eo]\w*k\w*|discuss\w*"
)
_FIRST = r"first|initial\w*|original\w*|earliest|start\w*|whose|c[ao]me up with|introduc\w+"
_LAST = r"last|final\w*|latest"
_TALK = r"talk\w*|sp[eo]ak\w*|spoke|words?|contribut\w+|dominat\w+|talkative|floor|say|said"
_MOST = r"most|longest|rank|dominat\w+|talkative|more"
_LEAST = r"least|fewest|shortest|less"
_WHEN = r"when|where|time|point|minute|moment|how (?:early|late|far)"
_AFTER = r"after\w*|once|follow\w*|next|then|subsequent\w*|turn\w*|move[ds]?"
_BEFORE = r"before|prior|preced\w*|previous\w*|le[ad]+ up"
_ORDER = rf"{_FIRST}|{_LAST}|{_AFTER}|{_BEFORE}|earlier|later|sooner|order"
_TWO = rf"or|and|than|{_AFTER}|{_BEFORE}"

FORMS = {
    "How many times was X mentioned?": (_COUNT, _SAID),
    "How many times did NAME mention X?": (_COUNT, _SAID),
    "How many people mentioned X?": (_COUNT + "|how many", r"people|speakers|persons|of them"),
    "Who first mentioned X?": (_WHO, _FIRST),
    "Who last mentioned X?": (_WHO, _LAST),
    "Who mentioned X most often?": (_WHO, _MOST, _SAID),
    "Who spoke the most?": (_WHO, _TALK, _MOST),
    "Who spoke the least?": (_WHO, _TALK, _LEAST),
    "How long did NAME speak?": (_TALK, "long|time|minutes|seconds"),
    "When was X first mentioned?": (_WHEN, _FIRST),
    "When was X last mentioned?": (_WHEN, _LAST),
    "Did X come before X?": (_ORDER, _TWO),
    "Did X come after X?": (_ORDER, _TWO),
    "Which came first: X or X?": (_ORDER, _TWO),
    "Which came last: X or X?": (_ORDER, _TWO),
    "What was said right after X?": (_AFTER,),
    "What was said right before X?": (_BEFORE,),
}
"""What can be chosen, and the words that the question must have for it, one of each pattern.

X is a stretch of the question, NAME a speaker. A small model is too fond of these forms: without
their words a question about a fact would be counted or sorted."""

MAX_TOKENS = 40

_STRUCTURAL = re.compile(
    r"\b(?:how (?:many times|often|frequently)|(?:number|count|tally) of|times|often|frequent\w*|"
    r"mentions?|first|initial\w*|original\w*|earl(?:y|ier|iest)|last|lat(?:er|est)|sooner|final\w*|before|"
    r"after(?:wards?)?|prior|preced\w*|follow(?:s|ed|ing)?|next|once|subsequent\w*|previous\w*|"
    r"order|sequence|chronolog\w*|rank|most|least|fewest|longest|shortest|talkative|dominat\w*|"
    r"whose (?:idea|suggestion|proposal)|turn(?:ed)? to|move[ds]? on)\b",
    re.I,
)


def looks_structural(question: str) -> bool:
    """Whether a question may ask for a count, an order or a place rather than for what was said.

    Where it has the words of no form, asking the model would be in vain.
    """
    is_likely = _STRUCTURAL.search(question) is not None
    return is_likely and any(_has_words(question, needed) for needed in FORMS.values())


def form_grammar(question: str, names: Sequence[str]) -> str:
    """Grammar of the forms, filled with stretches of the question and names of speakers."""
    spelled = re.findall(r"[\w'’.-]*\w", question)
    rules = {"root": "", "x": " | ".join(f"w{i}" for i in range(len(spelled)))}
    for position, word in enumerate(spelled):
        rest = f' (" " w{position + 1})?' if position + 1 < len(spelled) else ""
        rules[f"w{position}"] = literal(word) + rest
    if names:
        rules["name"] = choice(names)
    bodies = [_body(form) for form in FORMS if names or "NAME" not in form]
    rules["root"] = " | ".join([*bodies, literal(OTHER)])
    return grammar(rules)


def _body(form: str) -> str:
    """One form as the right side of a rule."""
    slots = {"X": "x", "NAME": "name"}
    parts = [part for part in re.split(r"\b(X|NAME)\b", form) if part]
    return " ".join(slots.get(part) or literal(part) for part in parts)


def rephrased(question: str, names: Sequence[str], pen: Pen) -> str:
    """Put a question into one of the forms.

    Args:
        question: Complete in itself, in English.
        names: The speakers it names.
        pen: The model.

    Returns:
        The question in its new form, or "" when no form fits.
    """
    if not re.search(r"\w", question):
        return ""
    written = pen.write(
        "rephrase",
        MAX_TOKENS,
        form_grammar(question, names),
        question=question,
    ).text.strip()
    return written if _fits(question, written, names) else ""


def _fits(question: str, written: str, names: Sequence[str]) -> bool:
    """Whether the question has the words that the form asks for, and the form its fill.

    A speaker whom the question names is who does something in it, not what is spoken of.
    """
    called = {word for name in names for word in words(name)}
    for form, needed in FORMS.items():
        pattern = re.escape(form).replace("X", "(.+)").replace("NAME", ".+")
        match = re.fullmatch(pattern, written)
        if match is None:
            continue
        is_about = not match.groups() and re.search(r"\b(?:about|regarding)\b", question, re.I)
        is_filled = all(set(content_words(stretch)) - called for stretch in match.groups())
        if _has_words(question, needed) and is_filled and not is_about:
            return True
    return False


def _has_words(question: str, needed: Sequence[str]) -> bool:
    """Whether a question has a word of each pattern."""
    return all(re.search(rf"\b(?:{pattern})\b", question, re.I) for pattern in needed)
