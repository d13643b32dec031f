"""Progress and cancellation: the one callable that is passed down to everything slow."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import Cancelled


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    Attributes:
        stage: A word the user understands, such as ``transcribe``.
        fraction: Of this stage, 0 to 1.
        overall: Of the whole job, 0 to 1.
        remaining: Estimated seconds for the whole job, None while nothing is known.
    """

    stage: str
    fraction: float
    overall: float = 0.0
    remaining: float | None = None


Sink = Callable[[Progress], None]


class Report:
    """Carries progress up and cancellation down.

    Call it as ``report(stage, done, total)``. A job of several stages gives each a share of the
    whole with ``part``; the remaining time is extrapolated from the time spent so far.
    """

    def __init__(
        self,
        sink: Sink | None = None,
        is_cancelled: Callable[[], bool] | None = None,
        *,
        offset: float = 0.0,
        share: float = 1.0,
        began: float | None = None,
    ) -> None:
        self._sink = sink
        self._is_cancelled = is_cancelled
        self._offset = offset
        self._share = share
        self._began = time.monotonic() if began is None else began

    def __call__(self, stage: str, done: float, total: float) -> None:
        """Say that ``done`` of ``total`` units of ``stage`` are finished.

        Raises:
            Cancelled: The user asked to stop.
        """
        self.check()
        if self._sink is None:
            return
        fraction = min(1.0, max(0.0, done / total)) if total > 0 else 1.0
        overall = self._offset + self._share * fraction
        spent = time.monotonic() - self._began
        remaining = spent * (1 - overall) / overall if overall > 0.02 and spent > 1 else None
        self._sink(Progress(stage, fraction, overall, remaining))

    def check(self) -> None:
        """Raise ``Cancelled`` if the user asked to stop."""
        if self.is_cancelled():
            raise Cancelled

    def is_cancelled(self) -> bool:
        """Whether the user asked to stop; for native code, which no exception may cross."""
        return self._is_cancelled is not None and self._is_cancelled()

    def part(self, start: float, end: float) -> Report:
        """Return a report for the slice [start, end] of this one, both in 0 to 1."""
        return Report(
            self._sink,
            self._is_cancelled,
            offset=self._offset + self._share * start,
            share=self._share * (end - start),
            began=self._began,
        )


def silent() -> Report:
    """Return a report that shows nothing and never cancels."""
    return Report()
