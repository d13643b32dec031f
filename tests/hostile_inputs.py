"""Inputs that mean harm, for every door into the program, and what counts as surviving them.

``DOORS`` maps a name to a function that prepares a folder and returns ``attempt(rng)``: it makes
one input from the seed, tries it, checks that nothing half-written is left, and returns whether
the input was taken (True) or refused with an error of ours (False). Anything else is a fault.
"""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import string
from collections.abc import Callable
from pathlib import Path

import numpy as np
import odd_files
from fakes import FakeEmbedder

from engine.agent import tools
from engine.agent.compile import compile_plan
from engine.agent.execute import run_statement
from engine.agent.schema import Plan, Step
from engine.audio import decode as audio
from engine.errors import EngineError, StoreError
from engine.graph import care, library_index
from engine.graph.search import hybrid_search, keyword_search
from engine.graph.store import Store
from engine.intake import import_transcript
from engine.progress import silent
from engine.types import Cue, Relation, Utterance

Attempt = Callable[[random.Random], bool]

NASTY_BYTES = (
    b"\xff" * 4, b"\xff" * 8, b"\x00" * 4, b"\x00" * 64, b"\xff\xff\xff\x7f", b"\x80\x00\x00\x00",
    b"\x00\x00\x00\x01", b"RIFF", b"OggS", b"fLaC", b"moov", b"\x1aE\xdf\xa3", b"ID3", b"%s%n",
)  # fmt: skip
NASTY_TEXTS = (
    "'", '"', "\\", "\x00", "\ud800", "\u202e", "\ufeff", "NEAR(", "AND", "*", "^", ":", "-", "(",
    "'; DROP TABLE utterances; --", "税务", "🎉", "a" * 3000, "../../etc/passwd", "<script>", "%s",
    "NaN", "1e400", "-->", "00:00:01.000 --> 00:00:02.000", "99:99:99,999", "\r", "\n\n", "{", "[",
)  # fmt: skip
WORDS = ("budget", "panels", "cable", "we", "decided", "storm", "会議", "straße", "20.04", "don't")


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The content with a few bytes changed, or cut, doubled, stuffed or shuffled."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 12))):
        # Headers are where a lie costs most, so half of the changes go there.
        limit = len(changed) if rng.random() < 0.5 else min(len(changed), 200)
        place = rng.randrange(max(1, limit))
        match rng.randrange(7):
            case 0:
                del changed[place:]
            case 1:
                changed[place:place] = rng.choice(NASTY_BYTES)
            case 2:
                piece = rng.choice(NASTY_BYTES)
                changed[place : place + len(piece)] = piece
            case 3:
                del changed[place : place + rng.randrange(1, 40)]
            case 4:
                changed[place:place] = changed[place : place + rng.randrange(1, 400)]
            case 5:
                changed[place : place + 8] = rng.randbytes(8)
            case _:
                changed[place : place + 1] = bytes([rng.randrange(256)])
    return bytes(changed)


def hostile_text(rng: random.Random, pieces: tuple[str, ...] = WORDS + NASTY_TEXTS) -> str:
    """Words, operators and control characters in a row."""
    glue = rng.choice(("", " ", " ", "\n"))
    letters = "".join(rng.choices(string.printable, k=rng.randrange(20)))
    return glue.join([*rng.choices(pieces, k=rng.randrange(1, 9)), letters])


