"""Hearing whole archives on a Dask cluster of the user's own machines.

The files of a folder are spread over the workers. Each is heard in an engine process of its
own into a temporary library, which comes back as one archive and is merged into the library
here. Dask gives the files of a lost worker to another one; a bad file is one failure among the
results. Nothing connects anywhere unless the user names the scheduler's address.

``distributed`` is an optional extra (``pip install earwitness[cluster]``) and is imported here
and nowhere else. A worker needs Earwitness and its models; start it with one thread:
``dask worker ADDRESS --nthreads 1``. Dask trusts everybody who can reach the scheduler: run it
in a network of your own, or with TLS through Dask's configuration, which is honoured.
"""

from __future__ import annotations

import io
import multiprocessing
import secrets
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine import messages, process
from engine.audio.fingerprint import fingerprint
from engine.errors import Cancelled, EngineError, StoreError
from engine.graph import transfer
from engine.graph.store import Store
from engine.jobs import with_settings
from engine.types import Meeting

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS = 15
WORKERLESS_SECONDS = 60
"""How long the cluster may be without any worker before the run is given up."""

STOP_POLL_SECONDS = 2.0
"""How often a worker looks whether the run was stopped."""


@dataclass(frozen=True, slots=True)
class Task:
    """One file to hear, as it travels to a worker.

    Attributes:
        run_id: The same for all files of one call; names the flag that stops them.
        path: On the machine that asks, absolute.
        fingerprint: Of the file's content.
        options: With the settings of the machine that asks filled in.
        content: The file itself, for workers that do not see ``path``; None at first.
    """

    run_id: str
    path: str
    fingerprint: str
    options: messages.AnalyseOptions
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker made of a file.

    Attributes:
        archive: The temporary library as a tar file, None when there is none.
        error: What was wrong with the file or the worker's machine.
        is_unseen: The worker does not see the file and wants its content.
    """

    archive: bytes | None = None
    error: EngineError | None = None
    is_unseen: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one file ended: with a meeting of the library, or with an error.

    Attributes:
        path: The file.
        meeting: In the library here.
        error: Set when there is no meeting.
        was_held: The library had it before; nothing was done.
    """

    path: Path
    meeting: Meeting | None = None
    error: EngineError | None = None
    was_held: bool = False


Hear = Callable[[Path, Path, messages.AnalyseOptions, Callable[[], bool]], None]
"""(file, folder of the temporary library, options, whether to stop): hears the file into it."""


def analyse_files(
    address: str,
    paths: Sequence[Path],
    library_dir: Path,
    options: messages.AnalyseOptions,
    hear: Hear | None = None,
) -> Iterator[Outcome]:
    """Hear files on a cluster and merge them into one library, as they get ready.

    Files the library holds already are not heard again, so an interrupted run is simply started
    anew. Not more files travel at once than the cluster has threads.

    Args:
        address: Of the Dask scheduler, such as ``tcp://10.0.0.5:8786``.
        paths: Files of this machine, seen by the workers or not.
        library_dir: The library that gets the meetings.
        options: How to hear them.
        hear: What a worker does with a file; None for an engine process.

    Yields:
        One outcome per file, in the order they end.

    Raises:
        EngineError: ``distributed`` is not installed, the cluster cannot be reached, or has lost
            all its workers; files done before are in the library.
        StoreError: The library cannot be written.
    """
    run = _Run(secrets.token_hex(8), library_dir, with_settings(options), hear or hear_in_engine)
    waiting: list[tuple[Path, str]] = []
    with Store(library_dir) as store:
        transfer.sweep(store)
        for path in paths:
            try:
                mark = fingerprint(path)
            except EngineError as error:
                yield Outcome(path, error=error)
                continue
            if (held := _held(store, mark)) is not None:
                yield Outcome(path, held, was_held=True)
            else:
                waiting.append((path, mark))
    if not waiting:
        return
    client = _connect(address)
    try:
        yield from _spread(client, run, waiting)
    finally:
        _stop(client, run)


@dataclass(frozen=True, slots=True)
class _Run:
    """What all files of one call share."""

    id: str
    library_dir: Path
    options: messages.AnalyseOptions
    hear: Hear


def _connect(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise EngineError(
            "Clusters need the package `distributed`.",
            "Install it: pip install earwitness[cluster]",
        ) from error
    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"There is no Dask scheduler at {address}.", "Start one: dask scheduler"
        ) from error


def _spread(client: Client, run: _Run, waiting: list[tuple[Path, str]]) -> Iterator[Outcome]:
    """Keep the cluster busy until every file has ended."""
    waiting = list(reversed(waiting))
    under_way: dict[Future, tuple[Path, str]] = {}

    def submit(path: Path, mark: str, content: bytes | None = None) -> None:
        task = Task(run.id, str(path.absolute()), mark, run.options, content)
        future = client.submit(work, task, run.hear, pure=False)
        under_way[future] = (path, mark)

    while waiting or under_way:
        n_threads = _threads(client)
        while waiting and len(under_way) < n_threads:
            submit(*waiting.pop())
        future = _next(client, list(under_way))
        if future is None:  # nothing ended; there may be more workers by now
            continue
        path, mark = under_way.pop(future)
        reply = _reply(future)
        if reply.is_unseen:
            try:
                submit(path, mark, path.read_bytes())
            except OSError as error:
                yield Outcome(path, error=EngineError(f"{path} cannot be read.", str(error)))
            continue
        future.release()
        yield _merged(run, path, mark, reply)


def _threads(client: Client) -> int:
    """Threads of the whole cluster at this moment, waiting for the first worker."""
    deadline = time.monotonic() + WORKERLESS_SECONDS
    while not (n := int(sum(client.nthreads().values()))):
        if time.monotonic() > deadline:
            raise EngineError(
                "The cluster has no workers.", "Start them: dask worker ADDRESS --nthreads 1"
            )
        time.sleep(0.2)
    return n


