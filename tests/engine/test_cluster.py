"""Spreading files over a cluster, without one: what a worker does and what its reply becomes."""

import sys
from pathlib import Path

import pytest

from engine import cluster, messages
from engine.audio.fingerprint import fingerprint
from engine.cli import hear
from engine.errors import AudioError, EngineError
from engine.graph.store import Store
from engine.types import Utterance


def files(folder, **texts):
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.wav").write_text(text, "utf-8")
    return sorted(folder.glob("*.wav"))


def heard(source, library_dir, options, is_stopped):
    text = Path(source).read_text("utf-8")
    if "broken" in text:
        raise AudioError("It contains no sound.")
    with Store(library_dir) as store:
        meeting = store.create_meeting(Path(source).stem, Path(source).name)
        store.save_utterances(meeting.id, [Utterance(0, 0, 1, "Ann", text)])
        (store.media_dir(meeting.id) / "audio.flac").write_bytes(text.encode())
        store.update_meeting(meeting.id, is_complete=True)


@pytest.fixture
def worked(tmp_path, monkeypatch):
    """Do the work of one file here; returns its outcome in the library."""
    monkeypatch.setattr(cluster, "_stop_flag", lambda run_id: lambda: False)
    run = cluster._Run("r", tmp_path / "library", messages.AnalyseOptions(), heard)

    def work(path, **changes):
        mark = fingerprint(path)
        place = changes.get("seen_at", str(path))
        task = cluster.Task("r", place, mark, run.options, changes.get("content"))
        reply = cluster.work(task, heard)
        return reply, cluster._merged(run, path, mark, reply)

    return work


def test_what_a_worker_heard_becomes_a_meeting_here(worked, tmp_path):
    (path,) = files(tmp_path / "in", a="hello")
    _, outcome = worked(path)
    with Store(tmp_path / "library") as store:
        assert [u.text for u in store.utterances(outcome.meeting.id)] == ["hello"]
        assert store.meeting_by_fingerprint(fingerprint(path)) == outcome.meeting
        assert [p.name for p in (tmp_path / "library" / "media").iterdir()] == [outcome.meeting.id]
    _, again = worked(path)
    assert again.was_held
    assert again.meeting == outcome.meeting


def test_a_bad_file_is_an_error_and_no_meeting(worked, tmp_path):
    (path,) = files(tmp_path / "in", a="broken")
    _, outcome = worked(path)
    assert "no sound" in outcome.error.message
    with Store(tmp_path / "library") as store:
        assert store.meetings() == []


def test_a_worker_that_does_not_see_the_file_asks_for_it(worked, tmp_path):
    (path,) = files(tmp_path / "in", a="hello")
    reply, _ = worked(path, seen_at="/elsewhere/a.wav")
    assert reply.is_unseen
    other = tmp_path / "other.wav"
    other.write_text("another file of that name")
    reply, _ = worked(path, seen_at=str(other))
    assert reply.is_unseen
    reply, outcome = worked(path, seen_at="/elsewhere/a.wav", content=path.read_bytes())
    assert outcome.meeting.title == "a"


def test_a_damaged_reply_is_said(tmp_path):
    run = cluster._Run("r", tmp_path / "library", messages.AnalyseOptions(), heard)
    reply = cluster.Reply(archive=b"nonsense" * 100)
    outcome = cluster._merged(run, tmp_path / "a.wav", "x", reply)
    assert "damaged" in outcome.error.message
    assert not list((tmp_path / "library" / "media").iterdir())


def test_without_the_extra_the_way_to_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match=r"earwitness\[cluster\]"):
        list(
            cluster.analyse_files(
                "tcp://x:1", files(tmp_path, a="x"), tmp_path / "l", messages.AnalyseOptions()
            )
        )


def test_a_folder_without_recordings_is_said(tmp_path):
    with pytest.raises(AudioError):
        hear.recordings([tmp_path])


def test_folders_give_their_recordings_and_named_files_are_always_tried(tmp_path):
    inside = tmp_path / "talks" / "old"
    inside.mkdir(parents=True)
    for name in ("a.WAV", "b.txt", "._c.wav", "d.opus"):
        (inside / name).touch()
    named = tmp_path / "odd.bin"
    assert hear.recordings([tmp_path / "talks", named]) == [
        inside / "a.WAV",
        inside / "d.opus",
        named,
    ]
