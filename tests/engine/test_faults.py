"""The engine under fire: whatever happens to it, the library is whole and the job can go on.

Models are made up (``scripted_ears``); processes, signals, disks and the library are real.
"""

import os
import subprocess

import numpy as np
import pytest
import scripted_ears
import soundfile

from engine import messages, pipeline, process
from engine.errors import AudioError, Cancelled, EngineDied, EngineError, ModelMissing, StoreError
from engine.graph import care
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.progress import silent

STAGES = scripted_ears.STAGES
SLOW = pytest.mark.end2end  # needs no model, but several processes


@pytest.fixture
def faults(tmp_path, monkeypatch):
    folder = tmp_path / "faults"
    folder.mkdir()
    monkeypatch.setenv("EARS_FAULTS", str(folder))

    def order(name, text=""):
        (folder / name).write_text(str(text))

    order.ran = lambda: (folder / "log").read_text().split() if (folder / "log").exists() else []
    return order


@pytest.fixture
def engine():
    engine = process.EngineProcess(scripted_ears.serve)
    yield engine
    engine.kill()


@pytest.fixture
def ears(faults):
    """The made-up models in this very process, where no process is needed."""
    originals = scripted_ears.remembered(pipeline)
    scripted_ears.install()
    yield faults
    scripted_ears.uninstall(pipeline, originals)


def recording(folder, name="talk.wav", level=0.1):
    folder.mkdir(exist_ok=True)
    sound = level * np.sin(np.arange(4 * 16_000) / 20)
    soundfile.write(folder / name, sound.astype(np.float32), 16_000)
    return folder / name


def analyse(library, source):
    return messages.Analyse(process.new_job_id(), str(library), str(source))


def here(library, source):
    with Store(library) as store:
        options = messages.AnalyseOptions()
        return pipeline.analyse(source, store, Jobs(), options, silent())


def assert_whole(library, n_meetings):
    with Store(library) as store:
        assert care.check(store) == []
        meetings = store.meetings()
        assert len(meetings) == n_meetings
        for meeting in meetings:
            assert meeting.is_complete
            assert [u.text for u in store.utterances(meeting.id)] == [
                "we start now then",
                "we talk about water",
            ]


@pytest.mark.parametrize(
    ("stage", "fault", "words"),
    [
        ("transcribe", "segv", "crash in a native library"),
        pytest.param("decode", "kill", "killed", marks=SLOW),
        pytest.param("diarize", "ill", "illegal instruction", marks=SLOW),
        pytest.param("merge", "abort", "aborted by a library", marks=SLOW),
        pytest.param("acoustics", "exit", "code 255", marks=SLOW),
        pytest.param("index", "kill", "killed", marks=SLOW),
    ],
)
def test_a_dead_engine_is_said_and_the_job_goes_on(engine, faults, tmp_path, stage, fault, words):
    source, library = recording(tmp_path / "in"), tmp_path / "library"
    faults(f"{stage}.{fault}")
    with pytest.raises(EngineDied) as caught:
        process.run(engine, analyse(library, source))
    assert words in caught.value.message
    assert "resume" in caught.value.hint
    process.run(engine, analyse(library, source))
    # each stage ran once, only the one that died ran twice
    assert faults.ran() == [s for s in STAGES for _ in range(2 if s == stage else 1)]
    assert_whole(library, 1)


def test_a_hanging_engine_is_killed_when_the_user_cancels(engine, faults, tmp_path, monkeypatch):
    source, library = recording(tmp_path / "in"), tmp_path / "library"
    faults("transcribe.hang")
    monkeypatch.setattr(process, "CANCEL_GRACE", 0.3)

    def is_cancelled():
        return "transcribe" in faults.ran()

    with pytest.raises(Cancelled):
        process.run(engine, analyse(library, source), is_cancelled=is_cancelled)
    assert not engine.is_alive
    process.run(engine, analyse(library, source))
    assert_whole(library, 1)


def test_want_of_memory_and_bugs_end_the_job_and_not_the_process(engine, faults, tmp_path):
    source, library = recording(tmp_path / "in"), tmp_path / "library"
    for fault, words in (("memory", "memory"), ("bug", "inside Earwitness")):
        faults(f"diarize.{fault}")
        with pytest.raises(EngineError, match=words):
            process.run(engine, analyse(library, source))
        first = engine.pid
    process.run(engine, analyse(library, source))
    assert engine.pid == first
    assert_whole(library, 1)


