"""Reads safetensors files without copying the weights."""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelBroken

_DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1", "I8": "i1"}
_MAX_HEADER = 100 << 20


def _tensor(entry: Any, data: mmap.mmap, base: int) -> np.ndarray[Any, Any]:
    dtype = np.dtype(_DTYPES[entry["dtype"]])
    shape, (start, end) = tuple(entry["shape"]), entry["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, start, end)):
        raise ValueError("sizes are not numbers")
    count = 1
    for length in shape:
        count *= length
    if end - start != count * dtype.itemsize or base + end > len(data):
        raise ValueError("sizes contradict each other")
    return np.frombuffer(data, dtype, count, base + start).reshape(shape)


def read_tensors(path: Path) -> Mapping[str, np.ndarray[Any, Any]]:
    """Map the file and return its tensors.

    Returns:
        Read-only views into the mapped file, by name.

    Raises:
        ModelBroken: The file is not of this form, or its sizes contradict each other.
    """
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (length,) = struct.unpack("<Q", data[:8])
        if length > min(_MAX_HEADER, len(data) - 8):
            raise ValueError("the header is longer than the file")
        header = json.loads(data[8 : 8 + length])
        return {
            name: _tensor(entry, data, 8 + length)
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        struct.error,
        RecursionError,
        MemoryError,
    ) as error:
        raise ModelBroken(f"{path.name} is not a safetensors file: {error!r}.") from error
