"""An engine process that only echoes; by itself, since the child imports the file it lies in."""

from __future__ import annotations

import os
import time

from engine import messages


def echo(connection):
    """Answers searches; dies, hangs or fails when told to."""
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        match request:
            case messages.Shutdown():
                return
            case messages.Search(job_id=job_id, text="die"):
                os._exit(11)
            case messages.Search(job_id=job_id, text="hang"):
                connection.send(messages.Started(job_id))
                time.sleep(60)
            case messages.Search(job_id=job_id, text="fail"):
                connection.send(messages.Failed(job_id, "StoreError", "No.", "Try later."))
            case messages.Search(job_id=job_id, text=text):
                connection.send(messages.Started(job_id))
                connection.send(messages.Partial(job_id, text[:1]))
                connection.send(messages.Finished(job_id, (text, os.getpid())))
