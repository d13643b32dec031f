"""Speech to words: packs windows, guards every one, hears unheard speech again, reports gaps."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.progress import Report
from engine.speech import chinese, guards
from engine.speech.backend import Heard
from engine.speech.channel_speech import channel_spans
from engine.speech.language import LanguageMap
from engine.speech.recogniser import Recogniser
from engine.speech.windows import WINDOW_SECONDS, Window, halves, pack, split_long
from engine.types import Event, FloatArray, Span, Word

RETRY_TEMPERATURE = 0.4
UNSURE_WORDS = 0.55  # mean word probability below which a window's language is asked


@dataclass(frozen=True, slots=True)
class AsrOptions:
    """How to transcribe.

    Attributes:
        language: ISO 639-1 code, "" to detect it.
        vocabulary: Names and terms to expect, with commas; "" for none.
        script: Of Chinese, ``simplified`` or ``traditional``; "" for the one most is heard in.
    """

    language: str = ""
    vocabulary: str = ""
    script: str = ""


@dataclass(frozen=True, slots=True)
class Transcription:
    """What was heard.

    Attributes:
        words: Ascending by start, inside the speech.
        language: The meeting's dominant one, ISO 639-1, "" when nothing was said.
        events: Bracketed sounds and ``unheard`` gaps.
        gaps: Speech that produced no words, even at the second attempt.
        coverage: Seconds of speech with words / seconds of speech, 0 to 1.
    """

    words: tuple[Word, ...]
    language: str
    events: tuple[Event, ...] = ()
    gaps: tuple[Span, ...] = ()
    coverage: float = 1.0


@dataclass(slots=True)
class _Session:
    """One recording being transcribed."""

    recogniser: Recogniser
    timeline_path: Path
    languages: LanguageMap | None
    language: str
    prompt: str
    report: Report
    found: Counter[str] = field(default_factory=Counter)


def transcribe(
    recogniser: Recogniser,
    timeline_path: Path,
    spans: Sequence[Span],
    options: AsrOptions,
    report: Report,
) -> Transcription:
    """Turn speech into words.

    Speech is packed into windows near 30 s at natural pauses. A window that loops is heard again
    in two halves; speech that got no words is heard once more on its own and is reported as a gap
    if that fails too. Channels with voices of their own (``channel-<n>.flac`` beside the timeline)
    are heard one by one. Where the language is not set, a window with doubtful words whose language
    is clearly another one is heard in that language.

    Args:
        recogniser: Loaded.
        timeline_path: FLAC written by ``engine.audio.decode``.
        spans: Speech, disjoint and ascending, seconds.
        options: Language and vocabulary.
        report: Called once per window, in seconds of speech.

    Returns:
        Words with times in the recording, and what was not heard.

    Raises:
        Cancelled: The user asked to stop.
        AudioError: The timeline cannot be read.
    """
    channels = sorted(timeline_path.parent.glob("channel-*.flac"))
    if len(channels) > 1:
        heard = _transcribe_channels(recogniser, channels, options, report)
    else:
        heard = _transcribe_one(recogniser, timeline_path, spans, options, report)
    if heard.language in chinese.LANGUAGES:
        return replace(heard, words=chinese.in_one_script(heard.words, options.script))
    return heard


def _transcribe_channels(
    recogniser: Recogniser, channels: Sequence[Path], options: AsrOptions, report: Report
) -> Transcription:
    """Hear every channel on its own, so that nobody is lost where two talk at once."""
    spans = channel_spans(channels, report.part(0.0, 0.05))
    total = sum(span.duration for own in spans for span in own)
    heard: list[Transcription] = []
    done = 0.05
    for path, own in zip(channels, spans, strict=True):
        share = 0.95 * sum(span.duration for span in own) / max(total, 1e-6)
        part = report.part(done, done + share)
        found = _transcribe_one(recogniser, path, own, options, part)
        number = int(path.stem.rpartition("-")[2])
        heard.append(replace(found, words=tuple(replace(w, channel=number) for w in found.words)))
        done += share
    gaps = sorted((gap for t in heard for gap in t.gaps), key=lambda gap: gap.start)
    longest = max(heard, key=lambda t: len(t.words))
    return Transcription(
        tuple(sorted((w for t in heard for w in t.words), key=lambda word: word.start)),
        longest.language,
        tuple(sorted((e for t in heard for e in t.events), key=lambda event: event.start)),
        tuple(gaps),
        guards.coverage([span for own in spans for span in own], gaps),
    )


def _transcribe_one(
    recogniser: Recogniser,
    timeline_path: Path,
    spans: Sequence[Span],
    options: AsrOptions,
    report: Report,
) -> Transcription:
    """Hear one file; see ``transcribe``."""
    spans = [span for span in spans if span.duration > 0]
    if not spans:
        return Transcription((), options.language)
    windows = pack(split_long(spans, timeline_path, WINDOW_SECONDS - 1))
    session = _Session(
        recogniser, timeline_path, None, options.language, _prompt(options.vocabulary), report
    )
    if not session.language:
        _find_languages(session, windows)
    words, events = _hear_all(session, windows, report.part(0.0, 0.9))
    missing = guards.unheard(words, spans)
    if missing:
        again, more = _hear_again(session, missing, report.part(0.9, 1.0))
        for gap in missing:
            inside = [w for w in again if gap.start <= w.start < gap.end]
            words = guards.reconcile(words, inside, gap)
        events += more
    language = session.language or next((code for code, _ in session.found.most_common(1)), "")
    return _concluded(guards.order(words, spans), events, spans, language)


def _concluded(
    words: list[Word], events: list[Event], spans: Sequence[Span], language: str
) -> Transcription:
    """Count what was not heard and put everything in order."""
    gaps = guards.unheard(words, spans)
    events = events + [Event(gap.start, gap.end, "unheard", 1.0, "signal") for gap in gaps]
    events.sort(key=lambda event: event.start)
    share = guards.coverage(spans, gaps)
    return Transcription(tuple(words), language, tuple(events), tuple(gaps), share)


def _prompt(vocabulary: str) -> str:
    """The vocabulary as the text a recogniser believes to have just heard."""
    terms = [term.strip() for term in vocabulary.replace("\n", ",").split(",")]
    terms = [term for term in terms if term]
    return "Glossary: " + ", ".join(terms) + "." if terms else ""


def _find_languages(session: _Session, windows: Sequence[Window]) -> None:
    """Find out what is spoken, where the recogniser knows more than one language."""
    if not session.recogniser.is_multilingual:
        session.language = session.recogniser.language
        return

    def probe(i: int) -> dict[str, float]:
        session.report.check()
        return session.recogniser.detect(windows[i].samples(session.timeline_path))

    seconds = [sum(span.duration for span in window.spans) for window in windows]
    session.languages = LanguageMap(seconds, probe)
    session.language = session.languages.dominant


def _hear_all(
    session: _Session, windows: Sequence[Window], report: Report
) -> tuple[list[Word], list[Event]]:
    """Hear every window once, with its guards."""
    total = sum(window.duration for window in windows)
    done = 0.0
    words: list[Word] = []
    events: list[Event] = []
    report("transcribe", done, total)
    with closing(_first_hearings(session, windows)) as hearings:
        for window, first in zip(windows, hearings, strict=True):
            heard = _settled(session, window, first)
            words += heard.words
            events += heard.tags
            session.found[heard.language] += len(heard.words)
            done += window.duration
            report("transcribe", done, total)
    return words, events


@dataclass(frozen=True, slots=True)
class _First:
    """What a window sounded like at first, in its own time."""

    index: int
    samples: FloatArray
    language: str
    heard: Heard


def _first_hearings(session: _Session, windows: Sequence[Window]) -> Generator[_First]:
    """Hear the windows in order, as many at the same time as the recogniser can.

    The language of a window is settled when its turn comes, after the windows before those that
    are still being heard; so the result does not depend on which thread is faster.
    """
    waiting: deque[Future[_First]] = deque()

    def hear(index: int, language: str, n_beside: int) -> _First:
        samples = windows[index].samples(session.timeline_path)
        return _First(index, samples, language, _hear(session, samples, language, n_beside))

    with (
        session.recogniser.side_by_side(len(windows)) as n_beside,
        ThreadPoolExecutor(n_beside) as pool,
    ):
        for index in range(len(windows)):
            languages = session.languages
            language = languages.expected(index) if languages else session.language
            waiting.append(pool.submit(hear, index, language, n_beside))
            if len(waiting) == n_beside:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _settled(session: _Session, window: Window, first: _First) -> Heard:
    """Hear a doubtful window again; the result is in the recording's time."""
    samples, language, heard = first.samples, first.language, first.heard
    languages = session.languages
    if languages and _mean_probability(heard.words) < UNSURE_WORDS:
        other = languages.doubted(first.index)
        if other != language:
            again = _hear(session, samples, other)
            heard = max(heard, again, key=lambda h: _mean_probability(h.words))
    heard = _placed(heard, window)
    if guards.find_loop(heard.words) is None:
        return _believed(heard, window)
    parts = halves(window)
    if len(parts) == 1:
        parts = [window]
    words: list[Word] = []
    for part in parts:
        again = session.recogniser.hear(
            part.samples(session.timeline_path),
            session.report,
            "",
            language,
            RETRY_TEMPERATURE if len(parts) == 1 else 0.0,
        )
        words += guards.cut_loops(_believed(_placed(again, part), part).words)
    return replace(heard, words=tuple(words))


