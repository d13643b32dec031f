"""The set-up's decisions, with every outside command replaced by a recorder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

import bootstrap
import checks
import console
import environment
import interpreter
import system_packages
from console import Stop
from environment import Environment

ROOT = Path(__file__).resolve().parents[2]
NO_ISOLATION = "--no-build-isolation"


class Recorder:
    """Stands in for ``run_logged``; can be told which label fails."""

    def __init__(self, failing: str = "nothing") -> None:
        self.failing = failing
        self.commands: dict[str, list[str]] = {}
        self.variables: dict[str, dict[str, str]] = {}

    def __call__(self, label, command, log_path, *, cwd, environment=None):
        self.commands[label] = [str(part) for part in command]
        self.variables[label] = dict(environment or {})
        if self.failing in label:
            raise Stop(f"{label}: failed (exit 1).", "    why")
        if label.startswith("Compiling"):
            folder = Path(self.commands[label][self.commands[label].index("--wheel-dir") + 1])
            folder.mkdir(parents=True)
            name, _, version = self.commands[label][-1].partition("==")
            (folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl").touch()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small project with an environment that looks healthy, and a recorder for its commands."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "constraints.txt").write_text("numpy==1.0\nllama-cpp-python==2.0\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["numpy", "llama-cpp-python"]\n'
        '[project.optional-dependencies]\ndev = ["pytest"]\n'
    )
    recorder = Recorder()
    monkeypatch.setattr(environment, "run_logged", recorder)
    monkeypatch.setattr(environment, "cache_dir", lambda key: tmp_path / "wheels" / key)
    monkeypatch.setattr(Environment, "_answers", lambda self, code: True)
    monkeypatch.setattr(Environment, "_site_packages", lambda self: tmp_path / "site")
    made = Environment(tmp_path)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    return SimpleNamespace(environment=made, recorder=recorder, root=tmp_path)


def closure(names: list[str]) -> set[str]:
    """Installed packages that these requirements need on this machine, themselves included."""
    waiting, found = list(names), set()
    while waiting:
        requirement = waiting.pop()
        condition = requirement.partition(";")[2]
        if "extra" in condition or ("sys_platform" in condition or "platform_" in condition):
            continue
        name = environment.requirement_name(requirement)
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        if name not in found:
            found.add(name)
            waiting += needs
    return found


def test_every_installed_dependency_is_pinned_to_the_tested_version() -> None:
    pins = environment.pinned_versions((ROOT / "packaging/constraints.txt").read_text("utf-8"))
    wanted = closure(Environment(ROOT).requirements(with_tools=True))
    wanted -= {"pip"}  # comes with the Python that made the environment
    assert "pyside6-essentials" in wanted
    assert {name: metadata.version(name) for name in wanted} == {
        name: pins.get(name, "no pin") for name in wanted
    }


def test_the_qt_binding_loses_no_references() -> None:
    """PySide6 6.12.0 lost one to None with each call and so ended the program after a while."""
    core = pytest.importorskip("PySide6.QtCore")
    item = core.QObject()
    before = sys.getrefcount(None)
    for _ in range(200):
        item.setObjectName("x")
    assert sys.getrefcount(None) > before - 100


def test_constraints_name_no_place() -> None:
    text = (ROOT / "packaging/constraints.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+", line) for line in lines)


def test_pins_are_read_with_comments_and_other_spellings() -> None:
    text = "# x\nPySide6_Addons==6.12.0  # Qt\nnumpy==2.4.6 ; python_version > '3'\n\n"
    assert environment.pinned_versions(text) == {"pyside6-addons": "6.12.0", "numpy": "2.4.6"}


def test_second_set_up_has_nothing_to_do(checkout) -> None:
    assert not checkout.environment.is_ready(with_tools=False)
    checkout.environment.prepare(with_tools=False)
    assert checkout.environment.is_ready(with_tools=False)
    assert not checkout.environment.is_ready(with_tools=True)


def test_new_pins_ask_for_a_new_set_up_that_keeps_the_tools(checkout) -> None:
    checkout.environment.prepare(with_tools=True)
    (checkout.root / "packaging" / "constraints.txt").write_text(
        "numpy==1.1\nllama-cpp-python==2.0"
    )
    assert not checkout.environment.is_ready(with_tools=False)
    checkout.environment.prepare(with_tools=False)
    assert "pytest" in checkout.recorder.commands["Installing 3 packages"]
    assert checkout.environment.is_ready(with_tools=True)


def test_packages_are_installed_under_the_pins(checkout) -> None:
    checkout.environment.prepare(with_tools=False)
    for label, variables in checkout.recorder.variables.items():
        if label.startswith(("Installing", "Compiling")):
            assert variables["PIP_CONSTRAINT"] == str(Path("packaging", "constraints.txt"))


def test_no_step_asks_pip_for_what_a_newer_pip_refuses(checkout) -> None:
    """pip 26 ends when build pins are given to a build that has no environment of its own."""
    checkout.environment.prepare(with_tools=True)
    recorder = checkout.recorder
    bare = [label for label, command in recorder.commands.items() if NO_ISOLATION in command]
    assert bare
    # pip takes an empty variable for one that is not set.
    assert {recorder.variables[label]["PIP_BUILD_CONSTRAINT"] for label in bare} == {""}


def test_source_packages_are_compiled_once_per_processor(checkout) -> None:
    checkout.environment.prepare(with_tools=False)
    assert "-DLLAVA_BUILD=OFF" in checkout.recorder.variables["Compiling llama-cpp-python"].values()
    checkout.recorder.commands.clear()
    checkout.environment.prepare(with_tools=False)
    assert "Compiling llama-cpp-python" not in checkout.recorder.commands
    assert checkout.recorder.commands["Installing llama-cpp-python"][-1].endswith(".whl")


@pytest.fixture
def with_whisper(checkout):
    (checkout.root / "packaging" / "constraints.txt").write_text("pywhispercpp==1.5\n")
    (checkout.root / "pyproject.toml").write_text(
        '[project]\ndependencies = ["pywhispercpp"]\noptional-dependencies = {}\n'
    )
    return checkout


def test_a_published_package_is_replaced_by_one_for_this_processor(with_whisper) -> None:
    with_whisper.environment.prepare(with_tools=False)
    recorder = with_whisper.recorder
    assert "pywhispercpp" in recorder.commands["Installing 2 packages"]  # with what it needs
    assert recorder.variables["Compiling pywhispercpp"]["PYWHISPERCPP_VERSION"] == "1.5"
    assert recorder.commands["Installing pywhispercpp"][-1].endswith(".whl")


def test_other_flags_compile_a_package_anew(with_whisper, monkeypatch) -> None:
    recorder = with_whisper.recorder
    for flags, is_compiled in (("-O2", True), ("-O2", False), ("-O3", True)):
        monkeypatch.setitem(environment.REBUILT_FLAGS, "CMAKE_ARGS", flags)
        recorder.commands.clear()
        with_whisper.environment.prepare(with_tools=False)
        assert ("Compiling pywhispercpp" in recorder.commands) == is_compiled


def test_without_a_compiler_the_published_package_stays(with_whisper, capsys) -> None:
    with_whisper.recorder.failing = "Compiling"
    with_whisper.environment.prepare(with_tools=False)
    assert with_whisper.environment.is_ready(with_tools=False)
    assert "pywhispercpp could not be compiled" in capsys.readouterr().out


def test_what_leaves_this_machine_keeps_the_published_package(with_whisper) -> None:
    portable = Environment(with_whisper.root, is_portable=True)
    portable.prepare(with_tools=False)
    assert "Compiling pywhispercpp" not in with_whisper.recorder.commands


@pytest.mark.parametrize("step", ["Installing 2 packages", "Compiling", "itself", "Trying"])
def test_interrupted_set_up_is_taken_up_again(checkout, step) -> None:
    checkout.recorder.failing = step
    with pytest.raises(Stop):
        checkout.environment.prepare(with_tools=False)
    assert not checkout.environment.is_ready(with_tools=False)
    checkout.recorder.failing = "nothing"
    checkout.environment.prepare(with_tools=False)
    assert checkout.environment.is_ready(with_tools=False)


def test_a_package_cut_short_while_installing_is_forgotten(checkout) -> None:
    site = checkout.root / "site"
    for name, has_module in {"whole": True, "cut": False}.items():
        info = site / f"{name}-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").touch()
        (info / "RECORD").write_text(f"{name}.py,,\n../../bin/{name},,\n")
        if has_module:
            (site / f"{name}.py").touch()
    (site / "early-1.dist-info").mkdir()
    assert [path.name[:-12] for path in environment.half_installed(site)] == ["cut", "early"]
    (checkout.root / ".venv" / "setup-unfinished").touch()
    checkout.environment.prepare(with_tools=False)
    assert [path.name for path in site.glob("*.dist-info")] == ["whole-1.dist-info"]


def test_a_broken_environment_is_made_anew(checkout, monkeypatch) -> None:
    monkeypatch.setattr(Environment, "_answers", lambda self, code: False)
    (checkout.root / ".venv" / "rubbish").touch()
    checkout.environment.prepare(with_tools=False)
    assert not (checkout.root / ".venv" / "rubbish").exists()
    assert any("venv" in command for command in checkout.recorder.commands.values())


def test_a_marker_that_is_not_ours_is_no_set_up(checkout) -> None:
    for text in ("", "[]x", json.dumps({"fingerprint": "old"})):
        (checkout.root / ".venv" / "setup.json").write_text(text)
        assert not checkout.environment.is_ready(with_tools=False)


def fake_system(monkeypatch, missing, prefix, failing="nothing") -> Recorder:
    recorder = Recorder(failing)
    monkeypatch.setattr(system_packages, "run_logged", recorder)
    monkeypatch.setattr(system_packages, "missing_needs", lambda for_tests: missing)
    monkeypatch.setattr(system_packages, "root_prefix", lambda: prefix)
    monkeypatch.setattr(system_packages.sys, "platform", "linux")
    monkeypatch.setattr(system_packages.shutil, "which", lambda name: f"/usr/bin/{name}")
    return recorder


LIBRARY = system_packages.Need("libgl1", "Qt Widgets")


def test_root_installs_what_is_missing(monkeypatch, tmp_path) -> None:
    recorder = fake_system(monkeypatch, [LIBRARY], [])
    system_packages.ensure_system(False, tmp_path / "log")
    assert recorder.commands["Installing 1 system packages"][-1] == "libgl1"


def test_without_root_the_packages_and_the_command_are_named(monkeypatch, tmp_path, capsys) -> None:
    recorder = fake_system(monkeypatch, [LIBRARY], None)
    system_packages.ensure_system(False, tmp_path / "log")
    shown = capsys.readouterr().out
    assert "Qt Widgets" in shown
    assert "sudo apt-get install --no-install-recommends libgl1" in shown
    assert not recorder.commands


@pytest.mark.parametrize("prefix", [None, []])
def test_without_a_compiler_the_set_up_stops(monkeypatch, tmp_path, prefix) -> None:
    fake_system(monkeypatch, [system_packages.COMPILER], prefix, failing="Refreshing")
    with pytest.raises(Stop) as stop:
        system_packages.ensure_system(False, tmp_path / "log")
    assert "apt-get install --no-install-recommends g++" in stop.value.hint


def test_nothing_missing_says_nothing(monkeypatch, tmp_path, capsys) -> None:
    fake_system(monkeypatch, [], None)
    system_packages.ensure_system(True, tmp_path / "log")
    assert capsys.readouterr().out == ""


def test_packages_renamed_in_2024_count(monkeypatch) -> None:
    listing = "libglib2.0-0t64 installed\nlibgl1 installed\nxvfb not-installed\n"
    answer = SimpleNamespace(stdout=listing)
    monkeypatch.setattr(system_packages.subprocess, "run", lambda *a, **k: answer)
    names = ["libglib2.0-0", "libgl1", "xvfb"]
    assert system_packages.installed_names(names) == {"libglib2.0-0", "libgl1"}


@pytest.mark.parametrize(
    ("version", "is_fine"), [((3, 10), False), ((3, 11), True), ((4, 0), False)]
)
def test_python_versions(version, is_fine) -> None:
    assert interpreter.is_suitable(version) is is_fine


def test_an_old_python_hands_over_to_a_newer_one(monkeypatch) -> None:
    monkeypatch.setattr(interpreter, "is_suitable", lambda version: version == (3, 12))
    monkeypatch.setattr(interpreter.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(interpreter, "version_of", lambda path: (3, int(path[-2:])))
    assert interpreter.find_suitable() == "/usr/bin/python3.12"


def test_without_a_new_python_the_advice_is_plain(monkeypatch, capsys) -> None:
    monkeypatch.setattr(interpreter, "find_suitable", lambda: None)
    with pytest.raises(SystemExit) as end:
        interpreter.ensure_suitable()
    assert end.value.code == 1
    assert "Earwitness needs Python 3.11" in capsys.readouterr().out


def test_a_watched_command_ends_well_or_shows_the_end_of_its_output(tmp_path, capsys) -> None:
    log = tmp_path / "deep" / "log"
    console.run_logged("Fine", [sys.executable, "-c", "print('x')"], log, cwd=tmp_path)
    assert "Fine: done" in capsys.readouterr().out
    code = "print('early'); print('the reason'); raise SystemExit(3)"
    with pytest.raises(Stop) as stop:
        console.run_logged("Bad", [sys.executable, "-c", code], log, cwd=tmp_path)
    assert "exit 3" in stop.value.message
    assert "the reason" in stop.value.hint
    with pytest.raises(Stop, match="cannot be started"):
        console.run_logged("None", [tmp_path / "absent"], log, cwd=tmp_path)


class Calls(list):
    """Records programs run by ``subprocess.run`` and answers with given codes."""

    def __init__(self, codes=()) -> None:
        super().__init__()
        self.codes = list(codes)

    def __call__(self, command, **_):
        self.append([Path(command[0]).name, *command[1:]])
        return subprocess.CompletedProcess(command, self.codes.pop(0) if self.codes else 0)


@pytest.fixture
def ready(monkeypatch):
    """A finished set-up, so that only what comes after it runs."""
    calls = Calls()
    monkeypatch.setattr(Environment, "is_ready", lambda self, with_tools: True)
    monkeypatch.setattr(bootstrap.subprocess, "run", calls)
    return calls


def test_run_fetches_models_then_shows_the_sample(ready) -> None:
    assert bootstrap.main(["run"]) == 0
    assert ready == [["earwitness", "models", "fetch"], ["earwitness", "demo"]]


def test_no_command_means_run(ready) -> None:
    assert bootstrap.main([]) == 0
    assert ready[-1] == ["earwitness", "demo"]


def test_missing_models_end_the_run_in_one_line(ready, capsys) -> None:
    ready.codes = [1]
    assert bootstrap.main(["run"]) == 1
    assert "The models are not complete." in capsys.readouterr().err
    assert len(ready) == 1


def test_quick_tests_need_no_models(ready, capsys) -> None:
    assert bootstrap.main(["test", "--quick"]) == 0
    assert [call[0] for call in ready] == ["ruff", "ruff", "mypy", "pytest"]
    assert capsys.readouterr().out.splitlines()[-1] == "checks: 4 passed, 0 failed"


def test_every_check_runs_even_after_a_failure(ready, capsys) -> None:
    ready.codes = [0, 1, 0, 0, 0, 5]
    assert bootstrap.main(["test"]) == 1
    assert len(ready) == 1 + len(checks.CHECKS)
    assert capsys.readouterr().out.splitlines()[-1] == "checks: 3 passed, 2 failed"


@pytest.mark.parametrize(
    ("fault", "code", "shown"),
    [
        (Stop("No compiler.", "  Get one."), 1, "bootstrap: No compiler.\n  Get one.\n"),
        (PermissionError(13, "Permission denied", "/x"), 1, "bootstrap: Permission denied: /x\n"),
        (
            KeyboardInterrupt(),
            130,
            "\nbootstrap: interrupted; the same command goes on from here.\n",
        ),
    ],
)
def test_users_see_one_line_and_no_traceback(monkeypatch, capsys, fault, code, shown) -> None:
    def fail(*_):
        raise fault

    monkeypatch.setattr(bootstrap, "set_up", fail)
    assert bootstrap.main(["run"]) == code
    assert capsys.readouterr().err == shown
