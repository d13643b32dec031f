import os
from pathlib import Path

import numpy as np
import pytest

from engine import embed, paths
from engine.embed import Embedder
from engine.errors import ModelMissing
from engine.weights.locate import is_present

SHARED = Path(os.environ.get("EARWITNESS_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def test_making_an_embedder_loads_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("EARWITNESS_MODELS", str(tmp_path))
    embedder = Embedder()
    assert embedder.encode(["", "  "]).shape == (2, embedder.dim)
    with pytest.raises(ModelMissing):
        embedder.encode(["something"])


class _Encoding:
    def __init__(self, text):
        self.ids = [ord(c) for c in text]


class _Tokenizer:
    def encode_batch(self, texts):
        return [_Encoding(text) for text in texts]


class _Session:
    def run(self, _, feeds):
        sums = (feeds["input_ids"] * feeds["attention_mask"]).sum(axis=1)
        return [np.stack([sums, np.ones(len(sums))], axis=1).astype(np.float32)]


def test_rows_come_back_in_order_with_length_one(monkeypatch):
    embedder = Embedder()
    embedder.dim = 2
    loaded = embed._Loaded(_Session(), _Tokenizer(), ("input_ids", "attention_mask"))
    monkeypatch.setattr(embedder, "_load", lambda: loaded)
    texts = ["b" * (i % 7 + 1) for i in range(70)] + ["", "\ud800"]
    vectors = embedder.encode(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1)[:70], 1)
    assert not vectors[70].any()
    assert np.allclose(vectors[0], vectors[7])
    assert vectors[0][0] < vectors[6][0]


@pytest.mark.end2end
@pytest.mark.skipif(not SHARED.exists(), reason="evaluation data is not beside the repository")
def test_the_real_encoder_gives_the_published_numbers():
    if not is_present("minilm"):
        pytest.skip("the sentence encoder is not installed")
    golden = np.load(SHARED / "data" / "golden" / "minilm.npz", allow_pickle=False)
    vectors = Embedder().encode([str(text) for text in golden["sentences"]])
    assert np.abs(vectors - golden["y"]).max() < 1e-4


def test_the_runtime_may_not_report_to_its_maker(monkeypatch):
    # Native code opens the connection, seconds after loading; the no-network test waits for it.
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    paths.keep_runtimes_quiet()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"


def test_no_module_loads_the_runtime_without_keeping_it_quiet():
    for path in Path(paths.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        if "import onnxruntime" in text:
            assert "keep_runtimes_quiet()" in text, path
