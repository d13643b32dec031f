"""From a recording to a meeting: the ordered stages of the analysis.

Every stage writes what it found before the next begins, so a killed job goes on after its last
finished stage, and a stage runs again only when its own options changed or an earlier one ran.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from engine.audio import decode as audio
from engine.audio.decode import Timeline
from engine.audio.fingerprint import fingerprint
from engine.embed import Embedder
from engine.errors import AudioError, Cancelled, EngineError
from engine.graph.build import build_graph
from engine.graph.store import Store
from engine.messages import AnalyseOptions
from engine.progress import Report
from engine.speech import acoustics, asr, chinese, cross_check, diarize, events, guards, merge, vad
from engine.speech.introductions import introduced_names
from engine.speech.recogniser import Recogniser
from engine.types import Meeting, Span, StageRecord, Word


class Stage(StrEnum):
    """The stages in their order; the values are shown to the user."""

    DECODE = "decode"
    VAD = "find speech"
    TRANSCRIBE = "transcribe"
    DIARIZE = "tell speakers apart"
    MERGE = "join words and speakers"
    ACOUSTICS = "measure the sound"
    EVENTS = "find events"
    INDEX = "index"


SHARES: dict[Stage, float] = {
    Stage.DECODE: 0.03,
    Stage.VAD: 0.04,
    Stage.TRANSCRIBE: 0.56,
    Stage.DIARIZE: 0.22,
    Stage.MERGE: 0.01,
    Stage.ACOUSTICS: 0.06,
    Stage.EVENTS: 0.02,
    Stage.INDEX: 0.06,
}
"""The stages in their order, each with its share of the whole time for the progress bar."""


class Tools(Protocol):
    """The loaded models an analysis needs; kept by the caller between jobs."""

    @property
    def embedder(self) -> Embedder:
        """The text embedder."""

    def recogniser(self, model_id: str) -> Recogniser:
        """The speech recogniser with this catalogue id."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What every stage of one analysis shares."""

    store: Store
    meeting_id: str
    source: Path
    tools: Tools
    options: AnalyseOptions

    @property
    def media_dir(self) -> Path:
        return self.store.media_dir(self.meeting_id)

    def timeline(self) -> Timeline:
        """The timeline as the decode stage left it."""
        details: dict[str, Any] = self.store.finished_stages(self.meeting_id)[Stage.DECODE].details
        return Timeline(
            path=self.media_dir / details["file"],
            duration=details["duration"],
            n_channels=details["n_channels"],
            channel_paths=tuple(self.media_dir / name for name in details["channels"]),
            notes=tuple(details["notes"]),
        )


def analyse(
    source: Path, store: Store, tools: Tools, options: AnalyseOptions, report: Report
) -> Meeting:
    """Turn a recording into a meeting of the library.

    A file that is already there is not heard twice: an unfinished analysis is resumed, and of a
    finished one only the stages whose options changed run again.

    Args:
        source: Any file with sound.
        store: The library, open for writing.
        tools: The models.
        options: How to hear it.
        report: Progress over all stages; cancels between units of work.

    Returns:
        The complete meeting.

    Raises:
        AudioError: The file has no usable sound; nothing of it stays in the library.
        EngineError: A model is missing, the disk is full, ...; finished stages are kept.
        Cancelled: The user stopped it; finished stages are kept.
    """
    mark = fingerprint(source)
    meeting = store.meeting_by_fingerprint(mark)
    if meeting is None:
        meeting = store.create_meeting(options.title or source.stem, source.name)
        store.update_meeting(meeting.id, fingerprint=mark)
    return resume(meeting.id, source, store, tools, options, report)


def resume(
    meeting_id: str,
    source: Path,
    store: Store,
    tools: Tools,
    options: AnalyseOptions,
    report: Report,
) -> Meeting:
    """Run the stages of a meeting that are not finished; see ``analyse``."""
    run = _Run(store, meeting_id, source, tools, options)
    if options.is_forced:
        # The decoded timeline stays: it depends on the file alone, and the file may be gone.
        store.forget_stages(meeting_id, [s for s in Stage if s != Stage.DECODE])
    try:
        _run_stages(run, report)
    except (EngineError, Cancelled):
        # Before there is a timeline there is nothing to resume: leave no empty meeting behind.
        if Stage.DECODE not in store.finished_stages(meeting_id):
            store.delete_meeting(meeting_id)
        raise
    return store.update_meeting(meeting_id, is_complete=True)


