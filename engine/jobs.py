"""What each request does, and the models that are kept loaded between requests.

Lives in the engine process. ``Jobs`` is the one owner of every model there: nothing is loaded
twice, and nothing is loaded for a question that the last question already loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import messages, settings
from engine.errors import ModelBroken, ModelMissing
from engine.graph.store import Store
from engine.progress import Report
from engine.types import Meeting, Span

if TYPE_CHECKING:
    from engine.embed import Embedder
    from engine.llm import LocalChat
    from engine.speech.embedding import VoiceEmbedder
    from engine.speech.recogniser import Recogniser

OnPartial = Callable[[object], None]

_TEXT_EDITS = frozenset(
    ("edit_text", "replace_text", "split_utterance", "merge_utterances", "undo", "redo")
)


def with_settings(options: messages.AnalyseOptions) -> messages.AnalyseOptions:
    """Fill in what the user left to the settings."""
    chosen = settings.load()
    return replace(
        options,
        asr_model=options.asr_model or chosen.asr_model,
        language=options.language or chosen.language,
        vocabulary=options.vocabulary or chosen.vocabulary,
        check_model=options.check_model or chosen.check_model,
        script=options.script or chosen.chinese_script,
        n_speakers=options.n_speakers or chosen.speakers,
    )


class Jobs:
    """Runs requests, one at a time."""

    def __init__(self) -> None:
        self._recogniser: tuple[str, Recogniser] | None = None
        self._chat: LocalChat | None = None
        # Meetings whose edits were followed by another one before their vectors were computed.
        self._without_vectors: set[str] = set()
        self._handlers: dict[type, Callable[[Any, Report, OnPartial], object]] = {
            messages.Analyse: self._analyse,
            messages.ImportTranscript: self._import,
            messages.HearAgain: self._hear_again,
            messages.Enrich: self._enrich,
            messages.Ask: self._ask,
            messages.GetReady: self._get_ready,
            messages.RehearEvidence: self._rehear_evidence,
            messages.Search: self._search,
            messages.Evaluate: self._evaluate,
            messages.Listen: self._listen,
            messages.Edit: self._edit,
            messages.Delete: _delete,
            messages.ForgetVoice: _forget_voice,
            messages.Export: _export,
            messages.ExportEvidence: _export_evidence,
            messages.RateAnswer: _rate,
            messages.ExportRatings: _export_ratings,
            messages.RestoreVersion: self._restore_version,
            messages.DraftQuestions: self._draft_questions,
            messages.ExportQuestions: _export_questions,
            messages.FetchModels: _fetch,
            messages.ListModels: _list_models,
            messages.VerifyModels: _verify,
            messages.RemoveModel: _remove,
            messages.AddModel: _add,
        }

    def run(self, request: messages.Request, report: Report, partial: OnPartial) -> object:
        """Do what a request asks and return its result as ``engine.messages`` promises.

        Raises:
            EngineError: It cannot be done.
            Cancelled: The user stopped it.
        """
        return self._handlers[type(request)](request, report, partial)

    @cached_property
    def embedder(self) -> Embedder:
        """The text embedder."""
        from engine.embed import Embedder

        return Embedder()

    @cached_property
    def voice_embedder(self) -> VoiceEmbedder:
        """The voice embedder."""
        from engine.speech.embedding import VoiceEmbedder

        return VoiceEmbedder(1)

    def recogniser(self, model_id: str) -> Recogniser:
        """The speech recogniser; a change of model lets the old one go first."""
        from engine.speech.recogniser import Recogniser

        wanted = model_id or settings.load().asr_model
        if self._recogniser is None or self._recogniser[0] != wanted:
            self._recogniser = None
            self._recogniser = (wanted, Recogniser(wanted, settings.load().threads))
        return self._recogniser[1]

    def chat(self, model_id: str = "") -> LocalChat:
        """The language model, else the one the settings name; another lets the old one go first."""
        from engine.llm import LocalChat

        chosen = settings.load()
        wanted = model_id or chosen.chat_model
        if self._chat is None or self._chat.model_id != wanted:
            self._chat = None
            self._chat = LocalChat(wanted, chosen.threads)
        return self._chat

    def _analyse(self, request: messages.Analyse, report: Report, _: OnPartial) -> Meeting:
        from engine import known_voices, pipeline

        options = with_settings(request.options)
        source = Path(request.path)
        with Store(Path(request.library_dir)) as store:
            if request.meeting_id:
                ref = request.meeting_id
                meeting = pipeline.resume(ref, source, store, self, options, report)
            else:
                meeting = pipeline.analyse(source, store, self, options, report)
            if settings.load().remember_voices:
                known_voices.after_analysis(store, meeting.id, self.voice_embedder)
            return meeting

    def _hear_again(self, request: messages.HearAgain, report: Report, _: OnPartial) -> int:
        from engine import pipeline

        options = with_settings(messages.AnalyseOptions())
        gap = Span(request.start, request.end)
        with Store(Path(request.library_dir)) as store:
            return pipeline.hear_again(request.meeting_id, gap, store, self, options, report)

    def _import(self, request: messages.ImportTranscript, report: Report, _: OnPartial) -> Meeting:
        from engine.intake import import_transcript

        with Store(Path(request.library_dir)) as store:
            return import_transcript(
                Path(request.path),
                Path(request.audio_path) if request.audio_path else None,
                request.title,
                store,
                self.embedder,
                report,
            )

    def _enrich(
        self, request: messages.Enrich, report: Report, partial: OnPartial
    ) -> tuple[str, ...]:
        from engine.enrich.run import context_of, enrich

        with Store(Path(request.library_dir)) as store:
            context = context_of(store, request.meeting_id, self.chat(), self.embedder, report)
            return enrich(context, report, request.steps, partial)

    def _ask(self, request: messages.Ask, report: Report, partial: OnPartial) -> object:
        from engine.agent.loop import AskOptions, answer

        chosen = settings.load()
        options = AskOptions(
            system=request.system,
            history=request.history,
            max_rounds=chosen.max_rounds,
            evidence_tokens=chosen.evidence_tokens,
        )
        with Store(Path(request.library_dir)) as store:
            ids = request.meeting_ids or tuple(meeting.id for meeting in store.meetings())
            found = answer(
                request.question, ids, store, self.embedder, self.chat(), report, options, partial
            )
            return replace(found, id=store.save_answer(found))

    def _get_ready(self, request: messages.GetReady, report: Report, _: OnPartial) -> bool:
        from engine.agent.synthesise import Pen, read_ahead

        try:
            read_ahead(Pen(self.chat(), report))
        except (ModelMissing, ModelBroken):
            return False
        return True

    def _rehear_evidence(
        self, request: messages.RehearEvidence, report: Report, _: OnPartial
    ) -> object:
        from engine.rehear import rehear
        from engine.speech.asr import AsrOptions

        chosen = settings.load()
        options = AsrOptions(chosen.language, chosen.vocabulary, chosen.chinese_script)
        recogniser = self.recogniser(chosen.check_model or chosen.asr_model)
        with Store(Path(request.library_dir), read_only=True) as store:
            return rehear(store.answer(request.answer_id), store, recogniser, options, report)

    def _search(self, request: messages.Search, report: Report, _: OnPartial) -> object:
        from engine.graph.search import library_search

        with Store(Path(request.library_dir), read_only=True) as store:
            hits = library_search(
                store,
                self.embedder,
                request.text,
                meeting_ids=request.meeting_ids,
                speaker=request.speaker,
                limit=request.limit,
            )
            return tuple(hits)

    def _edit(self, request: messages.Edit, report: Report, partial: OnPartial) -> object:
        from engine import known_voices
        from engine.graph import build, edits

        with Store(Path(request.library_dir)) as store:
            is_voice_edit = (
                request.operation in known_voices.EDITS and settings.load().remember_voices
            )
            before = known_voices.bases(store, request.meeting_id) if is_voice_edit else {}
            result = edits.apply(store, request.meeting_id, request.operation, request.arguments)
            partial(messages.Stored(result))
            if is_voice_edit:
                known_voices.after_edit(store, request.meeting_id, before, self.voice_embedder)
            # Search by meaning must not go on finding what the text no longer says.
            if request.operation in _TEXT_EDITS:
                self._without_vectors.add(request.meeting_id)
            if request.meeting_id in self._without_vectors:
                build.refresh_vectors(store, request.meeting_id, self.embedder, report)
                self._without_vectors.discard(request.meeting_id)
            return result

    def _restore_version(
        self, request: messages.RestoreVersion, report: Report, _: OnPartial
    ) -> None:
        from engine.graph import build, versions

        with Store(Path(request.library_dir)) as store:
            versions.restore(store, request.meeting_id, request.version_id)
            build.build_graph(store, request.meeting_id, self.embedder, report)

    def _draft_questions(
        self, request: messages.DraftQuestions, report: Report, _: OnPartial
    ) -> object:
        from engine.agent.question_builder import draft_questions
        from engine.agent.synthesise import Pen

        with Store(Path(request.library_dir), read_only=True) as store:
            pen = Pen(self.chat(), report)
            drafts = draft_questions(store, request.meeting_id, self.embedder, pen, request.n)
            return tuple(drafts)

    def _listen(self, request: messages.Listen, report: Report, partial: OnPartial) -> None:
        from engine.speech.live import listen
        from engine.speech.live_models import LiveModels

        models = LiveModels(self.recogniser, request.language, report)
        listen([Path(path) for path in request.paths], models, report, partial)

    def _evaluate(self, request: messages.Evaluate, report: Report, _: OnPartial) -> object:
        from engine.evaluate import evaluate

        return evaluate(
            Path(request.qa_dir),
            request.system,
            request.limit,
            self.embedder,
            self.chat,
            report,
            (lambda: self.chat(request.judge)) if request.judge else None,
        )


def _delete(request: messages.Delete, report: Report, partial: OnPartial) -> object:
    with Store(Path(request.library_dir)) as store:
        return store.delete_meeting(
            request.meeting_id,
            with_recordings=True,
            on_gone=lambda key: partial(messages.Stored(key)),
        )


def _forget_voice(request: messages.ForgetVoice, report: Report, _: OnPartial) -> int:
    with Store(Path(request.library_dir)) as store:
        return store.forget_voice(request.name)


def _export(request: messages.Export, report: Report, _: OnPartial) -> str:
    from engine.export import export

    with Store(Path(request.library_dir), read_only=True) as store:
        return str(export(store, request.meeting_id, request.format, Path(request.path)))


def _export_evidence(request: messages.ExportEvidence, report: Report, _: OnPartial) -> str:
    from engine.export import export_evidence

    with Store(Path(request.library_dir), read_only=True) as store:
        return str(export_evidence(store, store.answer(request.answer_id), Path(request.path)))


def _rate(request: messages.RateAnswer, report: Report, _: OnPartial) -> None:
    with Store(Path(request.library_dir)) as store:
        store.rate_answer(request.answer_id, request.marks)


def _export_ratings(request: messages.ExportRatings, report: Report, _: OnPartial) -> int:
    from engine.export import export_ratings

    with Store(Path(request.library_dir), read_only=True) as store:
        return export_ratings(store, Path(request.path))


def _export_questions(request: messages.ExportQuestions, report: Report, _: OnPartial) -> str:
    from engine.agent.question_builder import export_questions

    with Store(Path(request.library_dir), read_only=True) as store:
        path = export_questions(store, request.meeting_id, request.drafts, Path(request.path))
        return str(path)


def _fetch(request: messages.FetchModels, report: Report, _: OnPartial) -> None:
    from engine.weights.fetch import fetch

    n_models = len(request.model_ids)
    for i, model_id in enumerate(request.model_ids):
        fetch(model_id, report.part(i / n_models, (i + 1) / n_models))


def _list_models(request: messages.ListModels, report: Report, _: OnPartial) -> object:
    from engine.weights.status import model_rows

    return tuple(model_rows())


def _verify(request: messages.VerifyModels, report: Report, _: OnPartial) -> None:
    from engine.weights.locate import verify

    for model_id in request.model_ids:
        verify(model_id, report)


def _remove(request: messages.RemoveModel, report: Report, _: OnPartial) -> bool:
    from engine.weights.locate import remove

    return remove(request.model_id)


def _add(request: messages.AddModel, report: Report, _: OnPartial) -> str:
    from engine.weights.fetch import add

    return add(Path(request.path), report).id
