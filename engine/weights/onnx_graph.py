"""A thin builder for ONNX graphs, so that recipes read like the networks they write.

Output is deterministic: names come from a counter and serialisation is canonical, so the same
weights give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from engine.errors import ModelBroken

OPSET = 17
IR_VERSION = 8

Shape = Sequence[str | int]


class OnnxGraph:
    """Collects nodes and weights; values are handled by their names."""

    def __init__(self, weights: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._initializers: dict[str, Any] = {}

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """The original weight called ``name`` as float32.

        Raises:
            ModelBroken: The weights have no such tensor.
        """
        try:
            return np.ascontiguousarray(self._weights[name], dtype=np.float32)
        except KeyError as error:
            raise ModelBroken(f"The weights have no tensor {name}.") from error

    def constant(self, name: str, values: Any) -> str:
        """Add an array (int64 for Python integers) under ``name`` once; returns the name."""
        if name not in self._initializers:
            array = np.ascontiguousarray(values).reshape(np.shape(values))
            self._initializers[name] = numpy_helper.from_array(array, name)
        return name

    def weight(self, name: str) -> str:
        """Add the original weight called ``name`` unchanged; returns the name."""
        return self.constant(name, self.array(name))

    def op(self, kind: str, *inputs: str, n_outputs: int = 1, **attributes: Any) -> str:
        """Add a node and return the name of its first output; "" is an absent input."""
        stem = f"{kind}_{len(self._nodes)}"
        outputs = [stem if k == 0 else f"{stem}_{k}" for k in range(n_outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), outputs, name=stem, **attributes))
        return stem

    def batch_norm(self, value: str, name: str, *, is_affine: bool = True) -> str:
        """Inference batch normalisation with the running statistics of ``name``, eps 1e-5."""
        mean, variance = self.array(f"{name}.running_mean"), self.array(f"{name}.running_var")
        one, zero = f"{name}.weight", f"{name}.bias"
        if not is_affine:
            self.constant(one, np.ones_like(mean))
            self.constant(zero, np.zeros_like(mean))
        else:
            self.weight(one)
            self.weight(zero)
        self.constant(f"{name}.running_mean", mean)
        self.constant(f"{name}.running_var", variance)
        names = (one, zero, f"{name}.running_mean", f"{name}.running_var")
        return self.op("BatchNormalization", value, *names, epsilon=1e-5)

    def write(
        self,
        path: Path,
        inputs: Mapping[str, tuple[int, Shape]],
        outputs: Mapping[str, tuple[str, Shape]],
        metadata: Mapping[str, str | int],
    ) -> None:
        """Write the model.

        Args:
            path: Where to.
            inputs: ONNX element type and shape by name.
            outputs: Value and shape by name; all float32.
            metadata: Key-value pairs for the runtime.
        """
        for name, (value, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name], name=name))
        graph = helper.make_graph(
            self._nodes,
            "earwitness",
            [helper.make_tensor_value_info(name, kind, s) for name, (kind, s) in inputs.items()],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, (_, shape) in outputs.items()
            ],
            list(self._initializers.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        model.producer_name = "earwitness"
        helper.set_model_props(model, {key: str(value) for key, value in metadata.items()})
        onnx.checker.check_model(model)
        path.write_bytes(model.SerializeToString(deterministic=True))
