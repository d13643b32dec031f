"""The engine process: takes requests from a pipe, runs one job at a time, replies.

The reader thread only sorts messages: a ``Cancel`` raises a flag that the running job's report
looks at, everything else joins the queue. The single broad ``except`` of the engine is here, at
the border of a job: whatever goes wrong inside becomes a ``Failed`` reply and the next job runs.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import queue
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

from engine import messages, openmp, paths, vault
from engine.errors import Cancelled, EngineError
from engine.progress import Progress, Report

PROGRESS_INTERVAL = 0.1
"""Shortest time in seconds between two progress messages of one stage."""

EXIT_GRACE = 5.0
"""Seconds a job may go on after the other side is gone before the process ends hard."""


def serve(connection: Connection[Any, Any]) -> None:
    """Run jobs until the other side asks to stop or goes away. Entry point of the process."""
    _prepare_process()
    # Imported here, after the environment is set: ggml reads it when its library is loaded.
    from engine.jobs import Jobs

    inbox = _Inbox(connection)
    jobs = Jobs()
    while (request := inbox.next_request()) is not None:
        _run(request, jobs, connection, inbox)


def _prepare_process() -> None:
    """Set what native libraries read at load time, and keep their chatter off our pipes."""
    openmp.configure()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    log_dir = paths.log_dir()
    try:
        log_dir.mkdir(parents=True, exist_ok=True)
        log = (log_dir / "engine.log").open("w", encoding="utf-8")
    except OSError:
        log = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - lives as long as we
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    sys.stdout = sys.stderr = log
    faulthandler.enable(log)


class _Inbox:
    """The reader thread and what it sorts.

    Attributes:
        cancelled: Ids of jobs the user asked to stop.
    """

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._requests: queue.Queue[messages.Request | None] = queue.Queue()
        self.cancelled: set[str] = set()
        self._is_closing = False
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def next_request(self) -> messages.Request | None:
        """Wait for the next job; None when there will be none."""
        return self._requests.get()

    def is_cancelled(self, job_id: str) -> bool:
        """Whether this job should stop."""
        return self._is_closing or job_id in self.cancelled

    def _read(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while not isinstance(message := self._connection.recv(), messages.Shutdown):
                if isinstance(message, messages.Cancel):
                    self.cancelled.add(message.job_id)
                elif isinstance(message, vault.Keys):
                    vault.adopt(message)
                else:
                    self._requests.put(message)
        self._is_closing = True
        self._requests.put(None)
        # A native call that never returns must not leave an orphan behind.
        time.sleep(EXIT_GRACE)
        os._exit(0)


class _Outbox:
    """Sends the replies of one job; progress at most every ``PROGRESS_INTERVAL``."""

    def __init__(self, connection: Connection[Any, Any], job_id: str) -> None:
        self._connection = connection
        self._job_id = job_id
        self._last: tuple[float, str] = (0.0, "")

    def send(self, reply: messages.Reply) -> None:
        """Send, or give up silently when nobody listens any more."""
        with contextlib.suppress(OSError):
            self._connection.send(reply)

    def progress(self, progress: Progress) -> None:
        """Pass progress on unless the last one was a moment ago."""
        now = time.monotonic()
        last, stage = self._last
        if now - last < PROGRESS_INTERVAL and stage == progress.stage and progress.fraction < 1:
            return
        self._last = (now, progress.stage)
        self.send(messages.Progressed(self._job_id, progress))

    def partial(self, item: object) -> None:
        """Pass a piece of the result on."""
        self.send(messages.Partial(self._job_id, item))


def _run(
    request: messages.Request, jobs: Any, connection: Connection[Any, Any], inbox: _Inbox
) -> None:
    """Run one job and send how it ended."""
    job_id = request.job_id
    outbox = _Outbox(connection, job_id)
    outbox.send(messages.Started(job_id))
    report = Report(outbox.progress, lambda: inbox.is_cancelled(job_id))
    try:
        report.check()
        result = jobs.run(request, report, outbox.partial)
    except Cancelled:
        outbox.send(messages.Stopped(job_id))
    except EngineError as error:
        outbox.send(messages.Failed(job_id, type(error).__name__, error.message, error.hint))
    except MemoryError:
        outbox.send(
            messages.Failed(
                job_id,
                "EngineError",
                "There is not enough memory for this job.",
                "Close other programs or choose a smaller model.",
            )
        )
    except Exception as error:  # noqa: BLE001 - the border of a job: a bug ends the job, not us
        outbox.send(_bug(job_id, error))
    else:
        outbox.send(messages.Finished(job_id, result))


def _bug(job_id: str, error: Exception) -> messages.Failed:
    """Describe a fault of ours by where it happened, not by the data it happened on."""
    frames = traceback.extract_tb(error.__traceback__)
    where = "\n".join(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames)
    traceback.print_exc()
    return messages.Failed(
        job_id,
        "Bug",
        f"Something went wrong inside Earwitness ({type(error).__name__}).",
        "This is a fault of the program; please report it with the details.",
        f"{type(error).__name__}\n{where}",
    )
