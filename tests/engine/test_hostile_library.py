"""A library folder from somebody else: what its files say may not reach outside of it."""

import json
import shutil

import pytest

from engine import swap
from engine.audio import take
from engine.errors import EngineError, StoreError
from engine.graph import care, transfer
from engine.graph.store import Store
from engine.types import Utterance

WAYS_OUT = ("../../precious", "{outside}", "..", "../..", ".", "")


@pytest.fixture
def precious(tmp_path):
    """A folder of the user's beside the library; afterwards it must be as it was."""
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "thesis.txt").write_bytes(b"years of work" * 20)
    yield folder
    assert [p.name for p in folder.iterdir()] == ["thesis.txt"]
    assert (folder / "thesis.txt").read_bytes() == b"years of work" * 20


@pytest.fixture
def library(tmp_path):
    folder = tmp_path / "library"
    with Store(folder) as store:
        meeting = store.create_meeting("Kept")
        store.save_utterances(meeting.id, [Utterance(0, 0, 1, "Ann", "we begin")])
        (store.media_dir(meeting.id) / "audio.flac").write_bytes(b"fLaC")
    return folder


def sound_of(library):
    return sorted(str(p.relative_to(library)) for p in library.glob("media/*/*"))


@pytest.mark.parametrize("way", WAYS_OUT)
def test_what_is_left_to_wipe_cannot_be_a_folder_elsewhere(library, precious, way):
    """The names of deleted meetings are kept until their sound is gone, and are folder names."""
    before = sound_of(library)
    with Store(library) as store:
        value = f"m0badc0de {way.format(outside=precious)}"
        store.connection.execute("INSERT INTO library_state VALUES ('scrub', ?)", (value,))
    with Store(library) as store:
        assert [m.title for m in store.meetings()] == ["Kept"]
        assert not store.value("SELECT 1 FROM library_state WHERE key = 'scrub'")
    assert sound_of(library) == before


@pytest.mark.parametrize(
    "way", ["../precious/thesis.txt", "{outside}/thesis.txt", "media", 7, None]
)
def test_an_interrupted_conversion_drops_no_file_elsewhere(library, precious, way):
    staging = library / swap.STAGING_NAME
    (staging / "files").mkdir(parents=True)
    name = way.format(outside=precious) if isinstance(way, str) else way
    (staging / "ready.json").write_text(json.dumps([name]))
    before = sound_of(library)
    with pytest.raises(StoreError, match="cannot be finished"):
        Store(library)
    assert sound_of(library) == before


@pytest.mark.parametrize("content", ["", "{", "7", '"library.db"', '{"a": 1}', "\x00"])
def test_a_damaged_note_of_a_conversion_is_one_clear_line(library, content):
    staging = library / swap.STAGING_NAME
    (staging / "files").mkdir(parents=True)
    (staging / "ready.json").write_text(content)
    with pytest.raises(StoreError, match="cannot be finished") as caught:
        Store(library)
    assert "\n" not in str(caught.value)
    assert (library / "library.db").exists()


@pytest.mark.parametrize("way", ["../../precious/thesis.txt", "{outside}/thesis.txt", "..", "."])
def test_a_track_of_a_recording_cannot_be_a_file_elsewhere(library, precious, way):
    """A recording that was cut off is mended, which writes into its tracks."""
    folder = library / "recordings" / "2026"
    folder.mkdir(parents=True)
    tracks = [way.format(outside=precious), "microphone.wav"]
    take.Journal(folder).write("start", tracks=tracks, rate_hz=16_000, pid=0)
    (folder / "microphone.wav").write_bytes(take.header(16_000, 1, 0) + bytes(3201))
    (found,) = take.unfinished(library / "recordings")
    assert found.tracks == (folder / "microphone.wav",)
    assert take.joined(found) == folder / "microphone.wav"


FACTS = {"event": "start", "wall": 1.0, "tracks": ["microphone.wav"], "pid": 0}


@pytest.mark.parametrize(
    "facts",
    [
        {"wall": "soon"},
        {"wall": None},
        {"tracks": "microphone.wav"},
        {"tracks": 3},
        {"tracks": None},
        {"tracks": [[]]},
        {"pid": "x"},
        {"pid": None},
        {"wall": {}},
        {"pid": 1e400},
        {"pid": 10**30},
    ],
)
def test_a_damaged_journal_neither_stops_the_others_nor_hides_the_sound(tmp_path, facts):
    for name, said in (("1", FACTS | facts), ("2", FACTS)):
        (tmp_path / name).mkdir()
        (tmp_path / name / take.JOURNAL).write_text(json.dumps(said) + "\n")
        (tmp_path / name / "microphone.wav").write_bytes(take.header(16_000, 1, 0) + bytes(32_000))
    found = take.unfinished(tmp_path)
    assert [one.folder.name for one in found] == ["1", "2"]
    assert [one.duration for one in found] == [1.0, 1.0]


@pytest.mark.parametrize("at", ["later", None, [], "nan"])
def test_a_bookmark_at_no_time_is_left_out(tmp_path, at):
    journal = [FACTS, {"event": "bookmark", "at": at, "text": "x"}, {"event": "note", "at": 2.0}]
    text = "\n".join(json.dumps(line) for line in journal)
    (tmp_path / take.JOURNAL).write_text(text)
    found = take.read_take(tmp_path)
    assert [note.at for note in found.notes] == [2.0]


def with_id(library, meeting_id):
    """The library with its only meeting called something else."""
    with Store(library) as store:
        store.connection.execute("PRAGMA foreign_keys = OFF")
        for table in ("utterances", "speakers", "words"):
            store.connection.execute(f"UPDATE {table} SET meeting_id = ?", (meeting_id,))
        store.connection.execute("UPDATE meetings SET id = ?", (meeting_id,))
    return library


@pytest.mark.parametrize("way", [*WAYS_OUT, "a/b", "a\x00b", "../../../new"])
def test_a_meeting_whose_id_is_a_path_is_not_copied(library, precious, tmp_path, way):
    hostile = with_id(library, way.format(outside=precious))
    own = tmp_path / "own" / "library"
    with Store(hostile, read_only=True) as source, Store(own) as target:
        with pytest.raises(EngineError) as caught:
            transfer.merge_library(source, target)
        assert "\n" not in str(caught.value)
        assert target.meetings() == []
        assert care.check(target) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["library", "own", "precious"]


@pytest.mark.parametrize("way", WAYS_OUT)
def test_a_meeting_whose_id_is_a_path_cannot_be_deleted_to_harm(library, precious, way):
    before = sound_of(library)
    meeting_id = way.format(outside=precious)
    with Store(with_id(library, meeting_id)) as store, pytest.raises(EngineError):
        store.delete_meeting(meeting_id)
    assert sound_of(library) == before


def test_a_backup_with_names_that_lead_out_is_harmless_once_restored(library, precious, tmp_path):
    with Store(library) as store:
        store.connection.execute(
            "INSERT INTO library_state VALUES ('scrub', ?)", (f"{precious} ../../precious",)
        )
    shutil.copytree(library, tmp_path / "copy")
    care.restore(tmp_path / "copy", library)
    with Store(library) as store:
        assert care.check(store) == []
