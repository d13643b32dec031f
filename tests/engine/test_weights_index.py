"""The child that downloads wheels: quiet, cancellable, and clear about what went wrong."""

from __future__ import annotations

import sys

import pytest

from engine.errors import Cancelled, EngineError
from engine.progress import Report, silent
from engine.weights import index
from engine.weights.publisher import SourceFailed


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """Replace pip by a few lines of Python that see its arguments."""

    def script(text):
        path = tmp_path / "fake_pip.py"
        path.write_text("import os, pathlib, sys, time\n" + text)
        monkeypatch.setattr(index, "pip_command", lambda: [sys.executable, "-S", str(path)])

    return script


WRITE = """
arguments = sys.argv[1:]
folder = pathlib.Path(arguments[arguments.index("--dest") + 1])
(folder / "toy-1.0-py3-none-any.whl").write_bytes(b"wheel")
(folder / "arguments.txt").write_text(chr(10).join(arguments))
"""


def test_a_wheel_arrives_and_nothing_is_printed(pip, tmp_path, capfd):
    pip(WRITE + "print('noise'); print('noise', file=sys.stderr)")
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheel = index.download_wheel("toy", "1.0", folder, 5, silent())
    assert wheel.read_bytes() == b"wheel"
    assert capfd.readouterr() == ("", "")
    arguments = (folder / "arguments.txt").read_text().split("\n")
    assert arguments[-1] == "toy==1.0"
    assert "--only-binary=:all:" in arguments, "nothing that is downloaded may run"
    assert "--no-deps" in arguments
    assert not any("://" in argument for argument in arguments)
    assert list(folder.glob("pip-*")) == []


def test_cancelling_ends_the_child_at_once(pip, tmp_path):
    pip(
        "pathlib.Path(os.environ['TMPDIR'], 'half').write_bytes(b'x' * 99)\n"
        f"time.sleep(60)\npathlib.Path({str(tmp_path / 'slept')!r}).touch()"
    )
    seen = []
    report = Report(lambda progress: seen.append(progress.fraction), lambda: any(seen))
    with pytest.raises(Cancelled):
        index.download_wheel("toy", "1.0", tmp_path, 100, report)
    assert not (tmp_path / "slept").exists()
    assert seen[-1] == pytest.approx(0.99)
    assert list(tmp_path.glob("pip-*")) == []


@pytest.mark.parametrize(
    ("log", "kind", "message"),
    [
        ("ERROR: [Errno 28] No space left on device", EngineError, "disk is full"),
        ("ProxyError('Cannot connect to proxy. 407')", SourceFailed, "proxy"),
        ("SSLError(CERTIFICATE_VERIFY_FAILED)", SourceFailed, "TLS"),
        ("NewConnectionError: Name or service not known", SourceFailed, "cannot be reached"),
        ("ERROR: No matching distribution found for toy==1.0", SourceFailed, "no toy"),
        ("something else\nERROR: odd", SourceFailed, "odd"),
        ("", SourceFailed, "no message"),
    ],
)
def test_failures_say_what_went_wrong(pip, tmp_path, log, kind, message):
    pip(f"sys.stderr.write({log!r}); sys.exit(1)")
    with pytest.raises(kind, match=message):
        index.download_wheel("toy", "1.0", tmp_path, 5, silent())


def test_success_without_a_wheel_is_a_failure(pip, tmp_path):
    pip("")
    with pytest.raises(SourceFailed, match="brought no wheel"):
        index.download_wheel("toy", "1.0", tmp_path, 5, silent())


def test_a_packaged_app_looks_for_python(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(index.shutil, "which", lambda name: f"/bin/{name}")
    assert index.pip_command() == ["/bin/python3", "-m", "pip"]
    monkeypatch.setattr(index.shutil, "which", lambda _: None)
    with pytest.raises(SourceFailed, match="needs Python"):
        index.pip_command()
