"""What Earwitness needs from the operating system, each with its reason, and how it gets there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from console import Stop, run_logged, say


@dataclass(frozen=True)
class Need:
    """One Debian package.

    Attributes:
        name: As Debian 12 and later and Ubuntu 22.04 and later call it.
        reason: What does not work without it.
        is_vital: Nothing can be set up without it.
    """

    name: str
    reason: str
    is_vital: bool = False


COMPILER = Need("g++", "compiles hnswlib and llama-cpp-python, which are published as source", True)

WINDOW = (
    Need("libglib2.0-0", "Qt"),
    Need("libgl1", "Qt Widgets"),
    Need("libegl1", "Qt Widgets"),
    Need("libxkbcommon0", "Qt keyboard input"),
    Need("libdbus-1-3", "Qt desktop integration"),
    Need("libfontconfig1", "Qt text"),
    Need("fonts-dejavu-core", "a font to draw text with"),
    Need("libxcb-cursor0", "Qt on X11"),
    Need("libxcb-icccm4", "Qt on X11"),
    Need("libxcb-keysyms1", "Qt on X11"),
    Need("libxcb-shape0", "Qt on X11"),
    Need("libxcb-xkb1", "Qt on X11"),
    Need("libxkbcommon-x11-0", "Qt on X11"),
    Need("libpulse0", "Qt Multimedia, which plays the recordings"),
    Need("libxrandr2", "Qt Multimedia's decoder"),
    Need("libportaudio2", "recording"),
    Need("libasound2-data", "recording; PortAudio ends the process without it"),
    Need("libgomp1", "the language model"),
)

TESTING = (
    Need("xvfb", "a virtual screen"),
    Need("xauth", "a virtual screen"),
    Need("pulseaudio", "virtual microphones"),
    Need("pulseaudio-utils", "virtual microphones"),
    Need("libasound2-plugins", "PortAudio on PulseAudio"),
    Need("alsa-utils", "PortAudio on PulseAudio"),
    Need("espeak-ng", "voices for test recordings"),
    Need("flite", "voices for test recordings"),
)

INSTALL = ("install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300")


def interpreter_needs() -> list[Need]:
    """Debian splits Python into parts; name those this interpreter lacks."""
    needs = []
    stem = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if find_spec("ensurepip") is None:
        needs.append(Need(f"{stem}-venv", "makes the virtual environment", True))
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        needs.append(Need(f"{stem}-dev", "headers for the two packages that are compiled", True))
    return needs


def wanted(for_tests: bool) -> list[Need]:
    """Everything the machine should have."""
    needs = [*interpreter_needs(), *WINDOW, *(TESTING if for_tests else ())]
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        needs.insert(0, COMPILER)
    return needs


def installed_names(names: Sequence[str]) -> set[str]:
    """Which of these packages dpkg has; a name that got the suffix t64 in 2024 counts too."""
    asked = [*names, *(f"{name}t64" for name in names)]
    form = "${Package} ${db:Status-Status}\n"
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f", form, *asked], capture_output=True, text=True, check=False
    )
    found = set()
    for line in answer.stdout.splitlines():
        name, _, status = line.partition(" ")
        if status == "installed":
            found |= {name, name.removesuffix("t64")}
    return found & set(names)


def root_prefix() -> list[str] | None:
    """What to put before a command to run it as root; None when that takes a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    answer = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ["sudo", "-n"] if answer.returncode == 0 else None


def missing_needs(for_tests: bool) -> list[Need]:
    """Packages a Debian machine lacks."""
    needs = wanted(for_tests)
    present = installed_names([need.name for need in needs])
    return [need for need in needs if need.name not in present]


def _explain(missing: Sequence[Need]) -> str:
    """Name the packages, their reasons, and the command that installs them."""
    width = max(len(need.name) for need in missing)
    lines = [f"    {need.name:<{width}}  {need.reason}" for need in missing]
    names = " ".join(need.name for need in missing)
    command = f"sudo apt-get update && sudo apt-get install --no-install-recommends {names}"
    return "\n".join([*lines, f"  Install them with:\n    {command}"])


def _apt_install(missing: Sequence[Need], prefix: Sequence[str], log_path: Path) -> None:
    """Install by apt-get; refresh its lists first, since old lists name files that are gone."""
    names = [need.name for need in missing]
    cwd = Path("/")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    run_logged("Refreshing package lists", [*apt, "update"], log_path, cwd=cwd, environment=quiet)
    label = f"Installing {len(names)} system packages"
    run_logged(label, [*apt, *INSTALL, *names], log_path, cwd=cwd, environment=quiet)


def _ensure_debian(for_tests: bool, log_path: Path) -> None:
    missing = missing_needs(for_tests)
    if not missing:
        return
    prefix = root_prefix()
    failure = "installing them needs root"
    if prefix is not None:
        say(f"  Missing: {', '.join(need.name for need in missing)}")
        try:
            _apt_install(missing, prefix, log_path)
        except Stop as stop:
            failure = stop.message
        else:
            return
    if any(need.is_vital for need in missing):
        raise Stop(f"This machine lacks packages, and {failure}:", _explain(missing))
    say(f"This machine lacks packages ({failure}); the window or recording may not work:")
    say(_explain(missing))


def _ensure_other_linux(for_tests: bool, log_path: Path) -> None:
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        raise Stop("No C++ compiler was found.", "  Install g++ with the system's package manager.")
    say("  No dpkg here: if the window does not open or recording fails, install what your system")
    say("  calls these: " + ", ".join(need.name for need in WINDOW))


def _ensure_mac(for_tests: bool, log_path: Path) -> None:
    """Wheels carry Qt's and PortAudio's libraries; only a compiler is needed."""
    if subprocess.run(["xcode-select", "-p"], capture_output=True, check=False).returncode != 0:
        raise Stop("The command-line compiler is missing.", "  Install it: xcode-select --install")


def _ensure_windows(for_tests: bool, log_path: Path) -> None:
    """As on macOS; the compiler is looked up the way setuptools does."""
    programs = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    finder = Path(programs, "Microsoft Visual Studio", "Installer", "vswhere.exe")
    component = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    query = [str(finder), "-latest", "-products", "*", "-requires", component]
    if finder.is_file():
        answer = subprocess.run(query, capture_output=True, text=True, check=False)
        if answer.stdout.strip():
            return
    raise Stop(
        "The Microsoft C++ build tools are missing (two packages are compiled here).",
        "  Install them: winget install Microsoft.VisualStudio.2022.BuildTools\n"
        '  and choose "Desktop development with C++", then run this again.',
    )


def ensure_system(for_tests: bool, log_path: Path) -> None:
    """Install what the system lacks where that is allowed, and name it plainly where it is not.

    Args:
        for_tests: Also what the tests need.
        log_path: Where the package manager's output goes.

    Raises:
        Stop: Something vital is missing and cannot be installed from here.
    """
    steps: dict[str, Callable[[bool, Path], None]] = {
        "darwin": _ensure_mac,
        "win32": _ensure_windows,
    }
    fallback = _ensure_debian if shutil.which("dpkg-query") else _ensure_other_linux
    steps.get(sys.platform, fallback)(for_tests, log_path)
