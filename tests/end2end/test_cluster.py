"""A cluster of two worker processes on this machine; what they hear is made up."""

import dataclasses
import importlib.util
import os
import signal
import time
from pathlib import Path

import pytest
import soundfile

from engine import cluster, messages
from engine.__main__ import main
from engine.errors import AudioError
from engine.graph.store import Store
from engine.types import Utterance

pytestmark = [
    pytest.mark.end2end,
    pytest.mark.skipif(
        importlib.util.find_spec("distributed") is None,
        reason="the extra `cluster` is not installed",
    ),
]
SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "meeting.opus"


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    import distributed  # here, since it takes a second that the quick tests would wait for as well

    place = tmp_path_factory.mktemp("dask")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(place),
        silence_logs=50,
    ) as started:
        started.adapt(minimum=2, maximum=2, interval="500ms")  # workers that die are replaced
        yield started


def ear():
    """A function made inside another travels whole; the workers cannot import this file."""

    def heard(source, library_dir, options, is_stopped):
        """Stands in for the engine: a file's text is what was said in it."""
        text = Path(source).read_text("utf-8")
        if "broken" in text:
            raise AudioError(f"{Path(source).name} contains no sound.")
        if "stop me" in text:
            while not is_stopped():
                time.sleep(0.05)
            Path(text.split("|")[1]).touch()
        if "deadly" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "|once" in text:
            mark = Path(text.split("|")[0])
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        with Store(library_dir) as store:
            meeting = store.create_meeting(options.title or Path(source).stem, Path(source).name)
            store.save_utterances(meeting.id, [Utterance(0, 0, 1, "Ann", text)])
            (store.media_dir(meeting.id) / "audio.flac").write_bytes(b"sound of " + text.encode())
            store.update_meeting(meeting.id, is_complete=True)

    return heard


def files(folder, **texts):
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.wav").write_text(text, "utf-8")
    return sorted(folder.glob("*.wav"))


def spread(workers, paths, library_dir):
    options = messages.AnalyseOptions(language="en")
    return {
        outcome.path.stem: outcome
        for outcome in cluster.analyse_files(
            workers.scheduler_address, paths, library_dir, options, ear()
        )
    }


def titles(library_dir):
    with Store(library_dir) as store:
        return sorted(meeting.title for meeting in store.meetings())


def test_a_folder_is_heard_into_one_library_and_a_bad_file_stops_nobody(workers, tmp_path):
    paths = files(tmp_path / "in", a="hello", b="broken", c="good day", d="goodbye")
    library = tmp_path / "library"
    outcomes = spread(workers, paths, library)
    assert titles(library) == ["a", "c", "d"]
    assert "no sound" in outcomes["b"].error.message
    with Store(library) as store:
        meeting = outcomes["c"].meeting
        assert [u.text for u in store.utterances(meeting.id)] == ["good day"]
        assert (store.media_dir(meeting.id) / "audio.flac").read_bytes() == b"sound of good day"
        kept = {path.name for path in (library / "media").iterdir()}
        assert kept == {m.id for m in store.meetings()}

    again = spread(workers, paths, library)
    assert again["a"].was_held
    assert titles(library) == ["a", "c", "d"]


def test_the_files_of_a_lost_worker_are_redone(workers, tmp_path):
    mark = tmp_path / "mark"
    paths = files(tmp_path / "in", a=f"{mark}|once", b="hello", c="good day")
    outcomes = spread(workers, paths, tmp_path / "library")
    assert mark.exists()
    assert [o.error for o in outcomes.values()] == [None] * 3
    assert titles(tmp_path / "library") == ["a", "b", "c"]


def test_a_file_that_kills_every_worker_is_given_up_alone(workers, tmp_path):
    paths = files(tmp_path / "in", a="deadly", b="hello")
    outcomes = spread(workers, paths, tmp_path / "library")
    assert "lost" in outcomes["a"].error.message
    assert titles(tmp_path / "library") == ["b"]


def test_a_worker_that_does_not_see_the_file_gets_its_content(workers, tmp_path, monkeypatch):
    paths = files(tmp_path / "in", a="hello")
    real = cluster.work

    def work(task, hear):
        blind = dataclasses.replace(task, path="/elsewhere/a.wav")
        return real(blind, hear)

    monkeypatch.setattr(cluster, "work", work)
    spread(workers, paths, tmp_path / "library")
    assert titles(tmp_path / "library") == ["a"]


def test_stopping_stops_the_workers_too(workers, tmp_path):
    ended = tmp_path / "ended"
    paths = files(tmp_path / "in", a=f"stop me|{ended}", b="hello")
    run = cluster.analyse_files(
        workers.scheduler_address, paths, tmp_path / "library", messages.AnalyseOptions(), ear()
    )
    assert next(run).path.stem == "b"
    run.close()
    deadline = time.monotonic() + 20
    while not ended.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample meeting is not there")
def test_real_sound_is_heard_by_engine_processes_of_the_workers(workers, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    samples, rate = soundfile.read(SAMPLE, dtype="float32")
    for name, start in (("first", 0), ("second", 20)):
        soundfile.write(folder / f"{name}.wav", samples[start * rate : (start + 20) * rate], rate)
    (folder / "empty.wav").touch()
    library = tmp_path / "library"
    status = main(
        ["--library", str(library), "analyse", "--cluster", workers.scheduler_address, str(folder)]
    )
    assert status == 1  # for the empty one
    with Store(library) as store:
        meetings = store.meetings()
        assert sorted(m.title for m in meetings) == ["first", "second"]
        for meeting in meetings:
            assert meeting.is_complete
            assert meeting.n_utterances
            assert (store.media_dir(meeting.id) / "audio.flac").exists()


def test_a_scheduler_that_is_not_there_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    paths = files(tmp_path / "in", a="hello")
    address = "tcp://127.0.0.1:1"
    status = main(
        ["--library", str(tmp_path / "l"), "analyse", "--cluster", address, *map(str, paths)]
    )
    assert status == 1
    assert "no Dask scheduler at tcp://127.0.0.1:1" in capsys.readouterr().err
