"""Checks the headers of model files before a native runtime opens them.

Native loaders crash the process on cut or made-up files. Here every count and length is compared
with the size of the file first; nothing is allocated on a file's word.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from engine.errors import ModelBroken
from engine.weights.ggml import MAGIC as GGML_MAGIC

_GGUF_MAGIC = b"GGUF"
_GGML_MAGIC = struct.pack("<I", GGML_MAGIC)
_SUFFIXES = {
    ".gguf": "gguf",
    ".onnx": "onnx",
    ".txt": "text",
    ".csv": "text",
    ".json": "text",
}
_MAX_COUNT = 1 << 20
_MAX_READS = 8 << 20
_MAX_DEPTH = 4
_GGUF_SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_GGUF_STRING, _GGUF_ARRAY = 8, 9
# Elements and bytes per block of each ggml tensor type that llama.cpp reads.
_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 36),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
}


class _Bad(Exception):
    """A header contradicts the file; turned into ModelBroken with the file's name."""


class _Reader:
    """Reads little-endian numbers and never runs past the end of the file."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.size = size
        self.at = 0
        self._n_reads = 0

    def skip(self, n_bytes: int) -> None:
        """Step forward without reading."""
        if n_bytes < 0 or self.at + n_bytes > self.size:
            raise _Bad("it ends too early")
        self.at += n_bytes
        self._file.seek(self.at)

    def take(self, n_bytes: int) -> bytes:
        """Read a few bytes."""
        if n_bytes < 0 or self.at + n_bytes > self.size or n_bytes > _MAX_COUNT:
            raise _Bad("it ends too early")
        self._n_reads += 1
        if self._n_reads > _MAX_READS:
            raise _Bad("it is cut into too many pieces")
        data = self._file.read(n_bytes)
        if len(data) != n_bytes:
            raise _Bad("it ends too early")
        self.at += n_bytes
        return data

    def number(self, code: str) -> int:
        """One integer of the given ``struct`` code."""
        return int(struct.unpack(f"<{code}", self.take(struct.calcsize(f"<{code}")))[0])


def _count(value: int, what: str, limit: int = _MAX_COUNT) -> int:
    if not 0 <= value <= limit:
        raise _Bad(f"it claims {value} {what}")
    return value


def _tensor_bytes(shape: list[int], kind: int) -> int:
    """Size of a tensor's data; rows must be whole blocks."""
    if kind not in _BLOCKS:
        raise _Bad(f"tensor type {kind} is unknown")
    elements, n_bytes = _BLOCKS[kind]
    if any(n < 1 for n in shape) or (shape and shape[0] % elements):
        raise _Bad("a tensor has an impossible shape")
    return math.prod(shape) // elements * n_bytes


def _skip_gguf_value(reader: _Reader, kind: int, depth: int = 0) -> None:
    if kind in _GGUF_SCALARS:
        reader.skip(_GGUF_SCALARS[kind])
    elif kind == _GGUF_STRING:
        reader.skip(reader.number("Q"))
    elif kind == _GGUF_ARRAY and depth < _MAX_DEPTH:
        inner, length = reader.number("I"), reader.number("Q")
        if inner in _GGUF_SCALARS:
            reader.skip(length * _GGUF_SCALARS[inner])
            return
        for _ in range(_count(length, "values", reader.size - reader.at)):
            _skip_gguf_value(reader, inner, depth + 1)
    else:
        raise _Bad(f"value type {kind} is unknown")


