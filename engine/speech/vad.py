"""Where somebody speaks: silero VAD over the timeline, in bounded memory.

Quiet recordings are amplified before they are judged, so that soft speech is not lost; the
timeline itself stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio.decode import SAMPLE_RATE, chunks
from engine.progress import Report
from engine.types import FloatArray, Span
from engine.weights.locate import locate

_CHUNK_SECONDS = 30.72
_FRAME = 1600  # 0.1 s, for levels
WINDOW_SAMPLES = 512

_kept: dict[tuple[VadOptions, Path], Any] = {}  # the detector of the last recording, reset


@dataclass(frozen=True, slots=True)
class VadOptions:
    """What counts as speech.

    Attributes:
        threshold: Probability above which a frame is speech, 0 to 1.
        min_silence: Seconds without speech that end a span.
        min_speech: Shorter spans are dropped, seconds.
        max_speech: Longer spans are cut, seconds.
        pad: Seconds added on both sides of a span.
        join: Spans closer than this are one, seconds.
        target_db: Level that the loud frames of a quiet recording are brought to.
        max_gain_db: Never amplify by more.
    """

    threshold: float = 0.45
    min_silence: float = 0.25
    min_speech: float = 0.2
    max_speech: float = 30.0
    pad: float = 0.08
    join: float = 0.16
    target_db: float = -26.0
    max_gain_db: float = 30.0


def speech_spans(
    timeline_path: Path, report: Report, options: VadOptions | None = None
) -> list[Span]:
    """Find where somebody speaks.

    Silence gives an empty list. A recording whose loud moments are below ``target_db`` is judged
    with gain.

    Args:
        timeline_path: FLAC written by ``engine.audio.decode``.
        report: Called about once per 30 s of audio.
        options: Thresholds; None for the defaults.

    Returns:
        Disjoint spans in seconds, ascending, inside the recording.

    Raises:
        ModelMissing: The VAD weights are not on this machine.
        AudioError: The timeline cannot be read.

    Source:
        Silero VAD v6 through sherpa-onnx; the padding and joining are ours.
    """
    options = options or VadOptions()
    level, total = _loud_level(timeline_path)
    if total == 0 or level < -80.0:
        return []
    gain_db = min(options.max_gain_db, max(0.0, options.target_db - level))
    gain = np.float32(10 ** (gain_db / 20))
    weights = locate("silero-vad")
    # Loading takes as long as half a minute of speech. Taken out while in use: who comes meanwhile
    # loads another.
    detector = _kept.pop((options, weights), None) or new_detector(options)
    raw: list[Span] = []
    for start, samples in chunks(timeline_path, _CHUNK_SECONDS):
        report("find speech", start, total)
        amplified = np.clip(samples * gain, -1.0, 1.0)
        # WORKAROUND: sherpa-onnx 2.0.1 judges only the last window of a longer piece, so it gets
        # one window at a time; a chunk is a whole number of windows.
        for i in range(0, len(amplified), WINDOW_SAMPLES):
            detector.accept_waveform(amplified[i : i + WINDOW_SAMPLES])
        raw.extend(drain(detector))
    detector.flush()
    raw.extend(drain(detector))
    detector.reset()
    _kept[options, weights] = detector
    return tidy(raw, total, options)


def tidy(raw: Sequence[Span], total: float, options: VadOptions) -> list[Span]:
    """Pad spans, keep them inside [0, total] seconds, and join those that come too close."""
    spans: list[Span] = []
    for span in raw:
        start, end = max(0.0, span.start - options.pad), min(total, span.end + options.pad)
        if end <= start:
            continue
        if spans and start - spans[-1].end < options.join:
            spans[-1] = Span(spans[-1].start, max(end, spans[-1].end))
        else:
            spans.append(Span(start, end))
    return spans


def new_detector(options: VadOptions) -> Any:
    """A fresh detector, which holds the state of one recording."""
    import sherpa_onnx

    config = sherpa_onnx.VadModelConfig(
        silero_vad=sherpa_onnx.SileroVadModelConfig(
            model=str(locate("silero-vad")),
            threshold=options.threshold,
            min_silence_duration=options.min_silence,
            min_speech_duration=options.min_speech,
            window_size=WINDOW_SAMPLES,
            max_speech_duration=options.max_speech,
        ),
        sample_rate=SAMPLE_RATE,
        num_threads=1,
    )
    return sherpa_onnx.VoiceActivityDetector(config, buffer_size_in_seconds=120)


def drain(detector: Any) -> Iterator[Span]:
    """The finished spans of the detector."""
    while not detector.empty():
        segment = detector.front
        start = segment.start / SAMPLE_RATE
        yield Span(start, start + len(segment.samples) / SAMPLE_RATE)
        detector.pop()


def _loud_level(path: Path) -> tuple[float, float]:
    """Level of the loud frames (98th percentile) in dB full scale, and the duration."""
    levels: list[FloatArray] = []
    total = 0.0
    for start, samples in chunks(path, _CHUNK_SECONDS):
        total = start + len(samples) / SAMPLE_RATE
        n = max(1, len(samples) // _FRAME)
        frames = np.array_split(samples, n) if n == 1 else [samples[: n * _FRAME].reshape(n, -1)]
        levels.append(np.atleast_1d(np.mean(np.square(frames[0]), axis=-1)).astype(np.float32))
    if not levels:
        return -120.0, 0.0
    power = float(np.quantile(np.concatenate(levels), 0.98))
    return 10 * float(np.log10(power + 1e-12)), total
