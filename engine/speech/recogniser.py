"""A recogniser that is loaded once, hears windows side by side and can be stopped."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import Cancelled
from engine.progress import Report
from engine.speech import loading
from engine.speech.backend import Backend, Heard, physical_cores
from engine.types import FloatArray


class _Seat:
    """One loaded copy of the weights, and who may stop it."""

    def __init__(self, model_id: str, threads: int) -> None:
        self.report: Report | None = None
        self.was_cancelled = False
        self.backend: Backend = loading.load_backend(model_id, threads, self._is_cancelled)

    def _is_cancelled(self) -> bool:
        """Asked by the engine between its steps; exceptions must not cross native code."""
        if self.report is None:
            return False
        self.was_cancelled = self.was_cancelled or self.report.is_cancelled()
        return self.was_cancelled


class Recogniser:
    """A speech recogniser of the catalogue, loaded once and reused.

    One window at a time, unless ``side_by_side``: calls from other threads wait. Loading happens
    here, so a missing or damaged model is known at once.

    Attributes:
        model_id: Catalogue id.
        is_multilingual: It can be told, and can detect, the language.
        language: The only language it knows, else "".
    """

    def __init__(self, model_id: str, threads: int = 0) -> None:
        """Load the model.

        Args:
            model_id: Catalogue id.
            threads: 0 for one per physical core; never more than there are.

        Raises:
            ModelMissing: The weights are not on this machine.
            ModelBroken: They are not what the catalogue promises.
        """
        self.model_id = model_id
        self._threads = min(threads, physical_cores()) if threads > 0 else physical_cores()
        seat = _Seat(model_id, self._threads)
        self.is_multilingual = seat.backend.is_multilingual
        self.language = seat.backend.language
        self._free: queue.LifoQueue[_Seat] = queue.LifoQueue()
        self._free.put(seat)

    @contextmanager
    def side_by_side(self, n_windows: int) -> Iterator[int]:
        """Hear windows at the same time inside, each with its share of the threads.

        Two windows with half the threads each take a tenth less time than one after the other on
        idle cores and a third less on busy ones: threads of one window wait for each other. Each
        needs a copy of the weights, which is loaded here and let go afterwards, so only small
        models do it, and only for more than a few windows.

        Args:
            n_windows: How many there are.

        Yields:
            How many can be heard at a time, at least 1.
        """
        n = max(1, min(loading.most_at_once(self.model_id), self._threads, n_windows // 2))
        for _ in range(n - 1):
            self._free.put(_Seat(self.model_id, self._threads))
        try:
            yield n
        finally:
            for _ in range(n - 1):
                # The backend knows its seat by the question whether to stop; without this the two
                # would keep each other, and some 400 MB, until a garbage collection.
                del self._free.get().backend

    def hear(
        self,
        samples: FloatArray,
        report: Report,
        prompt: str = "",
        language: str = "",
        temperature: float = 0.0,
        n_beside: int = 1,
    ) -> Heard:
        """Recognise a window.

        Args:
            samples: (samples,) float32 at 16 kHz, at most 30 s.
            report: Carries cancellation.
            prompt: Text believed to have been heard before.
            language: ISO 639-1 code, "" to detect it.
            temperature: 0 for the likeliest words.
            n_beside: Windows heard at the same time, which share the threads.

        Raises:
            Cancelled: The user asked to stop; also in the middle of a window.
        """
        seat = self._free.get()
        try:
            seat.report, seat.was_cancelled = report, False
            seat.backend.threads = max(1, self._threads // n_beside)
            heard = seat.backend.hear(samples, language, prompt, temperature)
            was_cancelled = seat.was_cancelled
        finally:
            seat.report = None
            self._free.put(seat)
        if was_cancelled:
            raise Cancelled
        report.check()
        return heard

    def detect(self, samples: FloatArray) -> dict[str, float]:
        """Language code to probability for (samples,) float32 at 16 kHz."""
        seat = self._free.get()
        try:
            seat.backend.threads = self._threads
            return seat.backend.detect(samples)
        finally:
            self._free.put(seat)
