"""Words as search sees them: scripts without spaces, function words, back-channels, queries.

Pure functions over text; nothing here touches the database.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Scripts written without spaces between words, or with particles glued to them.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_DENSE_CHAR = re.compile(f"[{_DENSE}]")
_DENSE_RUN = re.compile(f"[{_DENSE}]+")
_RUN = re.compile(f"[{_DENSE}]+|[^\\W_{_DENSE}]+")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
MAX_QUERY_TOKENS = 48

# The commonest function words of the languages the default models hear best. Dropping them
# from a query costs nothing while at least one other word remains.
_STOP_WORDS = {
    "en": """
a about after again all also am an and any are as at be because been before being but by can
could did do does doing down during each few for from further had has have having he her here
hers him his how i if in into is it its just me more most my no nor not now of off on once only
or other our out over own same she should so some such than that the their them then there
these they this those through to too under until up very was we were what when where which
while who whom why will with would you your yours
""",
    "de": """
aber als am an auch auf aus bei bin bis bist da das dass dem den der des die dir du ein eine
einem einen einer er es für hat haben hatte ich ihr im in ist ja kann kein mit nach nicht noch
nur oder sein sich sie sind so über um und uns von vor war was wenn wer wie wir wird zu zum zur
""",
    "fr": """
au aux avec ce ces cette dans de des du elle en est et eu il ils je la le les leur lui mais me
même mes moi mon ne nos notre nous on ou où par pas pour qu que qui sa se ses son sur ta te tes
toi ton tu un une vos votre vous
""",
    "es": """
al como con cual cuando del desde donde el ella ellos era es esa ese eso esta este esto fue ha
hay la las lo los más mi muy no nos o para pero por porque que quien se sin sobre su sus también
te un una uno y ya yo
""",
    "cs": """
a aby ale ani asi bez bude by byl byla bylo být co což do ho i já jak jako je jeho jej její jen
jenž ještě ji jsem jsi jsme jsou k kde kdo kdy když ke která které který ma mají mezi mi mne mu
my na nad nebo není než o od on ona oni po pod podle pro proč při s se si sme svůj ta tak také
tato te tedy ten tím to tomu tu ty už v ve však z za ze že
""",
}
STOP_WORDS_OF = {language: frozenset(text.split()) for language, text in _STOP_WORDS.items()}
STOP_WORDS = frozenset[str]().union(*STOP_WORDS_OF.values())

# Question words that say what is asked for, not what was talked about.
_ASKING_WORDS = """
    discuss discussed discussion discussing say said says saying talk talked talks talking
    mention mentioned mentions think thought thinks believe feel opinion opinions meeting
    meetings group team summarize summarise summary describe explain tell give told according
    regarding concerning anyone someone everybody everyone people participants
"""
_ASKING = frozenset(_ASKING_WORDS.split())

_BACK_CHANNEL_WORDS = """
    yeah yes yep yup no nope okay ok right mm hmm mmm uh um uhm huh mhm mm-hmm uh-huh sure well
    so oh ah like alright exactly absolutely great good fine cool thanks thank you true indeed
    ja nein doch genau gut klar oui non si sí claro ano jo ne dobře jasně
"""
_BACK_CHANNELS = frozenset(_BACK_CHANNEL_WORDS.split())


def folded(text: str) -> str:
    """Text for comparing: compatibility forms joined, small letters.

    Not ``casefold``, which turns ß to ss where the full-text index does not.
    """
    return unicodedata.normalize("NFKC", text).lower()


def has_dense(text: str) -> bool:
    """Whether the text has characters of a script written without spaces."""
    return _DENSE_CHAR.search(text) is not None


def dense_tokens(text: str | None) -> str:
    """Tokens for the second full-text table, "" for text that does not need it.

    Each character of a dense script becomes a pair with its successor, the last one of a run
    stands alone; other runs are kept as they are, so a Latin word glued to Chinese is found.
    """
    if not text or not has_dense(text):
        return ""
    return " ".join(token for run in _RUN.findall(folded(text)) for token in _pairs(run))


def _pairs(run: str) -> list[str]:
    if not _DENSE_CHAR.match(run):
        return [run]
    return [run[i : i + 2] for i in range(len(run))]


def dense_phrase(run: str) -> str:
    """A quoted FTS5 phrase that finds a run of dense characters anywhere inside a longer one."""
    pairs = _pairs(folded(run))
    if len(pairs) == 1:
        return f"{quoted(pairs[0])}*" if has_dense(pairs[0]) else quoted(pairs[0])
    return quoted(" ".join(pairs[:-1]))


def quoted(token: str) -> str:
    """A string literal of the FTS5 query language; no character in it has a meaning."""
    return '"' + token.replace('"', '""') + '"'


def clean(text: str) -> str:
    """Drop what SQLite cannot store: NUL, lone surrogates."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=65536)
def tokens(text: str) -> tuple[str, ...]:
    """Folded words of a text, in order, apostrophes kept inside."""
    return tuple(_TOKEN.findall(folded(text)))


def content_tokens(query: str) -> list[str]:
    """The words of a query that carry meaning; all of them when none would be left."""
    words = list(dict.fromkeys(tokens(clean(query))))
    content = [word for word in words if word not in STOP_WORDS and word not in _ASKING]
    return (content or [w for w in words if w not in STOP_WORDS] or words)[:MAX_QUERY_TOKENS]


def is_question(text: str) -> bool:
    """Whether a text ends with a question mark, of any width."""
    return text.rstrip().endswith(("?", "？"))


def is_back_channel(text: str) -> bool:
    """Whether an utterance only keeps the talk going ("mm-hmm", "yeah right")."""
    # Six of them in a row still say nothing; more are looked at no further.
    if len(text) > 48:
        return False
    words = tokens(text)
    return all(word in _BACK_CHANNELS for word in words) or (len(words) <= 1 and len(text) < 12)


def dense_runs(query: str) -> list[str]:
    """The runs of a query that have to be looked up in the second full-text table."""
    return list(dict.fromkeys(_RUN.findall(folded(clean(query)))))[:MAX_QUERY_TOKENS]
