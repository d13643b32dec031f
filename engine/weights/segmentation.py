"""Recipe: pyannote segmentation-3.0 becomes ONNX in the form sherpa-onnx expects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto

from engine.progress import Report
from engine.weights.onnx_graph import OnnxGraph
from engine.weights.torch_pickle import read_checkpoint

Array = np.ndarray[Any, Any]
_RATE_HZ = 16_000
_MIN_HZ = 50.0
_STRIDE = 10
_N_LSTM = 4
_HIDDEN = 128
_METADATA: dict[str, str | int] = {
    "model_type": "pyannote-segmentation-3.0",
    "sample_rate": _RATE_HZ,
    "window_size": 160_000,
    "receptive_field_size": 991,
    "receptive_field_shift": 270,
    "num_speakers": 3,
    "powerset_max_classes": 2,
    "num_classes": 7,
}


def sinc_filters(low_hz: Array, band_hz: Array, times: Array, window: Array) -> Array:
    """The learned band-pass filters, even ones first.

    Args:
        low_hz: (40, 1) learned lower edges in Hz.
        band_hz: (40, 1) learned widths in Hz.
        times: (1, 125) negative times times 2 pi, in seconds.
        window: (125,) left half of a Hamming window.

    Returns:
        (80, 1, 251) float32.

    Source:
        Ravanelli and Bengio 2018 (SincNet); Pariente et al. 2020 for the odd filters. Computed in
        float64: in float32 the differences of near sines lose digits.
    """
    low = _MIN_HZ + np.abs(low_hz)
    high = np.clip(low + _MIN_HZ + np.abs(band_hz), _MIN_HZ, _RATE_HZ / 2)
    width = high - low
    even = (np.sin(high @ times) - np.sin(low @ times)) / (times / 2) * window
    odd = (np.cos(low @ times) - np.cos(high @ times)) / (times / 2) * window
    cosines = np.concatenate([even, 2 * width, even[:, ::-1]], axis=1)
    sines = np.concatenate([odd, np.zeros_like(width), -odd[:, ::-1]], axis=1)
    filters = np.concatenate([cosines, sines]) / np.concatenate([2 * width, 2 * width])
    return np.asarray(filters[:, None, :], np.float32)


def _leaky(graph: OnnxGraph, value: str) -> str:
    return graph.op("LeakyRelu", value, alpha=0.01)


def _instance_norm(graph: OnnxGraph, value: str, name: str) -> str:
    weight, bias = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.op("InstanceNormalization", value, weight, bias, epsilon=1e-5)


def _sincnet(graph: OnnxGraph) -> str:
    """Waveform [N,1,T] to features [N,60,F]."""
    bank = "sincnet.conv1d.0.filterbank"
    low, band, times, window = (
        graph.array(f"{bank}.{name}").astype(np.float64)
        for name in ("low_hz_", "band_hz_", "n_", "window_")
    )
    filters = sinc_filters(low, band, times, window)
    value = _instance_norm(graph, "x", "sincnet.wav_norm1d")
    value = graph.op("Conv", value, graph.constant("sinc", filters), strides=[_STRIDE])
    value = graph.op("Abs", value)
    for k in range(3):
        if k:
            name = f"sincnet.conv1d.{k}"
            weight, bias = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
            value = graph.op("Conv", value, weight, bias)
        value = graph.op("MaxPool", value, kernel_shape=[3], strides=[3])
        value = _leaky(graph, _instance_norm(graph, value, f"sincnet.norm1d.{k}"))
    return value


def _gates(array: Array) -> Array:
    """From PyTorch's gate order (i, f, g, o) to ONNX's (i, o, f, g)."""
    i, f, g, o = np.split(array, 4)
    return np.concatenate([i, o, f, g])


def _lstm(graph: OnnxGraph, value: str, layer: int) -> str:
    """One bidirectional layer: [F,N,C] to [F,N,256]."""
    ends = (f"l{layer}", f"l{layer}_reverse")

    def both(kind: str) -> Array:
        return np.stack([_gates(graph.array(f"lstm.{kind}_{end}")) for end in ends])

    weight = graph.constant(f"lstm.{layer}.w", both("weight_ih"))
    recurrent = graph.constant(f"lstm.{layer}.r", both("weight_hh"))
    biases = np.concatenate([both("bias_ih"), both("bias_hh")], axis=1)
    bias = graph.constant(f"lstm.{layer}.b", biases)
    out = graph.op(
        "LSTM", value, weight, recurrent, bias, direction="bidirectional", hidden_size=_HIDDEN
    )
    out = graph.op("Transpose", out, perm=[0, 2, 1, 3])
    return graph.op("Reshape", out, graph.constant("joined", np.array([0, 0, 2 * _HIDDEN])))


def _linear(graph: OnnxGraph, value: str, name: str) -> str:
    weight = graph.constant(f"{name}.weight", graph.array(f"{name}.weight").T)
    return graph.op("Add", graph.op("MatMul", value, weight), graph.weight(f"{name}.bias"))


def write_segmentation(model: Path, target: Path, report: Report) -> None:
    """Convert the weights.

    Input ``x`` (n, 1, samples) float32 at 16 kHz, output ``y`` (n, frames, 7) log-probabilities of
    nobody, 1, 2, 3, 1+2, 1+3, 2+3.

    Args:
        model: ``pytorch_model.bin``.
        target: ``.onnx`` file to write.
        report: Called once per layer.

    Raises:
        ModelBroken: The weights are not this model's.
        Cancelled: The user asked to stop.
    """
    graph = OnnxGraph(read_checkpoint(model))
    value = graph.op("Transpose", _sincnet(graph), perm=[2, 0, 1])
    for layer in range(_N_LSTM):
        report("convert", layer, _N_LSTM)
        value = _lstm(graph, value, layer)
    value = graph.op("Transpose", value, perm=[1, 0, 2])
    for name in ("linear.0", "linear.1"):
        value = _leaky(graph, _linear(graph, value, name))
    value = graph.op("LogSoftmax", _linear(graph, value, "classifier"), axis=-1)
    graph.write(
        target,
        {"x": (TensorProto.FLOAT, ("N", 1, "T"))},
        {"y": (value, ("N", "F", 7))},
        _METADATA,
    )
