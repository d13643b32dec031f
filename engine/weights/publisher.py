"""Downloads from a publisher's model page over plain HTTPS, with resume.

The page's host stands in ``PAGE`` and nowhere else. A host that cannot be reached is remembered for
the life of the process, so that a machine without it loses a few seconds once, not once per file.
"""

from __future__ import annotations

import http.client
import os
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.progress import Report
from engine.weights.catalogue import PublisherFile

PAGE = "https://huggingface.co/{repo}/resolve/{revision}/{file}"
_TIMEOUT_S = 6.0
_BLOCK = 1 << 18

_unreachable: dict[str, str] = {}


class SourceFailed(EngineError):
    """One source did not deliver; another one may."""


def download(source: PublisherFile, target: Path, size_bytes: int, report: Report) -> None:
    """Download a file, going on where an earlier attempt stopped.

    Args:
        source: Which file.
        target: Where to; what is already there is kept and continued.
        size_bytes: Expected size, 0 if unknown.
        report: Called with bytes.

    Raises:
        SourceFailed: No connection, a refusal, a web page instead of the file, or a cut transfer.
        Cancelled: The user asked to stop; what arrived stays for the next attempt.
        OSError: The disk is full or cannot be written.
    """
    if PAGE in _unreachable:
        raise SourceFailed(f"{source.repo}: {_unreachable[PAGE]}")
    address = PAGE.format(repo=source.repo, revision=source.revision, file=source.file)
    have = target.stat().st_size if target.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "earwitness"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:
            target.unlink(missing_ok=True)
        raise SourceFailed(f"{source.repo}: {_refusal(error.code)}") from error
    except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
        _unreachable[PAGE] = _connection_fault(error)
        raise SourceFailed(f"{source.repo}: {_unreachable[PAGE]}") from error
    with response:
        _receive(response, target, size_bytes, report)


def forget_unreachable() -> None:
    """Try the publisher again, for instance because the user pressed Retry."""
    _unreachable.clear()


def _receive(response: Any, target: Path, size_bytes: int, report: Report) -> None:
    """Append (after 206) or write (after 200) the body; a web page is refused at its first byte."""
    if "text/html" in (response.headers.get("Content-Type") or ""):
        raise SourceFailed("A web page came instead of the model.", "A proxy may be in the way.")
    is_rest = response.status == 206
    done = target.stat().st_size if is_rest and target.exists() else 0
    announced = int(response.headers.get("Content-Length") or 0)
    total = done + announced if announced else size_bytes
    with target.open("ab" if is_rest else "wb") as file:
        while True:
            try:
                block = response.read(_BLOCK)
            except (OSError, http.client.HTTPException) as error:
                raise SourceFailed(f"The download stopped after {done} bytes.") from error
            if not block:
                break
            if done == 0 and block.lstrip()[:9].lower().startswith((b"<!doctype", b"<html")):
                raise SourceFailed("A web page came instead of the model.")
            file.write(block)
            done += len(block)
            if size_bytes and done > size_bytes * 2:
                raise SourceFailed("The file is far larger than it should be.")
            report("download", done, total)
        file.flush()
        os.fsync(file.fileno())
    if done < total:
        raise SourceFailed(f"The download stopped after {done} of {total} bytes.")


def _refusal(code: int) -> str:
    if code == 407:
        return "the proxy asks for a password (407)"
    if code in (401, 403):
        return "the publisher wants a login for this file"
    return f"the publisher answered {code}"


def _connection_fault(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLError):
        return "the connection is not trusted (TLS); set SSL_CERT_FILE to your organisation's"
    if "407" in str(reason):
        return "the proxy asks for a password (407)"
    return "the publisher's page cannot be reached"
