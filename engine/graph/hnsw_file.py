"""The bytes of an hnswlib file: checked before it is loaded, wiped without loading it.

Source:
    hnswlib 0.8, ``HierarchicalNSW::saveIndex``: a header of 96 bytes, then for each element its
    links, its vector and its label, then the upper links.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import sealed, vault

Bytes = NDArray[np.uint8]
_HEADER = struct.Struct("<6QiI3Qd1Q")
# The third byte of an element's links, after their 16-bit count.
_DELETE_BYTE = 2
_DELETE_MARK = 1


@dataclass(frozen=True, slots=True)
class _Header:
    links_offset: int
    max_elements: int
    count: int
    element_bytes: int
    label_offset: int
    vector_offset: int

    def fits(self, dim: int, size: int) -> bool:
        """Whether the sizes agree with one another and with the file's length."""
        return (
            self.links_offset == 0
            and self.count <= self.max_elements
            and self.label_offset == self.vector_offset + 4 * dim
            and self.element_bytes == self.label_offset + 8
            and _HEADER.size + self.count * (self.element_bytes + 4) <= size
        )


def _read_header(path: Path) -> _Header | None:
    try:
        with path.open("rb") as file:
            content = file.read(_HEADER.size)
    except OSError:
        return None
    return _Header(*_HEADER.unpack(content)[:6]) if len(content) == _HEADER.size else None


def save(graph: Any, path: Path) -> None:
    """Write an index; sealed where the library is encrypted, without a plain copy on the way.

    Raises:
        OSError, RuntimeError: The disk is full or gone.
    """
    if vault.key_for(path, "files") is None:
        graph.save_index(str(path))
        return
    # hnswlib writes its own file to a name only; what it pickles holds the same in arrays.
    (state,) = graph.__getstate__()
    with sealed.open_file(path, "wb") as file:
        np.savez(file, **{str(name): value for name, value in state.items()})


def load(path: Path, dim: int, count: int, room: int) -> Any | None:
    """Read an index of ``count`` vectors with room for more; None when it is damaged."""
    import hnswlib

    if vault.key_for(path, "files") is not None:
        return _load_sealed(path, dim, count, room)
    # hnswlib trusts the sizes in its file; they are compared before it reads a byte.
    if not is_sound(path, dim, count):
        return None
    try:
        graph = hnswlib.Index(space="ip", dim=dim)
        graph.load_index(str(path), max_elements=count + room)
    except RuntimeError:
        return None
    return graph


def _load_sealed(path: Path, dim: int, count: int, room: int) -> Any | None:
    """Sizes need no look here: nobody without the key can have changed them."""
    import hnswlib

    try:
        if not sealed.is_sealed(path):
            return None
        with sealed.open_file(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
            state = {name: _plain(kept[name]) for name in kept.files}
        if (state["dim"], state["cur_element_count"]) != (dim, count):
            return None
        graph = hnswlib.Index.__new__(hnswlib.Index)
        graph.__setstate__((state,))
        graph.resize_index(count + room)
    except (OSError, RuntimeError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return graph


def _plain(value: NDArray[Any]) -> Any:
    return value if value.ndim else value.item()


def is_sound(path: Path, dim: int, count: int) -> bool:
    """Whether a file can be loaded as ``count`` vectors of ``dim``, judged by its sizes.

    The lists of upper links are walked too, since a wrong length in one of them would make
    hnswlib read past the end of the file.
    """
    header = _read_header(path)
    if header is None or header.count != count or not header.fits(dim, path.stat().st_size):
        return False
    try:
        content = np.memmap(path, np.uint8, "r")
        links = _elements(content, header)[:, : header.vector_offset]
        limit = (header.vector_offset - 4) // 4
        counts = links[:, :2].copy().view("<u2")[:, 0]
        neighbours = links[:, 4:].copy().view("<u4")
        is_used = np.arange(limit)[None, :] < counts[:, None]
        if (counts > limit).any() or (neighbours[is_used] >= header.count).any():
            return False
        upper = bytes(content[_HEADER.size + header.count * header.element_bytes :])
        position = 0
        for _ in range(header.count):
            position += 4 + int.from_bytes(upper[position : position + 4], "little")
    except (OSError, ValueError):
        return False
    return position == len(upper)


def wipe(path: Path, dim: int, labels: Sequence[int]) -> bool:
    """Overwrite vectors with zeros and mark them deleted, in place.

    Returns:
        False when the file is not as expected; nothing was changed then.
    """
    header = _read_header(path)
    if header is None or not header.fits(dim, path.stat().st_size):
        return False
    try:
        content = np.memmap(path, np.uint8, "r+")
    except (OSError, ValueError):
        return False
    elements = _elements(content, header)
    held = elements[:, header.label_offset :].copy().view("<u8")[:, 0]
    rows = np.flatnonzero(np.isin(held, np.asarray(labels, np.uint64)))
    if len(rows) != len(labels):
        return False
    for row in rows:
        elements[row, header.vector_offset : header.label_offset] = 0
        elements[row, _DELETE_BYTE] |= _DELETE_MARK
    content.flush()
    return True


def _elements(content: Bytes, header: _Header) -> Bytes:
    """(count, element_bytes) uint8 view of the lowest layer."""
    first = _HEADER.size
    last = first + header.count * header.element_bytes
    return content[first:last].reshape(header.count, header.element_bytes)
