"""Reads CTranslate2 ``model.bin`` files (binary version 6) without copying the weights."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelBroken

_VERSION = 6
_DTYPES = {0: "<f4", 1: "i1", 2: "<i2", 3: "<i4", 4: "<f2"}
_MAX_RANK = 8


class _Cursor:
    """Walks over the file; every length is checked against what is left of it."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def take(self, n_bytes: int) -> tuple[int, int]:
        """Step over ``n_bytes`` and return where they start and end."""
        start, end = self._at, self._at + n_bytes
        if end > len(self._data):
            raise ModelBroken("The weights end too early.")
        self._at = end
        return start, end

    def number(self, code: str) -> int:
        """One little-endian integer."""
        start, end = self.take(struct.calcsize(f"<{code}"))
        return int(struct.unpack(f"<{code}", self._data[start:end])[0])

    def text(self) -> str:
        """A string with its length before it and a NUL after it."""
        start, end = self.take(self.number("H"))
        return bytes(self._data[start:end]).rstrip(b"\0").decode("utf-8", "strict")


def _variable(cursor: _Cursor, data: mmap.mmap) -> tuple[str, np.ndarray[Any, Any]]:
    name, rank = cursor.text(), cursor.number("B")
    if rank > _MAX_RANK:
        raise ModelBroken(f"{name} has {rank} dimensions.")
    shape = tuple(cursor.number("I") for _ in range(rank))
    code, n_bytes = cursor.number("B"), cursor.number("I")
    if code not in _DTYPES:
        raise ModelBroken(f"{name} has an unknown element type {code}.")
    dtype = np.dtype(_DTYPES[code])
    count = 1
    for length in shape:
        count *= length
    if count * dtype.itemsize != n_bytes:
        raise ModelBroken(f"{name} says {n_bytes} bytes for shape {shape}.")
    start, _ = cursor.take(n_bytes)
    return name, np.frombuffer(data, dtype, count, start).reshape(shape)


def read_variables(path: Path) -> Mapping[str, np.ndarray[Any, Any]]:
    """Map the file and return its variables, aliases included.

    Args:
        path: ``model.bin``.

    Returns:
        Read-only views into the mapped file, by name.

    Raises:
        ModelBroken: The file is not of this form, or its sizes contradict each other.
    """
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cursor = _Cursor(data)
        if cursor.number("I") != _VERSION:
            raise ModelBroken(f"{path.name} is not a CTranslate2 model of version {_VERSION}.")
        cursor.text()
        cursor.number("I")
        variables = dict(_variable(cursor, data) for _ in range(cursor.number("I")))
        for _ in range(cursor.number("I")):
            alias, name = cursor.text(), cursor.text()
            variables[alias] = variables[name]
    except (OSError, ValueError, KeyError, MemoryError) as error:
        raise ModelBroken(f"{path.name} is not a CTranslate2 model: {error}.") from error
    return variables
