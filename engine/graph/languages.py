"""Which language a text is in, by its commonest words and its letters."""

from __future__ import annotations

import re

from engine.graph.lexicon import STOP_WORDS_OF

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MARKS = {
    "cs": "co kdo kdy kde proč jak jaký jaká kolik který která které řekl řekla říkal je byl byla "
    "bylo o na se že ve pro jsem jsme kterou schůzce schůzi mluvil mluvila",
    "en": "the what who when where why how did does was were is are about said of to and in many",
    "de": "der die das was wer wann wo warum wie hat wurde ist über gesagt und von zu im",
    "fr": "le la les que qui quand où pourquoi comment est sur dit et de du des dans quoi",
    "es": "el la los las qué quién cuándo dónde cómo dijo sobre es y de del en por",
    "pl": "co kto kiedy gdzie dlaczego jak jest był była o na się że powiedział powiedziała",
    "sk": "čo kto kedy kde prečo ako je bol bola o na sa že povedal povedala",
}
_MARKS_OF = {
    language: STOP_WORDS_OF.get(language, frozenset()) | frozenset(marks.split())
    for language, marks in _MARKS.items()
}
_DIACRITICS = {"cs": "ěřůť", "pl": "łąęśżź", "de": "äöüß", "es": "ñ¿¡", "sk": "ľĺŕ"}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
LEAST_SCRIPT = 0.2
"""Share of the characters in a script from which on the text is in its language."""


def language_of(text: str) -> str:
    """Guess the language of a text; English unless another clearly fits better.

    Returns:
        ISO 639-1 code.
    """
    for language, script in _SCRIPTS:
        if len(script.findall(text)) > LEAST_SCRIPT * len(text):
            return language
    small = text.lower()
    tokens = _WORD.findall(small)
    scores = {}
    for language, marks in _MARKS_OF.items():
        score = float(sum(token in marks for token in tokens))
        score += 2.0 * any(letter in small for letter in _DIACRITICS.get(language, ""))
        scores[language] = score
    best = max(scores, key=lambda key: scores[key])
    return best if scores[best] > scores["en"] else "en"
