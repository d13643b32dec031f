"""Names, numbers, acronyms and key words of a meeting, by simple statistics.

No language model and no language-specific grammar: capitals in the middle of a sentence,
shapes of numbers, and words that one meeting uses in bursts.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from engine.graph.lexicon import STOP_WORDS, folded, is_back_channel
from engine.types import Utterance

Entities = dict[tuple[str, str], list[int]]

MAX_KEYWORDS = 80
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"  # noqa: E501
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER_WORD = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    "hundred|thousand|million|billion"
)
_AMOUNT = rf"(?:\d[\d.,]*|(?:(?:{_NUMBER_WORD})[\s-]+(?:and\s+)?)*(?:{_NUMBER_WORD}))"
_UNIT = (
    "euros?|dollars?|pounds?|cents?|percent|per cent|kronen|crowns?|korun|hours?|minutes?|"
    "seconds?|days?|weeks?|months?|years?|people|pages?|gb|mb|kb|km|kg|hz|khz|mhz"
)
_SHAPES = (
    ("date", re.compile(rf"\b(?:{_DAYS})\b", re.IGNORECASE)),
    (
        "date",
        re.compile(
            rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})|(?:{_MONTHS})\s+\d{{1,2}})\b",
            re.IGNORECASE,
        ),
    ),
    ("date", re.compile(r"\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b")),
    ("money", re.compile(r"[$€£¥]\s?\d[\d.,]*(?:\s?(?:k|m|bn|million|billion))?\b", re.IGNORECASE)),
    ("money", re.compile(rf"\b{_AMOUNT}\s+(?:euros?|dollars?|pounds?|crowns?|korun)\b", re.I)),
    ("number", re.compile(rf"\b{_AMOUNT}\s*(?:%|(?:{_UNIT})\b)", re.IGNORECASE)),
    ("number", re.compile(r"\b\d[\d.,]*\d\b")),
)
_HINT = re.compile(rf"\d|\b(?:{_DAYS}|{_MONTHS}|{_NUMBER_WORD})\b", re.IGNORECASE)
_ACRONYM = re.compile(r"\b(?:[A-Z]{2,6}\d{0,2}|(?:[A-Z]\.\s?){2,})(?=\W|$)")
_NAME = re.compile(r"[^\W\d_][\w'’-]*")
_WORD = re.compile(r"[^\W\d_]{3,}(?:[-'’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:…\"“”]\s*$")


def find_entities(utterances: Sequence[Utterance]) -> Entities:
    """Find what a meeting is about.

    Returns:
        (name, kind) -> ascending indices of the utterances that mention it; kind is name,
        speaker, acronym, number, money, date or keyword.
    """
    texts = [u.text for u in utterances]
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for index, text in enumerate(texts):
        for key in _shapes(text):
            found[key].add(index)
    for name, indices in _names(texts).items():
        found[name, "name"] |= indices
    for name in {u.speaker for u in utterances if u.speaker}:
        first = name.split()[0]
        pattern = re.compile(rf"\b{re.escape(first)}\b", re.IGNORECASE)
        if len(first) > 2 and not first.casefold().startswith("speaker"):
            found[name, "speaker"] |= {i for i, text in enumerate(texts) if pattern.search(text)}
    taken = {name.casefold() for name, _ in found}
    for word, indices in _keywords(texts).items():
        if word not in taken:
            found[word, "keyword"] |= indices
    return {key: sorted(indices) for key, indices in found.items() if indices}


def _shapes(text: str) -> list[tuple[str, str]]:
    """(name, kind) of the dates, sums, numbers and acronyms of one utterance."""
    seen: list[tuple[str, str]] = []
    # Most utterances have neither; one look saves seven.
    for kind, shape in _SHAPES if _HINT.search(text) else ():
        for match in shape.finditer(text):
            named = _squeezed(match[0]).lower()
            # The shapes go from narrow to wide: a sum of money is not also a number.
            if not any(named in other for other, _ in seen):
                seen.append((named, kind))
    letters = [match[0].replace(".", "").replace(" ", "") for match in _ACRONYM.finditer(text)]
    return seen + [(name, "acronym") for name in letters]


def _squeezed(text: str) -> str:
    return " ".join(text.split()).strip(" .,")


def _names(texts: Sequence[str]) -> dict[str, set[int]]:
    """Runs of capitalised words that do not begin a sentence.

    A word counts only if the meeting writes it with a capital more often than without, which
    drops German nouns no more than it must and English sentence starts always.
    """
    lower: Counter[str] = Counter()
    runs: dict[str, set[int]] = defaultdict(set)
    for index, text in enumerate(texts):
        run: list[str] = []
        is_start = True
        last_end = 0
        for match in _NAME.finditer(text):
            word, between = match[0], text[last_end : match.start()]
            is_start = last_end == 0 or bool(_SENTENCE_END.search(between))
            last_end = match.end()
            is_capital = word[0].isupper() and not word.isupper() and len(word) > 1
            bare = word[:-2] if word.endswith(("'s", "’s")) else word
            if is_capital and not is_start and folded(bare) not in STOP_WORDS and "'" not in bare:
                if run and between.strip():
                    runs[" ".join(run)].add(index)
                    run = []
                run.append(bare)
                continue
            if run:
                runs[" ".join(run)].add(index)
                run = []
            if word[0].islower():
                lower[folded(bare)] += 1
        if run:
            runs[" ".join(run)].add(index)
    return {
        name: indices
        for name, indices in runs.items()
        if " " in name or lower[folded(name)] < len(indices)
    }


def _keywords(texts: Sequence[str]) -> dict[str, set[int]]:
    """Words said several times, close together rather than everywhere.

    Score: times said x log of how much of the meeting does without it, so that words that the
    whole meeting uses evenly lose to those of its topics.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(texts):
        if is_back_channel(text):
            continue
        for word in set(_WORD.findall(folded(text))):
            if word not in STOP_WORDS and len(word) > 3:
                places[word].append(index)
    n = max(1, len(texts))
    block = max(5, n // 20)
    scores: dict[str, float] = {}
    for word, indices in places.items():
        if len(indices) < 2:
            continue
        n_blocks = len({i // block for i in indices})
        burst = len(indices) / n_blocks
        scores[word] = math.log(1 + len(indices)) * burst * math.log(n / len(indices) + 1)
    best = sorted(scores, key=lambda word: -scores[word])[:MAX_KEYWORDS]
    return {word: set(places[word]) for word in best}
