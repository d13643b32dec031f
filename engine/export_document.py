"""What every export of a meeting is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.graph.store import Store
from engine.types import Event, Meeting, Note, Speaker, Topic, Utterance

# The order and the headings of minutes.
NOTE_HEADINGS = (
    ("summary", "Summary"),
    ("decision", "Decisions"),
    ("action", "Action items"),
    ("note", "Notes"),
    ("bookmark", "Bookmarks"),
)


@dataclass(frozen=True, slots=True)
class MeetingDocument:
    """A meeting, read once for an export."""

    meeting: Meeting
    utterances: list[Utterance]
    speakers: list[Speaker]
    topics: list[Topic]
    notes: list[Note]
    events: list[Event]

    @property
    def facts(self) -> str:
        """One line under the title."""
        names = ", ".join(s.name for s in self.speakers if s.n_utterances)
        parts = [self.meeting.created[:10], clock(self.meeting.duration), names]
        return " · ".join(part for part in parts if part)

    def minutes(self) -> Iterator[tuple[str, list[tuple[float, str]]]]:
        """(heading, [(start in seconds, line)]) for each part of the minutes that has any."""
        topics = [
            (t.start, f"{t.title}: {t.summary}" if t.summary else t.title) for t in self.topics
        ]
        by_kind = {kind: [(n.start, noted(n)) for n in self.notes if n.kind == kind]
                   for kind, _ in NOTE_HEADINGS}  # fmt: skip
        if by_kind["summary"]:
            yield "Summary", by_kind["summary"]
        if topics:
            yield "Topics", topics
        for kind, heading in NOTE_HEADINGS[1:]:
            if by_kind[kind]:
                yield heading, by_kind[kind]

    def spoken(self) -> Iterator[tuple[Utterance, bool]]:
        """Utterances with text, and whether the speaker is another than before."""
        before = None
        for utterance in self.utterances:
            if utterance.text.strip():
                yield utterance, utterance.speaker != before
                before = utterance.speaker


def gathered(store: Store, meeting_id: str, *, with_words: bool = True) -> MeetingDocument:
    """Read all that exports show.

    Raises:
        MeetingNotFound: No meeting has this id.
    """
    meeting = store.meeting(meeting_id)
    return MeetingDocument(
        meeting,
        store.utterances(meeting.id, with_words=with_words),
        store.speakers(meeting.id),
        store.topics(meeting.id),
        store.notes(meeting.id),
        store.events(meeting.id),
    )


def noted(note: Note) -> str:
    """A note as one line, with who and when."""
    text = note.text or "(marked moment)"
    who = f"{note.owner}: " if note.owner else ""
    return f"{who}{text}{f' (due {note.due})' if note.due else ''}"


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    whole = int(max(0.0, seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
