import pytest

from engine.errors import EngineError
from engine.speech.loading import load_backend
from engine.speech.sherpa_asr import LOADERS, spread, words_of
from engine.weights.catalogue import catalogue


def test_every_recogniser_of_the_catalogue_has_a_loader():
    kinds = {entry.kind for entry in catalogue() if entry.task == "transcription"}
    assert kinds - {"whisper.cpp"} <= set(LOADERS)


def test_tokens_become_words_with_times():
    tokens = ["▁And", "▁so", "▁my", "▁fel", "low"]
    words = words_of(tokens, [0.1, 0.4, 0.8, 1.0, 1.2], [-0.1] * 5, "", 2.0)
    assert [w.text for w in words] == ["And", "so", "my", "fellow"]
    assert [w.start for w in words] == [0.1, 0.4, 0.8, 1.0]
    assert words[0].end == pytest.approx(0.4)
    assert words[3].end == pytest.approx(1.45)
    assert words[0].probability == pytest.approx(0.905, abs=0.001)


def test_chinese_and_control_tokens():
    words = words_of(["<|zh|>", "你", "好", "，"], [0.0, 0.1, 0.3, 0.5], [], "", 1.0)
    assert [w.text for w in words] == ["你", "好，"] or [w.text for w in words] == [
        "<|zh|>",
        "你",
        "好，",
    ]


def test_without_times_the_words_are_spread():
    words = words_of(["a", "b"], [], [], "one three", 10.0)
    assert [w.text for w in words] == ["one", "three"]
    assert (words[0].start, words[-1].end) == (0.0, pytest.approx(10.0))
    assert len(spread("你好吗", 3.0)) == 3
    assert spread("", 3.0) == []


def test_a_model_that_cannot_transcribe_is_refused():
    with pytest.raises(EngineError, match="cannot transcribe"):
        load_backend("minilm", 1, lambda: False)


def test_every_kind_that_is_installed_loads():
    # The loaders are called with the arguments this version of sherpa-onnx has.
    import inspect

    import sherpa_onnx

    parameters = {
        name: set(inspect.signature(getattr(sherpa_onnx.OfflineRecognizer, name)).parameters)
        for name in ("from_whisper", "from_transducer", "from_sense_voice", "from_moonshine")
    }
    assert {"encoder", "decoder", "tokens", "language", "num_threads"} <= parameters["from_whisper"]
    assert {"joiner", "model_type", "num_threads"} <= parameters["from_transducer"]
    assert {"model", "tokens", "use_itn"} <= parameters["from_sense_voice"]
    wanted = {"preprocessor", "encoder", "uncached_decoder", "cached_decoder", "tokens"}
    assert wanted <= parameters["from_moonshine"]
    streaming = inspect.signature(sherpa_onnx.OnlineRecognizer.from_transducer).parameters
    assert {"tokens", "encoder", "decoder", "joiner", "num_threads"} <= set(streaming)
    assert hasattr(sherpa_onnx.OnlineRecognizer, "get_result_all")
