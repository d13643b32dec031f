"""The border to the engine, with small real processes."""

import pytest
from echo_engine import echo

from engine import messages
from gui.engine_client import EngineClient


@pytest.fixture
def client(qapp):
    made = EngineClient("test", echo)
    yield made
    made.close()


def search(text):
    return messages.Search("", "/library", text)


def result(client, qtbot, text):
    job = client.submit(search(text))
    with qtbot.waitSignal(job.finished, timeout=30_000) as signal:
        pass
    return signal.args[0]


def test_replies_reach_the_job_that_asked(client, qtbot):
    partials = []
    job = client.submit(search("hello"))
    job.partial.connect(partials.append)
    with qtbot.waitSignals([job.started, job.finished, job.ended], timeout=30_000):
        pass
    assert partials == ["h"]
    assert not client.is_busy


def test_a_failure_is_told_once(client, qtbot):
    job = client.submit(search("fail"))
    with qtbot.waitSignal(client.job_failed, timeout=30_000) as signal:
        pass
    assert signal.args[0] is job
    assert signal.args[1].message == "No."


def test_a_crash_fails_the_job_and_the_next_one_gets_a_new_process(client, qtbot):
    _text, first = result(client, qtbot, "one")
    job = client.submit(search("die"))
    with qtbot.waitSignal(job.failed, timeout=30_000) as signal:
        pass
    assert signal.args[0].kind == "EngineDied"
    _text, second = result(client, qtbot, "two")
    assert first != second


def test_a_deaf_job_is_killed_and_the_others_go_on(client, qtbot, monkeypatch):
    monkeypatch.setattr("gui.engine_client._GRACE_MS", 50)
    stuck = client.submit(search("hang"))
    with qtbot.waitSignal(stuck.started, timeout=30_000):
        pass
    waiting = client.submit(search("patient"))
    with qtbot.waitSignals([stuck.stopped, waiting.finished], timeout=30_000):
        client.cancel(stuck)


def test_closing_leaves_no_process(qapp, qtbot):
    client = EngineClient("test", echo)
    result(client, qtbot, "x")
    process = client._process
    client.close()
    assert not process.is_alive()


def test_it_never_blocks(client, qtbot, monkeypatch):
    # It hangs, and is killed at the end.
    monkeypatch.setattr("gui.engine_client._JOIN_SECONDS", 0.1)
    result(client, qtbot, "warm")
    hanging = client.submit(search("hang"))
    ended = []
    hanging.ended.connect(lambda: ended.append(hanging))
    for n in range(50):
        client.submit(search(str(n)))
    assert client.is_busy  # nothing waited for an answer
    assert ended == []
    client.close()
