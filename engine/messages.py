"""What crosses the border between the window (or command line) and an engine process.

Every request carries a ``job_id`` chosen by the sender; every reply repeats it. Only frozen
values of ``engine.types`` and plain Python travel; no arrays, no handles.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.progress import Progress
from engine.questions import DraftQuestion


@dataclass(frozen=True, slots=True)
class AnalyseOptions:
    """How to hear a recording.

    Attributes:
        title: Empty to use the file's name.
        n_speakers: 0 to estimate.
        language: ISO 639-1 code, "" to detect.
        asr_model: Catalogue id, "" for the setting's.
        vocabulary: Names and terms to expect.
        channels: ``auto``, ``mix`` or ``speakers`` (each channel is one speaker).
        is_forced: Run every stage again, even finished ones.
        check_model: Second recogniser, which hears doubtful speech again; "" for the setting's.
        script: Of Chinese, ``simplified`` or ``traditional``; "" for the setting's.
    """

    title: str = ""
    n_speakers: int = 0
    language: str = ""
    asr_model: str = ""
    vocabulary: str = ""
    channels: str = "auto"
    is_forced: bool = False
    check_model: str = ""
    script: str = ""


@dataclass(frozen=True, slots=True)
class Analyse:
    """Hear a file, or resume meeting ``meeting_id``. Result: ``engine.types.Meeting``."""

    job_id: str
    library_dir: str
    path: str
    options: AnalyseOptions = AnalyseOptions()
    meeting_id: str = ""


@dataclass(frozen=True, slots=True)
class HearAgain:
    """Hear a stretch without words once more. Result: how many words were found."""

    job_id: str
    library_dir: str
    meeting_id: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class ImportTranscript:
    """Read a transcript file. Result: ``engine.types.Meeting``."""

    job_id: str
    library_dir: str
    path: str
    audio_path: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Enrich:
    """Run the background enrichment of a meeting. Partial: names of finished steps."""

    job_id: str
    library_dir: str
    meeting_id: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a question. Partial: ``TraceEvent``. Result: ``Answer``.

    No ``meeting_ids`` mean the whole library; ``history``: earlier (question, answer) pairs.
    """

    job_id: str
    library_dir: str
    meeting_ids: tuple[str, ...]
    question: str
    system: str = "agent"
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GetReady:
    """Load the language model and read ahead, while a question is typed.

    Result: whether there is a model to load; that there is none is said when a question is asked.
    """

    job_id: str


@dataclass(frozen=True, slots=True)
class RehearEvidence:
    """Hear the moments that a kept answer cites once more. Result: tuple of ``Reheard``."""

    job_id: str
    library_dir: str
    answer_id: int


@dataclass(frozen=True, slots=True)
class Search:
    """Find utterances. Result: tuple of ``SearchHit``."""

    job_id: str
    library_dir: str
    text: str
    meeting_ids: tuple[str, ...] = ()
    speaker: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Stored:
    """A change is saved: what an edit returned, or the id of a meeting that is no more."""

    result: object


@dataclass(frozen=True, slots=True)
class Edit:
    """Change a meeting by an edit of ``engine.graph.edits``, such as undo.

    Partial result: ``Stored`` as soon as it is saved; after it the job may be stopped, and the
    next edit does what is left of bringing the search up to date. Result: what the edit returns.
    """

    job_id: str
    library_dir: str
    meeting_id: str
    operation: str
    arguments: dict[str, object]


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a meeting. Partial: ``Stored`` when it is gone. Result: ``DeleteReceipt``."""

    job_id: str
    library_dir: str
    meeting_id: str


@dataclass(frozen=True, slots=True)
class ForgetVoice:
    """Remove the remembered voice of a name. Result: how many exemplars it held."""

    job_id: str
    library_dir: str
    name: str


@dataclass(frozen=True, slots=True)
class Export:
    """Write a meeting to a file. Result: the path written."""

    job_id: str
    library_dir: str
    meeting_id: str
    format: str
    path: str


@dataclass(frozen=True, slots=True)
class ExportEvidence:
    """Write an answer with its quotes and their sound to one HTML file. Result: the path."""

    job_id: str
    library_dir: str
    answer_id: int
    path: str


@dataclass(frozen=True, slots=True)
class RateAnswer:
    """Keep the user's marks of an answer, 1 to 5 by name. Result: None."""

    job_id: str
    library_dir: str
    answer_id: int
    marks: dict[str, int]


