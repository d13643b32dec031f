"""The window's only way to an engine process: requests in, jobs with signals out.

``EngineClient`` owns one spawned process. ``submit`` returns a ``Job`` whose signals tell its
fate; nothing here blocks, and a crash of the process is a failed job, never a dead window.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from engine import messages
from engine.process import hand_keys_over

_GRACE_MS = 2500
_JOIN_SECONDS = 3


class Job(QObject):
    """One request on its way.

    Signals:
        started(): It left the engine's queue.
        progressed(Progress): At most ten a second.
        partial(object): A piece of the result, in order.
        finished(object): The result; nothing follows.
        failed(Failed): Nothing follows.
        stopped(): It was cancelled; nothing follows.
        ended(): After finished, failed or stopped.
    """

    started = Signal()
    progressed = Signal(object)
    partial = Signal(object)
    finished = Signal(object)
    failed = Signal(object)
    stopped = Signal()
    ended = Signal()

    def __init__(self, request: messages.Request, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.request = request
        self.id = request.job_id
        self.is_cancelled = False

    def deliver(self, reply: messages.Reply) -> bool:
        """Emit the signal of a reply; True when nothing can follow it."""
        match reply:
            case messages.Started():
                self.started.emit()
            case messages.Progressed(progress=progress):
                self.progressed.emit(progress)
            case messages.Partial(item=item):
                self.partial.emit(item)
            case messages.Finished(result=result):
                self.finished.emit(result)
            case messages.Failed():
                self.failed.emit(reply)
            case messages.Stopped():
                self.stopped.emit()
        is_end = isinstance(reply, messages.Finished | messages.Failed | messages.Stopped)
        if is_end:
            self.ended.emit()
        return is_end


Entry = Callable[[Connection], None]


def _worker_entry() -> Entry:
    """The engine's process entry, imported late so that the window starts without it."""
    from engine.worker import serve

    return serve


class EngineClient(QObject):
    """One engine process and the jobs it has.

    Lives in the GUI thread. Starts the process with the first request and again after a crash.

    Signals:
        job_failed(Job, Failed): For the one place that shows errors; not sent for a cancelled job.
        busy_changed(bool): The process has something to do, or no longer has.
    """

    job_failed = Signal(object, object)
    busy_changed = Signal(bool)
    _received = Signal(int, object)

    def __init__(
        self, name: str, entry: Entry | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._entry = entry
        self._generation = 0
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._jobs: dict[str, Job] = {}
        self._received.connect(self._on_received, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Some job is unfinished."""
        return bool(self._jobs)

    def submit(self, request: messages.Request) -> Job:
        """Send a request; an empty ``job_id`` is filled in."""
        if not request.job_id:
            request = replace(request, job_id=uuid.uuid4().hex)
        job = Job(request, self)
        self._jobs[job.id] = job
        if len(self._jobs) == 1:
            self.busy_changed.emit(True)
        self._send(request)
        return job

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; the process is killed if it does not listen."""
        if job.id not in self._jobs or job.is_cancelled:
            return
        job.is_cancelled = True
        self._send(messages.Cancel(job.id))
        QTimer.singleShot(_GRACE_MS, self, lambda: self._kill_if_deaf(job))

    def close(self) -> None:
        """End the process: politely, then firmly."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        self._generation += 1
        self._jobs.clear()
        if process is None or connection is None:
            return
        # A process that is gone already is what we want.
        with contextlib.suppress(OSError):
            connection.send(messages.Shutdown())
        process.join(_JOIN_SECONDS)
        if process.is_alive():
            process.kill()
            process.join(_JOIN_SECONDS)
        connection.close()

    def _send(self, request: object) -> None:
        if self._connection is None:
            self._start()
        assert self._connection is not None
        try:
            self._connection.send(request)
        except OSError:
            # The reader sees the end of the pipe too and reports every job as failed.
            self._received.emit(self._generation, None)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        entry = self._entry or _worker_entry()
        name = f"earwitness-{self.objectName()}"
        process = context.Process(target=entry, args=(theirs,), name=name, daemon=True)
        process.start()
        # The child keeps the only copy, so that its death is an end of file here.
        theirs.close()
        self._generation += 1
        self._process, self._connection = process, ours
        hand_keys_over(ours)
        threading.Thread(
            target=self._read, args=(ours, self._generation), name=f"{name}-reader", daemon=True
        ).start()

    def _read(self, connection: Connection, generation: int) -> None:
        """Reader thread: forward replies until the pipe ends; touches no widget."""
        while True:
            try:
                reply = connection.recv()
            except (EOFError, OSError):
                reply = None
            try:
                self._received.emit(generation, reply)
            except RuntimeError:
                return  # The window is gone.
            if reply is None:
                return

    def _on_received(self, generation: int, reply: messages.Reply | None) -> None:
        if generation != self._generation:
            return
        if reply is None:
            self._on_died()
            return
        job = self._jobs.get(reply.job_id)
        if job is not None:
            self._deliver(job, reply)

    def _deliver(self, job: Job, reply: messages.Reply) -> None:
        if isinstance(reply, messages.Failed) and job.is_cancelled:
            reply = messages.Stopped(job.id)
        if isinstance(reply, messages.Finished | messages.Failed | messages.Stopped):
            self._jobs.pop(job.id, None)
            job.deleteLater()
        job.deliver(reply)
        if isinstance(reply, messages.Failed):
            self.job_failed.emit(job, reply)
        if not self._jobs:
            self.busy_changed.emit(False)

    def _on_died(self) -> None:
        """The process ended by itself: its running job failed, the next request restarts it."""
        if self._process is not None:
            self._process.join(0)
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None
        self._generation += 1
        for job in list(self._jobs.values()):
            self._deliver(
                job,
                messages.Failed(
                    job.id,
                    "EngineDied",
                    self.tr("The engine stopped unexpectedly."),
                    self.tr("Your recordings are safe. Try again; finished steps are kept."),
                ),
            )

    def _kill_if_deaf(self, job: Job) -> None:
        """After the grace time: end the process, report the job as stopped, redo the others."""
        if job.id not in self._jobs or self._process is None:
            return
        self._process.kill()
        self._generation += 1
        self._process = self._connection = None
        self._deliver(job, messages.Stopped(job.id))
        for other in list(self._jobs.values()):
            self._send(other.request)
