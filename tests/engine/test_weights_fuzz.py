"""Mutated model files: every reader answers with ModelBroken or a result, quickly, and small.

A native loader would crash on these; ours must not crash, hang or allocate what a header claims.
"""

from __future__ import annotations

import io
import json
import pickle
import resource
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.errors import ModelBroken
from engine.weights import ggml
from engine.weights.ctranslate2 import read_variables
from engine.weights.inspect import check_file
from engine.weights.onnx_graph import OnnxGraph
from engine.weights.safetensors import read_tensors
from engine.weights.torch_pickle import read_checkpoint

QUICK = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MOST_BYTES = 32 << 20


def string(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def small_gguf() -> bytes:
    """Two tensors and keys of every shape that llama.cpp files have."""
    keys = [
        string("general.alignment") + struct.pack("<II", 4, 32),
        string("name") + struct.pack("<I", 8) + string("toy"),
        string("tokens") + struct.pack("<IIQ", 9, 8, 2) + string("a") + string("b"),
        string("scores") + struct.pack("<IIQ2f", 9, 6, 2, 0.5, 1),
    ]
    tensors = [
        string("w") + struct.pack("<IQQIQ", 2, 32, 2, 8, 0),
        string("b") + struct.pack("<IQIQ", 1, 4, 0, 96),
    ]
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys + tensors)
    return head + bytes(-len(head) % 32) + bytes(96 + 16)


def small_ggml() -> bytes:
    """A whisper.cpp file with one layer on each side."""
    file = io.BytesIO()
    shape = ggml.WhisperShape(4, 6, 32, 2, 1, 4, 32, 2, 1, 3, ggml.FTYPE_Q8_0)
    ggml.write_header(file, shape, np.zeros((3, 5), np.float32), [b"a", b"bc", b""])
    for k in range(25):
        ggml.write_tensor(file, f"w{k}", np.ones((2, 32), np.float32), ggml.Q8_0)
        ggml.write_tensor(file, f"b{k}", np.ones(7, np.float32), ggml.F32)
    return file.getvalue()


def small_onnx() -> bytes:
    """One matrix product with its weight inside."""
    graph = OnnxGraph({"w": np.ones((3, 2), np.float32)})
    value = graph.op("MatMul", "x", graph.weight("w"))
    kept: list[bytes] = []

    class Sink:
        def write_bytes(self, content):
            kept.append(content)

    graph.write(Sink(), {"x": (1, ("n", 3))}, {"y": (value, ("n", 2))}, {"rate": 1})
    return kept[0]


