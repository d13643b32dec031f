"""Words and speaker turns become utterances. Pure Python, no models, linear time."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from engine.speech.timetable import Timetable
from engine.types import Turn, Utterance, Word

SENTENCE_END = (".", "?", "!", "…", "。", "？", "！", "؟", "।")
PAUSE = 1.0  # seconds of silence that end an utterance at the end of a sentence
HELD_PAUSE = 2.0  # ... and inside one: a speaker who looks for a word goes on
LONG = 12.0  # after this many seconds an utterance ends at the next sentence end
TOO_LONG = 25.0  # ... at the next short pause
SHORT_PAUSE = 0.25
LIMIT = 45.0  # ... and here in any case
BOUNDARY = 0.35  # word times and turn borders agree no better than this, seconds
MAX_STRAYS = 2  # words that a border may have put on the wrong side

Group = tuple[int | None, tuple[Word, ...]]


def assign_speakers(words: Sequence[Word], turns: Sequence[Turn]) -> list[Group]:
    """Give each word the speaker who overlaps it longest, then group runs of one speaker.

    Where two voices cover a word equally, the one who was speaking keeps it. A word touched by no
    turn takes the nearest one. Words beside a change of speaker that finish the sentence of the
    other side are given back to it, as neither word times nor turn borders are exact.

    Args:
        words: Ascending by start; seconds.
        turns: May overlap one another, in any order.

    Returns:
        (speaker or None, words) in time order; every word occurs exactly once; the speaker is
        None only when there are no turns.

    Raises:
        ValueError: A word or a turn ends before it starts.

    Source:
        Longest-overlap rule as in whisperX; two-pointer pass, nearest turn and border repair ours.
    """
    _check(words, turns)
    if not words:
        return []
    if not turns:
        return [(None, tuple(words))]
    owners = _owners(words, sorted(turns, key=lambda turn: (turn.start, turn.end)))
    _repair_borders(words, owners)
    groups: list[Group] = []
    first = 0
    for i in range(1, len(words) + 1):
        if i == len(words) or owners[i] != owners[first]:
            groups.append((owners[first], tuple(words[first:i])))
            first = i
    return groups


def utterances(words: Sequence[Word], turns: Sequence[Turn]) -> list[Utterance]:
    """Build the utterances of a meeting.

    A change of speaker or a pause of ``PAUSE`` seconds ends an utterance, inside a sentence only
    one of ``HELD_PAUSE``; a long utterance ends at a sentence end, so that a citation stays
    something one can listen to.

    Args:
        words: Ascending by start; seconds.
        turns: May overlap.

    Returns:
        Ascending by start, indices 0..n-1. Speakers are called ``Speaker 1`` onwards by first
        appearance, ``speaker_id`` is the number of their cluster; both are empty without turns.

    Raises:
        ValueError: A word or a turn ends before it starts.
    """
    owner = _channel_owners(words, turns)
    groups: list[Group] = []
    for heard in _by_channel(words):
        channel = heard[0].channel
        if channel in owner:
            groups.append((owner[channel], tuple(heard)))
        else:
            groups += assign_speakers(heard, turns)
    # Some recognisers write no punctuation; there every pause may be the end of a sentence.
    held = HELD_PAUSE if any(map(_ends_sentence, words)) else PAUSE
    parts = [(speaker, part) for speaker, run in groups for part in _split(run, held)]
    parts.sort(key=lambda item: item[1][0].start)
    names: dict[int, str] = {}
    found: list[Utterance] = []
    for speaker, part in parts:
        name = ""
        if speaker is not None:
            name = names.setdefault(speaker, f"Speaker {len(names) + 1}")
        end = max(word.end for word in part)
        text = join_words(part)
        found.append(Utterance(len(found), part[0].start, end, name, text, speaker, tuple(part)))
    return found


def _by_channel(words: Sequence[Word]) -> list[list[Word]]:
    """The words of each channel; all in one list where channels were not heard apart."""
    heard: dict[int | None, list[Word]] = {}
    for word in words:
        heard.setdefault(word.channel, []).append(word)
    return list(heard.values())


def _channel_owners(words: Sequence[Word], turns: Sequence[Turn]) -> dict[int | None, int]:
    """The speaker of each channel, where there are as many speakers as channels.

    Voices with a channel each may talk at the same time for minutes, so there the channel tells
    who speaks and overlap does not.
    """
    channels = sorted({word.channel for word in words if word.channel is not None})
    speakers = sorted({turn.speaker for turn in turns})
    if len(channels) < 2 or len(speakers) != len(channels):
        return {}
    score: dict[tuple[int, int], float] = {}
    for speaker in speakers:
        own = [turn for turn in turns if turn.speaker == speaker]
        timetable = Timetable(own)
        covered = sum(turn.end - turn.start for turn in own)
        for channel in channels:
            heard = [word for word in words if word.channel == channel]
            inside = sum(
                max(0.0, min(word.end, turn.end) - max(word.start, turn.start))
                for word in heard
                for turn in timetable.between(word.start, word.end)
            )
            spoken = sum(word.end - word.start for word in heard)
            # Also by the turns' own length, so that somebody who talks all the time wins nothing.
            score[channel, speaker] = inside / max(spoken, 1e-6) + 0.5 * inside / max(covered, 1e-6)
    owner: dict[int | None, int] = {}
    for channel, speaker in sorted(score, key=lambda pair: -score[pair]):
        if channel not in owner and speaker not in owner.values():
            owner[channel] = speaker
    return owner


def join_words(words: Sequence[Word]) -> str:
    """Write words as text: blanks between them except in scripts that use none."""
    pieces: list[str] = []
    for word in words:
        if pieces and not (is_unspaced(pieces[-1][-1:]) or is_unspaced(word.text[:1])):
            pieces.append(" ")
        pieces.append(word.text)
    return "".join(pieces)


def is_unspaced(character: str) -> bool:
    """Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without blanks."""
    if not character or character.isascii():
        return False
    if "　" <= character <= "〿" or "＀" <= character <= "￯":
        return True
    name = unicodedata.name(character, "")
    return name.startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"))


def _check(words: Sequence[Word], turns: Sequence[Turn]) -> None:
    items: tuple[Word | Turn, ...] = (*words, *turns)
    for item in items:
        if item.end < item.start:
            raise ValueError(f"ends before it starts: {item}")


def _owners(words: Sequence[Word], turns: Sequence[Turn]) -> list[int]:
    """The speaker of each word."""
    owners: list[int] = []
    first = 0
    reach = [turns[0].end]  # latest end of any turn up to here, so that passed ones can be skipped
    for turn in turns[1:]:
        reach.append(max(reach[-1], turn.end))
    for word in words:
        while first < len(turns) - 1 and reach[first] <= word.start:
            first += 1
        overlap: dict[int, float] = {}
        i = first
        while i < len(turns) and turns[i].start < word.end:
            shared = min(word.end, turns[i].end) - max(word.start, turns[i].start)
            if shared > 0:
                overlap[turns[i].speaker] = overlap.get(turns[i].speaker, 0.0) + shared
            i += 1
        owners.append(_choose(overlap, owners[-1:], word, turns[max(0, first - 1) : i + 1]))
    return owners


def _choose(
    overlap: dict[int, float], previous: list[int], word: Word, nearby: Sequence[Turn]
) -> int:
    """The speaker with the largest overlap; the one already speaking wins a tie."""
    if not overlap:
        nearest = min(nearby, key=lambda t: max(t.start - word.end, word.start - t.end, 0.0))
        return nearest.speaker
    best = max(overlap.values())
    if previous and overlap.get(previous[0], 0.0) >= best - 0.01:
        return previous[0]
    return max(overlap, key=lambda speaker: overlap[speaker])


def _repair_borders(words: Sequence[Word], owners: list[int]) -> None:
    """Give stray words beside a change of speaker back to the sentence they belong to."""
    i = 1
    while i < len(words):
        if owners[i] != owners[i - 1] and not _ends_sentence(words[i - 1]):
            n = _strays_after(words, owners, i)
            if n:
                owners[i : i + n] = [owners[i - 1]] * n
                i += n
                continue
        if owners[i] != owners[i - 1] and _ends_sentence(words[i]):
            i += 1
            continue
        if owners[i] != owners[i - 1]:
            _take_back(words, owners, i)
        i += 1


def _strays_after(words: Sequence[Word], owners: list[int], i: int) -> int:
    """How many words from ``i`` on finish the sentence of the speaker before."""
    for n in range(1, MAX_STRAYS + 1):
        last = i + n - 1
        if last >= len(words) or owners[last] != owners[i]:
            return 0
        is_close = words[last].end - words[i].start <= BOUNDARY * n
        if not is_close or words[last].start - words[last - 1].end > SHORT_PAUSE:
            return 0
        if _ends_sentence(words[last]):
            is_followed = last + 1 < len(words) and owners[last + 1] == owners[i]
            return n if is_followed else 0
    return 0


def _take_back(words: Sequence[Word], owners: list[int], i: int) -> None:
    """Move the first word of a sentence over, where a border cut it off."""
    before = i - 1
    starts_sentence = before > 0 and _ends_sentence(words[before - 1])
    is_short = words[before].end - words[before].start <= BOUNDARY
    is_joined = words[i].start - words[before].end <= SHORT_PAUSE
    has_more = before > 0 and owners[before - 1] == owners[before]
    if (
        starts_sentence
        and is_short
        and is_joined
        and has_more
        and not _ends_sentence(words[before])
    ):
        owners[before] = owners[i]


def _ends_sentence(word: Word) -> bool:
    return word.text.rstrip("\"'”’)").endswith(SENTENCE_END)


def _split(run: Sequence[Word], held: float) -> list[list[Word]]:
    """Cut one speaker's run at pauses and, when it is long, at sentence ends.

    A pause inside a sentence must be ``held`` seconds long.
    """
    parts = [[run[0]]]
    for before, word in pairwise(run):
        length = before.end - parts[-1][0].start
        pause = word.start - before.end
        is_over = (
            pause >= (PAUSE if _ends_sentence(before) else held)
            or (length >= LONG and _ends_sentence(before))
            or (length >= TOO_LONG and pause >= SHORT_PAUSE)
            or length >= LIMIT
        )
        if is_over:
            parts.append([])
        parts[-1].append(word)
    return parts
