"""Answers and chats: what was asked, what was said, and what it rests on."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any

from engine.errors import StoreError
from engine.graph import anchors
from engine.graph.lexicon import clean
from engine.graph.meetings import now
from engine.graph.utterances import UtteranceTables
from engine.types import Utterance
from engine.types_answer import Answer, Citation, Receipt, Sentence, TraceEvent, Verdict

_Transcripts = dict[str, tuple[list[Utterance], anchors.Placed]]


def plain(value: object) -> Any:
    """Turn data classes, tuples, enums and array scalars into what JSON can hold."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return clean(str(value))
    if value is None or isinstance(value, bool | int | float):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def answer_from(packed: dict[str, Any]) -> Answer:
    """The inverse of ``plain`` for an answer; contents of the trace stay plain."""
    sentences = tuple(
        Sentence(s["text"], tuple(Citation(**c) for c in s["citations"]), bool(s["is_supported"]))
        for s in packed["sentences"]
    )
    verdict = packed["verdict"]
    return Answer(
        question=packed["question"],
        text=packed["text"],
        sentences=sentences,
        verdict=Verdict(
            verdict["score"],
            bool(verdict["is_verified"]),
            tuple(verdict["problems"]),
            verdict["advice"],
        ),
        abstained=bool(packed["abstained"]),
        system=packed["system"],
        receipt=Receipt(**packed["receipt"]),
        trace=tuple(TraceEvent(**event) for event in packed["trace"]),
        meeting_ids=tuple(packed["meeting_ids"]),
        # Answers saved before there were any have none.
        related=tuple(Citation(**c) for c in packed.get("related", ())),
    )


class AnswerTables(UtteranceTables):
    """Answers, chats and ratings."""

    def create_chat(self, title: str = "") -> int:
        """Begin a conversation and return its key."""
        with self.transaction() as connection:
            row = connection.execute(
                "INSERT INTO chats(title, created) VALUES (?, ?)", (clean(title), now())
            )
            return int(row.lastrowid or 0)

    def save_answer(self, answer: Answer, chat_id: int | None = None) -> int:
        """Keep an answer with its trace; returns its key.

        Meetings that it is about or quotes are noted, so that deleting one of them deletes it.
        """
        cited = {c.meeting_id for s in answer.sentences for c in s.citations}
        cited |= {c.meeting_id for c in answer.related}
        about = dict.fromkeys([*answer.meeting_ids, *sorted(cited)])
        with self.transaction() as connection:
            row = connection.execute(
                "INSERT INTO answers(chat_id, created, question, text, system, abstained, "
                "is_whole_library, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    chat_id,
                    now(),
                    clean(answer.question),
                    clean(answer.text),
                    answer.system,
                    int(answer.abstained),
                    int(not answer.meeting_ids),
                    json.dumps(plain(answer), ensure_ascii=False),
                ),
            )
            key = int(row.lastrowid or 0)
            connection.executemany(
                "INSERT INTO answer_meetings(answer_id, meeting_id) "
                "SELECT ?, id FROM meetings WHERE id = ?",
                [(key, meeting_id) for meeting_id in about],
            )
        return key

    def answers(self, meeting_id: str = "", chat_id: int | None = None) -> list[Answer]:
        """The answers about a meeting ("" for all), the oldest first.

        Citations point at the utterances that hold their moments now.
        """
        return [answer for _, answer in self.saved_answers(meeting_id, chat_id)]

    def saved_answers(
        self, meeting_id: str = "", chat_id: int | None = None
    ) -> list[tuple[int, Answer]]:
        """The same with their keys."""
        found = self.rows(
            "SELECT id, payload FROM answers WHERE (? = '' OR id IN (SELECT answer_id FROM "
            "answer_meetings WHERE meeting_id = ?)) AND (? IS NULL OR chat_id = ?) ORDER BY id",
            (meeting_id, meeting_id, chat_id, chat_id),
        )
        transcripts: _Transcripts = {}
        return [(key, self._read(key, payload, transcripts)) for key, payload in found]

    def answer(self, answer_id: int) -> Answer:
        """One answer.

        Raises:
            StoreError: It is not there any more.
        """
        payload = self.value("SELECT payload FROM answers WHERE id = ?", (answer_id,))
        if payload is None:
            raise StoreError("This answer is not in the library any more.")
        return self._read(answer_id, str(payload), {})

    def delete_answer(self, answer_id: int) -> None:
        """Remove one answer."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM answers WHERE id = ?", (answer_id,))

    def rate_answer(self, answer_id: int, ratings: dict[str, int]) -> None:
        """Keep the user's judgement, such as ``{"correct": 5, "grounded": 4}``.

        Raises:
            StoreError: A mark lies outside 1 to 5.
        """
        if not all(1 <= mark <= 5 for mark in ratings.values()):
            raise StoreError("A mark lies between 1 and 5.")
        with self.transaction() as connection:
            connection.execute(
                "UPDATE answers SET ratings = ? WHERE id = ?", (json.dumps(ratings), answer_id)
            )

    def ratings(self) -> list[dict[str, Any]]:
        """All rated answers, for export."""
        found = self.rows(
            "SELECT id, created, question, text, system, abstained, ratings FROM answers "
            "WHERE ratings <> '{}' ORDER BY id"
        )
        names = ("id", "created", "question", "text", "system", "abstained")
        return [
            dict(zip(names, row, strict=False)) | {"ratings": json.loads(row[6])} for row in found
        ]

    def marks(self, meeting_id: str) -> dict[int, dict[str, int]]:
        """The user's marks of the answers about one meeting, by the answers' keys."""
        found = self.rows(
            "SELECT id, ratings FROM answers WHERE ratings <> '{}' AND id IN "
            "(SELECT answer_id FROM answer_meetings WHERE meeting_id = ?)",
            (meeting_id,),
        )
        return {key: json.loads(ratings) for key, ratings in found}

    def _read(self, key: int, payload: str, transcripts: _Transcripts) -> Answer:
        """An answer as it was kept, its citations where the utterances stand now."""
        kept = replace(answer_from(json.loads(payload)), id=key)
        return self._with_current_citations(kept, transcripts)

    def _with_current_citations(self, answer: Answer, transcripts: _Transcripts) -> Answer:
        def current(citation: Citation) -> Citation:
            """The citation at the utterance that stands at its time now."""
            if citation.meeting_id not in transcripts:
                read = self.utterances(citation.meeting_id)
                transcripts[citation.meeting_id] = (read, anchors.Placed(read))
            utterances, placed = transcripts[citation.meeting_id]
            here = citation.utterance
            if here < len(utterances):
                now_there = utterances[here]
                if abs(now_there.start - citation.start) < 0.01:
                    return replace(citation, speaker=now_there.speaker)
            probe = Utterance(0, citation.start, citation.end, "", "")
            best = placed.best(probe)
            if best is None:
                return citation
            return replace(citation, utterance=best, speaker=utterances[best].speaker)

        sentences = tuple(
            replace(s, citations=tuple(current(c) for c in s.citations)) for s in answer.sentences
        )
        related = tuple(current(c) for c in answer.related)
        return replace(answer, sentences=sentences, related=related)
