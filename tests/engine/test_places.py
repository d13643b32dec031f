"""Where recordings and libraries lie: deep, oddly named, read-only; and nothing else is touched."""

import numpy as np
import pytest
import scripted_ears
import soundfile

from engine import messages, pipeline
from engine.__main__ import main
from engine.graph import care
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.progress import silent

DEEP = "/".join(["a-folder-with-a-rather-long-name-for-no-good-reason"] * 7)
PLACES = [
    DEEP,
    "会議 Zoë 🎙 Записи",
    "50% off #1?mode=memory&x=y",
    "it's \"quoted\" 'twice'",
    "-rf --library",
    "new\nline",
]


@pytest.fixture(autouse=True)
def ears(tmp_path, monkeypatch):
    """Made-up models; decoding, saving and indexing are real."""
    monkeypatch.setenv("EARS_FAULTS", str(tmp_path / "no-faults"))
    (tmp_path / "no-faults").mkdir()
    originals = scripted_ears.remembered(pipeline)
    scripted_ears.install()
    yield
    scripted_ears.uninstall(pipeline, originals)


def recording(folder, name="talk.wav"):
    folder.mkdir(parents=True, exist_ok=True)
    sound = 0.1 * np.sin(np.arange(4 * 16_000) / 20)
    soundfile.write(folder / name, sound.astype(np.float32), 16_000)
    return folder / name


def heard(library, source):
    with Store(library) as store:
        meeting = pipeline.analyse(source, store, Jobs(), messages.AnalyseOptions(), silent())
        assert store.meeting(meeting.id).is_complete
    return meeting


def everything(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
    }


def test_nothing_is_written_beside_the_recording_or_where_the_program_runs(tmp_path, monkeypatch):
    source = recording(tmp_path / "in")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for folder in (source.parent, here):
        folder.chmod(0o555)
    before = everything(source.parent), everything(here)
    try:
        heard(tmp_path / "library", source)
        assert (everything(source.parent), everything(here)) == before
    finally:
        for folder in (source.parent, here):
            folder.chmod(0o755)


@pytest.mark.parametrize("place", PLACES)
def test_a_library_and_its_recordings_may_lie_anywhere(tmp_path, capsys, place):
    library = tmp_path / place / "library"
    meeting = heard(library, recording(tmp_path / place))
    with Store(library, read_only=True) as store:
        assert next(u.text for u in store.utterances(meeting.id)) == "we start now then"
        assert care.check(store) == []
    for command in (["list"], ["show", "talk"], ["library", "check"]):
        assert main([*command, f"--library={library}"]) == 0
    out = tmp_path / place / "out" / "talk.srt"
    out.parent.mkdir()
    assert main(["export", "talk", "--format", "srt", "-o", str(out), f"--library={library}"]) == 0
    assert "we start now then" in out.read_text("utf-8-sig")
    care.move(library, tmp_path / place / "moved")
    assert main(["delete", "talk", f"--library={tmp_path / place / 'moved'}"]) == 0
    assert capsys.readouterr().err == ""
    if len(place) > 300:
        assert len(str(library)) > 300
