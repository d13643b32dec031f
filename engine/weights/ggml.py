"""Writes ggml files as whisper.cpp loads them, and the q8_0 block format."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, BinaryIO

import numpy as np

MAGIC = 0x67676D6C
F32, F16, Q8_0 = 0, 1, 8
_BLOCK = 32
_QUANTISATION_VERSION = 2000
FTYPE_Q8_0 = _QUANTISATION_VERSION + 7
FTYPE_F16 = 1

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class WhisperShape:
    """The eleven numbers at the start of a Whisper ggml file, in their order."""

    n_vocab: int
    n_audio_ctx: int
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_text_ctx: int
    n_text_state: int
    n_text_head: int
    n_text_layer: int
    n_mels: int
    ftype: int


def quantise_q8_0(values: Array) -> Array:
    """Quantise to 8 bits in blocks of 32 with one float16 scale each.

    Args:
        values: (..., n) float, n a multiple of 32.

    Returns:
        (blocks, 34) uint8: the scale's two bytes, then 32 int8.

    Raises:
        ValueError: The last axis is not a multiple of 32.

    Source:
        ggml's ``quantize_row_q8_0_ref``: scale = max |x| / 127, halves rounded away from zero.
    """
    if values.shape[-1] % _BLOCK:
        raise ValueError(f"rows of {values.shape[-1]} are not whole blocks")
    blocks = values.astype(np.float32).reshape(-1, _BLOCK)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
    with np.errstate(divide="ignore"):
        inverse = np.where(scale > 0, np.float32(1) / scale, np.float32(0))
    scaled = (blocks * inverse).astype(np.float64)
    rounded = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled).astype(np.int8)
    out = np.empty((len(blocks), _BLOCK + 2), np.uint8)
    out[:, :2] = scale.astype("<f2").view(np.uint8)
    out[:, 2:] = rounded.view(np.uint8)
    return out


def write_header(file: BinaryIO, shape: WhisperShape, mel: Array, tokens: Sequence[bytes]) -> None:
    """Write everything before the tensors.

    Args:
        file: Open for writing.
        shape: Model dimensions.
        mel: (mels, bins) float32 filters.
        tokens: Byte strings in the order of their ids.
    """
    file.write(struct.pack("<I11i", MAGIC, *astuple(shape)))
    file.write(struct.pack("<2i", *mel.shape))
    file.write(np.ascontiguousarray(mel, "<f4").tobytes())
    file.write(struct.pack("<i", len(tokens)))
    for token in tokens:
        file.write(struct.pack("<I", len(token)) + token)


def write_tensor(file: BinaryIO, name: str, values: Array, kind: int) -> None:
    """Write one tensor.

    Args:
        file: Open for writing.
        name: As whisper.cpp calls it.
        values: Any shape; q8_0 needs rows of whole blocks.
        kind: ``F32``, ``F16`` or ``Q8_0``.
    """
    encoded = name.encode()
    file.write(struct.pack("<3i", values.ndim, len(encoded), kind))
    file.write(struct.pack(f"<{values.ndim}i", *reversed(values.shape)))
    file.write(encoded)
    if kind == Q8_0:
        file.write(quantise_q8_0(values).tobytes())
    else:
        file.write(np.ascontiguousarray(values, "<f4" if kind == F32 else "<f2").tobytes())