def hear_again(
    meeting_id: str, gap: Span, store: Store, tools: Tools, options: AnalyseOptions, report: Report
) -> int:
    """Hear a stretch without words once more; what is understood joins the transcript.

    Args:
        meeting_id: An analysed meeting.
        gap: Seconds of its timeline.
        store: The library, open for writing.
        tools: The models.
        options: How to hear it; without a language, the meeting's.
        report: Progress; cancels before anything is changed.

    Returns:
        How many words were found.

    Raises:
        AudioError: The meeting has no sound.
        EngineError: A model is missing.
        Cancelled: The user stopped it.
    """
    run = _Run(store, meeting_id, Path(), tools, options)
    if Stage.DECODE not in store.finished_stages(meeting_id):
        raise AudioError("This meeting has no sound to be heard again.")
    hearing = asr.AsrOptions(
        language=options.language or store.meeting(meeting_id).language,
        vocabulary=options.vocabulary,
        script=options.script,
    )
    recogniser = tools.recogniser(options.asr_model)
    path = run.timeline().path
    heard = asr.transcribe(recogniser, path, [gap], hearing, report.part(0.0, 0.7))
    if heard.words:
        _join(run, gap, heard, report.part(0.7, 1.0))
    return len(heard.words)


def _join(run: _Run, gap: Span, heard: asr.Transcription, report: Report) -> None:
    """Put the words of a gap among the others and do again what rests on the words."""
    store, meeting_id = run.store, run.meeting_id
    store.save_words(meeting_id, guards.reconcile(store.words(meeting_id), heard.words, gap))
    others = [
        event
        for event in store.events(meeting_id)
        if event.label != "unheard" or event.end <= gap.start or event.start >= gap.end
    ]
    found = sorted([*others, *heard.events], key=lambda event: event.start)
    store.save_events(meeting_id, found)
    gaps = [Span(event.start, event.end) for event in found if event.label == "unheard"]
    share = guards.coverage(store.spans(meeting_id), gaps)
    store.update_meeting(meeting_id, coverage=share)
    stages = (Stage.MERGE, Stage.ACOUSTICS, Stage.INDEX)
    for number, stage in enumerate(stages):
        part = report.part(number / len(stages), (number + 1) / len(stages))
        _run_stage(run, stage, _options_key(stage, run.options), part)


def _run_stages(run: _Run, report: Report) -> None:
    finished = run.store.finished_stages(run.meeting_id)
    done = 0.0
    is_stale = False
    for stage, share in SHARES.items():
        part = report.part(done, done + share)
        done += share
        key = _options_key(stage, run.options)
        record = finished.pop(stage, None)
        if not is_stale and record is not None and record.details.get("options") == key:
            continue
        if not is_stale:
            # What came after rests on what this stage found before, enrichment included.
            run.store.forget_stages(run.meeting_id, [stage, *finished])
            is_stale = True
        _run_stage(run, stage, key, part)


def _run_stage(run: _Run, stage: Stage, options_key: str, report: Report) -> None:
    report(stage, 0, 1)
    began = time.monotonic()
    details = {**_STAGES[stage](run, report), "options": options_key}
    seconds = time.monotonic() - began
    run.store.record_stage(run.meeting_id, StageRecord(stage, seconds, peak_memory_mb(), details))
    report(stage, 1, 1)


def _options_key(stage: Stage, options: AnalyseOptions) -> str:
    """What of the options a stage depends on; a change makes it run again."""
    if stage == Stage.DECODE:
        return options.channels
    if stage == Stage.TRANSCRIBE:
        chosen = (options.asr_model, options.language, options.vocabulary)
        script = options.script if options.script in chinese.SCRIPTS else ""
        return "|".join((*chosen, *filter(None, (options.check_model, script))))
    if stage == Stage.DIARIZE:
        return str(options.n_speakers)
    return ""


def _decode(run: _Run, report: Report) -> dict[str, object]:
    if not run.source.is_file():
        raise AudioError(f"{run.source} is not a file.", "Check the path.")
    timeline = audio.decode(run.source, run.media_dir, run.options.channels, report)
    run.store.update_meeting(run.meeting_id, duration=timeline.duration)
    return {
        "file": timeline.path.name,
        "duration": timeline.duration,
        "n_channels": timeline.n_channels,
        "channels": [path.name for path in timeline.channel_paths],
        "notes": list(timeline.notes),
    }


