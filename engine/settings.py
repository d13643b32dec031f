"""Settings, each declared once: key, type, default, bounds, title and help.

Reading, validation, the settings page and the README follow from these declarations. To add
one, add a field here; nothing else needs to know.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from engine import paths
from engine.errors import EngineError


def _setting(
    default: Any,
    title: str,
    help_text: str,
    *,
    group: str,
    choices: tuple[str, ...] = (),
    bounds: tuple[float, float] | None = None,
) -> Any:
    metadata = {
        "title": title,
        "help": help_text,
        "group": group,
        "choices": choices,
        "bounds": bounds,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's choices; immutable, a change makes a new value."""

    language: str = _setting(
        "", "Spoken language", "Two-letter code, empty to detect it.", group="Hearing"
    )
    asr_model: str = _setting(
        "whisper-base", "Transcription model", "Larger is slower and better.", group="Hearing"
    )
    check_model: str = _setting(
        "",
        "Second recogniser",
        "Hears doubtful speech again; words it hears otherwise are marked. Empty for none.",
        group="Hearing",
    )
    chinese_script: str = _setting(
        "as heard",
        "Chinese script",
        "A meeting is written in one: this one, or the one that most of it was heard in.",
        group="Hearing",
        choices=("as heard", "simplified", "traditional"),
    )
    vocabulary: str = _setting(
        "", "Custom vocabulary", "Names and terms to expect, with commas.", group="Hearing"
    )
    speakers: int = _setting(
        0, "Number of speakers", "0 to estimate it.", group="Hearing", bounds=(0, 30)
    )
    threads: int = _setting(
        0, "Threads", "0 for one per physical core.", group="Hearing", bounds=(0, 64)
    )
    remember_voices: bool = _setting(
        False,
        "Remember voices",
        "Keep voiceprints of named speakers to suggest them in later meetings.",
        group="Hearing",
    )
    chat_model: str = _setting(
        "qwen2.5-coder-1.5b", "Language model", "Plans and writes answers.", group="Answering"
    )
    max_rounds: int = _setting(
        5, "Rounds", "How often an answer may be re-planned.", group="Answering", bounds=(1, 5)
    )
    evidence_tokens: int = _setting(
        1000, "Evidence budget", "Tokens read per answer.", group="Answering", bounds=(200, 8000)
    )
    enrich_automatically: bool = _setting(
        True,
        "Enrich after analysis",
        "Find topics, decisions and action items in the background.",
        group="Answering",
    )
    theme: str = _setting(
        "system",
        "Theme",
        "Follow the system, or always dark or light.",
        group="Window",
        choices=("system", "light", "dark"),
    )
    ui_language: str = _setting(
        "", "Language of the window", "Empty to follow the system.", group="Window"
    )
    reduced_motion: bool = _setting(
        False, "Reduced motion", "No animated transitions.", group="Window"
    )
    library_folder: str = _setting(
        "",
        "Folder of the library",
        "Empty for the usual place. `earwitness library move` moves the meetings as well.",
        group="Library",
    )
    watch_folder: str = _setting(
        "", "Watch folder", "New recordings here are analysed by themselves.", group="Library"
    )


def settings_path() -> Path:
    """The settings file."""
    return paths.config_dir() / "settings.json"


def validated(values: dict[str, Any]) -> Settings:
    """Build settings from loose values.

    Unknown keys are ignored, so that an older version can read a newer file.

    Raises:
        EngineError: A value has the wrong type or lies outside its bounds.
    """
    known = {f.name: f for f in fields(Settings)}
    accepted: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            continue
        declared = known[key]
        assert declared.default is not MISSING
        if type(value) is not type(declared.default):
            raise EngineError(
                f"Setting {key} must be a {type(declared.default).__name__}, not {value!r}.",
                f"Correct it in {settings_path()}.",
            )
        choices, bounds = declared.metadata["choices"], declared.metadata["bounds"]
        if choices and value not in choices:
            raise EngineError(f"Setting {key} must be one of {', '.join(choices)}, not {value!r}.")
        if bounds and not bounds[0] <= value <= bounds[1]:
            raise EngineError(f"Setting {key} must lie in {bounds[0]} to {bounds[1]}.")
        accepted[key] = value
    return replace(Settings(), **accepted)


def load(path: Path | None = None) -> Settings:
    """Read the settings file; a missing file gives the defaults.

    Raises:
        EngineError: The file is not readable as settings.
    """
    path = path or settings_path()
    try:
        values = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        raise EngineError(f"The settings file {path} cannot be read.", str(error)) from error
    if not isinstance(values, dict):
        raise EngineError(f"The settings file {path} is not a JSON object.")
    return validated(values)


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings file, whole or not at all.

    Raises:
        EngineError: The folder cannot be written.
    """
    path = path or settings_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".settings-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(settings), file, indent=2, ensure_ascii=False)
        Path(temporary).replace(path)
    except OSError as error:
        raise EngineError(f"The settings cannot be saved to {path}.", str(error)) from error


def library_dir(chosen: Settings | None = None) -> Path:
    """The library folder: from the environment, else the user's choice, else the usual place.

    Args:
        chosen: The user's settings; None to read them.

    Raises:
        EngineError: The settings file is not readable.
    """
    folder = (load() if chosen is None else chosen).library_folder
    if not folder or os.environ.get("EARWITNESS_LIBRARY"):
        return paths.library_dir()
    return Path(folder).expanduser()


def remember_library(folder: Path) -> None:
    """Find the library in ``folder`` from now on.

    Raises:
        EngineError: The settings cannot be written.
    """
    save(replace(load(), library_folder=str(folder)))
