"""What every speech recogniser offers, whatever library runs it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Protocol

from engine.types import Event, FloatArray, Word


@dataclass(frozen=True, slots=True)
class Heard:
    """What a recogniser made of one window; times are seconds from the window's start.

    Attributes:
        words: In order; starts never go backwards.
        tags: Sounds the recogniser wrote in brackets, with their own label as written.
        language: ISO 639-1 code or "".
    """

    words: tuple[Word, ...] = ()
    tags: tuple[Event, ...] = ()
    language: str = ""


class Backend(Protocol):
    """One loaded recogniser; not for use by two threads at once.

    Attributes:
        threads: How many the next call may use.
    """

    threads: int

    @property
    def is_multilingual(self) -> bool:
        """It can be told, and can detect, a language."""

    @property
    def language(self) -> str:
        """The only language it knows, "" when there are more."""

    def hear(self, samples: FloatArray, language: str, prompt: str, temperature: float) -> Heard:
        """Recognise (samples,) float32 at 16 kHz, at most 30 s; may raise ``Cancelled``."""

    def detect(self, samples: FloatArray) -> dict[str, float]:
        """Language code to probability for (samples,) float32; empty when it cannot tell."""


def physical_cores() -> int:
    """Cores that do arithmetic: more threads than these make the engines slower."""
    try:
        logical = len(os.sched_getaffinity(0))
    except AttributeError:
        logical = os.cpu_count() or 1
    siblings = _siblings()
    return max(1, logical // siblings)


def _siblings() -> int:
    """Hardware threads of one core, 1 where the platform does not say."""
    try:
        with open("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list") as file:  # noqa: PTH123
            listed = file.read().strip()
    except OSError:
        return 1
    count = 0
    for part in listed.split(","):
        first, _, last = part.partition("-")
        count += int(last or first) - int(first) + 1
    return max(1, count)
