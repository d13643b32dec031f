"""Readers of weight files: right on good files, and never fooled by bad ones."""

from __future__ import annotations

import collections
import hashlib
import json
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest

from engine.errors import ModelBroken
from engine.progress import silent
from engine.weights import ggml, whisper
from engine.weights.ctranslate2 import read_variables
from engine.weights.inspect import check_file
from engine.weights.safetensors import read_tensors
from engine.weights.torch_pickle import read_checkpoint

# ---- checkpoints -------------------------------------------------------------------------------


class Storage:
    """Written as the global torch.FloatStorage."""


def pickled(steps: bytes) -> bytes:
    return b"\x80\x02" + steps + b"."


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def integer(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def numbers(*values: int) -> bytes:
    return b"(" + b"".join(map(integer, values)) + b"t"


def tensor(key="0", n=6, offset=0, shape=(2, 3), strides=(3, 1), kind="FloatStorage") -> bytes:
    """The pickle steps of one tensor."""
    storage = b"(" + text("storage") + f"ctorch\n{kind}\n".encode() + text(key) + text("cpu")
    storage += integer(n) + b"tQ"
    rebuilt = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + integer(offset)
    return (
        rebuilt + numbers(*shape) + numbers(*strides) + b"\x89" + b"ccollections\nOrderedDict\n)RtR"
    )


def checkpoint(path, value: bytes, data=None, name="archive/data.pkl"):
    """A zip as torch.save writes it: a dictionary with the one key ``w``."""
    steps = pickled(b"}" + text("w") + value + b"s")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, steps)
        if data is None:
            data = np.arange(6, dtype="<f4").tobytes()
        archive.writestr("archive/data/0", data)
    return path


def test_a_plain_checkpoint_is_read(tmp_path):
    weights = read_checkpoint(checkpoint(tmp_path / "a.pt", tensor()))
    np.testing.assert_array_equal(weights["w"], np.arange(6).reshape(2, 3))
    weights = read_checkpoint(
        checkpoint(tmp_path / "b.pt", tensor(offset=1, shape=(2, 2), strides=(1, 2)))
    )
    np.testing.assert_array_equal(weights["w"], [[1, 3], [2, 4]])


@pytest.mark.parametrize(
    "value",
    [
        tensor(n=7),
        tensor(n=1 << 30),
        tensor(n=-1),
        tensor(key="1"),
        tensor(key="../0"),
        tensor(offset=1),
        tensor(offset=-1),
        tensor(shape=(2, 4)),
        tensor(shape=(1 << 30, 1 << 30), strides=(0, 0)),
        tensor(shape=(2, 3), strides=(3,)),
        tensor(shape=(-2, 3)),
        tensor(strides=(-3, 1)),
        tensor(strides=(300, 1)),
        tensor(kind="HalfStorage"),
        b"cos\nsystem\n" + text("touch owned") + b"\x85R",
        b"cbuiltins\neval\n" + text("1") + b"\x85R",
        b"ccollections\nCounter\n)R",
        b"ctorch._utils\n_rebuild_tensor_v2\n(K\x01K\x00))tR",
        b"(" + text("other") + b"tQ",
    ],
)
def test_a_checkpoint_that_lies_or_wants_to_run_something_is_refused(tmp_path, value):
    with pytest.raises(ModelBroken):
        read_checkpoint(checkpoint(tmp_path / "a.pt", value))


def test_a_real_pickle_bomb_does_not_go_off(tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path / 'owned'}",)

    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"w": Bomb()}))
    with pytest.raises(ModelBroken, match="refused"):
        read_checkpoint(path)
    assert not (tmp_path / "owned").exists()


def test_files_that_are_no_checkpoint(tmp_path):
    path = tmp_path / "a.pt"
    for content in (b"", b"PK", b"<html>", pickle.dumps({}), b"PK\x05\x06" + bytes(18)):
        path.write_bytes(content)
        with pytest.raises(ModelBroken):
            read_checkpoint(path)
    with pytest.raises(ModelBroken):
        read_checkpoint(tmp_path / "absent.pt")


def test_a_packed_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(64 << 20))
    with pytest.raises(ModelBroken, match="claims"):
        read_checkpoint(path)


# ---- safetensors -------------------------------------------------------------------------------


