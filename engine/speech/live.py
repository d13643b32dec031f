"""The transcript of a recording that is still going on.

The recorder appends to its files and knows nothing of this; a listener in another process reads
what is new, finds speech, and hears each line as it grows. A line is provisional until a pause,
another voice or its length ends it. Memory is bounded: a track keeps the samples of its open line
only. When the machine is too slow, provisional lines are left out first, then sound is skipped;
the full analysis afterwards hears everything.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engine.audio.decode import SAMPLE_RATE
from engine.audio.growing import GrowingWav
from engine.progress import Report
from engine.speech import vad
from engine.speech.guards import cut_loops, is_doubtful
from engine.speech.live_voices import LiveVoices
from engine.speech.merge import join_words
from engine.types import FloatArray, LiveUtterance, Span, Word

POLL_SECONDS = 1.0
"""How often the files are looked at."""

READ_SECONDS = 10.0
"""Longest piece taken from a track at once."""

SKIP_SECONDS = 60.0
"""A listener that is further behind than this leaves sound out."""

LINE_SECONDS = 14.0
"""A line is ended at the next pause when it is longer."""

LINE_PAUSE = 0.8
"""A pause of this many seconds ends a line."""

LEAST_VOICE_SECONDS = 0.6
OPEN_LOOKBACK = 0.4
PIECE_SECONDS = 1.8
"""About how long a piece is that is taken for one voice."""

ECHO_SHARE = 0.7
ECHO_WORDS = 3
_MARGIN = 0.15
_FRAME = 320
_GAIN_WINDOW = 600  # tenths of a second that decide how much a quiet track is amplified

_OPTIONS = vad.VadOptions(min_silence=0.3, max_speech=12.0)


class Hearing(Protocol):
    """The models a listener needs."""

    def words(self, samples: FloatArray) -> Sequence[Word]:
        """Recognise (samples,) float32 at 16 kHz, at most 30 s; seconds from their start."""

    def voice(self, samples: FloatArray) -> FloatArray:
        """Describe one voice: (192,) float32 of length 1, or all zero."""


OnLine = Callable[[LiveUtterance], None]


def listen(paths: Sequence[Path], hearing: Hearing, report: Report, on_line: OnLine) -> None:
    """Follow growing files until the report says to stop; never returns otherwise.

    Args:
        paths: One WAV a track, the microphone first; they may not exist yet.
        hearing: The models.
        report: Its ``check`` ends the listening.
        on_line: Gets each line, again whenever it changes.

    Raises:
        Cancelled: The recording is over.
        AudioError: A file is not a recording of ours.
        ModelMissing: A model is not on this machine.
    """
    listener = Listener(paths, hearing, on_line)
    while True:
        began = time.monotonic()
        listener.step(report)
        while time.monotonic() - began < POLL_SECONDS and not listener.is_behind:
            report.check()
            time.sleep(0.05)


@dataclass(slots=True)
class _Line:
    """What is being said on a track and is not ended yet.

    ``margin`` seconds before it are heard as well, as far as they are not of another line.
    """

    key: int
    start: float
    end: float
    voice: int | None = None
    margin: float = _MARGIN
    shown: str = ""
    heard: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class _Track:
    """One file and what is known of its last seconds.

    Attributes:
        recent: Samples from ``recent_at`` on.
        recent_at: Position of the first of them.
        rest: Samples the detector has not seen, less than one window.
        levels: Power of the last tenths of a second.
        open_at: When the speech began that goes on now, None in a pause.
    """

    number: int
    file: GrowingWav
    detector: Any
    recent: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))
    recent_at: int = 0
    rest: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))
    levels: list[float] = field(default_factory=list)
    seen: int = 0
    detector_at: int = 0
    open_at: float | None = None
    line: _Line | None = None

    def cut(self, start: float, end: float) -> FloatArray:
        """The kept samples of a stretch."""
        first = max(0, round(start * SAMPLE_RATE) - self.recent_at)
        last = max(0, round(end * SAMPLE_RATE) - self.recent_at)
        return np.ascontiguousarray(self.recent[first:last])

    @property
    def now(self) -> float:
        """Seconds of the track that were read."""
        return (self.recent_at + len(self.recent)) / SAMPLE_RATE


class Listener:
    """Turns growing tracks into lines; one step at a time, in one thread."""

    def __init__(self, paths: Sequence[Path], hearing: Hearing, on_line: OnLine) -> None:
        self._hearing = hearing
        self._on_line = on_line
        self._voices = LiveVoices()
        self._tracks = [
            _Track(i, GrowingWav(path), vad.new_detector(_OPTIONS)) for i, path in enumerate(paths)
        ]
        self._next_key = 0
        self._finals: list[LiveUtterance] = []

    @property
    def is_behind(self) -> bool:
        """Whether there is more to read at once."""
        return any(track.file.behind() > 2 * POLL_SECONDS for track in self._tracks)

    def step(self, report: Report) -> None:
        """Take in what is new on every track and say what changed."""
        for track in self._tracks:
            report.check()
            behind = track.file.behind()
            if behind > SKIP_SECONDS:
                self._skip(track, behind - READ_SECONDS)
            samples = track.file.read(READ_SECONDS)
            if len(samples):
                self._take_in(track, samples)
            self._end_after_pause(track)
            if track.file.behind() < 2 * POLL_SECONDS:
                self._show_growing(track)
            _forget(track)

    def _skip(self, track: _Track, seconds: float) -> None:
        """Leave sound out and begin afresh behind it."""
        self._end(track)
        track.file.skip(seconds)
        track.recent, track.rest = np.zeros(0, np.float32), np.zeros(0, np.float32)
        track.recent_at = track.detector_at = track.file.position
        track.seen, track.open_at = 0, None
        track.detector = vad.new_detector(_OPTIONS)

    def _take_in(self, track: _Track, samples: FloatArray) -> None:
        """Find the speech in new samples."""
        track.recent = np.concatenate([track.recent, samples])
        pending = np.concatenate([track.rest, samples * _gain(track, samples)])
        n = len(pending) // vad.WINDOW_SAMPLES * vad.WINDOW_SAMPLES
        for i in range(0, n, vad.WINDOW_SAMPLES):
            track.detector.accept_waveform(np.clip(pending[i : i + vad.WINDOW_SAMPLES], -1, 1))
            track.seen += vad.WINDOW_SAMPLES
            for span in vad.drain(track.detector):
                shift = track.detector_at / SAMPLE_RATE
                self._add(track, Span(span.start + shift, span.end + shift))
            is_open = track.detector.is_speech_detected()
            if is_open and track.open_at is None:
                at = (track.detector_at + track.seen) / SAMPLE_RATE
                track.open_at = max(0.0, at - OPEN_LOOKBACK)
            elif not is_open:
                track.open_at = None
        track.rest = pending[n:]

    def _add(self, track: _Track, span: Span) -> None:
        """Put an ended stretch of speech into the lines it belongs to."""
        track.open_at = None
        for piece in _pieces(track, span):
            voice = None
            if piece.duration >= LEAST_VOICE_SECONDS:
                embedding = self._hearing.voice(track.cut(piece.start, piece.end))
                voice = self._voices.place(embedding, piece.duration)
            self._append(track, piece, voice)

    def _append(self, track: _Track, piece: Span, voice: int | None) -> None:
        """Put a piece of one voice into the open line, or end that and begin another."""
        line, margin = track.line, _MARGIN
        if line is not None:
            is_other = voice is not None and line.voice is not None and voice != line.voice
            is_long = piece.end - line.start > LINE_SECONDS
            if is_other or is_long or piece.start - line.end > LINE_PAUSE:
                margin = min(_MARGIN, max(0.0, (piece.start - line.end) / 2))
                self._end(track, margin)
                line = None
        if line is None:
            line = track.line = _Line(self._new_key(), piece.start, piece.end, voice, margin)
        line.end = max(line.end, piece.end)
        line.voice = voice if line.voice is None else line.voice

    def _end_after_pause(self, track: _Track) -> None:
        line = track.line
        if line is not None and track.open_at is None and track.now - line.end > LINE_PAUSE:
            self._end(track)

    def _show_growing(self, track: _Track) -> None:
        """Say what is heard of a line that goes on."""
        if track.line is None:
            if track.open_at is None or track.now - track.open_at < LEAST_VOICE_SECONDS:
                return
            track.line = _Line(self._new_key(), track.open_at, track.open_at)
        line = track.line
        end = line.end if track.open_at is None else track.now
        if line.heard == (line.start, end):
            return
        text = self._text(track, line, end, _MARGIN)
        line.heard = (line.start, end)
        if text and text != line.shown:
            line.shown = text
            self._on_line(_said(line, end, track.number, text, is_final=False))

    def _end(self, track: _Track, margin: float = _MARGIN) -> None:
        """Hear a line for the last time, with so many seconds behind it."""
        line, track.line = track.line, None
        if line is None:
            return
        is_known = line.heard == (line.start, line.end)
        text = line.shown if is_known else ""
        if not is_known and line.end - line.start > 0.1:
            text = self._text(track, line, line.end, margin)
        said = _said(line, line.end, track.number, text, is_final=True)
        echoes = list(self._echoes(said))
        if said in echoes:
            said, echoes = _taken_back(said), [e for e in echoes if e is not said]
        if said.text or line.shown:
            self._on_line(said)
        for other in echoes:
            self._finals = [f for f in self._finals if f.key != other.key]
            if other.key != said.key:
                self._on_line(_taken_back(other))
        if said.text:
            self._finals = [*self._finals[-30:], said]

    def _echoes(self, said: LiveUtterance) -> Iterator[LiveUtterance]:
        """Lines of the microphone that repeat what another track says at the same time."""
        for other in self._finals:
            if other.track == said.track or not is_echo_time(said, other):
                continue
            microphone, system = (said, other) if said.track == 0 else (other, said)
            if microphone.track == 0 and is_echo(microphone.text, system.text):
                yield microphone

    def _text(self, track: _Track, line: _Line, end: float, margin: float) -> str:
        samples = track.cut(line.start - line.margin, end + margin)
        words = cut_loops(self._hearing.words(samples))
        return "" if is_doubtful(words, end - line.start) else join_words(words)

    def _new_key(self) -> int:
        self._next_key += 1
        return self._next_key


def is_echo_time(one: LiveUtterance, other: LiveUtterance) -> bool:
    """Whether two lines overlap for at least half of the shorter one."""
    overlap = min(one.end, other.end) - max(one.start, other.start)
    return overlap > 0.5 * min(one.end - one.start, other.end - other.start)


def is_echo(microphone: str, system: str) -> bool:
    """Whether the microphone heard the loudspeaker: most of its words stand in the other line.

    Few words prove nothing: two people say yes at the same time.
    """
    ours, theirs = _plain(microphone), _plain(system)
    if len(ours) < ECHO_WORDS:
        return False
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= ECHO_SHARE * len(ours)


def _plain(text: str) -> list[str]:
    return [word.strip(".,!?…;:-\"'").casefold() for word in text.split()]


def _said(line: _Line, end: float, track: int, text: str, *, is_final: bool) -> LiveUtterance:
    speaker = "" if line.voice is None else f"Speaker {line.voice + 1}"
    start, end = round(line.start, 2), round(end, 2)
    return LiveUtterance(line.key, start, end, track, speaker, text, is_final)


def _taken_back(line: LiveUtterance) -> LiveUtterance:
    return LiveUtterance(line.key, line.start, line.end, line.track, line.speaker, "", True)


def _pieces(track: _Track, span: Span) -> list[Span]:
    """Cut a stretch at its quietest moments, as voices may follow each other without a pause."""
    samples = track.cut(span.start, span.end)
    n = len(samples) // _FRAME
    if span.duration < 2 * PIECE_SECONDS or not n:
        return [span]
    power = np.mean(np.square(samples[: n * _FRAME].reshape(n, _FRAME)), axis=1)
    smooth = np.convolve(power, np.ones(5) / 5, mode="same")
    pieces, start = [], span.start
    while span.end - start >= 2 * PIECE_SECONDS:
        first = round((start - span.start + PIECE_SECONDS / 2) * SAMPLE_RATE) // _FRAME
        last = min(n, first + round(PIECE_SECONDS * SAMPLE_RATE) // _FRAME)
        if last <= first:
            break
        quiet = first + int(np.argmin(smooth[first:last]))
        cut = span.start + quiet * _FRAME / SAMPLE_RATE
        pieces.append(Span(start, cut))
        start = cut
    return [*pieces, Span(start, span.end)]


def _gain(track: _Track, samples: FloatArray) -> np.float32:
    """How much a quiet track is amplified before speech is looked for, from its last minute."""
    n = len(samples) // 1600
    powers = np.mean(np.square(samples[: n * 1600].reshape(n, -1)), axis=1) if n else []
    track.levels = [*track.levels, *map(float, powers)][-_GAIN_WINDOW:]
    if len(track.levels) < 20:
        return np.float32(1.0)
    level = 10 * np.log10(np.quantile(track.levels, 0.98) + 1e-12)
    if level < -80:
        return np.float32(1.0)
    gain_db = np.clip(_OPTIONS.target_db - level, 0.0, _OPTIONS.max_gain_db)
    return np.float32(10 ** (gain_db / 20))


def _forget(track: _Track) -> None:
    """Drop samples that no open line needs any more."""
    needed = track.now - 15.0 if track.open_at is None else track.open_at - 1.0
    if track.line is not None:
        needed = min(needed, track.line.start - 1.0)
    n = min(len(track.recent), max(0, round(needed * SAMPLE_RATE) - track.recent_at))
    if n:
        track.recent = track.recent[n:].copy()
        track.recent_at += n
