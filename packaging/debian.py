"""The Debian package and the portable archive, from the frozen folder."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

from console import Stop, run_logged
from environment import Environment

# What the frozen folder does not carry and the program cannot do without.
DEPENDS = "libc6 (>= 2.34), libgl1, libegl1, libasound2-data, fonts-dejavu-core | fonts-noto-core"
ICON_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)

CONTROL = """\
Package: earwitness
Version: {version}
Section: sound
Priority: optional
Architecture: {architecture}
Depends: {depends}
Recommends: xdg-utils
Installed-Size: {kilobytes}
Maintainer: The Earwitness authors <earwitness@localhost>
Description: who said what in a meeting, with answers you can hear
 Drop in a recording, or record a meeting. Earwitness writes down who said
 what, when and how, and answers questions about it. Every answer names the
 moments it rests on, and a click plays them.
 .
 Everything happens on this machine; nothing is sent anywhere.
"""


def version(root: Path) -> str:
    """The version in ``engine/__init__.py``."""
    text = (root / "engine" / "__init__.py").read_text("utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    if found is None:
        raise Stop("engine/__init__.py names no version.")
    return found.group(1)


def architecture() -> str:
    """What dpkg calls this machine."""
    command = ["dpkg", "--print-architecture"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def make_archive(root: Path, log_path: Path) -> Path:
    """Pack the folder for machines without dpkg: unpack anywhere, run ``earwitness/earwitness``.

    Raises:
        Stop: tar failed.
    """
    packed = "zst" if shutil.which("zstd") else "gz"
    target = root / "dist" / f"earwitness-{version(root)}-linux.tar.{packed}"
    target.unlink(missing_ok=True)
    options = ["--use-compress-program", "zstd -10 -T0"] if packed == "zst" else ["--gzip"]
    command = ["tar", "--create", *options, "--file", target, "--owner=0", "--group=0"]
    run_logged("Packing", [*command, "-C", root / "dist", "earwitness"], log_path, cwd=root)
    return target


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _write_compressed(text: str, target: Path) -> None:
    """Write without a time stamp, so that the same input gives the same package."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), mtime=0))


def lay_out(root: Path, stage: Path, manual: dict[str, str]) -> None:
    """Put every file where Debian expects it.

    Args:
        root: The checkout, with ``dist/earwitness`` built.
        stage: Empty folder that becomes the package's root.
        manual: Man page and completions by name, as ``manual.documents`` makes them.
    """
    shutil.copytree(root / "dist" / "earwitness", stage / "opt" / "earwitness", symlinks=True)
    programs = stage / "usr" / "bin"
    programs.mkdir(parents=True)
    (programs / "earwitness").symlink_to("/opt/earwitness/earwitness")
    lay_out_shared(root, stage / "usr" / "share", manual)


def lay_out_shared(root: Path, share: Path, manual: dict[str, str]) -> None:
    """Put what belongs into ``/usr/share`` there: desktop entry, icons, man page, completions.

    Args:
        root: The checkout.
        share: The folder, made if it is missing.
        manual: As for ``lay_out``.
    """
    linux = root / "packaging" / "linux"
    _copy(linux / "earwitness.desktop", share / "applications" / "earwitness.desktop")
    about = "app.earwitness.Earwitness.metainfo.xml"
    _copy(linux / about, share / "metainfo" / about)
    icons = share / "icons" / "hicolor"
    for size in ICON_SIZES:
        source = root / "resources" / "icons" / f"earwitness-{size}.png"
        _copy(source, icons / f"{size}x{size}" / "apps" / "earwitness.png")
    scalable = root / "resources" / "icons" / "earwitness.svg"
    _copy(scalable, icons / "scalable" / "apps" / "earwitness.svg")
    _copy(root / "LICENSE", share / "doc" / "earwitness" / "copyright")
    _write_compressed(manual["earwitness.1"], share / "man" / "man1" / "earwitness.1.gz")
    for name, place in {
        "earwitness.bash": "bash-completion/completions/earwitness",
        "_earwitness": "zsh/vendor-completions/_earwitness",
        "earwitness.fish": "fish/vendor_completions.d/earwitness.fish",
    }.items():
        target = share / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(manual[name], encoding="utf-8")


def written_manual(root: Path, environment: Environment) -> dict[str, str]:
    """Man page and completions by name.

    Raises:
        Stop: They cannot be made.
    """
    documents = root / "build" / "manual"
    command = [environment.python, root / "packaging" / "manual.py", documents]
    run_logged("Writing the manual", command, environment.log_path, cwd=root)
    return {path.name: path.read_text("utf-8") for path in documents.iterdir()}


def make_package(root: Path, environment: Environment) -> Path:
    """Make ``dist/earwitness_VERSION_ARCH.deb``.

    Raises:
        Stop: dpkg-deb or the manual failed.
    """
    stage = root / "build" / "deb"
    shutil.rmtree(stage, ignore_errors=True)
    lay_out(root, stage, written_manual(root, environment))
    files = [path for path in stage.rglob("*") if path.is_file() and not path.is_symlink()]
    control = CONTROL.format(
        version=version(root),
        architecture=architecture(),
        depends=DEPENDS,
        kilobytes=sum(path.stat().st_size for path in files) // 1024,
    )
    (stage / "DEBIAN").mkdir()
    (stage / "DEBIAN" / "control").write_text(control, encoding="utf-8")
    target = root / "dist" / f"earwitness_{version(root)}_{architecture()}.deb"
    build = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", stage, target]
    run_logged("Making the .deb", build, environment.log_path, cwd=root)
    shutil.rmtree(stage)
    return target
