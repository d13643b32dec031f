"""The one place that loads the ONNX runtime, so that what must happen before happens always."""

from __future__ import annotations

from typing import Any

from engine import paths


def onnx_runtime() -> Any:
    """The ``onnxruntime`` module, kept from reporting to its maker."""
    paths.keep_runtimes_quiet()
    import onnxruntime

    return onnxruntime