def small_safetensors() -> bytes:
    header = {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(24)


def small_ct2() -> bytes:
    def text(value):
        return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"

    head = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<2I", 3, 1)
    variable = text("w") + struct.pack("<B2IBI", 2, 2, 3, 0, 24) + bytes(24)
    return head + variable + struct.pack("<I", 1) + text("alias") + text("w")


def small_checkpoint() -> bytes:
    steps = (
        b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n(("
        b"X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQ"
        b"K\x00K\x02K\x03\x86K\x03K\x01\x86\x89ccollections\nOrderedDict\n)RtRs."
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", steps)
        archive.writestr("archive/data/0", bytes(24))
    return buffer.getvalue()


READERS = {
    "gguf": (small_gguf(), check_file, "model.gguf"),
    "ggml": (small_ggml(), check_file, "model.bin"),
    "onnx": (small_onnx(), check_file, "model.onnx"),
    "safetensors": (small_safetensors(), read_tensors, "model.safetensors"),
    "ct2": (small_ct2(), read_variables, "model.bin"),
    "checkpoint": (small_checkpoint(), read_checkpoint, "model.pt"),
}


def read(form: str, content: bytes, folder: Path) -> bool:
    """Let a reader try; True if it took the file. Memory stays small either way."""
    _, reader, name = READERS[form]
    path = folder / name
    path.write_bytes(content)
    tracemalloc.start()
    try:
        reader(path)
    except ModelBroken:
        return False
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < MOST_BYTES
    return True


@pytest.mark.parametrize("form", READERS)
def test_the_unchanged_file_is_read(form, tmp_path):
    assert read(form, READERS[form][0], tmp_path)


@pytest.mark.parametrize("form", READERS)
def test_a_file_cut_at_any_byte_is_noticed(form, tmp_path):
    content = READERS[form][0]
    for length in range(0, len(content), max(1, len(content) // 150)):
        taken = read(form, content[:length], tmp_path)
        assert not taken or form == "onnx", f"{length} of {len(content)} bytes"


@pytest.mark.parametrize("form", READERS)
@QUICK
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, 1 << 16),
            st.one_of(
                st.binary(min_size=1, max_size=8),
                st.sampled_from(
                    [
                        b"\xff" * 4,
                        b"\xff" * 8,
                        b"\x00" * 8,
                        b"\xff\xff\xff\x7f",
                        b"\xff" * 7 + b"\x7f",
                        struct.pack("<Q", 1 << 40),
                        struct.pack("<I", 1 << 20),
                    ]
                ),
            ),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_changed_bytes_do_no_harm(form, tmp_path, edits):
    content = bytearray(READERS[form][0])
    for position, replacement in edits:
        at = position % len(content)
        content[at : at + len(replacement)] = replacement
    read(form, bytes(content), tmp_path)


@pytest.mark.parametrize("form", READERS)
@QUICK
@given(content=st.binary(max_size=400))
@example(content=b"")
@example(content=b"<!DOCTYPE html><html>")
@example(content=b"GGUF" + b"\xff" * 60)
@example(content=struct.pack("<I", ggml.MAGIC) + b"\xff" * 60)
@example(content=b"\x3a" + b"\xff" * 60)
def test_noise_is_no_model(form, tmp_path, content):
    read(form, content, tmp_path)


def archive(steps: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("archive/data.pkl", steps)
        file.writestr("archive/data/0", bytes(24))
    return buffer.getvalue()


STEPS = zipfile.ZipFile(io.BytesIO(small_checkpoint())).read("archive/data.pkl")


@QUICK
@given(
    position=st.integers(0, len(STEPS) - 1),
    replacement=st.one_of(
        st.binary(min_size=1, max_size=12),
        st.sampled_from([b"cos\nsystem\n", b"cbuiltins\nexec\n", b"\x8c\x02os\x8c\x06system\x93R"]),
    ),
)
def test_changed_pickle_steps_run_nothing(tmp_path, position, replacement):
    steps = STEPS[:position] + replacement + STEPS[position:]
    read("checkpoint", archive(steps), tmp_path)


@pytest.mark.parametrize(
    "steps",
    [
        b"\x80\x02B\xff\xff\xff\x7f.",  # a string of 2 GB
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",  # bytes of 8 EB
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.",  # a frame of 8 EB
        b"\x80\x05\x96\xff\xff\xff\xff\xff\xff\xff\x7f.",  # a bytearray of 8 EB
        b"\x80\x02r\xff\xff\xff\x7f.",  # memo slot 2 billion
        b"\x80\x02" + b"(" * 20_000 + b".",
        b"\x80\x02" + b"]" * 20_000 + b"a" * 19_999 + b".",
        b"\x80\x02" + b"K\x01\x85" * 20_000 + b".",
        pickle.dumps(10**100_000),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are POSIX")
def test_greedy_pickles_get_no_memory(tmp_path, steps):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read("checkpoint", archive(steps), tmp_path)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200 << 10  # in KiB


def test_an_onnx_file_may_not_point_outside(tmp_path):
    import onnx

    model = onnx.load_from_string(small_onnx())
    weight = model.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = onnx.TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="../../secret")
    assert not read("onnx", model.SerializeToString(), tmp_path)


def test_an_endless_onnx_file_ends(tmp_path):
    """A million empty fields are refused by their number, not walked for minutes."""
    body = b"\x0a\x00" * 10
    assert not read("onnx", b"\x08\x08" + body * 50, tmp_path)


@pytest.mark.parametrize("form", ["gguf", "ggml", "onnx"])
def test_the_wanted_form_is_insisted_on(form, tmp_path):
    path = tmp_path / "model"
    path.write_bytes(READERS[form][0])
    check_file(path, form)
    for other in {"gguf", "ggml", "onnx"} - {form}:
        with pytest.raises(ModelBroken):
            check_file(path, other)
