"""Building GBNF grammars. The only source of grammars for the language model.

llama.cpp accepts a malformed grammar and then crashes while sampling, so no text reaches a grammar
except through ``literal`` and ``choice``, and every rule is put together here.

Source: the GBNF notation of llama.cpp; integer bounds are not enforced there, so values are
checked again after generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def literal(text: str) -> str:
    """Quote a text so that it stands for itself."""
    escaped = "".join(_escape(character) for character in text)
    return f'"{escaped}"'


def choice(texts: Iterable[str]) -> str:
    """One of several texts.

    Raises:
        ValueError: There is none to choose.
    """
    quoted = [literal(text) for text in texts]
    if not quoted:
        raise ValueError("A choice needs at least one text.")
    return "(" + " | ".join(quoted) + ")"


def line(longest: int) -> str:
    """One to ``longest`` characters without a line break, square or angle brackets."""
    return f"[^\\n\\[\\]<>]{{1,{longest}}}"


def grammar(rules: Mapping[str, str]) -> str:
    """Join named rules into a grammar; the first must be ``root``.

    Raises:
        ValueError: There is no root, or a rule name is not lower-case letters, digits and dashes.
    """
    if next(iter(rules), "") != "root":
        raise ValueError("The first rule must be root.")
    for name in rules:
        if not name.replace("-", "").isalnum() or name != name.lower():
            raise ValueError(f"{name!r} is not a rule name.")
    return "\n".join(f"{name} ::= {body}" for name, body in rules.items())


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character == "\n":
        return "\\n"
    if ord(character) < 0x20 or ord(character) == 0x7F:
        return f"\\x{ord(character):02X}"
    return character


def cited_sentences(ids: Iterable[str], most: int, way_out: str) -> str:
    """Grammar of sentences that each end in ids in brackets, or of exactly ``way_out``.

    Args:
        ids: Evidence ids, such as ``u1``; nothing else can be cited.
        most: Most sentences, at least 1.
        way_out: What the model writes when the evidence does not tell.
    """
    return grammar(
        {
            "root": f'{literal(way_out)} | sentence (" " sentence){{0,{max(0, most - 1)}}}',
            "sentence": '[A-Z0-9"] words " [" id (", " id){0,2} "]" "."?',
            # No ". " inside: every sentence must come to its own ids before the next begins.
            "words": r"""([^\n\[\]<>.] | "." [^ \n\[\]<>.])+ "."?""",
            "id": choice(ids),
        }
    )
