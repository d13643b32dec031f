"""The AppImage: one file that runs where it lies, from the frozen folder.

Its tool, ``appimagetool``, is no Debian package; where it is not on the search path no AppImage is
made, and the portable archive serves instead.

Source:
    The AppDir of the AppImage specification: ``AppRun``, one desktop entry and its icon at the top.
"""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import debian
from console import run_logged
from environment import Environment

TOOL = "appimagetool"
PROGRAM = "usr/lib/earwitness/earwitness"
# Started through links too, from anywhere, and from folders with odd names.
APP_RUN = f"""\
#!/bin/sh
here="$(dirname "$(readlink -f "$0")")"
exec "$here/{PROGRAM}" "$@"
"""


def lay_out(root: Path, stage: Path, manual: dict[str, str]) -> None:
    """Put every file where an AppImage has it.

    Args:
        root: The checkout, with ``dist/earwitness`` built.
        stage: Empty folder that becomes the AppDir.
        manual: Man page and completions by name, as ``manual.documents`` makes them.
    """
    shutil.copytree(root / "dist" / "earwitness", (stage / PROGRAM).parent, symlinks=True)
    debian.lay_out_shared(root, stage / "usr" / "share", manual)
    # The tool looks for these at the top only; file managers show .DirIcon.
    share = stage / "usr" / "share"
    shutil.copyfile(share / "applications" / "earwitness.desktop", stage / "earwitness.desktop")
    icon = share / "icons" / "hicolor" / "256x256" / "apps" / "earwitness.png"
    shutil.copyfile(icon, stage / "earwitness.png")
    (stage / ".DirIcon").symlink_to("earwitness.png")
    (stage / "AppRun").write_text(APP_RUN, encoding="utf-8")
    (stage / "AppRun").chmod(0o755)


def make_image(root: Path, environment: Environment) -> Path | None:
    """Make ``dist/Earwitness-VERSION-ARCH.AppImage``; None without the tool.

    Raises:
        Stop: The tool or the manual failed.
    """
    tool = shutil.which(TOOL)
    if tool is None:
        return None
    stage = root / "build" / "Earwitness.AppDir"
    shutil.rmtree(stage, ignore_errors=True)
    lay_out(root, stage, debian.written_manual(root, environment))
    machine = platform.machine()
    target = root / "dist" / f"Earwitness-{debian.version(root)}-{machine}.AppImage"
    target.unlink(missing_ok=True)
    # It is told the processor, because it cannot tell from a folder of many libraries.
    command = ["env", f"ARCH={machine}", tool, "--no-appstream", stage, target]
    run_logged("Making the AppImage", command, environment.log_path, cwd=root)
    shutil.rmtree(stage)
    return target
