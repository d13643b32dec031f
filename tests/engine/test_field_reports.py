"""What users of such apps ran into, where no other test says it (field reports, sections F and G).

The other rows: F1 ``end2end/test_models_golden`` (every runtime loads from any folder), F2
``test_odd_files`` (the name never matters), F4 and F11 ``test_places``, F6 and F7
``test_store_faults``, F8 ``test_search`` (library index), G1 and G2 ``test_weights_fetch``,
``test_weights_publisher``, G3 ``end2end/test_no_network``, G8 and G9 ``test_faults``,
``test_process``, ``gui/test_queue``.
"""

from dataclasses import replace

import numpy as np
import pytest
import scripted_ears
import soundfile

from engine import messages, process, settings
from engine.errors import EngineDied
from engine.graph.store import Store
from engine.jobs import Jobs
from engine.progress import silent
from engine.speech import latch
from engine.speech.whisper import PROMPT_LATCH


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setenv("EARS_FAULTS", str(tmp_path / "faults"))
    monkeypatch.setenv("EARWITNESS_CONFIG", str(tmp_path / "config"))
    (tmp_path / "faults").mkdir()
    sound = 0.1 * np.sin(np.arange(4 * 16_000) / 20)
    soundfile.write(tmp_path / "talk.wav", sound.astype(np.float32), 16_000)
    return tmp_path / "talk.wav"


def test_a_vocabulary_that_crashes_the_recogniser_is_said_and_left_out(source, tmp_path):
    """G5: twice the engine is seen to die; then the meeting is heard without the vocabulary."""
    engine = process.EngineProcess(scripted_ears.serve_with_prompts_that_crash)
    options = messages.AnalyseOptions(vocabulary="Quokka, Zephyrine")
    library = tmp_path / "library"
    try:
        for _ in range(latch.MAX_CRASHES):
            with pytest.raises(EngineDied, match="crash in a native library"):
                process.run(engine, messages.Analyse("1", str(library), str(source), options))
        assert not latch.is_open(PROMPT_LATCH)
        process.run(engine, messages.Analyse("1", str(library), str(source), options))
    finally:
        engine.kill()
    with Store(library) as store:
        (meeting,) = store.meetings()
        assert meeting.is_complete
        assert next(u.text for u in store.utterances(meeting.id)) == "we start now then"


def test_windows_that_are_heard_side_by_side_are_no_crashes(source):
    """G5: a step that another thread is still in was not begun and left."""
    with latch.tried("step"):
        for _ in range(3):
            assert latch.is_open("step")
            with latch.tried("step"):
                assert latch.is_open("step")
    note = settings.settings_path().parent / "latches" / "step"
    assert not note.exists()
    note.write_text(str(latch.MAX_CRASHES))
    assert not latch.is_open("step")


class FakeRecogniser:
    """Counts how many are alive: two would be two models in memory."""

    alive: list[str] = []  # noqa: RUF012

    def __init__(self, model_id, threads):
        self.model_id = model_id
        self.alive.append(model_id)

    def __del__(self):
        self.alive.remove(self.model_id)


def test_a_model_changed_during_a_job_is_used_by_the_next_one(source, tmp_path, monkeypatch):
    """G6: the running job keeps its model, and there are never two."""
    monkeypatch.setattr("engine.speech.recogniser.Recogniser", FakeRecogniser)
    heard = []

    def transcribe(recogniser, path, spans, options, report):
        before = recogniser.model_id
        settings.save(replace(settings.load(), asr_model="another"))
        heard.append((before, recogniser.model_id, tuple(FakeRecogniser.alive)))
        return scripted_ears.transcribe(recogniser, path, spans, options, report)

    from engine import pipeline

    recogniser = Jobs.recogniser
    originals = scripted_ears.remembered(pipeline)
    scripted_ears.install()
    try:
        pipeline.asr.transcribe = transcribe
        Jobs.recogniser = recogniser
        jobs = Jobs()
        settings.save(replace(settings.load(), asr_model="first"))
        for name in ("one", "two"):
            target = source.with_name(f"{name}.wav")
            samples, rate = soundfile.read(source)
            soundfile.write(target, samples * (0.5 if name == "two" else 1), rate)
            request = messages.Analyse(name, str(tmp_path / "library"), str(target))
            jobs.run(request, silent(), lambda item: None)
    finally:
        scripted_ears.uninstall(pipeline, originals)
    assert heard == [("first", "first", ("first",)), ("another", "another", ("another",))]
