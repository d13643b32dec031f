"""Downloads over real HTTP from a server on this machine that misbehaves in every way it can."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engine.errors import Cancelled
from engine.progress import Report, silent
from engine.weights import publisher
from engine.weights.catalogue import PublisherFile
from engine.weights.publisher import SourceFailed

CONTENT = bytes(range(256)) * 8192  # 2 MiB


class Publisher(BaseHTTPRequestHandler):
    """Serves CONTENT; the repository's name says how."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body, length=None, **headers):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        manner = self.path.split("/")[2]
        first = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        if manner == "html":
            self.answer(200, b"<!doctype html><p>Sign in", Content_Type="text/html")
        elif manner.isdigit():
            self.answer(int(manner), b"no")
        elif manner == "cut" and not first:
            self.answer(200, CONTENT[: len(CONTENT) * 6 // 10], length=len(CONTENT))
            self.close_connection = True
        elif manner == "moved":
            self.answer(302, b"", Location="/someone/good/resolve/main/toy.bin")
        elif first and manner != "no-ranges":
            whole = len(CONTENT)
            rest = CONTENT[first:]
            self.answer(206, rest, Content_Range=f"bytes {first}-{whole - 1}/{whole}")
        else:
            self.answer(200, CONTENT)


@pytest.fixture
def server(monkeypatch):
    """A publisher on the loopback device."""
    publisher.forget_unreachable()
    with ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as running:
        address = f"http://127.0.0.1:{running.server_port}"
        monkeypatch.setattr(publisher, "PAGE", address + "/{repo}/resolve/{revision}/{file}")
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()
    publisher.forget_unreachable()


def get(manner, target, report=None):
    source = PublisherFile(f"someone/{manner}", "toy.bin")
    publisher.download(source, target, len(CONTENT), report or silent())


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("manner", ["good", "moved", "no-ranges"])
def test_a_file_arrives(manner, tmp_path):
    seen = []
    get(manner, tmp_path / "toy", Report(lambda progress: seen.append(progress.fraction)))
    assert (tmp_path / "toy").read_bytes() == CONTENT
    assert seen == sorted(seen)
    assert seen[-1] == 1


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("manner", ["good", "no-ranges"])
def test_a_cut_file_is_continued(manner, tmp_path):
    target = tmp_path / "toy"
    with pytest.raises(SourceFailed, match="stopped after"):
        get("cut", target)
    assert target.stat().st_size == len(CONTENT) * 6 // 10
    get(manner, target)
    assert target.read_bytes() == CONTENT


@pytest.mark.usefixtures("server")
def test_a_cancelled_file_is_continued(tmp_path):
    target = tmp_path / "toy"
    checks = []

    def stop():
        checks.append(1)
        return len(checks) > 3

    with pytest.raises(Cancelled):
        get("good", target, Report(is_cancelled=stop))
    assert 0 < target.stat().st_size < len(CONTENT)
    get("good", target)
    assert target.read_bytes() == CONTENT


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("manner", "message"),
    [
        ("html", "web page"),
        ("407", "proxy asks"),
        ("401", "login"),
        ("404", "404"),
        ("503", "503"),
    ],
)
def test_refusals_say_why_and_leave_nothing(manner, message, tmp_path):
    with pytest.raises(SourceFailed, match=message):
        get(manner, tmp_path / "toy")
    assert not (tmp_path / "toy").exists()
    get("good", tmp_path / "toy")  # a refusal is not an unreachable host


@pytest.mark.usefixtures("server")
def test_more_than_the_file_starts_again(tmp_path):
    """What waits is as long as the file or longer: the server refuses the range."""
    (tmp_path / "toy").write_bytes(CONTENT + b"more")
    with pytest.raises(SourceFailed, match="416"):
        get("416", tmp_path / "toy")
    get("good", tmp_path / "toy")
    assert (tmp_path / "toy").read_bytes() == CONTENT


def test_a_closed_port_is_remembered(server, tmp_path):
    server.server_close()
    with pytest.raises(SourceFailed, match="cannot be reached"):
        get("good", tmp_path / "toy")
    with pytest.raises(SourceFailed, match="cannot be reached"):
        get("good", tmp_path / "toy")
