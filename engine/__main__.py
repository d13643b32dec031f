"""The engine's command line: ``earwitness COMMAND`` or ``python -m engine COMMAND``."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the program's name; None for those of the process.

    Returns:
        0 done, 1 failed with one line on stderr, 2 the arguments make no sense.
    """
    from engine.cli.output import harmless

    with harmless():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    from engine.cli.output import print_error
    from engine.cli.parser import build_parser
    from engine.errors import Cancelled, EngineError

    try:
        arguments = build_parser().parse_args(argv)
        status: int = arguments.handler(arguments)
    except EngineError as error:
        print_error(error)
        return 1
    except (Cancelled, KeyboardInterrupt):
        print("earwitness: stopped", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output went away (``earwitness list | head``).
        sys.stderr.close()
        return 1
    return status


if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
