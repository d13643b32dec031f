"""Topics with their times, and the summary that is written from them.

The meeting is cut into stretches, each is read once within the model's budget (map), and the
summary is written from what was found (reduce). A title or sentence that the transcript does not
bear out is dropped: a small model fills gaps from its examples.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine import grammar
from engine.enrich.context import Context, fitting, is_grounded, numbered_lines, words
from engine.enrich.segments import n_topics, topic_stretches
from engine.graph.lexicon import content_tokens
from engine.progress import Report
from engine.prompts import conversation
from engine.types import Note, Topic, Utterance

LINES_TOKENS = 700
"""Most tokens of transcript that one stretch puts into the prompt."""

MOST_TOPICS = 40
"""Topics the summary is written from."""

FEW_TOPICS = 6
"""Up to so many, their own summaries together are short enough."""

TITLE_GROUNDED = 0.99
SUMMARY_GROUNDED = 0.65
"""Share of the longer words that must have been said."""

_SENTENCE = re.compile(r"[^.!?。]+[.!?。]")
_REPORTING = re.compile(
    r"\b(?:discuss|talk|mention|suggest|agree|explain|describe|support|propos)\w*|"
    r"\b(?:about|they|their|that|team|meeting)\b",
    re.IGNORECASE,
)
_CITED = re.compile(r"\[t(\d+)\]")


def find_topics(context: Context, report: Report) -> None:
    """Write the topics of a meeting to the store."""
    vectors = context.store.vectors(context.meeting_id, "utterance")
    minutes = context.utterances[-1].end / 60
    stretches = topic_stretches(vectors, context.utterances, n_topics(minutes))
    topics = []
    for done, (first, last) in enumerate(stretches):
        report("topics", done, len(stretches))
        topic = _topic(context, context.utterances[first : last + 1])
        if topic is not None:
            topics.append(topic)
    context.store.save_topics(context.meeting_id, topics)


def _topic(context: Context, said: Sequence[Utterance]) -> Topic | None:
    lines = fitting(said, context.chat, LINES_TOKENS)
    if not lines:
        return None
    rules = {
        "root": '"Title: " title "\\nSummary: " text "\\n"',
        "title": grammar.line(60),
        "text": grammar.line(220),
    }
    reply = context.chat.complete(
        conversation("enrich_topic", lines=context.in_its_language(numbered_lines(lines))),
        grammar=grammar.grammar(rules),
        max_tokens=110,
        is_cancelled=context.is_cancelled,
    )
    title, summary = parsed_topic(reply.text)
    source = " ".join(f"{u.speaker} {u.text}" for u in said)
    if not title or not is_grounded(title, source, TITLE_GROUNDED):
        title = key_terms(said, context.utterances)
    return Topic(title, said[0].start, said[-1].end, faithful(summary, said))


def parsed_topic(text: str) -> tuple[str, str]:
    """Title and summary of a reply."""
    first, _, rest = text.partition("\n")
    return first.removeprefix("Title: ").strip(" ."), rest.removeprefix("Summary: ").strip()


def faithful(summary: str, said: Sequence[Utterance]) -> str:
    """Keep the whole sentences of a summary that were said, and by those it names.

    Args:
        summary: The model's; its last sentence may be cut short.
        said: What it is about.
    """
    kept = []
    for sentence in _SENTENCE.findall(summary):
        named = {u.speaker for u in said if u.speaker and u.speaker in sentence}
        lines = [u for u in said if not named or u.speaker in named]
        source = " ".join(f"{u.speaker} {u.text}" for u in lines)
        if is_grounded(_REPORTING.sub("", sentence), source, SUMMARY_GROUNDED):
            kept.append(sentence.strip())
    return " ".join(kept)


def key_terms(said: Sequence[Utterance], everything: Sequence[Utterance], n: int = 3) -> str:
    """The words a stretch uses more than the rest of the meeting, as a title."""
    inside = Counter(word for u in said for word in _terms(u))
    around = Counter(word for u in everything for word in _terms(u))
    scores = {
        word: count * math.log((1 + len(everything)) / around[word])
        for word, count in inside.items()
    }
    best = sorted(scores, key=lambda word: (-scores[word], word))[:n]
    return ", ".join(best).capitalize()


def _terms(utterance: Utterance) -> set[str]:
    """The words of an utterance that carry content."""
    return {word for word in content_tokens(utterance.text) if len(word) > 3}


def write_summary(context: Context, report: Report) -> None:
    """Write the summary of the whole meeting, each sentence with its moments, to the store.

    Where too little of what the model writes is borne out, the sentences of the topics stand in.
    """
    report("summary", 0, 1)
    topics = [topic for topic in context.store.topics(context.meeting_id) if topic.summary]
    notes = _reduced(context, topics[:MOST_TOPICS]) if len(topics) > FEW_TOPICS else []
    if len(notes) < 2:
        notes = [_note(context, topic.summary, [topic]) for topic in topics]
    kept = [note for note in notes if note is not None]
    context.store.save_notes(context.meeting_id, "summary", kept)


def _reduced(context: Context, topics: Sequence[Topic]) -> list[Note | None]:
    """Ask for the summary of the topics, and keep the sentences that rest on them."""
    rules = {
        "root": "sentence{1,5}",
        "sentence": 'text " " cite{1,3} "\\n"',
        "cite": '"[" id "]"',
        "id": grammar.choice(f"t{i}" for i in range(1, len(topics) + 1)),
        "text": grammar.line(240),
    }
    lines = "\n".join(f"[t{i}] {t.title}: {t.summary}" for i, t in enumerate(topics, 1))
    reply = context.chat.complete(
        conversation("enrich_summary", lines=context.in_its_language(lines)),
        grammar=grammar.grammar(rules),
        max_tokens=300,
        is_cancelled=context.is_cancelled,
    )
    notes = []
    for line in reply.text.splitlines():
        cited = [topics[int(i) - 1] for i in _CITED.findall(line) if 0 < int(i) <= len(topics)]
        text = _CITED.sub("", line).strip()
        source = " ".join(f"{topic.title} {topic.summary}" for topic in cited)
        if cited and is_grounded(text, source, SUMMARY_GROUNDED):
            notes.append(_note(context, text, cited))
    return notes


def _note(context: Context, text: str, topics: Sequence[Topic]) -> Note | None:
    """A sentence of the summary with the utterances of its topics that fit it best."""
    inside = [
        u
        for u in context.utterances
        if any(t.start <= u.start <= t.end for t in topics) and len(words(u.text)) > 3
    ]
    if not inside:
        return None
    vectors = context.store.vectors(context.meeting_id, "utterance")
    scores = vectors[[u.index for u in inside]] @ context.embedder.encode([text])[0]
    best = np.argsort(-scores, kind="stable")[:3]
    indices = tuple(sorted(inside[int(i)].index for i in best))
    return Note(
        kind="summary",
        text=text,
        start=context.utterances[indices[0]].start,
        end=context.utterances[indices[-1]].end,
        utterances=indices,
        source=context.chat.model_id,
    )
