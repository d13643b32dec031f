"""Where things lie: the only place that knows development, frozen and test locations."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

APP_NAME = "Earwitness"


def _override(variable: str, default: Path) -> Path:
    """A folder from the environment (tests, portable installs) or the platform's own."""
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else default


def _bundle_dir() -> Path:
    """The repository in development, the unpacked bundle when frozen."""
    frozen = getattr(sys, "_MEIPASS", None)
    return Path(frozen) if frozen else Path(__file__).resolve().parent.parent


def library_dir() -> Path:
    """The default library folder."""
    default = Path(platformdirs.user_data_dir(APP_NAME, appauthor=False)) / "library"
    return _override("EARWITNESS_LIBRARY", default)


def weights_dir() -> Path:
    """Where fetched and converted models lie."""
    default = Path(platformdirs.user_data_dir(APP_NAME, appauthor=False)) / "models"
    return _override("EARWITNESS_MODELS", default)


def bundled_weights_dir() -> Path:
    """Models that a packaged app brings along for machines without a network; read only."""
    return _bundle_dir() / "weights"


def config_dir() -> Path:
    """Where the settings file lies."""
    default = Path(platformdirs.user_config_dir(APP_NAME, appauthor=False))
    return _override("EARWITNESS_CONFIG", default)


def log_dir() -> Path:
    """Where logs and crash reports lie."""
    return _override("EARWITNESS_LOGS", Path(platformdirs.user_log_dir(APP_NAME, appauthor=False)))


def resource(name: str) -> Path:
    """A file shipped in ``resources/``, such as ``prompts/plan.md``."""
    return _bundle_dir() / "resources" / name


def catalogue_path() -> Path:
    """The table of models."""
    return _bundle_dir() / "models" / "catalog.toml"


def licences_path() -> Path:
    """The licences of all that ships and can be fetched, as one Markdown text."""
    return _bundle_dir() / "models" / "LICENCES.md"


def keep_runtimes_quiet() -> None:
    """Forbid a native library to report to its maker; call it before onnxruntime is imported.

    onnxruntime 1.32 for Linux looks up a server some seconds after it was loaded, from native code
    that no Python hook sees.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