def recordings(folder: Path) -> Attempt:
    """Recordings of six kinds with bytes changed, decoded to a timeline."""
    rng = np.random.default_rng(3)
    ramp = np.linspace(0, 1, 8000, dtype=np.float32)
    samples = (0.3 * np.sin(2000 * ramp) + 0.05 * rng.standard_normal(8000)).astype(np.float32)
    makers = {
        "wav": lambda path: odd_files.pcm_wav(path, samples),
        "flac": lambda path: odd_files.encoded(path, samples, "flac", 16_000),
        "ogg": lambda path: odd_files.encoded(path, samples, "libopus", 48_000),
        "mp3": lambda path: odd_files.encoded(path, samples, "libmp3lame", 16_000),
        "m4a": lambda path: odd_files.encoded(path, samples, "aac", 16_000),
        "mkv": lambda path: odd_files.encoded(path, samples, "aac", 16_000),
    }
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {}
    for kind, make in makers.items():
        path = make(folder / f"seed.{kind}")
        kinds[kind] = path.read_bytes()

    def attempt(chance: random.Random) -> bool:
        kind = chance.choice(sorted(kinds))
        source, media = folder / f"input.{kind}", folder / "media"
        source.write_bytes(mutated(kinds[kind], chance))
        shutil.rmtree(media, ignore_errors=True)
        media.mkdir()
        try:
            timeline = audio.decode(source, media, "auto", silent())
        except EngineError:
            assert not list(media.glob("*.part")), "pieces were left behind"
            return False
        assert 0 < timeline.duration < 36_000
        assert len(audio.read(timeline.path)) > 0
        assert not list(media.glob("*.part"))
        return True

    return attempt


def transcripts(folder: Path) -> Attempt:
    """Transcripts of three kinds with bytes changed, brought into a library."""
    lines = [(i * 2.0, i * 2 + 1.5, f"S{i % 2}", " ".join(WORDS)) for i in range(4)]
    rows = [{"start": a, "end": b, "speaker": s, "text": t} for a, b, s, t in lines]
    cues = "\n".join(
        f"{i}\n00:00:{int(a):02}.000 --> 00:00:{int(b):02}.500\n<v {s}>{t}\n"
        for i, (a, b, s, t) in enumerate(lines)
    )
    kinds = {
        "json": json.dumps({"utterances": rows}, ensure_ascii=False).encode(),
        "vtt": ("WEBVTT\n\n" + cues).encode(),
        "srt": cues.replace(".", ",").encode(),
    }
    store = Store(folder / "library")

    def attempt(rng: random.Random) -> bool:
        kind = rng.choice(sorted(kinds))
        path = folder / f"input.{kind}"
        content = mutated(kinds[kind], rng)
        if rng.random() < 0.5:
            place = rng.randrange(len(content) + 1)
            piece = hostile_text(rng).encode("utf-8", "surrogatepass")
            content = content[:place] + piece + content[place:]
        path.write_bytes(content)
        try:
            meeting = import_transcript(path, None, "", store, FakeEmbedder(), silent())
        except EngineError:
            assert store.meetings() == [], "half a meeting was kept"
            return False
        found = store.utterances(meeting.id)
        assert [u.index for u in found] == list(range(meeting.n_utterances))
        assert all(0 <= u.start <= u.end for u in found)
        store.delete_meeting(meeting.id)
        return True

    return attempt


def _searchable(folder: Path) -> Store:
    store = Store(folder)
    meeting = store.create_meeting("Talk")
    texts = [" ".join(WORDS[i % 5 :]) for i in range(40)]
    rows = [Utterance(i, i * 2.0, i * 2 + 1.5, f"S{i % 3}", t) for i, t in enumerate(texts)]
    store.save_utterances(meeting.id, rows)
    vectors = FakeEmbedder().encode(texts)
    store.save_vectors(meeting.id, "utterance", FakeEmbedder.model_id, vectors)
    return store


def questions(folder: Path) -> Attempt:
    """Search texts full of operators, put to full text and to the hybrid search."""
    store = _searchable(folder)
    meeting_id = store.meetings()[0].id

    def attempt(rng: random.Random) -> bool:
        text = hostile_text(rng)
        for ids in ((), (meeting_id,)):
            for hit in keyword_search(store, ids, text, 5):
                assert 0 <= hit.index < 40
        hybrid_search(store, FakeEmbedder(), (meeting_id,), text, 5)
        return True

    return attempt


NUMBERS = (0, -1, 1, 7, 2.5, 1e300, -1e300, float("inf"), float("nan"), 2**62, 2**70)


