"""Forms of minutes: which sections, in which order; plain files of which the user may add more.

A form is a TOML file, see ``resources/minutes/1-standard.toml``; the user's own are in the folder
``minutes`` beside the settings.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from engine import paths

_STEPS = {
    "topic": ("topics",),
    "summary": ("topics", "summary"),
    "decision": ("commitments",),
    "action": ("commitments",),
}
KINDS = (*_STEPS, "bookmark", "note", "question")
"""What a section may show."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the minutes.

    Attributes:
        title: English for ours, as the user wrote it for others.
        shows: Of ``KINDS``.
        by_person: What belongs to one person stands together.
    """

    title: str
    shows: tuple[str, ...]
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A form of minutes and the file it comes from."""

    path: Path
    title: str
    sections: tuple[Section, ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of enrichment that write what it shows, in the engine's order."""
        needed = {step for s in self.sections for kind in s.shows for step in _STEPS.get(kind, ())}
        return tuple(s for s in ("topics", "commitments", "summary") if s in needed)


def forms() -> tuple[list[Form], list[str]]:
    """All forms, ours first, and what is wrong with files that are none."""
    found, problems = [], []
    for folder in (paths.resource("minutes"), own_dir()):
        for path in sorted(folder.glob("*.toml")):
            try:
                found.append(read(path))
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                problems.append(f"{path}: {error}")
    return found, problems


def read(path: Path) -> Form:
    """Read one form.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not TOML, or shows what there is not.
        KeyError: Something is missing.
    """
    made = tomllib.loads(path.read_text("utf-8"))
    sections = tuple(
        Section(str(part["title"]), tuple(part["shows"]), bool(part.get("by_person", False)))
        for part in made["section"]
    )
    unknown = {str(kind) for section in sections for kind in section.shows} - set(KINDS)
    if unknown:
        raise ValueError(f"a section cannot show {', '.join(sorted(unknown))}")
    return Form(path, str(made["title"]), sections)


def own_copy(form: Form) -> Path:
    """Copy a form into the user's folder, to be changed there.

    Raises:
        OSError: The folder cannot be written to.
    """
    folder = own_dir()
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (target := folder / f"my-minutes-{number}.toml").exists():
        number += 1
    text = form.path.read_text("utf-8")
    target.write_text(
        text.replace(f'title = "{form.title}"', f'title = "{target.stem}"', 1), "utf-8"
    )
    return target


def own_dir() -> Path:
    """Where the user's forms are."""
    return paths.config_dir() / "minutes"