def safetensors(path, header, data=b"\0" * 24, length=None):
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded) if length is None else length) + encoded + data)
    return path


def entry(dtype="F32", shape=(2, 3), offsets=(0, 24)):
    return {"w": {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}


def test_safetensors_are_read(tmp_path):
    data = np.arange(6, dtype="<f4").tobytes()
    tensors = read_tensors(safetensors(tmp_path / "a", entry() | {"__metadata__": {}}, data))
    np.testing.assert_array_equal(tensors["w"], np.arange(6).reshape(2, 3))


@pytest.mark.parametrize(
    ("header", "length"),
    [
        (entry(offsets=(0, 28)), None),
        (entry(offsets=(8, 32)), None),
        (entry(offsets=(-24, 0)), None),
        (entry(shape=(2, 4)), None),
        (entry(shape=(1 << 40, 1 << 40)), None),
        (entry(shape=(-1, -6)), None),
        (entry(shape=(2.0, 3)), None),
        (entry(dtype="F128"), None),
        ({"w": {}}, None),
        ({"w": 3}, None),
        ([], None),
        (b"{", None),
        (b"[" * 100_000, None),
        (entry(), 1 << 60),
        (entry(), 3),
    ],
)
def test_safetensors_that_lie_are_refused(tmp_path, header, length):
    with pytest.raises(ModelBroken):
        read_tensors(safetensors(tmp_path / "a", header, length=length))


@pytest.mark.parametrize("content", [b"", b"abc", bytes(8)])
def test_files_that_are_no_safetensors(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(ModelBroken):
        read_tensors(tmp_path / "a")


# ---- CTranslate2 -------------------------------------------------------------------------------


def ct2_text(value: str) -> bytes:
    return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"


def ct2(variables, aliases=(), version=6) -> bytes:
    """A model.bin of these (name, array) pairs."""
    codes = {"<f4": 0, "|i1": 1, "<i2": 2, "<i4": 3, "<f2": 4}
    out = (
        struct.pack("<I", version) + ct2_text("WhisperSpec") + struct.pack("<2I", 3, len(variables))
    )
    for name, array in variables:
        out += ct2_text(name) + struct.pack("<B", array.ndim)
        out += struct.pack(f"<{array.ndim}I", *array.shape)
        out += struct.pack("<BI", codes[array.dtype.str], array.nbytes) + array.tobytes()
    out += struct.pack("<I", len(aliases))
    for pair in aliases:
        out += b"".join(map(ct2_text, pair))
    return out


def test_ctranslate2_is_read(tmp_path):
    array = np.arange(6, dtype="<f2").reshape(2, 3)
    (tmp_path / "a").write_bytes(ct2([("w", array), ("n", np.int16(4))], [("alias", "w")]))
    variables = read_variables(tmp_path / "a")
    np.testing.assert_array_equal(variables["alias"], array)
    assert int(variables["n"]) == 4


def test_ctranslate2_files_cut_anywhere_are_refused(tmp_path):
    content = ct2([("w", np.zeros((2, 3), "<f2"))], [("alias", "w")])
    for length in range(len(content)):
        (tmp_path / "a").write_bytes(content[:length])
        with pytest.raises(ModelBroken):
            read_variables(tmp_path / "a")


def test_ctranslate2_headers_that_lie_are_refused(tmp_path):
    content = bytearray(ct2([("w", np.zeros((2, 3), "<f2"))]))
    at = content.index(b"w\0") + 3
    for position in (0, 22, at, at + 8, at + 9):
        changed = content.copy()
        changed[position : position + 4] = b"\xff\xff\xff\x7f"
        (tmp_path / "a").write_bytes(changed)
        with pytest.raises(ModelBroken):
            read_variables(tmp_path / "a")


# ---- ggml and Whisper --------------------------------------------------------------------------


def test_q8_0_rounds_halves_away_from_zero():
    row = np.zeros((1, 32), np.float32)
    row[0, :5] = [127, 0.5, -0.5, 2.5, -126.5]
    block = ggml.quantise_q8_0(row)[0]
    assert block[:2].view("<f2")[0] == 1
    assert block[2:7].view(np.int8).tolist() == [127, 1, -1, 3, -127]
    assert not ggml.quantise_q8_0(np.zeros((2, 64))).any()
    with pytest.raises(ValueError, match="whole blocks"):
        ggml.quantise_q8_0(np.zeros((1, 33)))


def whisper_weights(n_state=32, n_layer=1, n_vocab=51864):
    """Names and shapes of a Whisper of this size, all zero."""
    sizes = collections.OrderedDict()
    for side, n_ctx in (("encoder", 6), ("decoder", 4)):
        sizes[f"{side}/position_encodings/encodings"] = (n_ctx, n_state)
        for part in ("gamma", "beta"):
            sizes[f"{side}/layer_norm/{part}"] = (n_state,)
        for k in range(n_layer):
            linears = {"self_attention/linear_0": 3, "self_attention/linear_1": 1}
            norms = ["self_attention", "ffn"]
            if side == "decoder":
                linears |= {f"attention/linear_{j}": 2 if j == 1 else 1 for j in range(3)}
                norms.append("attention")
            for name, factor in linears.items():
                sizes[f"{side}/layer_{k}/{name}/weight"] = (factor * n_state, n_state)
                sizes[f"{side}/layer_{k}/{name}/bias"] = (factor * n_state,)
            for name, shape in (("linear_0", (64, n_state)), ("linear_1", (n_state, 64))):
                sizes[f"{side}/layer_{k}/ffn/{name}/weight"] = shape
                sizes[f"{side}/layer_{k}/ffn/{name}/bias"] = shape[:1]
            for name in norms:
                for part in ("gamma", "beta"):
                    sizes[f"{side}/layer_{k}/{name}/layer_norm/{part}"] = (n_state,)
    sizes["encoder/conv1/weight"] = (n_state, 80, 3)
    sizes["encoder/conv2/weight"] = (n_state, n_state, 3)
    sizes["encoder/conv1/bias"] = sizes["encoder/conv2/bias"] = (n_state,)
    sizes["decoder/embeddings/weight"] = (n_vocab, n_state)
    arrays = [(name, np.zeros(shape, "<f2")) for name, shape in sizes.items()]
    return [*arrays, *((f"{side}/num_heads", np.int16(2)) for side in ("encoder", "decoder"))]


def vocabulary(path, n_tokens=50256):
    names = {f"t{k}": k for k in range(n_tokens)}
    path.write_text(json.dumps({"model": {"vocab": names}}))
    return path


def test_a_small_whisper_becomes_a_whole_ggml_file(tmp_path):
    model = tmp_path / "model.bin"
    model.write_bytes(ct2(whisper_weights()))
    tokens = vocabulary(tmp_path / "tokenizer.json")
    for ftype in (ggml.FTYPE_Q8_0, ggml.FTYPE_F16):
        target = tmp_path / "out.bin"
        whisper.write_whisper(model, tokens, target, silent(), ftype)
        check_file(target, "ggml")
        content = target.read_bytes()
        assert struct.unpack("<I11i", content[:48])[1:] == (
            *(51864, 6, 32, 2, 1, 4, 32, 2, 1, 80),
            ftype,
        )
        assert b"decoder.blocks.0.cross_attn.key.weight" in content
        assert b"attn.key.bias" not in content


@pytest.mark.parametrize("lost", ["encoder/conv1/weight", "decoder/num_heads"])
def test_a_whisper_without_all_its_parts_is_refused(tmp_path, lost):
    model = tmp_path / "model.bin"
    model.write_bytes(ct2([pair for pair in whisper_weights() if pair[0] != lost]))
    tokens = vocabulary(tmp_path / "tokenizer.json")
    with pytest.raises(ModelBroken):
        whisper.write_whisper(model, tokens, tmp_path / "out.bin", silent(), ggml.FTYPE_F16)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"model": {"vocab": {"a": 0}}}', "[" * 9999])
def test_a_vocabulary_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ModelBroken):
        whisper.read_tokens(tmp_path / "tokenizer.json", 2)


def test_mel_filters_are_whispers_own():
    # hashes of the arrays that OpenAI publishes with the models
    assert mel_hash(80) == "4f2701b1d287d74a0dc9871026e9519d98cb76426615f2539b0d151a0ae4ec2e"
    assert mel_hash(128) == "2a5f9822897750e047c85dea37cc268d3be0ecfd23c28a5f10da129d99d05afe"


def mel_hash(n_mels):
    return hashlib.sha256(whisper.mel_filters(n_mels).tobytes()).hexdigest()
