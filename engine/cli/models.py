"""Commands about this machine: models and doctor."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine import messages, paths, process
from engine.cli import output, session
from engine.cli.output import ProgressLine
from engine.errors import EngineError
from engine.progress import Report


def models(arguments: argparse.Namespace) -> int:
    """List, fetch, verify, add or remove models."""
    actions = {
        "list": _list,
        "fetch": _fetch,
        "verify": _verify,
        "add": _add,
        "remove": _remove,
    }
    return actions[arguments.action](arguments)


def _chosen(arguments: argparse.Namespace) -> list[str]:
    """The models a call is about: those named, all, or the default set."""
    from engine.weights.catalogue import catalogue, spec

    if arguments.names:
        return [spec(name).id for name in arguments.names]
    return [m.id for m in catalogue() if m.is_default or (arguments.all and m.sha256)]


def _list(arguments: argparse.Namespace) -> int:
    from engine.weights.status import model_rows

    rows = model_rows()
    if arguments.json:
        output.print_json(rows)
        return 0
    for row in rows:
        default = "*" if row.is_default else " "
        size = f"{row.size / 1e6:>7.0f} MB"
        print(f"{default} {row.id:<24} {row.state:<8} {size}  {row.licence:<11} {row.title}")
    print(f"* default set. Models lie in {paths.weights_dir()}")
    return 0


def _fetch(arguments: argparse.Namespace) -> int:
    from engine.weights.locate import is_present

    wanted = [model_id for model_id in _chosen(arguments) if not is_present(model_id)]
    for i, model_id in enumerate(wanted, 1):
        request = messages.FetchModels(process.new_job_id(), (model_id,))
        session.perform(request, f"{model_id} ({i}/{len(wanted)})")
        print(f"{model_id}: ready")
    if not wanted:
        print("All models are here.")
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from engine.weights.locate import verify

    n_broken = 0
    for model_id in _chosen(arguments):
        try:
            verify(model_id)
        except EngineError as error:
            n_broken += 1
            output.print_error(error)
        else:
            print(f"{model_id}: ok")
    return 1 if n_broken else 0


def _add(arguments: argparse.Namespace) -> int:
    from engine.weights.fetch import add

    if not arguments.names:
        raise EngineError("Name the model file to add.", "earwitness models add FILE")
    for name in arguments.names:
        line = ProgressLine(name)
        added = add(Path(name), Report(line), model_id=arguments.model_id)
        line.close()
        print(f"{added.id}: ready")
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from engine.weights.locate import remove

    if not arguments.names:
        raise EngineError("Name the models to remove.", "earwitness models list shows them.")
    for name in arguments.names:
        remove(name)
        print(f"{name}: removed")
    return 0


def doctor(arguments: argparse.Namespace) -> int:
    """Check that this machine can do the work."""
    from engine import doctor as checks

    library = session.library_folder(arguments)
    found = checks.privacy_checks() if arguments.privacy else checks.checks(library)
    if arguments.json:
        output.print_json(found)
    else:
        for check in found:
            mark = "ok  " if check.is_ok else "FAIL"
            hint = "" if check.is_ok or not check.hint else f"  {check.hint}"
            print(f"{mark} {check.name}: {check.message}{hint}")
    return 0 if all(check.is_ok for check in found) else 1
