"""The sample meeting, heard once with the real models for all tests that ask about it."""

import pytest

from engine import messages, process
from engine.cli.demo import sample_audio


@pytest.fixture(scope="session")
def engine():
    engine = process.EngineProcess()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def sample(engine, tmp_path_factory):
    """(library folder, meeting) of the analysed sample."""
    library = tmp_path_factory.mktemp("library")
    options = messages.AnalyseOptions(title="Sample meeting")
    request = messages.Analyse(process.new_job_id(), str(library), str(sample_audio()), options)
    return library, process.run(engine, request)
