"""What was done to the engine and the library, what they survived, and the command to see it.

    python tests/benchmarks/faults.py [WORD ...]

Prints a table; with words only the rows that contain one. "Lost" counts what did not end in a
clear message, a whole library and a job that goes on. Some rows need root (a small disk is
mounted) or the models; what cannot be tried here is shown as skipped.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as Xml
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUICK = "tests/engine/test_faults.py"
REAL = "tests/end2end/test_faults.py"


@dataclass(frozen=True)
class Row:
    """A kind of fault and the tests that try it."""

    fault: str
    files: str
    chosen: str

    @property
    def command(self) -> str:
        """What runs it again."""
        return f'pytest -m "" {self.files} -k "{self.chosen}"'


ROWS = (
    Row("engine killed, crashed, aborted, illegal instruction", QUICK, "dead_engine"),
    Row("engine killed at a stage, real models", REAL, "killed_at_a_stage"),
    Row("engine hangs in native code", QUICK, "hanging_engine"),
    Row("out of memory; a bug of ours", QUICK, "want_of_memory"),
    Row("command killed or stopped, real models", REAL, "killed_command or ctrl_c"),
    Row("model missing at each stage", QUICK, "goes_missing"),
    Row("model missing, cut or nonsense, real models", REAL, "goes_wrong"),
    Row("disk full at each stage", QUICK, "full_disk"),
    Row("disk full, real models", REAL, "full_disk"),
    Row("library folder read-only", QUICK, "read_only"),
    Row("library file is nonsense", REAL, "damaged_library"),
    Row("source file vanishes", QUICK, "vanishes"),
    Row("a bad file or a cancel inside a queue", QUICK, "one_bad_file"),
    Row("20 jobs at once; two engines, one library", QUICK, "twenty_jobs or two_engines"),
    Row("copy of a meeting killed, cancelled, disk full", "tests/engine/test_transfer.py",
        "killed or cancelling or full_database"),
    Row("library killed, filled, locked, damaged, power cut", "tests/engine/test_store_faults.py",
        "killed_while or two_programs or full or grow or power or lock or damaged"),
    Row("killed during each of 17 kinds of write", "tests/engine/test_store_writes.py",
        "killed_during"),
    Row("disk full during each of 16 kinds of write", "tests/engine/test_store_writes.py",
        "disk_is_full"),
    Row("delete cut short, or while somebody reads", "tests/engine/test_deletion.py "
        "tests/engine/test_store_faults.py", "delete_that_was_killed or reader_in_the_way"),
    Row("index of words damaged", "tests/engine/test_store_faults.py",
        "whatever or only_the_indexes"),
    Row("library folder that means harm or is damaged", "tests/engine/test_hostile_library.py",
        "test"),
    Row("search index damaged or missing", "tests/engine/test_search.py", "damaged_library_index"),
    Row("cluster worker lost, file that kills workers", "tests/end2end/test_cluster.py",
        "lost_worker or kills_every or bad_file"),
    Row("recorder killed, device lost, disk full", "tests/engine/test_record.py",
        "killed or vanishes or stalls or full_disk or hangs"),
)  # fmt: skip


def tried(row: Row) -> tuple[int, int, int]:
    """Run the tests of a row; returns how many survived, were lost, were skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        arguments = [*row.files.split(), "-k", row.chosen, "-m", "", "-q", f"--junitxml={report}"]
        subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, capture_output=True, check=False
        )
        cases = list(Xml.parse(report).iter("testcase")) if report.exists() else []
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    lost = sum(
        1 for case in cases if case.find("failure") is not None or case.find("error") is not None
    )
    return len(cases) - skipped - lost, lost, skipped


def main(words: list[str]) -> int:
    """Print the table; returns 1 when anything was lost."""
    print("| Fault | Tried | Survived | Lost | Command |")
    print("|---|---|---|---|---|")
    total_lost = 0
    for row in ROWS:
        if words and not any(word in row.fault for word in words):
            continue
        survived, lost, skipped = tried(row)
        total_lost += lost
        aside = f" ({skipped} skipped)" if skipped else ""
        print(
            f"| {row.fault} | {survived + lost}{aside} | {survived} | {lost} | `{row.command}` |",
            flush=True,
        )
    return 1 if total_lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