def _hear(session: _Session, samples: FloatArray, language: str, n_beside: int = 1) -> Heard:
    hear, report = session.recogniser.hear, session.report
    heard = hear(samples, report, session.prompt, language, n_beside=n_beside)
    if session.prompt and guards.echoes(heard.words, session.prompt):
        return hear(samples, report, "", language, n_beside=n_beside)
    return heard


def _mean_probability(words: Sequence[Word]) -> float:
    return sum(word.probability for word in words) / len(words) if words else 0.0


def _placed(heard: Heard, window: Window) -> Heard:
    """Move times from the window to the recording."""
    words = tuple(
        replace(word, start=window.to_recording(word.start), end=window.to_recording(word.end))
        for word in heard.words
    )
    words = tuple(replace(w, end=max(w.start, w.end)) for w in words)
    tags = tuple(
        replace(tag, start=window.to_recording(tag.start), end=window.to_recording(tag.end))
        for tag in heard.tags
    )
    return replace(heard, words=words, tags=tags)


def _believed(heard: Heard, window: Window) -> Heard:
    """Drop words that are more likely invented than heard."""
    speech = sum(span.duration for span in window.spans)
    return replace(heard, words=()) if guards.is_doubtful(heard.words, speech) else heard


def _hear_again(
    session: _Session, missing: Sequence[Span], report: Report
) -> tuple[list[Word], list[Event]]:
    """Give speech without words a second chance, on its own."""
    windows = pack(split_long(missing, session.timeline_path, WINDOW_SECONDS - 1))
    again = replace(session, prompt="", languages=None)
    if session.languages and session.languages.is_mixed:
        _find_languages(again, windows)
    return _hear_all(again, windows, report)