def test_one_bad_file_or_a_cancel_does_not_touch_the_rest_of_a_queue(engine, faults, tmp_path):
    folder, library = tmp_path / "in", tmp_path / "library"
    names = ["a.wav", "empty.wav", "b.wav", "slow.wav", "c.wav"]
    for i, name in enumerate(names):
        recording(folder, name, 0.1 + i / 20)
    (folder / "empty.wav").write_bytes(b"")
    ended = {}
    for name in names:
        request = analyse(library, folder / name)
        if name == "slow.wav":
            faults("transcribe.slow")
        engine.send(request)
        while name not in ended:
            reply = engine.receive(60)
            assert reply is not None
            if isinstance(reply, messages.Finished | messages.Failed | messages.Stopped):
                ended[name] = reply
            is_slow = name == "slow.wav" and isinstance(reply, messages.Progressed)
            if is_slow and reply.progress.stage == pipeline.Stage.TRANSCRIBE:
                engine.send(messages.Cancel(request.job_id))
    assert isinstance(ended["empty.wav"], messages.Failed)
    assert "empty.wav" in ended["empty.wav"].message
    assert isinstance(ended["slow.wav"], messages.Stopped)
    assert [type(ended[n]) for n in ("a.wav", "b.wav", "c.wav")] == [messages.Finished] * 3
    process.run(engine, analyse(library, folder / "slow.wav"))  # what was heard of it was kept
    assert_whole(library, 4)
    assert faults.ran().count("decode") == 5


@SLOW
def test_twenty_jobs_at_once_all_end_well(engine, faults, tmp_path):
    folder, library = tmp_path / "in", tmp_path / "library"
    waiting = set()
    for i in range(20):
        request = analyse(library, recording(folder, f"{i}.wav", 0.1 + i / 50))
        waiting.add(request.job_id)
        engine.send(request)
    while waiting:
        reply = engine.receive(60)
        assert not isinstance(reply, messages.Failed | messages.Stopped | None), reply
        if isinstance(reply, messages.Finished):
            waiting.remove(reply.job_id)
    assert_whole(library, 20)


@SLOW
def test_two_engines_share_one_library(engine, faults, tmp_path):
    other = process.EngineProcess(scripted_ears.serve)
    folder, library = tmp_path / "in", tmp_path / "library"
    try:
        for i in range(6):
            source = recording(folder, f"{i}.wav", 0.1 + i / 20)
            (engine if i % 2 else other).send(analyse(library, source))
        for one in (engine, other):
            n_finished = 0
            while n_finished < 3:
                reply = one.receive(60)
                assert not isinstance(reply, messages.Failed | None), reply
                n_finished += isinstance(reply, messages.Finished)
    finally:
        other.kill()
    assert_whole(library, 6)


@pytest.mark.parametrize("stage", STAGES)
def test_a_model_that_goes_missing_is_one_clear_line(ears, tmp_path, stage):
    """B12: a fault of the engine is not called silence."""
    source, library = recording(tmp_path / "in"), tmp_path / "library"
    ears(f"{stage}.model")
    with pytest.raises(ModelMissing, match="whisper-base") as caught:
        here(library, source)
    assert "\n" not in str(caught.value)
    here(library, source)
    assert_whole(library, 1)


def test_a_source_that_vanishes_after_decoding_is_not_missed(ears, tmp_path):
    source, library = recording(tmp_path / "in"), tmp_path / "library"
    ears("vad.unlink", source)
    here(library, source)
    assert_whole(library, 1)


def test_a_source_that_vanishes_before_decoding_leaves_nothing(ears, tmp_path):
    source, library = recording(tmp_path / "in"), tmp_path / "library"
    ears("decode.unlink", source)
    with pytest.raises(AudioError, match="is not a file"):
        here(library, source)
    assert_whole(library, 0)
    assert not list((library / "media").iterdir())


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 3 MB; needs the right to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("stage", STAGES)
def test_a_full_disk_is_one_clear_line_at_every_stage(ears, tmp_path, small_disk, stage):
    source, library = recording(tmp_path / "in"), small_disk / "library"
    with Store(library):
        pass
    ears(f"{stage}.fill", small_disk)
    with pytest.raises(EngineError, match=r"[Dd]isk") as caught:
        here(library, source)
    assert "\n" not in str(caught.value)
    assert "full" in str(caught.value)
    (small_disk / "filler").unlink()
    with Store(library) as store:
        assert [p for p in care.check(store) if "n_utterances" in p] == []
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    here(library, source)
    assert_whole(library, 1)


def test_a_read_only_library_is_one_clear_line(ears, tmp_path, small_disk):
    source, library = recording(tmp_path / "in"), small_disk / "library"
    here(library, source)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError, match="cannot be written") as caught:
        here(library, recording(tmp_path / "in", "other.wav", 0.3))
    assert "\n" not in str(caught.value)
    with Store(library, read_only=True) as store:
        assert len(store.meetings()) == 1