def _find_speech(run: _Run, report: Report) -> dict[str, object]:
    spans = vad.speech_spans(run.timeline().path, report)
    run.store.save_spans(run.meeting_id, spans)
    return {"speech_seconds": round(sum(span.duration for span in spans), 3)}


def _transcribe(run: _Run, report: Report) -> dict[str, object]:
    options = run.options
    is_checked = options.check_model not in ("", options.asr_model)
    heard = asr.transcribe(
        run.tools.recogniser(options.asr_model),
        run.timeline().path,
        run.store.spans(run.meeting_id),
        asr.AsrOptions(options.language, options.vocabulary, options.script),
        report.part(0.0, 0.7) if is_checked else report,
    )
    words, check = heard.words, dict[str, object]()
    if is_checked:
        words, check = _checked(run, heard, report.part(0.7, 1.0))
    run.store.save_words(run.meeting_id, words)
    run.store.save_events(run.meeting_id, heard.events)
    run.store.update_meeting(run.meeting_id, language=heard.language, coverage=heard.coverage)
    gaps = [[round(gap.start, 2), round(gap.end, 2)] for gap in heard.gaps]
    return {"words": len(words), "coverage": heard.coverage, "gaps": gaps, **check}


def _checked(
    run: _Run, heard: asr.Transcription, report: Report
) -> tuple[tuple[Word, ...], dict[str, object]]:
    """Let a second recogniser hear doubtful speech, and mark the words it heard otherwise."""
    path = run.timeline().path
    spans = cross_check.doubtful(heard.words, run.store.spans(run.meeting_id))
    second = run.tools.recogniser(run.options.check_model)
    options = asr.AsrOptions(heard.language, run.options.vocabulary, run.options.script)
    differing = cross_check.cross_check(second, path, heard.words, spans, options, report)
    seconds = round(sum(span.duration for span in spans), 1)
    details: dict[str, object] = {"checked_seconds": seconds, "differing": len(differing)}
    return cross_check.marked(heard.words, differing), details


def _diarize(run: _Run, report: Report) -> dict[str, object]:
    spans = run.store.spans(run.meeting_id)
    found = diarize.diarize(run.timeline(), spans, run.options.n_speakers, report)
    run.store.save_turns(run.meeting_id, found.turns)
    return {"speakers": found.n_speakers}


def _merge(run: _Run, report: Report) -> dict[str, object]:
    words, turns = run.store.words(run.meeting_id), run.store.turns(run.meeting_id)
    utterances = merge.utterances(words, turns)
    introduced = introduced_names(utterances)
    named = [
        replace(u, speaker=introduced[u.speaker_id][0]) if u.speaker_id in introduced else u
        for u in utterances
    ]
    run.store.save_utterances(run.meeting_id, named)
    names = {name: index for name, index in introduced.values()}
    return {"utterances": len(utterances), "introduced": names}


def _measure(run: _Run, report: Report) -> dict[str, object]:
    utterances = run.store.utterances(run.meeting_id, with_words=True)
    turns = run.store.turns(run.meeting_id)
    measured = acoustics.measure(run.timeline().path, utterances, turns, report)
    run.store.save_acoustics(run.meeting_id, measured.utterances)
    run.store.save_seconds(run.meeting_id, measured.seconds)
    return {}


def _find_events(run: _Run, report: Report) -> dict[str, object]:
    heard = run.store.events(run.meeting_id)
    spans = run.store.spans(run.meeting_id)
    found = events.find_events(run.timeline().path, spans, heard, report)
    run.store.save_events(run.meeting_id, found)
    return {"events": len(found)}


def _index(run: _Run, report: Report) -> dict[str, object]:
    build_graph(run.store, run.meeting_id, run.tools.embedder, report)
    return {}


_STAGES: dict[Stage, Callable[[_Run, Report], dict[str, object]]] = {
    Stage.DECODE: _decode,
    Stage.VAD: _find_speech,
    Stage.TRANSCRIBE: _transcribe,
    Stage.DIARIZE: _diarize,
    Stage.MERGE: _merge,
    Stage.ACOUSTICS: _measure,
    Stage.EVENTS: _find_events,
    Stage.INDEX: _index,
}


def peak_memory_mb() -> float:
    """Largest resident size of this process so far, in MB; 0 where the platform does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
