"""The installed models compute what the originals do, and load from any folder."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.weights import ggml
from engine.weights.catalogue import catalogue, default_ids, spec
from engine.weights.inspect import check_file
from engine.weights.locate import is_present, locate, read_manifest, verify
from engine.weights.selfcheck import RECORDED, gives_recorded_numbers

pytestmark = pytest.mark.end2end

FOLDERS = ["plain", "模型 Modèle 🎧 it's"]


def needs(*model_ids):
    for model_id in model_ids:
        if not is_present(model_id):
            pytest.skip(f"{model_id} is not installed")


@pytest.fixture
def golden(shared_data):
    def load(name):
        return np.load(shared_data / "golden" / f"{name}.npz")

    return load


@pytest.fixture
def speech(shared_data) -> Path:
    return shared_data / "audio" / "misc" / "jfk.wav"


def session(model_id):
    import onnxruntime

    return onnxruntime.InferenceSession(str(locate(model_id)), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("model_id", default_ids())
def test_the_default_set_is_whole_and_has_the_recorded_hashes(model_id):
    needs(model_id)
    verify(model_id)
    manifest = read_manifest(model_id)
    for output in spec(model_id).outputs:
        assert manifest.outputs[output.name].sha256 == output.sha256
        check_file(locate(model_id, output.name))


def test_q8_0_blocks(golden):
    blocks = golden("ggml_blocks")
    np.testing.assert_array_equal(ggml.quantise_q8_0(blocks["x"]), blocks["q8_0"])


def test_minilm(golden):
    needs("minilm")
    wanted = golden("minilm")
    inputs = {name: wanted[name] for name in ("input_ids", "attention_mask")}
    found = session("minilm").run(None, inputs)[0]
    np.testing.assert_allclose(found, wanted["y"], rtol=0, atol=1e-5)


def test_segmentation(golden):
    needs("segmentation-3.0")
    wanted = golden("segmentation")
    found = session("segmentation-3.0").run(None, {"x": wanted["x_int16"].astype("f4") / 32768})[0]
    np.testing.assert_allclose(np.exp(found), np.exp(wanted["y"]), rtol=0, atol=1e-3)


def test_campplus(golden):
    needs("campplus")
    wanted, network = golden("campplus"), session("campplus")
    for n_frames in (50, 200, 333):
        found = network.run(None, {"x": wanted[f"x_{n_frames}"].astype(np.float32)})[0]
        np.testing.assert_allclose(found, wanted[f"y_{n_frames}"], rtol=0, atol=1e-4)


def test_campplus_through_sherpa(golden):
    needs("campplus")
    import sherpa_onnx

    wanted = golden("campplus_sherpa")
    config = sherpa_onnx.SpeakerEmbeddingExtractorConfig(model=str(locate("campplus")))
    extractor = sherpa_onnx.SpeakerEmbeddingExtractor(config)
    stream = extractor.create_stream()
    stream.accept_waveform(16_000, wanted["x_int16"].astype(np.float32) / 32768)
    stream.input_finished()
    found = np.array(extractor.compute(stream))
    np.testing.assert_allclose(found / np.linalg.norm(found), wanted["y"], rtol=0, atol=1e-4)


@pytest.mark.parametrize("model_id", sorted(RECORDED))
def test_the_recorded_numbers_stand_in_for_a_hash(model_id, tmp_path):
    needs(model_id)
    assert gives_recorded_numbers(model_id, locate(model_id))


def test_whisper_header():
    needs("whisper-base")
    with locate("whisper-base").open("rb") as file:
        header = struct.unpack("<I11i", file.read(48))
    assert header == (ggml.MAGIC, 51865, 1500, 512, 8, 6, 448, 512, 8, 6, 80, ggml.FTYPE_F16)


CHILD = (
    """
import json, sys
folder, speech = sys.argv[1:]
import numpy as np
import soundfile
samples, _ = soundfile.read(speech, dtype="float32")
import sherpa_onnx, onnxruntime
config = sherpa_onnx.SpeakerEmbeddingExtractorConfig(model=folder + "/campplus.onnx")
stream = (extractor := sherpa_onnx.SpeakerEmbeddingExtractor(config)).create_stream()
stream.accept_waveform(16000, samples)
stream.input_finished()
dim = len(extractor.compute(stream))
session = onnxruntime.InferenceSession(folder + "/minilm.onnx", providers=["CPUExecutionProvider"])
ids = np.array([[101, 7592, 102]])
length = float(np.linalg.norm(session.run(None, {"input_ids": ids, "attention_mask": ids > 0})[0]))
""".replace("ids > 0", "np.ones_like(ids)")
    + """
from pywhispercpp.model import Model
model = Model(folder + "/tiny.bin", redirect_whispercpp_logs_to=None, print_progress=False)
text = " ".join(s.text for s in model.transcribe(np.ascontiguousarray(samples)))
from llama_cpp import Llama
chat = Llama(folder + "/chat.gguf", n_ctx=256, verbose=False)
said = chat("Once upon", max_tokens=4, temperature=0)["choices"][0]["text"]
print(json.dumps([dim, length, text, said]))
"""
)


@pytest.mark.parametrize("name", FOLDERS, ids=["ascii", "unicode"])
def test_every_runtime_loads_from_any_folder(name, tmp_path, speech):
    """Native loaders have failed on such folders; in a child, as they may crash."""
    needs("campplus", "minilm", "whisper-tiny.en", "smollm2-135m")
    folder = tmp_path / name
    folder.mkdir()
    files = {
        "campplus.onnx": "campplus",
        "minilm.onnx": "minilm",
        "tiny.bin": "whisper-tiny.en",
        "chat.gguf": "smollm2-135m",
    }
    for file, model_id in files.items():
        shutil.copyfile(locate(model_id), folder / file)
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(speech)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    dim, length, text, said = json.loads(child.stdout.splitlines()[-1])
    assert dim == 192
    assert length == pytest.approx(1, abs=1e-5)
    assert "country" in text
    assert said


def test_no_model_of_the_catalogue_is_broken_here():
    from engine.weights.status import BROKEN, model_rows

    assert [row.id for row in model_rows() if row.state == BROKEN] == []
    assert len(model_rows()) == len(catalogue())