def _next(client: Client, under_way: list[Future]) -> Future | None:
    """A file that ended, or None after a while."""
    from distributed import CancelledError, wait

    try:
        ended = wait(under_way, timeout=STOP_POLL_SECONDS, return_when="FIRST_COMPLETED")
    except TimeoutError:
        is_lost = client.status not in ("running", "connecting")
    except CancelledError:  # the scheduler went away and took the futures with it
        is_lost = True
    else:
        return next(iter(ended.done))
    if is_lost:
        raise EngineError(
            "The connection to the cluster is lost.",
            "Files done before are in the library; run it again for the rest.",
        )
    return None


def _reply(future: Future) -> Reply:
    """What the worker said, or why it said nothing."""
    from distributed import KilledWorker

    error = future.exception()
    if error is None:
        reply: Reply = future.result()
        return reply
    if isinstance(error, KilledWorker):
        lost = "Every worker that took this file was lost, perhaps for want of memory."
        return Reply(error=EngineError(lost, "Try it on this machine."))
    if isinstance(error, EngineError):
        return Reply(error=error)
    fault = EngineError(f"The worker failed ({type(error).__name__}).", str(error)[:200])
    return Reply(error=fault)


def _stop(client: Client, run: _Run) -> None:
    """Tell workers that still hear files of this run to leave off, and hang up."""
    from distributed import Event

    try:
        if client.status == "running":
            Event(run.id, client=client).set()
    except (OSError, TimeoutError):
        pass  # the scheduler is gone, and the flag with it
    finally:
        client.close(timeout=STOP_POLL_SECONDS)


def _held(store: Store, mark: str) -> Meeting | None:
    """The finished meeting of a file, if the library has one."""
    meeting = store.meeting_by_fingerprint(mark)
    return meeting if meeting is not None and meeting.is_complete else None


def _merged(run: _Run, path: Path, mark: str, reply: Reply) -> Outcome:
    """Bring what a worker sent into the library."""
    if reply.archive is None:
        return Outcome(path, error=reply.error or EngineError("The worker sent nothing."))
    with Store(run.library_dir) as store:
        held = _held(store, mark)
        if held is not None:  # somebody heard it here meanwhile
            return Outcome(path, held, was_held=True)
        try:
            with transfer.temporary_folder(store) as folder:
                meeting_id = _unpacked(reply.archive, folder, store)
        except (tarfile.TarError, ValueError):
            return Outcome(path, error=EngineError("The worker sent a damaged result."))
        return Outcome(path, store.meeting(meeting_id))


def _unpacked(archive: bytes, folder: Path, store: Store) -> str:
    """Copy the meeting of an archive into the library; ValueError when there is not one."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
    except OSError as error:
        raise StoreError(f"The result cannot be unpacked: {error.strerror}.") from error
    with Store(folder) as sent:
        (meeting,) = sent.meetings()
        return transfer.copy_meeting(sent, store, meeting.id).meeting_id


# What follows runs on the workers.


def work(task: Task, hear: Hear) -> Reply:
    """Hear one file on this worker and pack what was found."""
    with tempfile.TemporaryDirectory(prefix="earwitness-") as name:
        source = _source(task, Path(name))
        if source is None:
            return Reply(is_unseen=True)
        library_dir = Path(name) / "library"
        try:
            hear(source, library_dir, task.options, _stop_flag(task.run_id))
        except Cancelled:
            return Reply(error=EngineError("The run was stopped."))
        except EngineError as error:
            return Reply(error=error)
        return Reply(archive=_packed(library_dir, task.fingerprint))


def _source(task: Task, folder: Path) -> Path | None:
    """The file on this machine: the very same one, or its content under the same name."""
    path = Path(task.path)
    if task.content is not None:
        place = folder / path.name
        place.write_bytes(task.content)
        return place
    try:
        return path if fingerprint(path) == task.fingerprint else None
    except EngineError:
        return None


def _stop_flag(run_id: str) -> Callable[[], bool]:
    """A function that tells whether the run was stopped; asks at most every two seconds."""
    from distributed import Event, get_client

    event = Event(run_id, client=get_client())
    last = [time.monotonic()]

    def is_stopped() -> bool:
        if time.monotonic() - last[0] < STOP_POLL_SECONDS:
            return False
        last[0] = time.monotonic()
        return bool(event.is_set())

    return is_stopped


def hear_in_engine(
    source: Path,
    library_dir: Path,
    options: messages.AnalyseOptions,
    is_stopped: Callable[[], bool],
) -> None:
    """Hear a file in an engine process, which ends with this worker.

    Raises:
        EngineError: The file or a model is at fault, or the engine died.
        Cancelled: The run was stopped.
    """
    # WORKAROUND: Dask's nanny starts workers as daemonic processes, which Python does not let
    # have children (github.com/dask/distributed/issues/2142). The engine ends by itself when
    # the pipe to this process closes, which is what the rule is for.
    multiprocessing.process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    engine = process.EngineProcess()
    request = messages.Analyse(process.new_job_id(), str(library_dir), str(source), options)
    try:
        process.run(engine, request, is_cancelled=is_stopped)
    finally:
        engine.close()


def _packed(library_dir: Path, mark: str) -> bytes:
    """The library as a tar file, with nothing left in the log beside it."""
    with Store(library_dir) as store:
        (meeting,) = store.meetings()
        store.update_meeting(meeting.id, fingerprint=mark)
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in sorted(library_dir.rglob("*")):
            if path.is_file() and path.suffix not in (".db-wal", ".db-shm"):
                tar.add(path, str(path.relative_to(library_dir)), recursive=False)
    return buffer.getvalue()
