"""Recipe: Whisper weights in CTranslate2 form become a ggml file for whisper.cpp."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelBroken
from engine.progress import Report
from engine.weights import ggml
from engine.weights.ctranslate2 import read_variables

Array = np.ndarray[Any, Any]
_MULTILINGUAL_VOCAB = 51865
_N_FFT = 400
_RATE_HZ = 16_000


def mel_filters(n_mels: int) -> Array:
    """The triangular mel filters Whisper was trained with.

    Returns:
        (n_mels, 201) float32, bit for bit the published ones.

    Source:
        Slaney's Auditory Toolbox scale and area normalisation, in the rounding order of librosa:
        the triangles are rounded to float32 before the normalisation and once more after it.
    """
    frequencies = np.linspace(0, _RATE_HZ / 2, _N_FFT // 2 + 1)
    step = np.log(6.4) / 27
    mels = np.linspace(0, 15 + np.log(_RATE_HZ / 2 / 1000) / step, n_mels + 2)
    edges = 200 / 3 * mels
    edges[mels >= 15] = 1000 * np.exp(step * (mels[mels >= 15] - 15))
    widths = np.diff(edges)
    ramps = np.subtract.outer(edges, frequencies)
    rising, falling = -ramps[:-2] / widths[:-1, None], ramps[2:] / widths[1:, None]
    filters = np.maximum(0, np.minimum(rising, falling)).astype(np.float32)
    filters *= (2 / (edges[2:] - edges[:n_mels]))[:, None]
    return filters


def _byte_alphabet() -> dict[str, int]:
    """The printable stand-ins for bytes in GPT-2 vocabularies.

    Source:
        Radford et al. 2019: printable Latin-1 stands for itself, the rest is moved above 255.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    alphabet = {chr(byte): byte for byte in printable}
    return alphabet | {chr(256 + k): byte for k, byte in enumerate(others)}


