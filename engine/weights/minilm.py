"""Recipe: all-MiniLM-L6-v2 becomes one ONNX graph, mean pooling and normalisation included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto

from engine.progress import Report
from engine.weights.onnx_graph import OnnxGraph
from engine.weights.safetensors import read_tensors

_N_LAYERS = 6
_N_HEADS = 12
_HEAD = 32
_WIDTH = 384
_EPSILON = 1e-12


def _linear(graph: OnnxGraph, value: str, name: str, scale: float = 1.0) -> str:
    """``value @ weight.T + bias``, both scaled; weights are stored the way MatMul wants them."""
    factor = np.float32(scale)
    weight = graph.constant(f"{name}.weight", graph.array(f"{name}.weight").T * factor)
    bias = graph.constant(f"{name}.bias", graph.array(f"{name}.bias") * factor)
    return graph.op("Add", graph.op("MatMul", value, weight), bias)


def _norm(graph: OnnxGraph, value: str, name: str) -> str:
    weight, bias = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.op("LayerNormalization", value, weight, bias, axis=-1, epsilon=_EPSILON)


def _heads(graph: OnnxGraph, value: str, perm: tuple[int, ...]) -> str:
    shape = graph.constant("head_shape", np.array([0, 0, _N_HEADS, _HEAD]))
    return graph.op("Transpose", graph.op("Reshape", value, shape), perm=perm)


def _attention(graph: OnnxGraph, value: str, mask: str, name: str) -> str:
    query = _linear(graph, value, f"{name}.self.query", _HEAD**-0.5)
    query = _heads(graph, query, (0, 2, 1, 3))
    key = _heads(graph, _linear(graph, value, f"{name}.self.key"), (0, 2, 3, 1))
    content = _heads(graph, _linear(graph, value, f"{name}.self.value"), (0, 2, 1, 3))
    scores = graph.op("Add", graph.op("MatMul", query, key), mask)
    mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), content)
    mixed = graph.op("Transpose", mixed, perm=(0, 2, 1, 3))
    flat = graph.op("Reshape", mixed, graph.constant("flat_shape", np.array([0, 0, _WIDTH])))
    out = graph.op("Add", _linear(graph, flat, f"{name}.output.dense"), value)
    return _norm(graph, out, f"{name}.output.LayerNorm")


def _gelu(graph: OnnxGraph, value: str) -> str:
    root = graph.constant("inverse_root_2", np.float32(2**-0.5))
    bell = graph.op("Erf", graph.op("Mul", value, root))
    bell = graph.op("Add", bell, graph.constant("one", np.float32(1)))
    return graph.op("Mul", graph.op("Mul", value, bell), graph.constant("half", np.float32(0.5)))


def _feed_forward(graph: OnnxGraph, value: str, name: str) -> str:
    inner = _gelu(graph, _linear(graph, value, f"{name}.intermediate.dense"))
    out = graph.op("Add", _linear(graph, inner, f"{name}.output.dense"), value)
    return _norm(graph, out, f"{name}.output.LayerNorm")


def _embeddings(graph: OnnxGraph) -> str:
    """Words plus positions; token type 0 is the only one and folded into the positions."""
    positions = graph.array("embeddings.position_embeddings.weight")
    positions = positions + graph.array("embeddings.token_type_embeddings.weight")[0]
    words = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    length = graph.op("Shape", "input_ids", start=1, end=2)
    zero, axis = graph.constant("zero", np.array([0])), graph.constant("axis", np.array([0]))
    table = graph.constant("positions", positions)
    spread = graph.op("Add", words, graph.op("Slice", table, zero, length, axis))
    return _norm(graph, spread, "embeddings.LayerNorm")


def _pool(graph: OnnxGraph, value: str, weights: str) -> str:
    """Mean over real tokens, then length 1."""
    one = graph.constant("axis_1", np.array([1]))
    tokens = graph.op("Unsqueeze", weights, graph.constant("axis_2", np.array([2])))
    total = graph.op("ReduceSum", graph.op("Mul", value, tokens), one, keepdims=0)
    count = graph.op("ReduceSum", weights, one, keepdims=1)
    floor = graph.constant("tiny", np.float32(1e-9))
    mean = graph.op("Div", total, graph.op("Max", count, floor))
    length = graph.op("ReduceL2", mean, axes=[1], keepdims=1)
    return graph.op(
        "Div", mean, graph.op("Max", length, graph.constant("tiny2", np.float32(1e-12)))
    )


def write_minilm(model: Path, target: Path, report: Report) -> None:
    """Convert the weights.

    Inputs ``input_ids`` and ``attention_mask`` (n, tokens) int64, output ``embedding`` (n, 384)
    float32 of length 1.

    Args:
        model: ``model.safetensors``.
        target: ``.onnx`` file to write.
        report: Called once per layer.

    Raises:
        ModelBroken: The weights are not this model's.
        Cancelled: The user asked to stop.
    """
    graph = OnnxGraph(read_tensors(model))
    weights = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    absent = graph.op("Sub", weights, graph.constant("one", np.float32(1)))
    absent = graph.op("Mul", absent, graph.constant("far", np.float32(1e9)))
    mask = graph.op("Unsqueeze", absent, graph.constant("axes_1_2", np.array([1, 2])))
    value = _embeddings(graph)
    for layer in range(_N_LAYERS):
        report("convert", layer, _N_LAYERS)
        name = f"encoder.layer.{layer}"
        value = _attention(graph, value, mask, f"{name}.attention")
        value = _feed_forward(graph, value, name)
    ids = (TensorProto.INT64, ("n", "tokens"))
    pooled = _pool(graph, value, weights)
    graph.write(
        target,
        {"input_ids": ids, "attention_mask": ids},
        {"embedding": (pooled, ("n", _WIDTH))},
        {"source": "all-MiniLM-L6-v2", "dim": _WIDTH},
    )