@dataclass(frozen=True, slots=True)
class ExportRatings:
    """Write all rated answers to a file, CSV or JSON by its ending. Result: how many."""

    job_id: str
    library_dir: str
    path: str


@dataclass(frozen=True, slots=True)
class RestoreVersion:
    """Make an earlier transcript the present one. Result: None."""

    job_id: str
    library_dir: str
    meeting_id: str
    version_id: int


@dataclass(frozen=True, slots=True)
class DraftQuestions:
    """Draft questions about a meeting for review. Result: tuple of ``DraftQuestion``."""

    job_id: str
    library_dir: str
    meeting_id: str
    n: int = 5


@dataclass(frozen=True, slots=True)
class ExportQuestions:
    """Write the accepted questions as a question set. Result: the path."""

    job_id: str
    library_dir: str
    meeting_id: str
    drafts: tuple[DraftQuestion, ...]
    path: str


@dataclass(frozen=True, slots=True)
class FetchModels:
    """Download, verify and convert models. Result: None."""

    job_id: str
    model_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listen:
    """Transcribe a recording while it grows, until the job is cancelled.

    Partial: ``LiveUtterance``. Never finishes by itself: ``Cancel`` when the
    recording ends; the answer is ``Stopped``. Send it to a process that has nothing else to do.

    Attributes:
        paths: WAV files of the tracks, the microphone first; they may not exist yet.
        language: ISO 639-1 code, "" to detect it from the first words.
    """

    job_id: str
    paths: tuple[str, ...]
    language: str = ""


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Cite for every question of a folder of meetings. Result: {question id: {"cited": [...]}}."""

    job_id: str
    qa_dir: str
    system: str
    limit: int = 0
    judge: str = ""  # a model that marks the answers too: ``judged_right`` and ``mark``


@dataclass(frozen=True, slots=True)
class ListModels:
    """Tell what models there are. Result: tuple of ``engine.weights.status.ModelRow``."""

    job_id: str


@dataclass(frozen=True, slots=True)
class VerifyModels:
    """Check every byte of installed models. Result: None; fails for a broken one."""

    job_id: str
    model_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoveModel:
    """Delete an installed model. Result: whether there was one."""

    job_id: str
    model_id: str


@dataclass(frozen=True, slots=True)
class AddModel:
    """Import a model from a file or folder, known by its hash. Result: its catalogue id."""

    job_id: str
    path: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop one job; it answers with ``Stopped``."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End the process after the current job is cancelled."""


Request = (
    Analyse | ImportTranscript | Enrich | Ask | Search | Edit | Delete | Export | FetchModels
    | Evaluate | ListModels | VerifyModels | RemoveModel | AddModel | Listen | ForgetVoice
    | ExportEvidence | RateAnswer | ExportRatings | RestoreVersion | DraftQuestions
    | ExportQuestions | HearAgain | RehearEvidence | GetReady
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Started:
    """The job left the queue."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Progressed:
    """At most ten a second."""

    job_id: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class Partial:
    """A piece of the result, in order."""

    job_id: str
    item: object


@dataclass(frozen=True, slots=True)
class Finished:
    """The result; nothing follows for this job."""

    job_id: str
    result: object


@dataclass(frozen=True, slots=True)
class Failed:
    """What went wrong; nothing follows for this job.

    Attributes:
        kind: Class name of the ``EngineError``, or ``Bug`` for a fault of ours.
        message: One line.
        hint: What to do.
        details: A traceback for ``Bug``, without meeting content.
    """

    job_id: str
    kind: str
    message: str
    hint: str = ""
    details: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The job was cancelled; nothing follows for it."""

    job_id: str


Reply = Started | Progressed | Partial | Finished | Failed | Stopped