def read_tokens(path: Path, n_tokens: int) -> list[bytes]:
    """The first ``n_tokens`` tokens of a Hugging Face ``tokenizer.json`` as bytes.

    Raises:
        ModelBroken: The file has another form or lacks a token.
    """
    alphabet = _byte_alphabet()
    try:
        vocabulary = json.loads(path.read_text("utf-8"))["model"]["vocab"]
        by_id = {index: text for text, index in vocabulary.items()}
        return [bytes(alphabet[c] for c in by_id[index]) for index in range(n_tokens)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelBroken(f"{path.name} is not a Whisper vocabulary: {error!r}.") from error


def _attention(
    source: str, target: str, weights: Mapping[str, Array]
) -> Iterator[tuple[str, Array]]:
    """Split a stacked self-attention; the key bias is zero by construction and not stored."""
    for kind in ("weight", "bias"):
        query, key, value = np.split(weights[f"{source}/linear_0/{kind}"], 3)
        yield f"{target}.query.{kind}", query
        if kind == "weight":
            yield f"{target}.key.{kind}", key
        yield f"{target}.value.{kind}", value
        yield f"{target}.out.{kind}", weights[f"{source}/linear_1/{kind}"]


def _cross_attention(
    source: str, target: str, weights: Mapping[str, Array]
) -> Iterator[tuple[str, Array]]:
    for kind in ("weight", "bias"):
        key, value = np.split(weights[f"{source}/linear_1/{kind}"], 2)
        yield f"{target}.query.{kind}", weights[f"{source}/linear_0/{kind}"]
        if kind == "weight":
            yield f"{target}.key.{kind}", key
        yield f"{target}.value.{kind}", value
        yield f"{target}.out.{kind}", weights[f"{source}/linear_2/{kind}"]


def _norm(source: str, target: str, weights: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    yield f"{target}.weight", weights[f"{source}/gamma"]
    yield f"{target}.bias", weights[f"{source}/beta"]


def _block(side: str, k: int, weights: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    source, target = f"{side}/layer_{k}", f"{side}.blocks.{k}"
    yield from _norm(f"{source}/self_attention/layer_norm", f"{target}.attn_ln", weights)
    yield from _attention(f"{source}/self_attention", f"{target}.attn", weights)
    if side == "decoder":
        yield from _norm(f"{source}/attention/layer_norm", f"{target}.cross_attn_ln", weights)
        yield from _cross_attention(f"{source}/attention", f"{target}.cross_attn", weights)
    yield from _norm(f"{source}/ffn/layer_norm", f"{target}.mlp_ln", weights)
    for ours, theirs in (("linear_0", "mlp.0"), ("linear_1", "mlp.2")):
        for kind in ("weight", "bias"):
            yield f"{target}.{theirs}.{kind}", weights[f"{source}/ffn/{ours}/{kind}"]


def _tensors(shape: ggml.WhisperShape, weights: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """Every tensor under the name whisper.cpp knows, in a fixed order."""
    yield "encoder.positional_embedding", weights["encoder/position_encodings/encodings"]
    for conv in ("conv1", "conv2"):
        yield f"encoder.{conv}.weight", weights[f"encoder/{conv}/weight"]
        yield f"encoder.{conv}.bias", weights[f"encoder/{conv}/bias"][:, None]
    for k in range(shape.n_audio_layer):
        yield from _block("encoder", k, weights)
    yield from _norm("encoder/layer_norm", "encoder.ln_post", weights)
    yield "decoder.positional_embedding", weights["decoder/position_encodings/encodings"]
    yield "decoder.token_embedding.weight", weights["decoder/embeddings/weight"]
    for k in range(shape.n_text_layer):
        yield from _block("decoder", k, weights)
    yield from _norm("decoder/layer_norm", "decoder.ln", weights)


def _shape(weights: Mapping[str, Array], ftype: int) -> ggml.WhisperShape:
    n_vocab, n_state = weights["decoder/embeddings/weight"].shape
    counts = {
        side: sum(name.startswith(f"{side}/layer_") and name.endswith("/ffn/linear_0/weight")
                  for name in weights)
        for side in ("encoder", "decoder")
    }  # fmt: skip
    return ggml.WhisperShape(
        n_vocab=n_vocab,
        n_audio_ctx=weights["encoder/position_encodings/encodings"].shape[0],
        n_audio_state=n_state,
        n_audio_head=int(weights["encoder/num_heads"]),
        n_audio_layer=counts["encoder"],
        n_text_ctx=weights["decoder/position_encodings/encodings"].shape[0],
        n_text_state=n_state,
        n_text_head=int(weights["decoder/num_heads"]),
        n_text_layer=counts["decoder"],
        n_mels=weights["encoder/conv1/weight"].shape[1],
        ftype=ftype,
    )


def _kind(name: str, values: Array, ftype: int) -> int:
    """Element type of a tensor: vectors, conv biases and positions keep full precision."""
    if values.ndim < 2 or values.shape[-1] == 1 or name.endswith("positional_embedding"):
        return ggml.F32
    if values.ndim == 2 and ftype == ggml.FTYPE_Q8_0:
        return ggml.Q8_0
    return ggml.F16


def write_whisper(model: Path, tokenizer: Path, target: Path, report: Report, ftype: int) -> None:
    """Convert CTranslate2 Whisper weights into a ggml file.

    Args:
        model: ``model.bin`` with float16 weights.
        tokenizer: ``tokenizer.json`` of the same model.
        target: File to write.
        report: Called once per tensor.
        ftype: ``ggml.FTYPE_Q8_0`` or ``ggml.FTYPE_F16``.

    Raises:
        ModelBroken: The files are not what they should be.
        Cancelled: The user asked to stop.
    """
    weights = read_variables(model)
    try:
        shape = _shape(weights, ftype)
        tensors = list(_tensors(shape, weights))
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise ModelBroken(f"{model.name} is not a Whisper model: {error!r}.") from error
    n_tokens = 50257 if shape.n_vocab >= _MULTILINGUAL_VOCAB else 50256
    tokens = read_tokens(tokenizer, n_tokens)
    with target.open("wb") as file:
        ggml.write_header(file, shape, mel_filters(shape.n_mels), tokens)
        for done, (name, values) in enumerate(tensors):
            report("convert", done, len(tensors))
            ggml.write_tensor(file, name, values, _kind(name, values, ftype))
