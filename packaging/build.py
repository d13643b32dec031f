#!/usr/bin/env python3
"""Make what people install: a folder that needs no Python, and from it packages.

    python3 packaging/build.py                 dist/earwitness, and on Linux the .deb and .tar.zst;
                                               with appimagetool on the search path an AppImage too
    python3 packaging/build.py --with-models   the same with the default models inside, for
                                               machines without a network
    python3 packaging/build.py --native        for this machine only: freeze what .venv holds, make
                                               no package; a minute instead of ten
    python3 packaging/build.py --check         only try the program that was built

Compiled packages are built anew without instructions that only this processor has, in an
environment of their own under ``build/``. The first build takes ten minutes or more, later ones
about one.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
import interpreter

if __name__ == "__main__":
    interpreter.ensure_suitable()

import argparse
import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path

import appimage
import bundle_check
import debian
from console import Stop, run_logged, say
from environment import Environment
from system_packages import ensure_system

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "dist" / "earwitness"


def freeze(environment: Environment) -> None:
    """Run PyInstaller and put the licences of everything inside beside the program."""
    command = [environment.python, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN"]
    command += ["--distpath", ROOT / "dist", "--workpath", ROOT / "build" / "freeze"]
    spec = ROOT / "packaging" / "earwitness.spec"
    run_logged("Freezing", [*command, spec], environment.log_path, cwd=ROOT)
    drop_symbols()
    script = ROOT / "packaging" / "licences.py"
    target = FOLDER / "LICENCES.txt"
    run_logged(
        "Collecting licences", [environment.python, script, target], environment.log_path, cwd=ROOT
    )


def drop_symbols() -> None:
    """Leave out the debugging symbols of Python and of what is compiled here: 25 MB.

    Other libraries come without any, and some of them do not survive being rewritten.
    """
    strip = shutil.which("strip")
    if sys.platform.startswith("linux") and strip:
        found = [*FOLDER.glob("_internal/libpython3*.so*"), *FOLDER.glob("_internal/hnswlib*.so")]
        for path in found:
            subprocess.run([strip, "--strip-unneeded", path], check=True)


def add_models(environment: Environment) -> None:
    """Put the default models inside, where the program finds them when the user has no own copy.

    Raises:
        Stop: A model is not here and cannot be fetched, or is damaged.
    """
    program = environment.program("earwitness")
    for label, action in {"Fetching the models": "fetch", "Checking the models": "verify"}.items():
        run_logged(label, [program, "models", action], environment.log_path, cwd=ROOT)
    code = "from engine import paths; print(paths.weights_dir())"
    command = [str(environment.python), "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    source, target = Path(answer.stdout.strip()), FOLDER / "_internal" / "weights"
    catalogue = tomllib.loads((ROOT / "models" / "catalog.toml").read_text("utf-8"))
    for model in catalogue["model"]:
        if model.get("is_default"):
            shutil.copytree(source / model["id"], target / model["id"])


def make_packages(environment: Environment) -> None:
    """Make what this system installs, or say how the next step is called."""
    if sys.platform.startswith("linux"):
        made = [debian.make_archive(ROOT, environment.log_path)]
        if shutil.which("dpkg-deb"):
            made.append(debian.make_package(ROOT, environment))
        image = appimage.make_image(ROOT, environment)
        made += [image] if image else []
        for path in made:
            say(f"  {path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.0f} MB")
    elif sys.platform == "darwin":
        say("  Next: packaging/macos/make-dmg.sh")
    else:
        say(r"  Next: iscc packaging\windows\earwitness.iss")


def build(with_models: bool, is_native: bool) -> None:
    """Make the folder and the packages.

    Raises:
        Stop: A step failed.
    """
    folder = ".venv" if is_native else "build/venv"
    environment = Environment(ROOT, folder, is_portable=not is_native)
    if not environment.is_ready(with_tools=True):
        ensure_system(False, environment.log_path)
        environment.prepare(with_tools=True)
    freeze(environment)
    if with_models:
        add_models(environment)
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if not path.is_symlink())
    say(f"  {FOLDER.relative_to(ROOT)}: {size / 1e6:.0f} MB")
    if not is_native:
        make_packages(environment)


def parser() -> argparse.ArgumentParser:
    """The command line of this script."""
    made = argparse.ArgumentParser(
        prog="build.py",
        description="Make the program people install.",
        epilog="example: python3 packaging/build.py --with-models",
    )
    made.add_argument("--with-models", action="store_true", help="carry the default models")
    made.add_argument("--native", action="store_true", help="for this machine only, quickly")
    made.add_argument("--check", action="store_true", help="only try what was built")
    return made


def main(given: Sequence[str] | None = None) -> int:
    """Build as the command line asks; return the exit code."""
    chosen = parser().parse_args(given)
    try:
        if not chosen.check:
            build(chosen.with_models, chosen.native)
        return bundle_check.check(FOLDER)
    except Stop as stop:
        print(f"build: {stop.message}\n{stop.hint}".rstrip(), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbuild: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
