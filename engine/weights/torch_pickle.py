"""Reads tensors out of PyTorch checkpoints (zip form) without PyTorch and without trust.

A pickle can run any code when it is loaded. This reader accepts the few names a plain checkpoint
needs and refuses everything else, and never believes a size that the file does not back up.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelBroken

_DTYPES: dict[str, np.dtype[Any]] = {
    "FloatStorage": np.dtype("<f4"),
    "LongStorage": np.dtype("<i8"),
}
_INERT = {
    ("torch.torch_version", "TorchVersion"),
    ("pyannote.audio.core.task", "Specifications"),
    ("pyannote.audio.core.task", "Problem"),
    ("pyannote.audio.core.task", "Resolution"),
}
_MAX_PICKLE = 2 << 20
_STEPS = (
    "PROTO STOP MARK GLOBAL REDUCE NEWOBJ BUILD BINPERSID NONE NEWTRUE NEWFALSE"
    " BININT BININT1 BININT2 LONG1 BINFLOAT BINUNICODE SHORT_BINUNICODE"
    " EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND APPENDS"
    " EMPTY_DICT SETITEM SETITEMS BINPUT LONG_BINPUT BINGET LONG_BINGET"
)
_ALLOWED = frozenset(_STEPS.split())
_FAULTS = (
    pickle.UnpicklingError,
    zipfile.BadZipFile,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    OSError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    RecursionError,
)


def _check_steps(data: bytes) -> None:
    """Walk the pickle without running it.

    Python's own reader allocates what a step claims (a memo slot, a string) before it looks at the
    data; so unknown steps, and memo slots beyond the number of steps, never get there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in strings of a form that is refused anyway
        for k, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if opcode.name not in _ALLOWED:
                raise pickle.UnpicklingError(f"refused step {opcode.name}")
            if opcode.name.endswith("PUT") and int(argument or 0) > k:
                raise pickle.UnpicklingError(f"memo slot {argument} after {k} steps")


class _Inert:
    """Stands in for a class whose content does not matter here."""

    def __new__(cls, *_: object, **__: object) -> _Inert:
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None:
        pass

    def __hash__(self) -> int:
        return id(self)


class _Storage:
    """Names an element type; the data is looked up by key."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype


class _Unpickler(pickle.Unpickler):
    """Knows tensors, OrderedDict and inert stand-ins, nothing else."""

    def __init__(self, data: bytes, archive: zipfile.ZipFile, root: str) -> None:
        super().__init__(io.BytesIO(data))
        self._archive = archive
        self._root = root

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if module == "torch" and name in _DTYPES:
            return _Storage(_DTYPES[name])
        if (module, name) in _INERT:
            return _Inert
        raise pickle.UnpicklingError(f"refused {module}.{name}")

    def persistent_load(self, pid: Any) -> np.ndarray[Any, Any]:
        kind, storage, key, _, n_elements = pid
        if kind != "storage" or not isinstance(storage, _Storage) or not isinstance(key, str):
            raise pickle.UnpicklingError("unknown persistent id")
        info = self._archive.getinfo(f"{self._root}data/{key}")
        n_bytes = n_elements * storage.dtype.itemsize
        if info.file_size != n_bytes or info.compress_type != zipfile.ZIP_STORED:
            raise pickle.UnpicklingError(f"storage {key} has another size than it says")
        return np.frombuffer(_read(self._archive, info, n_bytes), storage.dtype)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """A member's bytes; the declared size must fit into the archive file itself."""
    archive_size = Path(archive.filename or "").stat().st_size
    if info.file_size > limit or info.compress_size > archive_size:
        raise pickle.UnpicklingError(f"{info.filename} claims {info.file_size} bytes")
    return archive.read(info)


def _rebuild(
    storage: np.ndarray[Any, Any],
    offset: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    *_: object,
) -> np.ndarray[Any, Any]:
    """A tensor as a copy of its view into a storage."""
    if not isinstance(storage, np.ndarray) or len(shape) != len(strides) or len(shape) > 8:
        raise pickle.UnpicklingError("tensor without a storage")
    if offset < 0 or any(n < 0 for n in (*shape, *strides)):
        raise pickle.UnpicklingError("tensor with negative sizes")
    count = int(np.prod([int(n) for n in shape], dtype=object)) if shape else 1
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if count > storage.size or (count and last >= storage.size):
        raise pickle.UnpicklingError("tensor reaches beyond its storage")
    if not count:
        return np.empty(shape, storage.dtype)
    view = np.lib.stride_tricks.as_strided(
        storage[offset:], shape, [step * storage.itemsize for step in strides], writeable=False
    )
    return np.array(view)


def _flatten(value: object, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every array inside nested dictionaries, by dotted name."""
    if isinstance(value, np.ndarray):
        yield prefix, value
    elif isinstance(value, Mapping) and depth < 8:
        for key, inner in value.items():
            if isinstance(key, str):
                yield from _flatten(inner, f"{prefix}.{key}" if prefix else key, depth + 1)


def read_checkpoint(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Read the tensors of a checkpoint.

    A checkpoint that wraps its weights in ``state_dict`` gives those alone.

    Args:
        path: A ``.pt`` or ``.bin`` file as ``torch.save`` writes it.

    Returns:
        Arrays (float32 or int64) by their dotted names.

    Raises:
        ModelBroken: It is not such a file, holds anything but tensors, or lies about sizes.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            pickles = [n for n in archive.namelist() if n.rpartition("/")[2] == "data.pkl"]
            if len(pickles) != 1:
                raise pickle.UnpicklingError("no data.pkl")
            data = _read(archive, archive.getinfo(pickles[0]), _MAX_PICKLE)
            _check_steps(data)
            value = _Unpickler(data, archive, pickles[0].removesuffix("data.pkl")).load()
            if isinstance(value, Mapping) and isinstance(value.get("state_dict"), Mapping):
                value = value["state_dict"]
            return dict(_flatten(value))
    except _FAULTS as error:
        raise ModelBroken(f"{path.name} is not a plain checkpoint: {error}.") from error
