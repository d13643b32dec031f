"""Who does what to whom: abstract meaning representations as plain sentences.

Source: GETALP's AMR contexts. The local model writes PENMAN under a grammar, the ``penman``
library parses it, and the triples of each predicate become one short sentence.
"""

from __future__ import annotations

import re

from engine import grammar
from engine.enrich.context import Context, is_informative, words
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Utterance

LEAST_WORDS = 8
"""Shorter utterances rarely hold a whole predication."""

MOST_WORDS = 60
"""Longer ones are beyond the small model."""

ROLES = ("ARG0", "ARG1", "ARG2", "time", "location", "purpose", "cause", "manner")

_SENSE = re.compile(r"-\d+$")

_GRAMMAR = grammar.grammar(
    {
        "root": "node3",
        "node3": '"(" var " / " concept (" :" role " " arg2){1,4} ")"',
        "node2": '"(" var " / " concept (" :" role " " arg1){0,3} ")"',
        "node1": '"(" var " / " concept (" :" role " " leaf){0,2} ")"',
        "arg2": "node2 | leaf",
        "arg1": "node1 | leaf",
        "leaf": '"(" var " / " concept ")" | "-" | [0-9]{1,6}',
        "role": grammar.choice([*ROLES, "polarity", "quant", "mod"]),
        "var": "[a-z] [0-9]{0,2}",
        "concept": "[A-Za-z] [A-Za-z0-9-]{0,30}",
    }
)


def find_roles(context: Context, report: Report) -> None:
    """Write the semantic roles of the utterances that hold a predication to the store."""
    store, meeting_id = context.store, context.meeting_id
    found: dict[int, list[str]] = {}
    for index, sentence in store.roles(meeting_id):
        found.setdefault(index, []).append(sentence)
    left = [u for u in context.utterances if _is_suitable(u) and u.index not in found]
    for done, utterance in enumerate(left):
        report("semantic roles", done, len(left))
        sentences = plain_sentences(_penman(context, utterance), utterance)
        if sentences:
            found[utterance.index] = sentences
            store.save_roles(meeting_id, found)


def _is_suitable(utterance: Utterance) -> bool:
    return is_informative(utterance) and LEAST_WORDS <= len(words(utterance.text)) <= MOST_WORDS


def _penman(context: Context, utterance: Utterance) -> str:
    reply = context.chat.complete(
        conversation("enrich_roles", line=f"{utterance.speaker or 'Somebody'}: {utterance.text}"),
        grammar=_GRAMMAR,
        max_tokens=160,
        is_cancelled=context.is_cancelled,
    )
    return reply.text


def plain_sentences(text: str, utterance: Utterance) -> list[str]:
    """Turn an AMR into sentences such as "Ana ask price firm (time: Monday)".

    Args:
        text: PENMAN; whatever does not parse gives no sentence.
        utterance: Where it comes from: concepts that neither it nor its speaker's name holds are
            the model's invention, and a predicate that leans on one is dropped.

    Returns:
        One sentence for each predicate with a subject or an object.
    """
    import penman
    from penman.exceptions import PenmanError

    try:
        graph = penman.decode(text)
    except PenmanError:
        return []
    concepts = {source: _plain(target) for source, _, target in graph.instances()}
    known = {word[:4] for word in words(f"{utterance.speaker} {utterance.text} i we you it")}
    sentences = []
    for variable in concepts:
        triples = [
            (role.removeprefix(":"), concepts.get(target, target))
            for source, role, target in (*graph.edges(), *graph.attributes())
            if source == variable and target is not None
        ]
        sentence = _sentence(concepts[variable], triples)
        if sentence and all(word[:4] in known for word in words(_claims(sentence))):
            sentences.append(sentence)
    return sentences


def _plain(concept: str | None) -> str:
    """A concept without its sense number."""
    return _SENSE.sub("", concept or "").replace("-", " ")


def _claims(sentence: str) -> str:
    """The words of a sentence that come from the meeting, not from us."""
    return re.sub(r"\b(?:not|time|location|purpose|cause|manner):?", "", sentence)


def _sentence(predicate: str, triples: list[tuple[str, str]]) -> str:
    arguments = {role: value for role, value in triples}
    if not {"ARG0", "ARG1"} & set(arguments):
        return ""
    parts = [
        arguments.get("ARG0", ""),
        "not" if arguments.get("polarity") == "-" else "",
        predicate,
        arguments.get("ARG1", ""),
        arguments.get("ARG2", ""),
    ]
    circumstances = [f"{role}: {arguments[role]}" for role in ROLES[3:] if role in arguments]
    tail = f" ({', '.join(circumstances)})" if circumstances else ""
    return " ".join(part for part in parts if part) + tail
