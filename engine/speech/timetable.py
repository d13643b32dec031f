"""Turns that can be asked for a stretch of time without looking at all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from engine.types import Turn


class Timetable:
    """An index over turns; they may overlap and come in any order."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self._turns = sorted(turns, key=lambda turn: turn.start)
        self._starts = [turn.start for turn in self._turns]
        self._reach = list(accumulate((turn.end for turn in self._turns), max))

    def between(self, start: float, end: float) -> list[Turn]:
        """The turns that touch [start, end] seconds, ascending by start."""
        first = bisect_right(self._reach, start)
        last = bisect_left(self._starts, end)
        return [turn for turn in self._turns[first:last] if turn.end > start]
