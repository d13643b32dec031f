"""The shape of the program: which module may import which, who owns a heavy library, and sizes."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("engine", "gui")

# From the top down; a module may import from lines below its own. Names on one line are siblings
# and do not see each other, except as SIBLINGS says. A name stands for all modules below it.
LAYERS = (
    ("engine.__main__",),
    ("engine.cli",),
    ("engine.cluster",),
    ("engine.process",),
    ("engine.worker",),
    ("engine.jobs",),
    ("engine.intake",),
    ("engine.pipeline", "engine.evaluate", "engine.doctor"),
    ("engine.rehear",),
    ("engine.agent", "engine.export", "engine.transcripts", "engine.enrich", "engine.known_voices"),
    ("engine.speech", "engine.graph"),
    ("engine.prompts", "engine.grammar"),
    ("engine.audio", "engine.llm", "engine.embed"),
    ("engine.guided",),
    ("engine.weights",),
    ("engine.messages", "engine.progress"),
    ("engine.settings", "engine.paths"),
    ("engine.sealed",),
    ("engine.vault",),
    ("engine.swap",),
    ("engine.types_answer",),
    ("engine.errors", "engine.types", "engine.questions", "engine.openmp", "engine"),
)

# (importer, imported): the reason
SIBLINGS: dict[tuple[str, str], str] = {
    ("engine.messages", "engine.progress"): "a progress message carries a Progress",
    ("engine.settings", "engine.paths"): "the settings file lies in a folder paths knows",
    ("engine.types", "engine.errors"): "types check their values",
}

# What the window may know of the engine; everything else it asks for by message.
WINDOW_MAY_IMPORT = (
    "engine",  # its version
    "engine.types",
    "engine.types_answer",
    "engine.questions",
    "engine.errors",
    "engine.settings",
    "engine.paths",
    "engine.sealed",  # the player and what the window remembers open files of the library
    "engine.vault",
    "engine.graph.encryption",
    "engine.messages",
    "engine.progress",
    "engine.graph.store",
    "engine.graph.versions",  # reads of the same store
    "engine.graph.care",  # a library that cannot be opened is mended before there is an engine
    "engine.audio.record",
    "engine.audio.take",
    "engine.audio.devices",
    "engine.audio.decode",
    "engine.worker",
    "engine.process",
)
COMMAND_LINE = {"gui.__main__"}
"""The one program name serves both: without arguments the window, else the command line."""

# library: the packages that may import it
OWNERS = {
    "PySide6": ("gui",),
    "av": ("engine.audio",),
    "soundfile": ("engine.audio", "gui.player"),  # the window plays, so it reads the timeline
    "soxr": ("engine.audio", "gui.audio_output"),
    "sounddevice": ("engine.audio",),
    "pywhispercpp": ("engine.speech",),
    "sherpa_onnx": ("engine.speech",),
    "onnxruntime": ("engine.weights.runtime",),
    "tokenizers": ("engine.embed",),
    "llama_cpp": ("engine.llm", "engine.guided"),
    "hnswlib": ("engine.graph",),
    "sqlite_utils": ("engine.graph",),
    "sqlcipher3": ("engine.graph.connections",),
    "cryptography": ("engine.vault", "engine.sealed"),
    "onnx": ("engine.weights",),
    "opencc": ("engine.speech.chinese",),
    "penman": ("engine.enrich",),
    "distributed": ("engine.cluster",),
    "dask": ("engine.cluster",),
}

NATIVE = ("llama_cpp", "onnxruntime", "sherpa_onnx", "_pywhispercpp", "pywhispercpp", "hnswlib")

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
# "path" or "path::function": its size. May shrink, never grow; an entry that is no longer needed
# has to be removed.
OVERSIZED: dict[str, int] = {}

# Split, so that this file does not name what it forbids.
REGISTRIES = tuple(
    "".join(parts)
    for parts in (
        ("py", "pi.org"),
        ("python", "hosted.org"),
        ("registry.", "npmjs"),
        ("deb.", "debian.org"),
        ("archive.", "ubuntu.com"),
        ("proxy.", "golang.org"),
        ("crates", ".io"),
    )
)


@cache
def module_names() -> dict[str, Path]:
    """Every module of the sources by its dotted name."""
    found = {}
    for package in SOURCES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def is_typing_block(node: ast.stmt) -> bool:
    """Whether this is ``if TYPE_CHECKING:``, which nothing runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def statements(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements, also those inside others; no statement lies inside an expression."""
    for node in nodes:
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, field, []))


def import_nodes(nodes: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """All imports that run, also those inside functions."""
    for node in nodes:
        if not is_typing_block(node):
            inner = statements([node])
            yield from (n for n in inner if isinstance(n, ast.Import | ast.ImportFrom))


@cache
def imported(name: str) -> set[str]:
    """Dotted names a module imports; ``from a import b`` counts as a.b where that is a module."""
    path = module_names()[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in import_nodes(tree(path).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            continue
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, base] if base else above)
        for alias in node.names:
            full = f"{base}.{alias.name}"
            found.add(full if full in module_names() else base)
    return found


def lies_in(name: str, package: str) -> bool:
    """Whether a module is the package or inside it; ``engine.export`` also owns ``export_x``."""
    return name == package or name.startswith((f"{package}.", f"{package}_"))


def layer_of(name: str) -> tuple[int, str]:
    """The line of LAYERS and the entry in it that a module belongs to."""
    matches = [
        (len(entry), depth, entry)
        for depth, entries in enumerate(LAYERS)
        for entry in entries
        if (lies_in(name, entry) if entry != "engine" else name == entry)
    ]
    assert matches, f"{name} is in no layer: add it to LAYERS in {Path(__file__).name}"
    _, depth, entry = max(matches)
    return depth, entry


def engine_imports() -> Iterator[tuple[str, str]]:
    """Every (importer, imported) pair inside the engine."""
    for name in module_names():
        if lies_in(name, "engine"):
            yield from (
                (name, other) for other in sorted(imported(name)) if other in module_names()
            )


def test_engine_imports_point_downwards() -> None:
    wrong = []
    for name, other in engine_imports():
        if other.startswith("gui"):
            continue
        (depth, entry), (other_depth, other_entry) = layer_of(name), layer_of(other)
        is_allowed = other_depth > depth or entry == other_entry or (entry, other_entry) in SIBLINGS
        if not is_allowed:
            wrong.append(f"{name} imports {other}")
    assert not wrong, "\n".join(wrong)


def test_engine_knows_no_window() -> None:
    wrong = [
        f"{name} imports {other}"
        for name in module_names()
        if lies_in(name, "engine")
        for other in imported(name)
        if other.split(".")[0] in ("gui", "PySide6")
    ]
    assert not wrong, "\n".join(wrong)


def test_window_knows_little_of_the_engine() -> None:
    wrong = [
        f"{name} imports {other}"
        for name in module_names()
        if lies_in(name, "gui") and name not in COMMAND_LINE
        for other in imported(name)
        if other.split(".")[0] == "engine" and other not in WINDOW_MAY_IMPORT
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: imported(name) & module_names().keys() - {name} for name in module_names()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_heavy_libraries_have_one_owner() -> None:
    wrong = []
    for name in module_names():
        for other in imported(name):
            owners = OWNERS.get(other.split(".")[0])
            if owners and not any(lies_in(name, owner) for owner in owners):
                wrong.append(f"{name} imports {other}, which belongs to {', '.join(owners)}")
    assert not wrong, "\n".join(wrong)


def test_packages_load_nothing_by_being_imported() -> None:
    """An __init__ that imports its parts makes every import of one part load them all."""
    wrong = [
        name
        for name, path in module_names().items()
        if path.name == "__init__.py"
        and list(import_nodes(tree(path).body))
        and {other for other in imported(name) if other != "__future__"}
    ]
    assert not wrong, f"these __init__ import something: {wrong}"


def loaded_after(code: str) -> set[str]:
    """Top-level modules loaded in a fresh interpreter after running ``code``."""
    code += "\nimport sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert answer.returncode == 0, answer.stderr
    return set(answer.stdout.split())


def test_starting_the_window_loads_no_engine_library() -> None:
    if "gui.app" not in module_names():
        pytest.skip("gui.app is not written yet")
    loaded = loaded_after("import gui.__main__, gui.app")
    assert "PySide6" in loaded
    assert not loaded & {*NATIVE, "av", "onnx"}


def test_importing_the_whole_engine_loads_no_qt_and_no_native_engine() -> None:
    names = [name for name in module_names() if lies_in(name, "engine") and "__main__" not in name]
    loaded = loaded_after(f"import {', '.join(names)}")
    assert not loaded & {"PySide6", "gui"}
    assert not loaded & {"llama_cpp", "sherpa_onnx", "_pywhispercpp"}


def test_the_command_line_starts_without_heavy_libraries() -> None:
    loaded = loaded_after("import engine.__main__")
    assert not loaded & {*NATIVE, "av", "onnx", "PySide6"}


def test_every_package_is_declared_for_installation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    declared = set(project["tool"]["setuptools"]["packages"])
    present = {name for name, path in module_names().items() if path.name == "__init__.py"}
    assert declared == present


@pytest.mark.parametrize("folder", ["models", "packaging", "resources", "tests"])
def test_folders_that_are_no_packages_stay_so(folder: str) -> None:
    assert not list((ROOT / folder).rglob("__init__.py"))


def tracked_files() -> list[Path]:
    """Files under version control; all sources where there is none."""
    answer = subprocess.run(
        ["git", "ls-files", "-z"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    if answer.returncode == 0:
        return [ROOT / name for name in answer.stdout.split("\0") if name]
    return [
        path
        for source in (*SOURCES, "tests", "packaging")
        for path in ROOT.glob(f"{source}/**/*.*")
    ]


def test_no_file_names_a_package_registry() -> None:
    """Whoever installs has a configured index; the project prescribes none."""
    wrong = []
    for path in tracked_files():
        if not path.is_file():
            continue
        content = path.read_bytes()
        wrong += [
            f"{path.relative_to(ROOT)}: {host}" for host in REGISTRIES if host.encode() in content
        ]
    assert not wrong, "\n".join(wrong)


def sizes() -> Iterator[tuple[str, int, int]]:
    """(name, lines, allowed lines) of every file and function."""
    for path in [*module_names().values(), *sorted((ROOT / "packaging").glob("*.py"))]:
        name = str(path.relative_to(ROOT))
        yield name, len(path.read_text("utf-8").splitlines()), MAX_FILE_LINES
        for node in statements(tree(path).body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                yield f"{name}::{node.name}", lines, MAX_FUNCTION_LINES


def test_files_and_functions_stay_small() -> None:
    wrong = []
    for name, lines, allowed in sizes():
        limit = OVERSIZED.get(name, allowed)
        if lines > limit:
            wrong.append(f"{name}: {lines} lines, at most {limit}")
        if name in OVERSIZED and lines <= allowed:
            wrong.append(f"{name} fits now: remove it from OVERSIZED")
    assert not wrong, "\n".join(wrong)