def _argument(name: str, rng: random.Random) -> object:
    choices: dict[str, Callable[[], object]] = {
        "query": lambda: hostile_text(rng),
        "by": lambda: rng.choice(("time", "score", hostile_text(rng))),
        "cues": lambda: rng.choices(list(Cue), k=rng.randrange(3)),
        "labels": lambda: [hostile_text(rng) for _ in range(rng.randrange(3))],
        "relation": lambda: rng.choice(list(Relation)),
        "speaker_ids": lambda: rng.choices(NUMBERS, k=rng.randrange(4)),
    }
    return choices.get(name, lambda: rng.choice(NUMBERS))()


def _step(rng: random.Random, position: int) -> Step:
    """One step with hostile arguments; now and then it refers to what is not before it."""
    make = tools._TOOLS[rng.choice(sorted(tools.names()))]
    names = make.__code__.co_varnames[: make.__code__.co_argcount]
    given = {name: _argument(name, rng) for name in names if name != "inputs"}
    if "inputs" in names:
        first, end = (-1, position + 2) if rng.random() < 0.05 else (0, position)
        n_inputs = rng.randrange(3) if end > first else 0
        given["inputs"] = [rng.randrange(first, end) for _ in range(n_inputs)]
    return make(**given)


def plans(folder: Path) -> Attempt:
    """Plans with hostile arguments, compiled to SQL and run."""
    store = _searchable(folder)
    meeting_id = store.meetings()[0].id

    def attempt(rng: random.Random) -> bool:
        steps = tuple(_step(rng, position) for position in range(rng.randrange(1, 6)))
        before = store.connection.total_changes
        try:
            statement = compile_plan(Plan(steps), [meeting_id, hostile_text(rng)])
        except ValueError:
            return False
        rows = run_statement(store, statement)
        assert store.connection.total_changes == before
        assert all(row[0] == meeting_id for row in rows)
        return True

    return attempt


def models(folder: Path) -> Attempt:
    """Model files of six formats with bytes changed, read by every reader."""
    source = Path(__file__).parent / "engine" / "test_weights_fuzz.py"
    module_spec = importlib.util.spec_from_file_location("model_readers", source)
    assert module_spec
    assert module_spec.loader
    readers = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(readers)
    folder.mkdir(parents=True, exist_ok=True)
    for content, reader, name in readers.READERS.values():
        # Libraries are loaded now, or the first input would be blamed for their memory.
        (folder / name).write_bytes(content)
        reader(folder / name)

    def attempt(rng: random.Random) -> bool:
        form = rng.choice(sorted(readers.READERS))
        return bool(readers.read(form, mutated(readers.READERS[form][0], rng), folder))

    return attempt


def libraries(folder: Path) -> Attempt:
    """Library folders with one file damaged: database, vector index or what is known of it."""
    healthy = folder / "healthy"
    least, library_index.MIN_ROWS = library_index.MIN_ROWS, 20
    try:
        with _searchable(healthy) as store:
            library_index.update(store, FakeEmbedder(), silent())
            store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        library_index.MIN_ROWS = least
    names = ("library.db", "library.db", library_index.INDEX_NAME, library_index.FACTS_NAME)

    def attempt(rng: random.Random) -> bool:
        place = folder / "library"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(healthy, place)
        path = place / rng.choice(names)
        content = path.read_bytes()
        if path.name == "library.db" and rng.random() < 0.5:
            page = rng.randrange(len(content) // 4096) * 4096
            content = content[:page] + mutated(content[page : page + 4096], rng) + content[page:]
        path.write_bytes(mutated(content, rng))
        try:
            care.repair(place)
            with Store(place) as store:
                assert care.check(store) == []
                hybrid_search(store, FakeEmbedder(), (), "budget", 5)
                store.save_utterances(store.create_meeting("After").id, [])
        except StoreError:
            return False
        return True

    return attempt


DOORS: dict[str, Callable[[Path], Attempt]] = {
    "recordings": recordings,
    "transcripts": transcripts,
    "search texts": questions,
    "plans and their SQL": plans,
    "model files": models,
    "library files": libraries,
}
