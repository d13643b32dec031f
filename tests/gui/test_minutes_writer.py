"""Enrichment by itself: after each analysis, behind the queue, over a restart."""

import pytest
from window_fakes import FakeEngineClient

from engine.messages import Analyse, Enrich, Failed, Finished, Stopped
from engine.types import Meeting
from gui.jobs import JobQueue
from gui.minutes_writer import MinutesWriter


def heard(key):
    return Meeting(key, key, f"{key}.wav", "2026-01-01T00:00:00+00:00", 60.0)


@pytest.fixture
def client(qapp):
    return FakeEngineClient("analysis")


@pytest.fixture
def made(client, tmp_path):
    queue = JobQueue(client, tmp_path)
    return queue, MinutesWriter(client, queue, tmp_path)


def kinds(client):
    return [type(request) for request in client.requests]


def test_what_was_heard_is_enriched_when_nothing_waits(made, client, qtbot):
    queue, writer = made
    queue.add("/x/one.wav")
    queue.add("/x/two.wav")
    client.deliver(client.jobs[0], Finished("", heard("m1")))
    assert kinds(client) == [Analyse, Analyse]
    client.deliver(client.jobs[1], Finished("", heard("m2")))
    assert client.requests[-1].meeting_id == "m1"
    with qtbot.waitSignal(writer.written) as signal:
        client.jobs[-1].partial.emit("topics")
    assert signal.args == ["m1"]
    client.deliver(client.jobs[-1], Finished("", ("topics",)))
    assert client.requests[-1].meeting_id == "m2"
    client.deliver(client.jobs[-1], Failed("", "ModelMissing", "No model.", ""))
    assert writer.waiting == []
    assert kinds(client) == [Analyse, Analyse, Enrich, Enrich]


def test_hearing_comes_first_and_writing_goes_on_later(made, client):
    queue, writer = made
    queue.add("/x/one.wav")
    client.deliver(client.jobs[0], Finished("", heard("m1")))
    enriching = client.jobs[-1]
    queue.add("/x/two.wav")
    assert client.cancelled[0] is enriching
    client.deliver(enriching, Stopped(""))
    assert writer.waiting == ["m1"]
    hearing = next(j for j in client.jobs if getattr(j.request, "path", "") == "/x/two.wav")
    client.deliver(hearing, Finished("", heard("m2")))
    assert isinstance(client.requests[-1], Enrich)
    assert client.requests[-1].meeting_id == "m1"


def test_a_restart_forgets_nothing_and_a_deletion_everything(made, client, tmp_path):
    queue, writer = made
    queue.add("/x/one.wav")
    client.deliver(client.jobs[0], Finished("", heard("m1")))
    fresh = FakeEngineClient("again")
    again = MinutesWriter(fresh, JobQueue(fresh, tmp_path), tmp_path)
    again.start()
    assert fresh.requests[-1].meeting_id == "m1"
    again.forget("m1")
    assert fresh.cancelled == fresh.jobs
    assert again.waiting == []
    assert writer.waiting == ["m1"]


def test_it_can_be_switched_off(made, client):
    queue, writer = made
    writer.is_automatic = False
    queue.add("/x/one.wav")
    client.deliver(client.jobs[0], Finished("", heard("m1")))
    assert kinds(client) == [Analyse]
