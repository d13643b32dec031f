"""Which language is spoken where: asked of a few windows, of all when they disagree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

MAX_PROBES = 6  # windows asked in a recording of one language; each costs a pass of the encoder
SURE = 0.8  # probability from which another language in a stretch is believed
CHEAP_WINDOWS = 8  # so few windows are all asked

Probe = Callable[[int], dict[str, float]]


class LanguageMap:
    """The languages of a recording's windows.

    Asking costs time, so a long recording is probed evenly. While every probe says the same, only
    windows with doubtful words are asked; once one differs, every window is.

    Attributes:
        dominant: The language of most of the speech, "" when nothing could be told.
        is_mixed: More than one language is surely spoken.
    """

    def __init__(self, seconds: Sequence[float], probe: Probe) -> None:
        """Ask the first windows.

        Args:
            seconds: Speech in each window.
            probe: Gives language probabilities of a window by its index; "" fields never occur.
        """
        self._probe = probe
        self._known: dict[int, tuple[str, float]] = {}
        n = len(seconds)
        step = 1 if n <= CHEAP_WINDOWS else max(1, n // MAX_PROBES)
        votes: dict[str, float] = defaultdict(float)
        for i in range(0, n, step):
            found = probe(i)
            if found:
                best = max(found, key=lambda code: found[code])
                self._known[i] = (best, found[best])
            for code, probability in found.items():
                votes[code] += probability * seconds[i]
        self.dominant = max(votes, key=lambda code: votes[code]) if votes else ""
        sure = {code for code, probability in self._known.values() if probability >= SURE}
        self.is_mixed = len(sure) > 1

    def expected(self, window: int) -> str:
        """The language to hear a window in; asks for it in a recording of several languages."""
        if self.is_mixed:
            self._ask(window)
        code, probability = self._known.get(window, (self.dominant, 1.0))
        return code if probability >= SURE else self.dominant

    def doubted(self, window: int) -> str:
        """The language of a window whose words are doubtful."""
        self._ask(window)
        return self.expected(window)

    def _ask(self, window: int) -> None:
        if window in self._known:
            return
        found = self._probe(window)
        if found:
            best = max(found, key=lambda code: found[code])
            self._known[window] = (best, found[best])
            self.is_mixed |= best != self.dominant and found[best] >= SURE
