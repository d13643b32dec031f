"""The command line with the real models while they, the engine, the disk and files go wrong."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import soundfile

from engine import paths
from engine.graph import care
from engine.graph.store import Store
from engine.pipeline import Stage
from engine.weights.locate import locate

pytestmark = pytest.mark.end2end
ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "resources" / "sample" / "meeting.opus"
SECONDS = 25
# The stage that needs a model, in the order of the analysis.
NEEDED = {
    "silero-vad": "find speech",
    "whisper-tiny.en": "transcribe",
    "segmentation-3.0": "tell speakers apart",
    "campplus": "tell speakers apart",
    "minilm": "index",
}


@pytest.fixture
def talk(tmp_path):
    samples, rate = soundfile.read(SAMPLE, dtype="float32")
    soundfile.write(tmp_path / "talk.wav", samples[: SECONDS * rate], rate)
    return tmp_path / "talk.wav"


def command(library, *arguments):
    return [sys.executable, "-m", "engine", "--library", str(library), *map(str, arguments)]


def analyse(library, source, **environment):
    return subprocess.run(
        command(library, "analyse", source, "--model", "whisper-tiny.en", "--json"),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        env={**os.environ, **environment},
    )


def assert_one_clear_line(ended, *words):
    errors = [line for line in ended.stderr.splitlines() if line.startswith("earwitness: ")]
    assert ended.returncode == 1, ended.stderr
    assert len(errors) == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    for word in words:
        assert word in errors[0]


def assert_whole(library):
    with Store(library) as store:
        assert care.check(store) == []
        (meeting,) = store.meetings()
        assert meeting.is_complete
        assert meeting.n_utterances
        return store.finished_stages(meeting.id)


@pytest.fixture
def models(tmp_path, monkeypatch):
    """A folder of models whose files can be damaged without harm to the real ones."""
    folder = tmp_path / "models"
    for model_id in NEEDED:
        real = locate(model_id).parent
        (folder / model_id).mkdir(parents=True)
        for path in real.iterdir():
            (folder / model_id / path.name).symlink_to(path)
    return folder


def damage(folder, model_id, how):
    """Make the main file of a model missing, cut, or nonsense; returns what mends it."""
    path = folder / model_id / locate(model_id).name
    real = path.resolve()
    path.unlink()
    if how == "cut":
        path.write_bytes(real.read_bytes()[: int(real.stat().st_size * 0.6)])
    elif how == "nonsense":
        path.write_bytes(os.urandom(real.stat().st_size))

    def mend():
        path.unlink(missing_ok=True)
        path.symlink_to(real)

    return mend


@pytest.mark.parametrize("how", ["missing", "cut", "nonsense"])
def test_a_model_that_goes_wrong_is_named_and_the_work_before_it_is_kept(
    talk, models, tmp_path, how
):
    library = tmp_path / "library"
    environment = {"EARWITNESS_MODELS": str(models)}
    for model_id, stage in NEEDED.items():
        mend = damage(models, model_id, how)
        ended = analyse(library, talk, **environment)
        assert_one_clear_line(ended, model_id)
        mend()
        with Store(library) as store:
            (meeting,) = store.meetings()
            assert stage not in store.finished_stages(meeting.id)
            assert care.check(store) == []
    ended = analyse(library, talk, **environment)
    assert ended.returncode == 0, ended.stderr
    assert_whole(library)


def engine_of(parent):
    """The engine process that a command started."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    status = (entry / "status").read_text()
                    arguments = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if f"PPid:\t{parent}\n" in status and b"spawn_main" in arguments:
                    return int(entry.name)
        time.sleep(0.05)
    raise AssertionError("no engine was started")


@pytest.mark.parametrize("stage", ["decode", "transcribe", "tell speakers apart", "index"])
def test_an_engine_killed_at_a_stage_is_said_and_the_job_resumes(talk, tmp_path, stage):
    library = tmp_path / "library"
    running = subprocess.Popen(
        command(library, "analyse", talk, "--model", "whisper-tiny.en"),
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    engine = engine_of(running.pid)
    said = []
    for line in running.stderr:
        said.append(line)
        if line.strip().endswith(f": {stage}"):
            os.kill(engine, signal.SIGKILL)
    running.wait(60)
    running.stderr.close()
    assert running.returncode == 1
    assert re.search(r"earwitness: The engine stopped unexpectedly \(killed", "".join(said))
    before = {}
    if library.exists():
        with Store(library) as store:
            assert care.check(store) == []
            for meeting in store.meetings():
                before = store.finished_stages(meeting.id)
    assert analyse(library, talk).returncode == 0
    after = assert_whole(library)
    for name, record in before.items():
        assert after[name] == record  # not heard twice


def test_a_killed_command_leaves_no_engine_behind(talk, tmp_path):
    library = tmp_path / "library"
    running = subprocess.Popen(
        command(library, "analyse", talk), stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    engine = engine_of(running.pid)
    assert running.stderr.readline()
    running.kill()
    running.wait()
    running.stderr.close()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{engine}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert analyse(library, talk).returncode == 0
    assert_whole(library)


def test_ctrl_c_stops_in_the_middle_of_a_stage_and_the_job_resumes(talk, tmp_path):
    library = tmp_path / "library"
    running = subprocess.Popen(
        command(library, "analyse", talk), stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    after = []
    for line in running.stderr:
        if after or line.strip().endswith(": transcribe"):
            after.append(line)
        if len(after) == 1:
            running.send_signal(signal.SIGINT)
    running.wait(30)
    running.stderr.close()
    later = list(Stage)[list(Stage).index(Stage.TRANSCRIBE) + 1 :]
    assert not any(line.strip().endswith(f": {stage}") for line in after for stage in later)
    assert running.returncode == 1
    ended = analyse(library, talk)
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["id"]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 2 MB; needs the right to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_one_clear_line_and_more_room_resumes(talk, tmp_path, small_disk):
    library = small_disk / "library"
    # first no room for the sound, then none for what was heard
    (small_disk / "filler").write_bytes(b"x" * 1_500_000)
    assert_one_clear_line(analyse(library, talk), "full")
    (small_disk / "filler").unlink()
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    assert analyse(library, talk).returncode == 0
    assert_whole(library)


def test_a_damaged_library_is_one_clear_line(talk, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    (library / "library.db").write_bytes(os.urandom(100_000))
    assert_one_clear_line(analyse(library, talk), "damaged")
    assert (library / "library.db").stat().st_size == 100_000
    shutil.rmtree(library)
    assert paths.weights_dir().exists()
