"""Faults of ours: logged, shown, and written down without meeting content."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import datetime
from types import TracebackType

from engine import paths
from engine.errors import EngineError
from gui.commands import versions
from gui.main_window import MainWindow

_LOG = logging.getLogger(__name__)


def install_excepthook(window: MainWindow) -> None:
    """Show whatever nobody caught in the window's banner."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        if isinstance(error, EngineError):
            window.show_banner(error.message, error.hint)
            return
        report = crash_report(kind, trace)
        _LOG.error("Unexpected fault\n%s", report)
        path = write_report(report)
        window.show_banner(
            window.tr("Something went wrong in Earwitness itself."),
            window.tr("Your meetings are safe. A report was written to {path}.").format(path=path),
            "",
            report,
        )

    sys.excepthook = hook


def crash_report(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Where it happened and with which versions; messages may quote a meeting, so none."""
    places = [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)
    ]
    return "\n".join([kind.__name__, *places, "", versions()])


def write_report(report: str) -> str:
    """Write a report beside the logs; its path, or "" when even that fails."""
    folder = paths.log_dir()
    path = folder / f"crash-{datetime.now():%Y%m%d-%H%M%S}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(report, "utf-8")
    except OSError:
        return ""
    return str(path)
