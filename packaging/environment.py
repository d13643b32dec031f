"""The virtual environment in ``.venv``: made, filled from pinned versions, repaired, remembered."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from console import Stop, run_logged, say

COMPILED = {
    "hnswlib": "a few seconds",
    "llama-cpp-python": "5 to 15 minutes, once for this machine",
}
"""Published as source only; compiled here for this processor, and how long that takes."""

REBUILT = {"pywhispercpp": "2 minutes, once for this machine"}
"""Published for any processor; compiled for this one they are faster, whisper.cpp by an eighth."""

NATIVE_FLAGS = {"HNSWLIB_NO_NATIVE": "1", "CMAKE_ARGS": "-DLLAVA_BUILD=OFF"}
"""No vision tools. The language model is compiled for exactly this processor: 40 % faster."""

PORTABLE_FLAGS = {
    "HNSWLIB_NO_NATIVE": "1",
    "CMAKE_ARGS": "-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF",
}
"""For what leaves this machine: AVX2 at most, instead of what happens to be here."""

REBUILT_FLAGS = {
    "CMAKE_ARGS": " ".join(
        (
            "-DGGML_LLAMAFILE=ON",
            # ggml is compiled for this processor anyway; the spectrogram around it only so.
            "-DCMAKE_CXX_FLAGS=-march=native",
            # One file that shows nothing of its ggml: llama.cpp brings another version.
            "-DBUILD_SHARED_LIBS=OFF",
            "-DCMAKE_POSITION_INDEPENDENT_CODE=ON",
            "-DCMAKE_C_VISIBILITY_PRESET=hidden",
            "-DCMAKE_CXX_VISIBILITY_PRESET=hidden",
        )
    ),
}

PROBE = (
    "import av, hnswlib, llama_cpp, numpy, onnx, onnxruntime, opencc, penman, platformdirs, "
    "pywhispercpp.model, sherpa_onnx, soundfile, soxr, sqlite_utils, tokenizers, engine"
)


def requirement_name(requirement: str) -> str:
    """``Qt_Things>=2`` and ``qt.things`` both become ``qt-things``, as the index compares names."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
    return re.sub(r"[-_.]+", "-", match.group()).lower() if match else ""


def pinned_versions(constraints: str) -> dict[str, str]:
    """Read ``name==version`` lines; comments and environment markers are dropped."""
    pins = {}
    for line in constraints.splitlines():
        pin = line.partition("#")[0].partition(";")[0].strip()
        if "==" in pin:
            name, _, version = pin.partition("==")
            pins[requirement_name(name)] = version.strip()
    return pins


def cached_wheel(shelf: Path, name: str, version: str) -> Path | None:
    """A wheel compiled earlier, for this very processor and Python and with the same flags."""
    stem = name.replace("-", "_")
    return next(iter(sorted(shelf.glob(f"{stem}-{version}-*.whl"))), None)


def flags_key(flags: Mapping[str, str]) -> str:
    """A short name for the flags something is compiled with."""
    return hashlib.sha256(json.dumps(flags, sort_keys=True).encode()).hexdigest()[:12]


