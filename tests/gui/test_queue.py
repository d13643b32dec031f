"""The queue of recordings: order, failures, restarts (field reports G8, G9)."""

import pytest
import window_fakes as fakes

from engine.messages import Analyse, Failed, Finished, ImportTranscript, Stopped
from engine.progress import Progress
from engine.types import Meeting
from gui.jobs import JobQueue, State

MEETING = Meeting("m1", "One", "one.wav", "2026-11-30T10:00:00")


@pytest.fixture
def client(qapp):
    return fakes.FakeEngineClient("analysis")


@pytest.fixture
def queue(client, tmp_path):
    return JobQueue(client, tmp_path)


def names(queue):
    return [task.name for task in queue.tasks]


def test_one_at_a_time_in_order(queue, client):
    for name in ("a.wav", "b.MP3", "c.vtt"):
        queue.add(f"/x/{name}")
    assert len(client.requests) == 1
    client.deliver(client.jobs[0], Finished("", MEETING))
    client.deliver(client.jobs[1], Finished("", MEETING))
    assert [type(r) for r in client.requests] == [Analyse, Analyse, ImportTranscript]
    assert names(queue) == ["c.vtt"]


def test_a_bad_file_does_not_stop_the_batch(queue, client, qtbot):
    for name in ("good.wav", "empty.wav", "good2.wav"):
        queue.add(f"/x/{name}")
    client.deliver(client.jobs[0], Finished("", MEETING))
    with qtbot.waitSignal(queue.task_failed):
        client.deliver(client.jobs[1], Failed("", "AudioError", "No audio.", "Choose another."))
    assert len(client.requests) == 3
    (failed,) = [task for task in queue.tasks if task.state == State.FAILED]
    assert failed.error == "No audio. Choose another."
    client.deliver(client.jobs[2], Finished("", MEETING))
    queue.retry(failed.id)
    assert client.requests[3].path == "/x/empty.wav"


def test_cancel_and_reorder(queue, client):
    tasks = [queue.add(f"/x/{name}.wav") for name in "abcd"]
    queue.move(tasks[3].id, -2)
    assert names(queue) == ["a.wav", "d.wav", "b.wav", "c.wav"]
    queue.cancel(tasks[2].id)
    assert names(queue) == ["a.wav", "d.wav", "b.wav"]
    queue.cancel(tasks[0].id)
    assert client.cancelled == [client.jobs[0]]
    client.deliver(client.jobs[0], Stopped(""))
    assert client.requests[1].path == "/x/d.wav"
    assert names(queue) == ["d.wav", "b.wav"]


def test_pause_keeps_the_running_one_for_later(queue, client):
    queue.add("/x/a.wav")
    queue.set_paused(True)
    client.deliver(client.jobs[0], Stopped(""))
    assert names(queue) == ["a.wav"]
    assert len(client.requests) == 1
    queue.set_paused(False)
    assert len(client.requests) == 2


def test_a_restart_loses_nothing(queue, client, tmp_path):
    for name in "abc":
        queue.add(f"/x/{name}.wav")
    client.deliver(client.jobs[0], Failed("", "AudioError", "No.", ""))
    again = JobQueue(fakes.FakeEngineClient("analysis"), tmp_path)
    assert names(again) == ["a.wav", "b.wav", "c.wav"]
    assert [task.state for task in again.tasks] == [State.FAILED, State.WAITING, State.WAITING]
    again.start()
    assert again.running.name == "b.wav"


def test_a_damaged_list_is_no_obstacle(client, tmp_path):
    (tmp_path / "queue.json").write_text("[{")
    assert JobQueue(client, tmp_path).tasks == []


def test_progress_is_shown_with_what_is_left(running, clients):
    running.queue.add("/x/talk.wav")
    clients.analysis.jobs[-1].progressed.emit(Progress("transcribe", 0.5, 0.4, 125))
    bar = running.window.parts.jobs
    assert bar.isVisible()
    text = bar._text.text()
    assert "talk.wav" in text
    assert "40%" in text
    assert "2 min" in text


def test_files_folders_and_upper_case_can_be_dropped(running, clients, tmp_path, dialogs):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    for name in ("A.WAV", "deep/b.Opus", "notes.txt", "c.srt"):
        (folder / name).touch()
    meetings = running.window.parts.meetings
    assert meetings.add_paths([str(folder), str(folder / "c.srt")]) == 3
    assert meetings.add_paths([str(tmp_path / "nothing")]) == 0
    assert "no recording" in running.window.parts.banner.text()


def test_a_finished_meeting_opens_when_nothing_else_is(meeting, running, clients, qtbot):
    running.queue.add("/x/talk.wav")
    with qtbot.waitSignal(running.session.opened):
        clients.analysis.deliver(clients.analysis.jobs[-1], Finished("", meeting))
    assert running.session.meeting_id == meeting.id
