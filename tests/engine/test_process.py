"""The border to the engine process, with real processes and requests that need no model."""

import os
import signal

import pytest

from engine import messages, process
from engine.errors import EngineDied, EngineError, MeetingNotFound
from engine.graph.store import Store


@pytest.fixture
def engine():
    engine = process.EngineProcess()
    yield engine
    engine.close()


def delete(library, meeting_id):
    return messages.Delete(process.new_job_id(), str(library), meeting_id)


def test_results_and_errors_cross_the_border_and_the_process_goes_on(engine, tmp_path):
    with Store(tmp_path) as store:
        meeting = store.create_meeting("Talk", "talk.wav")
    with pytest.raises(MeetingNotFound) as caught:
        process.run(engine, delete(tmp_path, "nobody"))
    assert "nobody" in caught.value.message
    receipt = process.run(engine, delete(tmp_path, meeting.id))
    assert receipt.title == "Talk"


def test_a_bug_is_reported_by_its_place_not_by_its_data(engine):
    engine.send(messages.Delete("bad", ("secret",), "x"))
    replies = [engine.receive(20), engine.receive(20)]
    failed = replies[-1]
    assert isinstance(failed, messages.Failed)
    assert failed.kind == "Bug"
    assert "jobs.py" in failed.details
    assert "secret" not in failed.message + failed.details


def test_a_killed_process_is_noticed_and_the_next_request_starts_another(engine, tmp_path):
    engine.start()
    first = engine.pid
    os.kill(first, signal.SIGKILL)
    with pytest.raises(EngineDied) as caught:
        engine.receive(20)
    assert "killed" in caught.value.message
    with pytest.raises(MeetingNotFound):
        process.run(engine, delete(tmp_path, "nobody"))
    assert engine.pid != first


def test_the_process_ends_when_the_other_side_goes_away(engine):
    engine.start()
    child = engine._process
    engine._connection.close()
    child.join(20)
    assert child.exitcode == 0


def test_twenty_requests_at_once_are_all_answered(engine, tmp_path):
    ids = {f"job{i}" for i in range(20)}
    for job_id in ids:
        engine.send(messages.Delete(job_id, str(tmp_path), "nobody"))
    ended = set()
    while ended != ids:
        reply = engine.receive(20)
        assert reply is not None
        if isinstance(reply, messages.Failed):
            assert reply.kind == "MeetingNotFound"
            ended.add(reply.job_id)


def test_a_queued_job_can_be_cancelled(engine, tmp_path):
    engine.start()
    engine.send(messages.Cancel("later"))
    engine.send(messages.Delete("later", str(tmp_path), "nobody"))
    replies = [engine.receive(20), engine.receive(20)]
    assert [type(reply) for reply in replies] == [messages.Started, messages.Stopped]


@pytest.mark.parametrize(("code", "words"), [(-11, "crash"), (-9, "killed"), (3, "code 3")])
def test_exit_codes_are_put_into_words(code, words):
    assert words in process.describe_exit(code)


def test_an_unknown_kind_of_failure_is_still_an_engine_error():
    error = process.error_of(messages.Failed("x", "Bug", "It broke.", "Report it."))
    assert type(error) is EngineError


class SlowEngine:
    """Says nothing for hours, then finishes; time is counted in polls."""

    def __init__(self, n_polls):
        self.left = n_polls
        self.is_killed = False

    def send(self, message):
        self.job_id = message.job_id

    def receive(self, timeout):
        self.left -= 1
        return None if self.left else messages.Finished(self.job_id, "heard")

    def kill(self):
        self.is_killed = True


def test_a_slow_job_is_never_given_up(tmp_path):
    """B10: three hours without a sign of life are no reason to kill a job."""
    slow = SlowEngine(int(3 * 3600 / process.CANCEL_POLL))
    assert process.run(slow, delete(tmp_path, "any")) == "heard"
    assert not slow.is_killed
