"""Hearing with the real models: what must come out of real and of made-up sound."""

import multiprocessing
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from engine.audio.decode import Timeline, decode
from engine.errors import EngineError
from engine.progress import silent
from engine.speech import asr, diarize, merge, vad
from engine.speech.recogniser import Recogniser
from engine.weights.locate import is_present

ROOT = Path(__file__).resolve().parents[2]
AUDIO = Path(os.environ.get("EARWITNESS_SHARED", ROOT.parent / "shared")) / "data" / "audio"
NEEDED = ("whisper-base", "whisper-tiny.en", "silero-vad", "segmentation-3.0", "campplus")
pytestmark = [
    pytest.mark.end2end,
    pytest.mark.skipif(not AUDIO.is_dir(), reason=f"no recordings in {AUDIO}"),
    pytest.mark.skipif(not all(map(is_present, NEEDED)), reason="default models not installed"),
]
RATE = 16_000
JFK = (
    "And so my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)
UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser("whisper-base")


@pytest.fixture
def hear(recogniser, tmp_path):
    def run(source: Path, **options: str) -> tuple[Timeline, asr.Transcription]:
        timeline = decode(source, tmp_path, "auto", silent())
        spans = vad.speech_spans(timeline.path, silent())
        found = asr.transcribe(
            recogniser, timeline.path, spans, asr.AsrOptions(**options), silent()
        )
        for before, after in zip(found.words, found.words[1:], strict=False):
            assert before.start <= after.start
        for word in found.words:
            assert any(s.start - 0.01 <= word.start <= s.end + 0.01 for s in spans) or (
                timeline.channel_paths
            )
        return timeline, found

    return run


def plain(text: str) -> str:
    return " ".join("".join(c for c in text.lower() if c.isalnum() or c == " ").split())


def text_of(found: asr.Transcription) -> str:
    return plain(merge.join_words(found.words))


def write(path: Path, samples: np.ndarray) -> Path:
    sf.write(path, np.clip(samples, -1, 1).astype(np.float32), RATE)
    return path


def pink(seconds: float, level: float) -> np.ndarray:
    random = np.random.default_rng(4)
    spectrum = np.fft.rfft(random.standard_normal(int(seconds * RATE)))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    noise = np.fft.irfft(spectrum, int(seconds * RATE))
    return level * noise / np.sqrt(np.mean(np.square(noise)))


def melody(seconds: float) -> np.ndarray:
    t = np.arange(int(seconds * RATE)) / RATE
    notes = np.array([262.0, 294, 330, 392, 440, 392, 330, 294])
    f = notes[(t * 2).astype(int) % len(notes)]
    phase = 2 * np.pi * np.cumsum(f) / RATE
    return 0.1 * sum(np.sin(k * phase) / k for k in (1, 2, 3)) * np.exp(-(t * 2 % 1))


def test_jfk_word_for_word(hear):
    _, found = hear(AUDIO / "misc" / "jfk.wav")
    assert text_of(found) == plain(JFK)
    assert found.language == "en"
    assert found.coverage > 0.95


@pytest.mark.parametrize("name", ["nearly_silent_trn01", "nearly_silent_trn02"])
def test_no_words_where_nobody_speaks(hear, name):
    assert hear(AUDIO / "ami" / f"{name}.wav")[1].words == ()


@pytest.mark.parametrize(
    "sound",
    [pink(60, 0.003), pink(30, 0.1), melody(60), np.zeros(30 * RATE)],
    ids=["room", "loud noise", "music", "zeros"],
)
def test_no_words_on_noise_and_music(hear, tmp_path, sound):
    _, found = hear(write(tmp_path / "x.wav", sound))
    assert found.words == ()
    assert found.language == ""


def test_nothing_is_invented_between_two_stretches_of_speech(hear, tmp_path):
    """B1: speech, a minute of room noise, speech."""
    speech, _ = sf.read(AUDIO / "misc" / "jfk.wav")
    source = write(tmp_path / "x.wav", np.concatenate([speech, pink(60, 0.003), speech]))
    assert text_of(hear(source)[1]) == f"{plain(JFK)} {plain(JFK)}"


def test_quiet_speech_is_heard(hear, tmp_path):
    """B5: 32 dB softer, about -50 dB full scale."""
    speech, _ = sf.read(AUDIO / "misc" / "jfk.wav")
    _, found = hear(write(tmp_path / "x.wav", speech * 10**-1.6))
    assert text_of(found) == plain(JFK)


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite makes the voice")
def test_a_count_of_more_than_a_minute_keeps_every_number(hear, tmp_path):
    """B3, B4: continuous speech over several windows."""
    units = UNITS.split()
    names = [*units, *(f"{t} {u}".strip() for t in TENS.split() for u in ("", *units[:9]))][:90]
    command = ["flite", "-voice", "slt", "-t", ", ".join(names), "-o", str(tmp_path / "x.wav")]
    subprocess.run(command, check=True)
    timeline, found = hear(tmp_path / "x.wav", language="en")
    assert timeline.duration > 60
    said = merge.join_words(found.words).lower().replace("-", " ").replace(",", " ").split()
    numbers = [int(w.strip(".")) for w in said if w.strip(".").isdigit()]
    spoken = {i + 1 for i, name in enumerate(names) if name in " ".join(said)}
    assert set(range(1, 91)) <= set(numbers) | spoken
    assert found.coverage > 0.95


def test_two_voices_at_once_in_two_channels(hear):
    """A8: both are heard, also at the same time."""
    timeline, found = hear(AUDIO / "misc" / "stereo_diarization.wav")
    assert len(timeline.channel_paths) == 2
    turns = diarize.diarize(timeline, [], 0, silent()).turns
    assert turns == ()
    spans = vad.speech_spans(timeline.path, silent())
    turns = diarize.diarize(timeline, spans, 0, silent()).turns
    said = {u.speaker_id: plain(u.text) for u in merge.utterances(found.words, turns)}
    assert "horizon seems extremely distant" in " ".join(said.values())
    assert "behind the curtain on the left" in " ".join(said.values())
    assert len(said) == 2


def test_each_stretch_is_heard_in_its_own_language(hear):
    """C2: two languages in one recording."""
    _, found = hear(AUDIO / "misc" / "multilingual.mp3")
    text = text_of(found)
    assert "to any person obtaining a copy of this software" in text
    assert "dokumentationsdateien" in text


def test_speech_is_found_the_same_whatever_was_heard_before(tmp_path):
    """The detector is kept from one recording to the next, without what it remembers."""
    paths = []
    for name in ("dev00", "trn03"):
        (tmp_path / name).mkdir()
        paths.append(decode(AUDIO / "ami" / f"{name}.wav", tmp_path / name, "auto", silent()).path)
    alone = vad.speech_spans(paths[0], silent())
    assert vad.speech_spans(paths[1], silent()) != alone
    assert vad.speech_spans(paths[0], silent()) == alone


def test_names_from_the_vocabulary(hear):
    _, found = hear(AUDIO / "ami" / "dev00.wav", language="en", vocabulary="Adam Duguid, Ademesoye")
    assert "duguid" in text_of(found)


@pytest.mark.parametrize(
    ("name", "people"), [("falcon_three_speakers", 3), ("two_speakers_katiesteve", 2)]
)
def test_number_of_speakers(tmp_path, name, people):
    timeline = decode(AUDIO / "misc" / f"{name}.wav", tmp_path, "auto", silent())
    spans = vad.speech_spans(timeline.path, silent())
    found = diarize.diarize(timeline, spans, 0, silent())
    assert found.n_speakers == people
    # Another count comes from what was kept, in a moment.
    assert (tmp_path / "voices.npz").is_file()
    assert diarize.diarize(timeline, spans, 1, silent()).n_speakers == 1


def _in_child(sender) -> None:
    """Use prompts of all kinds in a process that may crash."""
    backend = Recogniser("whisper-tiny.en")
    samples, _ = sf.read(AUDIO / "misc" / "jfk.wav", dtype="float32")
    for prompt in ("Glossary: Earwitness.", "", "Glossary: " + "word, " * 400, "é会議🎤"):
        backend.hear(samples, silent(), prompt=prompt)
    sender.send("alive")


def test_prompts_do_not_crash_this_version():
    # G5: pywhispercpp #141 reports a segmentation fault
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_in_child, args=(theirs,))
    child.start()
    child.join(300)
    assert child.exitcode == 0
    assert ours.recv() == "alive"
    ours.close()
    theirs.close()


def test_a_file_that_is_no_model_is_an_error_and_no_crash(monkeypatch, tmp_path):
    (tmp_path / "x.bin").write_bytes(b"<html>proxy</html>" * 100)
    monkeypatch.setattr("engine.speech.loading.locate", lambda *names: tmp_path / "x.bin")
    with pytest.raises(EngineError, match=r"not a whisper\.cpp model"):
        Recogniser("whisper-base")
