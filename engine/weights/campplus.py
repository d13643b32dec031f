"""Recipe: 3D-Speaker CAM++ becomes ONNX in the form sherpa-onnx expects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto

from engine.progress import Report
from engine.weights.onnx_graph import OnnxGraph
from engine.weights.torch_pickle import read_checkpoint

_SEGMENT = 100
_BLOCKS = ((1, 12, 1), (2, 24, 2), (3, 16, 2))
_METADATA: dict[str, str | int] = {
    "framework": "3d-speaker",
    "language": "Chinese-English",
    "url": "iic/speech_campplus_sv_zh_en_16k-common_advanced",
    "comment": "3D-Speaker CAM++ common advanced",
    "sample_rate": 16_000,
    "output_dim": 192,
    "normalize_samples": 1,
    "feature_normalize_type": "global-mean",
}


@dataclass(frozen=True, slots=True)
class _Segments:
    """Values shared by all context layers, which see the same number of frames.

    Attributes:
        padding: How far to pad the last axis to whole segments, as Pad wants it.
        counts: [S] frames in each segment.
        of_frame: [T] segment of each frame.
    """

    padding: str
    counts: str
    of_frame: str


def _conv2d(graph: OnnxGraph, value: str, name: str, stride: int, pad: int = 1) -> str:
    """A convolution that may halve the frequency axis, never the time axis."""
    weight = graph.weight(f"{name}.weight")
    return graph.op("Conv", value, weight, strides=[stride, 1], pads=[pad] * 4)


def _residual(graph: OnnxGraph, value: str, name: str, stride: int) -> str:
    inner = graph.batch_norm(_conv2d(graph, value, f"{name}.conv1", stride), f"{name}.bn1")
    inner = _conv2d(graph, graph.op("Relu", inner), f"{name}.conv2", 1)
    inner = graph.batch_norm(inner, f"{name}.bn2")
    if stride > 1:
        value = _conv2d(graph, value, f"{name}.shortcut.0", stride, pad=0)
        value = graph.batch_norm(value, f"{name}.shortcut.1")
    return graph.op("Relu", graph.op("Add", inner, value))


def _head(graph: OnnxGraph) -> str:
    """Filter bank [N,T,80] to [N,320,T]."""
    value = graph.op("Transpose", "x", perm=[0, 2, 1])
    value = graph.op("Unsqueeze", value, graph.constant("axis_1", np.array([1])))
    value = graph.batch_norm(_conv2d(graph, value, "head.conv1", 1), "head.bn1")
    value = graph.op("Relu", value)
    for layer in ("layer1", "layer2"):
        value = _residual(graph, value, f"head.{layer}.0", 2)
        value = _residual(graph, value, f"head.{layer}.1", 1)
    value = graph.batch_norm(_conv2d(graph, value, "head.conv2", 2), "head.bn2")
    value = graph.op("Relu", value)
    return graph.op("Reshape", value, graph.constant("head_shape", np.array([0, 320, -1])))


def _segments(graph: OnnxGraph, value: str) -> _Segments:
    """Cut the time axis of ``value`` into stretches of 100 frames, the last one shorter."""
    size = graph.constant("segment", np.array([_SEGMENT]))
    zero = graph.constant("zero", np.array([0]))
    n_frames = graph.op("Shape", value, start=2, end=3)
    rounded = graph.op("Add", n_frames, graph.constant("segment_1", np.array([_SEGMENT - 1])))
    n_segments = graph.op("Div", rounded, size)
    missing = graph.op("Sub", graph.op("Mul", n_segments, size), n_frames)
    before = graph.constant("pad_before", np.array([0, 0, 0, 0, 0]))
    padding = graph.op("Concat", before, missing, axis=0)
    scalar = graph.constant("zero_d", np.int64(0))
    step = graph.constant("one_d", np.int64(1))
    frames = graph.op("Range", scalar, graph.op("Squeeze", n_frames, zero), step)
    starts = graph.op("Range", scalar, graph.op("Squeeze", n_segments, zero), step)
    left = graph.op("Sub", n_frames, graph.op("Mul", starts, size))
    counts = graph.op("Cast", graph.op("Min", left, size), to=TensorProto.FLOAT)
    return _Segments(padding, counts, graph.op("Div", frames, size))


def _context(graph: OnnxGraph, value: str, name: str, segments: _Segments) -> str:
    """The mask of a context layer: from global and segment means, [N,32,T]."""
    shape = graph.constant("segment_shape", np.array([0, 0, -1, _SEGMENT]))
    padded = graph.op("Reshape", graph.op("Pad", value, segments.padding), shape)
    total = graph.op("ReduceSum", padded, graph.constant("axis_3", np.array([3])), keepdims=0)
    local = graph.op("Div", total, segments.counts)
    context = graph.op("Add", local, graph.op("ReduceMean", value, axes=[2], keepdims=1))
    for k, activation in ((1, "Relu"), (2, "Sigmoid")):
        weight = graph.weight(f"{name}.linear{k}.weight")
        bias = graph.weight(f"{name}.linear{k}.bias")
        context = graph.op(activation, graph.op("Conv", context, weight, bias))
    return graph.op("Gather", context, segments.of_frame, axis=2)


def _dense_layer(
    graph: OnnxGraph, value: str, name: str, dilation: int, segments: _Segments
) -> str:
    """One layer of a dense block; returns its 32 new channels."""
    value = graph.op("Relu", graph.batch_norm(value, f"{name}.nonlinear1.batchnorm"))
    value = graph.op("Conv", value, graph.weight(f"{name}.linear1.weight"))
    value = graph.op("Relu", graph.batch_norm(value, f"{name}.nonlinear2.batchnorm"))
    local = graph.op(
        "Conv",
        value,
        graph.weight(f"{name}.cam_layer.linear_local.weight"),
        dilations=[dilation],
        pads=[dilation, dilation],
    )
    return graph.op("Mul", local, _context(graph, value, f"{name}.cam_layer", segments))


def _statistics(graph: OnnxGraph, value: str) -> str:
    """Mean and unbiased standard deviation over time, [N,1024,1]."""
    mean = graph.op("ReduceMean", value, axes=[2], keepdims=1)
    squares = graph.op("ReduceSumSquare", graph.op("Sub", value, mean), axes=[2], keepdims=1)
    n_frames = graph.op("Shape", value, start=2, end=3)
    free = graph.op("Sub", n_frames, graph.constant("one", np.array([1])))
    variance = graph.op("Div", squares, graph.op("Cast", free, to=TensorProto.FLOAT))
    return graph.op("Concat", mean, graph.op("Sqrt", variance), axis=1)


def _xvector(graph: OnnxGraph, value: str, report: Report) -> str:
    """Features [N,320,T] to the embedding [N,192]."""
    weight = graph.weight("xvector.tdnn.linear.weight")
    value = graph.op("Conv", value, weight, strides=[2], pads=[2, 2])
    value = graph.op("Relu", graph.batch_norm(value, "xvector.tdnn.nonlinear.batchnorm"))
    segments = _segments(graph, value)
    for block, n_layers, dilation in _BLOCKS:
        report("convert", block - 1, len(_BLOCKS))
        for k in range(1, n_layers + 1):
            name = f"xvector.block{block}.tdnnd{k}"
            new = _dense_layer(graph, value, name, dilation, segments)
            value = graph.op("Concat", value, new, axis=1)
        name = f"xvector.transit{block}"
        value = graph.op("Relu", graph.batch_norm(value, f"{name}.nonlinear.batchnorm"))
        value = graph.op("Conv", value, graph.weight(f"{name}.linear.weight"))
    value = graph.op("Relu", graph.batch_norm(value, "xvector.out_nonlinear.batchnorm"))
    value = graph.op("Conv", _statistics(graph, value), graph.weight("xvector.dense.linear.weight"))
    value = graph.batch_norm(value, "xvector.dense.nonlinear.batchnorm", is_affine=False)
    return graph.op("Squeeze", value, graph.constant("axis_2", np.array([2])))


def write_campplus(model: Path, target: Path, report: Report) -> None:
    """Convert the weights.

    Input ``x`` (n, frames, 80) float32 filter bank, at least 3 frames; output ``embedding``
    (n, 192), not normalised.

    Args:
        model: ``campplus_cn_en_common.pt``.
        target: ``.onnx`` file to write.
        report: Called once per block.

    Raises:
        ModelBroken: The weights are not this model's.
        Cancelled: The user asked to stop.

    Source:
        Wang et al. 2023, CAM++; layout of the 3D-Speaker checkpoint. Segment means are computed on
        segments and spread by index, where the original repeats every value.
    """
    graph = OnnxGraph(read_checkpoint(model))
    embedding = _xvector(graph, _head(graph), report)
    graph.write(
        target,
        {"x": (TensorProto.FLOAT, ("N", "T", 80))},
        {"embedding": (embedding, ("N", 192))},
        _METADATA,
    )
