"""Reading the library without making the window wait.

One thread with its own read-only store answers every read of the window, in order. The engine
processes are the only ones that write.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from engine.errors import EngineError
from engine.graph.store import Store

Query = Callable[[Store], Any]


class Reader(QObject):
    """Runs queries in one background thread and delivers their results in the GUI thread.

    Signals:
        failed(EngineError): A read failed; the query's own ``deliver`` is not called.
    """

    failed = Signal(object)
    _done = Signal(object, object, bool)

    def __init__(self, open_store: Callable[[], Store], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_store = open_store
        self._requests: queue.Queue[tuple[Query, Callable[[Any], None]] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._done.connect(self._on_done, Qt.ConnectionType.QueuedConnection)
        self._is_closed = False

    def read(self, query: Query, deliver: Callable[[Any], None]) -> None:
        """Run ``query(store)`` in the background, then ``deliver(result)`` in the GUI thread."""
        if self._is_closed:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="library-reader", daemon=True)
            self._thread.start()
        self._requests.put((query, deliver))

    def close(self) -> None:
        """End the thread after the read it is in."""
        self._is_closed = True
        if self._thread is not None:
            self._requests.put(None)
            self._thread.join(3)
            self._thread = None

    def _run(self) -> None:
        store: Store | None = None
        while (request := self._requests.get()) is not None:
            query, deliver = request
            if self._is_closed:
                break
            try:
                if store is None:
                    store = self._open_store()
                outcome, has_failed = query(store), False
            except EngineError as error:
                outcome, has_failed = error, True
            try:
                self._done.emit(deliver, outcome, has_failed)
            except RuntimeError:
                break  # The window is gone.
        if store is not None:
            store.close()

    def _on_done(self, deliver: Callable[[Any], None], outcome: object, has_failed: bool) -> None:
        if self._is_closed:
            return
        if has_failed:
            self.failed.emit(outcome)
        else:
            deliver(outcome)