def processor_key() -> str:
    """A short name for this processor's instruction set; a program compiled for another may die."""
    described = platform.machine() + platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        described += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def cache_dir(key: str) -> Path:
    """Where compiled packages are kept between checkouts; ``key`` says for which processor."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home())
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-{key}"
    return base / "earwitness" / "wheels" / tag


def half_installed(site_packages: Path) -> list[Path]:
    """Packages whose installation was cut short: their record is missing or names missing files."""
    broken = []
    for info in sorted(site_packages.glob("*.dist-info")):
        record = info / "RECORD"
        if not (info / "METADATA").is_file() or not record.is_file():
            broken.append(info)
            continue
        names = (line.split(",")[0] for line in record.read_text("utf-8").splitlines() if line)
        inside = (name for name in names if not name.startswith(("..", '"', "/")))
        if any(not (site_packages / name).exists() for name in inside if ".pyc" not in name):
            broken.append(info)
    return broken


class Environment:
    """A virtual environment of a checkout and what is known about it.

    Attributes:
        root: The checkout.
        log_path: Output of everything that was run.
    """

    def __init__(self, root: Path, folder: str = ".venv", *, is_portable: bool = False) -> None:
        self.root = root
        self._dir = root / folder
        self._is_portable = is_portable
        self._flags = PORTABLE_FLAGS if is_portable else NATIVE_FLAGS
        self._cache_dir = cache_dir("portable" if is_portable else processor_key())
        self.log_path = root / "build" / "setup.log"
        self._marker_path = self._dir / "setup.json"
        self._busy_path = self._dir / "setup-unfinished"
        self._constraints_path = root / "packaging" / "constraints.txt"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.program("python")

    def program(self, name: str) -> Path:
        """A program installed in the environment."""
        if os.name == "nt":
            return self._dir / "Scripts" / f"{name}.exe"
        return self._dir / "bin" / name

    def requirements(self, with_tools: bool) -> list[str]:
        """What pyproject.toml asks for; ``with_tools`` adds all extras: tests try them too."""
        project = tomllib.loads((self.root / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"].values() if with_tools else ()
        return [*project["dependencies"], *(name for extra in extras for name in extra)]

    def _fingerprint(self) -> str:
        """Changes whenever the installed packages should."""
        parts = [
            self._constraints_path.read_text("utf-8"),
            (self.root / "pyproject.toml").read_text("utf-8"),
            sys.version,
            processor_key(),
            str(self.root),
            json.dumps(REBUILT_FLAGS),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def is_ready(self, with_tools: bool) -> bool:
        """Whether an earlier set-up finished and nothing it depends on has changed since."""
        try:
            marker = json.loads(self._marker_path.read_text("utf-8"))
        except (OSError, ValueError):
            return False
        is_same = marker.get("fingerprint") == self._fingerprint() and self.python.exists()
        return is_same and (marker.get("tools", False) or not with_tools)

    def prepare(self, with_tools: bool) -> None:
        """Make the environment, or finish one that was interrupted.

        Args:
            with_tools: Also what tests and builds need.

        Raises:
            Stop: A step failed; running again goes on from there.
        """
        had_tools = self._had_tools()
        self._marker_path.unlink(missing_ok=True)
        self._create()
        if self._busy_path.exists():
            self._repair()
        self._busy_path.touch()
        with_tools = with_tools or had_tools
        self._install(with_tools)
        self._probe()
        marker = {"fingerprint": self._fingerprint(), "tools": with_tools}
        self._marker_path.write_text(json.dumps(marker), encoding="utf-8")
        self._busy_path.unlink(missing_ok=True)

    def _had_tools(self) -> bool:
        """Whether the last set-up had the development tools, which an update then keeps."""
        try:
            return bool(json.loads(self._marker_path.read_text("utf-8")).get("tools"))
        except (OSError, ValueError):
            return False

    def _answers(self, code: str) -> bool:
        """Whether the environment's interpreter runs and accepts ``code``."""
        try:
            answer = subprocess.run([self.python, "-c", code], capture_output=True, check=False)
        except OSError:
            return False
        return answer.returncode == 0

    def _create(self) -> None:
        version = sys.version_info[:2]
        if self._answers(f"import pip, sys; assert sys.version_info[:2] == {tuple(version)}"):
            return
        if self._dir.exists():
            say(f"  {self._dir.name} is unfinished or of another Python; making it anew")
            shutil.rmtree(self._dir)
        self._dir.mkdir(parents=True)
        label = f"Making {self._dir.name} with Python {platform.python_version()}"
        command = [sys.executable, "-m", "venv", self._dir]
        run_logged(label, command, self.log_path, cwd=self.root)

    def _site_packages(self) -> Path:
        code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
        answer = subprocess.run([self.python, "-c", code], capture_output=True, text=True)
        return Path(answer.stdout.strip())

    def _repair(self) -> None:
        """Forget half-installed packages, so that pip does not take them for installed ones."""
        for info in half_installed(self._site_packages()):
            say(f"  {info.name.removesuffix('.dist-info')} was left half installed; again")
            shutil.rmtree(info)

    def _pip(self, label: str, arguments: Sequence[object], **variables: str) -> None:
        """Run pip; build steps see the same pins as the packages themselves.

        pip splits the variables' values at blanks, so they hold a path relative to the checkout.
        """
        pins = str(self._constraints_path.relative_to(self.root))
        environment = {"PIP_CONSTRAINT": pins, "PIP_BUILD_CONSTRAINT": pins, **variables}
        command = [
            self.python,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--no-input",
        ]
        try:
            run_logged(
                label,
                [*command, *arguments],
                self.log_path,
                cwd=self.root,
                environment=environment,
            )
        except Stop as stop:
            hint = stop.hint + "\n  Packages come from the network: check the connection, then run"
            raise Stop(stop.message, hint + " this again; it goes on where it stopped.") from stop

    def _install(self, with_tools: bool) -> None:
        """Wheels first, then what is compiled, then the project itself."""
        pins = pinned_versions(self._constraints_path.read_text("utf-8"))
        names = [*self.requirements(with_tools), "setuptools"]
        wheels = [name for name in names if requirement_name(name) not in COMPILED]
        self._pip(f"Installing {len(wheels)} packages", ["install", *wheels])
        for name in COMPILED:
            if name in map(requirement_name, names):
                self._install_compiled(name, pins[name], self._flags)
        for name in () if self._is_portable else REBUILT:
            if name in map(requirement_name, names):
                self._rebuild(name, pins[name])
        # pip 26 refuses build pins where a build gets no environment of its own.
        itself = ["install", "--no-build-isolation", "-e", "."]
        self._pip("Installing Earwitness itself", itself, PIP_BUILD_CONSTRAINT="")

    def _rebuild(self, name: str, version: str) -> None:
        """Put a package compiled for this processor in the place of the published one."""
        # Outside of its repository the package does not know its own version.
        itself = {f"{name.upper()}_VERSION": version}
        try:
            self._install_compiled(
                name, version, {**REBUILT_FLAGS, **itself}, flags_key(REBUILT_FLAGS)
            )
        except Stop:
            say(f"  {name} could not be compiled; the published one stays, which is slower")

    def _install_compiled(
        self, name: str, version: str, flags: Mapping[str, str], shelf: str = ""
    ) -> None:
        """Install what was compiled before, else compile it and keep it on a shelf of the cache."""
        kept = self._cache_dir / shelf
        wheel = cached_wheel(kept, name, version)
        if wheel is None:
            say(f"  {name} is compiled here; this takes {(COMPILED | REBUILT)[name]}")
            build_dir = self._cache_dir.with_suffix(f".{os.getpid()}")
            arguments = [
                "wheel",
                "--no-deps",
                "--no-cache-dir",
                f"--no-binary={name}",
                "--wheel-dir",
                build_dir,
            ]
            try:
                self._pip(f"Compiling {name}", [*arguments, f"{name}=={version}"], **flags)
                built = next(iter(build_dir.glob("*.whl")))
                kept.mkdir(parents=True, exist_ok=True)
                wheel = Path(shutil.move(built, kept / built.name))
            finally:
                shutil.rmtree(build_dir, ignore_errors=True)
        self._pip(f"Installing {name}", ["install", "--force-reinstall", "--no-deps", wheel])

    def _probe(self) -> None:
        """Load every engine once: a missing library or a foreign instruction shows up now."""
        run_logged("Trying the engines", [self.python, "-c", PROBE], self.log_path, cwd=self.root)