def _check_gguf(reader: _Reader) -> None:
    """Walk keys and tensors; the last tensor must end inside the file."""
    reader.skip(4)
    if reader.number("I") not in (2, 3):
        raise _Bad("its GGUF version is unknown")
    n_tensors = _count(reader.number("Q"), "tensors")
    alignment = 32
    for _ in range(_count(reader.number("Q"), "keys")):
        key = reader.take(_count(reader.number("Q"), "letters in a key", 1 << 16))
        kind = reader.number("I")
        if key == b"general.alignment" and kind == 4:
            alignment = reader.number("I")
        else:
            _skip_gguf_value(reader, kind)
    if not n_tensors or alignment < 1 or alignment & (alignment - 1) or alignment > 1 << 16:
        raise _Bad("it has no tensors or an odd alignment")
    end = 0
    for _ in range(n_tensors):
        reader.skip(_count(reader.number("Q"), "letters in a name", 1 << 16))
        rank = _count(reader.number("I"), "dimensions", 4)
        shape = [reader.number("Q") for _ in range(rank)]
        kind, offset = reader.number("I"), reader.number("Q")
        end = max(end, offset + _tensor_bytes(shape, kind))
    start = -(-reader.at // alignment) * alignment
    if start + end > reader.size:
        raise _Bad(f"it should have at least {start + end} bytes and has {reader.size}")


def _check_ggml(reader: _Reader) -> None:
    """Walk a whisper.cpp file to its exact end; a file cut between two tensors lacks some."""
    reader.skip(4)
    shape = [reader.number("i") for _ in range(11)]
    if not all(0 < n <= _MAX_COUNT for n in shape[:10]) or shape[10] < 0:
        raise _Bad("its dimensions are impossible")
    n_mels, n_bins = reader.number("i"), reader.number("i")
    reader.skip(4 * _count(n_mels, "mel bands", 1024) * _count(n_bins, "bins", 1 << 16))
    for _ in range(_count(reader.number("i"), "tokens")):
        reader.skip(_count(reader.number("I"), "letters in a token", 1 << 16))
    n_tensors = 0
    while reader.at < reader.size:
        rank, length, kind = (reader.number("i") for _ in range(3))
        sizes = [reader.number("i") for _ in range(_count(rank, "dimensions", 4))]
        reader.skip(_count(length, "letters in a name", 1 << 16))
        reader.skip(_tensor_bytes(sizes, kind))
        n_tensors += 1
    n_audio_layer, n_text_layer = shape[4], shape[8]
    n_wanted = 11 + 15 * n_audio_layer + 24 * n_text_layer
    if n_tensors != n_wanted:
        raise _Bad(f"it has {n_tensors} tensors, not {n_wanted}")


def _varint(reader: _Reader) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = reader.take(1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
    raise _Bad("a number is too long")


def _fields(reader: _Reader, end: int) -> Iterator[tuple[int, int, int]]:
    """Fields of a protobuf message up to ``end``: number, value or length, start of the body."""
    while reader.at < end:
        key = _varint(reader)
        field, wire = key >> 3, key & 7
        if not field:
            raise _Bad("it is not a protobuf message")
        if wire == 0:
            yield field, _varint(reader), reader.at
        elif wire in (1, 5):
            reader.skip(8 if wire == 1 else 4)
            yield field, 0, reader.at
        elif wire == 2:
            length = _varint(reader)
            start = reader.at
            if start + length > end:
                raise _Bad("a part is longer than the whole")
            yield field, length, start
            reader.skip(start + length - reader.at)
        else:
            raise _Bad("it is not a protobuf message")


def _check_onnx(reader: _Reader) -> None:
    """Walk the message down to the weights, which must lie in the file itself."""
    seen = set()
    for field, length, _ in _fields(reader, reader.size):
        seen.add(field)
        if field == 7:
            _check_graph(reader, reader.at + length)
    if not {1, 7, 8} <= seen:
        raise _Bad("it has no graph")


def _check_graph(reader: _Reader, end: int) -> None:
    n_nodes = 0
    for field, length, _ in _fields(reader, end):
        n_nodes += field == 1
        if field == 5:
            for inner, value, _ in _fields(reader, reader.at + length):
                if inner == 13 or (inner == 14 and value):
                    raise _Bad("its weights lie in another file")
    if not n_nodes:
        raise _Bad("its graph is empty")


def check_file(path: Path, wanted: str = "") -> None:
    """Check a model file by its own magic bytes or ending.

    GGUF, whisper.cpp's ggml and ONNX are walked through; a text file must be text; anything else
    is left to the reader that opens it.

    Args:
        path: A local file.
        wanted: ``gguf``, ``ggml``, ``onnx`` or ``text``; "" to go by the file.

    Raises:
        ModelBroken: The file is empty, cut, a web page, or contradicts itself.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(512)
            file.seek(0)
            _dispatch(wanted or _form(path, head), head, _Reader(file, size))
    except (_Bad, OSError, struct.error, OverflowError) as error:
        raise ModelBroken(f"{path.name} is not a whole model file: {error}.") from error


def wanted_form(kind: str, name: str) -> str:
    """The form a model's file must have, by the model's kind and the file's own name."""
    by_kind = {"whisper.cpp": "ggml", "llama.cpp": "gguf"}
    return by_kind.get(kind) or _SUFFIXES.get(Path(name).suffix.lower(), "")


def form_of(path: Path) -> str:
    """The form of a file: ``gguf``, ``ggml``, ``onnx``, ``text`` or "".

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        return _form(path, file.read(4))


def _form(path: Path, head: bytes) -> str:
    if head[:4] == _GGUF_MAGIC:
        return "gguf"
    if head[:4] == _GGML_MAGIC:
        return "ggml"
    return _SUFFIXES.get(path.suffix.lower(), "")


def _dispatch(form: str, head: bytes, reader: _Reader) -> None:
    if not head:
        raise _Bad("it is empty")
    if head.lstrip()[:9].lower().startswith((b"<!doctype", b"<html")):
        raise _Bad("it is a web page")
    magic = {"gguf": _GGUF_MAGIC, "ggml": _GGML_MAGIC}.get(form, b"")
    if not head.startswith(magic):
        raise _Bad(f"it is not in {form} form")
    if form == "gguf":
        _check_gguf(reader)
    elif form == "ggml":
        _check_ggml(reader)
    elif form == "onnx":
        _check_onnx(reader)
    elif form == "text" and b"\0" in head:
        raise _Bad("it is not text")
