"""Runs a converted ONNX graph on made-up input and compares it with recorded numbers.

Used where another version of the ONNX library writes the same graph in other bytes, so that the
hash cannot match although the model is right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.weights.runtime import onnx_runtime

_TOLERANCE = 2e-3
RECORDED: dict[str, tuple[float, ...]] = {
    "minilm": (-0.02897, 0.01945, -0.04198, 0.10735, 0.06378, -0.06085, 0.00347, 0.0291, -0.00037),
    "campplus": (
        0.00967,
        -1.4188,
        1.54925,
        -1.16492,
        0.27092,
        0.41289,
        -0.69016,
        -0.12256,
        0.13157,
    ),
    "segmentation-3.0": (
        *(-5.14304, -5.02827, -3.97434, -0.10476, -2.76608, -5.59238, -7.88915, -4.94684),
        -4.75097,
    ),
}


def probe_inputs(model_id: str) -> dict[str, np.ndarray[Any, Any]]:
    """Deterministic inputs for a model, by input name; empty if there is no probe for it."""
    if model_id == "minilm":
        ids = (np.arange(24, dtype=np.int64).reshape(2, 12) * 37 + 1996) % 30_000
        mask = np.ones_like(ids)
        mask[1, 7:] = 0
        return {"input_ids": ids, "attention_mask": mask}
    if model_id == "campplus":
        grid = np.sin(np.arange(250 * 80, dtype=np.float64) * 0.37).reshape(1, 250, 80)
        return {"x": (3 * grid).astype(np.float32)}
    if model_id == "segmentation-3.0":
        time = np.arange(32_000, dtype=np.float64) / 16_000
        wave = 0.1 * np.sin(2 * np.pi * 180 * time) * np.sin(2 * np.pi * 3 * time)
        return {"x": wave.astype(np.float32)[None, None]}
    return {}


def probe(model_id: str, path: Path) -> tuple[float, ...]:
    """The first eight numbers and the mean of what the graph gives for ``probe_inputs``."""
    session = onnx_runtime().InferenceSession(str(path), providers=["CPUExecutionProvider"])
    output = np.asarray(session.run(None, probe_inputs(model_id))[0], np.float64).ravel()
    return (*(float(value) for value in output[-8:]), float(output.mean()))


def gives_recorded_numbers(model_id: str, path: Path) -> bool:
    """Whether a graph computes what the recorded one did; False if there is no record."""
    recorded = RECORDED.get(model_id)
    if recorded is None:
        return False
    return bool(np.allclose(probe(model_id, path), recorded, rtol=0, atol=_TOLERANCE))
