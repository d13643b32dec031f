"""Starting, talking to and ending an engine process, without Qt.

The engine process holds every native library, so that a crash, a hang or an out-of-memory kill in
one of them takes a job and not the caller. One request runs at a time; further ones wait in the
engine's own queue.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
import uuid
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from engine import errors, messages, vault, worker
from engine.errors import Cancelled, EngineDied, EngineError
from engine.progress import Progress

CANCEL_POLL = 1.0
"""Seconds between two looks at whether the caller wants to stop."""

CANCEL_GRACE = 2.0
"""Seconds a cancelled job gets to end by itself before its process is killed."""


def new_job_id() -> str:
    """Return an id that no other job has."""
    return uuid.uuid4().hex[:12]


def error_of(reply: messages.Failed) -> EngineError:
    """Rebuild the error that a ``Failed`` reply describes."""
    kind = getattr(errors, reply.kind, EngineError)
    if not (isinstance(kind, type) and issubclass(kind, EngineError)):
        kind = EngineError
    error: EngineError = kind(reply.message, reply.hint)
    return error


def hand_keys_over(connection: Connection[Any, Any]) -> None:
    """Tell a new engine process the keys of encrypted libraries, before its first request."""
    keys = vault.keys()
    if keys.by_library:
        # A process that is gone already is noticed by what is sent next.
        with contextlib.suppress(OSError):
            connection.send(keys)


class EngineProcess:
    """One engine process and the pipe to it.

    Not thread-safe for receiving: one thread reads. ``send`` may be called from any thread as
    messages are small. The process ends by itself when this side of the pipe is closed.

    Args:
        target: What the process runs, with its end of the pipe; tests hand in their own.
    """

    def __init__(self, target: Callable[[Any], None] = worker.serve) -> None:
        self._target = target
        self._process: BaseProcess | None = None
        self._connection: Connection[Any, Any] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.is_alive()

    @property
    def pid(self) -> int | None:
        """Process id, None before the first start."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process if it does not run."""
        if self.is_alive:
            return
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=self._target, args=(theirs,), name="earwitness-engine", daemon=True
        )
        process.start()
        # Our copy of the child's end must close, else its death would not show as end of file.
        theirs.close()
        self._process, self._connection = process, ours
        hand_keys_over(ours)

    def send(self, message: messages.Request | messages.Cancel | messages.Shutdown) -> None:
        """Queue a request, starting the process first where needed.

        Raises:
            EngineDied: The process ended before it took the message.
        """
        self.start()
        assert self._connection is not None
        try:
            self._connection.send(message)
        except OSError as error:
            raise self._death() from error

    def receive(self, timeout: float | None = None) -> messages.Reply | None:
        """Return the next reply, or None after ``timeout`` seconds.

        Raises:
            EngineDied: The process ended.
        """
        assert self._connection is not None, "start() comes first"
        try:
            if not self._connection.poll(timeout):
                return None
            reply: messages.Reply = self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._death() from error
        return reply

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        self._close()

    def close(self, grace: float = 3.0) -> None:
        """Ask the process to end and kill it if it does not within ``grace`` seconds."""
        if self._process is None:
            return
        if self.is_alive and self._connection is not None:
            try:
                self._connection.send(messages.Shutdown())
            except OSError:
                pass
            else:
                self._process.join(grace)
        if self.is_alive:
            self._process.kill()
            self._process.join(5)
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _death(self) -> EngineDied:
        """Describe how the process ended, and forget it."""
        code: int | None = None
        if self._process is not None:
            self._process.join(5)
            code = self._process.exitcode
        self._close()
        return EngineDied(
            f"The engine stopped unexpectedly ({describe_exit(code)}).",
            "Nothing else is affected; start the job again to resume after its last stage.",
        )


def describe_exit(code: int | None) -> str:
    """Say in words how a process with this exit code ended."""
    known = {
        -4: "illegal instruction",
        -6: "aborted by a library",
        -9: "killed, often for want of memory",
        -11: "crash in a native library",
        -15: "terminated",
    }
    return known.get(code or 0, f"exit code {code}")


def run(
    process: EngineProcess,
    request: messages.Request,
    on_progress: Callable[[Progress], None] | None = None,
    on_partial: Callable[[object], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Any:
    """Send one request and wait for its result.

    ``KeyboardInterrupt`` while waiting, or ``is_cancelled`` (asked about once a second), cancels
    the job, and kills the process when the job does not end within ``CANCEL_GRACE``.

    Raises:
        EngineError: The job failed, or the process died.
        Cancelled: The job was cancelled.
    """
    process.send(request)
    try:
        watch = _watch(is_cancelled)
        return _await_result(process, request.job_id, on_progress, on_partial, watch)
    except KeyboardInterrupt:
        process.send(messages.Cancel(request.job_id))
        _drain(process, request.job_id)
        raise Cancelled from None


def _await_result(
    process: EngineProcess,
    job_id: str,
    on_progress: Callable[[Progress], None] | None,
    on_partial: Callable[[object], None] | None,
    watch: Callable[[], None],
) -> Any:
    while True:
        reply = process.receive(timeout=CANCEL_POLL)
        watch()
        if reply is None or reply.job_id != job_id:
            continue
        if isinstance(reply, messages.Finished):
            return reply.result
        if isinstance(reply, messages.Failed):
            raise _failure(reply)
        if isinstance(reply, messages.Stopped):
            raise Cancelled
        if isinstance(reply, messages.Progressed) and on_progress:
            on_progress(reply.progress)
        elif isinstance(reply, messages.Partial) and on_partial:
            on_partial(reply.item)


def _watch(is_cancelled: Callable[[], bool] | None) -> Callable[[], None]:
    """A function that stops the waiting when the caller wants to."""

    def watch() -> None:
        if is_cancelled is not None and is_cancelled():
            raise KeyboardInterrupt

    return watch


def _failure(reply: messages.Failed) -> EngineError:
    error = error_of(reply)
    if reply.kind == "Bug":
        error.add_note(reply.details)
    return error


def _drain(process: EngineProcess, job_id: str) -> None:
    """Wait for a cancelled job to end; kill the process when it does not."""
    deadline = time.monotonic() + CANCEL_GRACE
    while time.monotonic() < deadline:
        reply = process.receive(timeout=0.1)
        if isinstance(reply, messages.Stopped | messages.Finished | messages.Failed):
            return
    process.kill()
