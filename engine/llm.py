"""The language model: one protocol, one local implementation over llama.cpp.

Prompts are rendered with the chat template inside the model file, counted before every call and
never cut. The model keeps the state of the last prompt, so calls that share a beginning (system
message, then evidence) only pay for what differs.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine import openmp
from engine.errors import Cancelled, EngineError, ModelBroken
from engine.weights.locate import locate

CANCEL_POLL = 0.05
"""Seconds between two looks at the cancel flag while the model computes."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote and what it cost.

    ``finish`` is ``stop`` (it ended by itself or at a stop word) or ``length``.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    finish: str


class ChatModel(Protocol):
    """What the agent needs of a language model; tests use a scripted one."""

    @property
    def model_id(self) -> str:
        """Catalogue id."""

    @property
    def context_tokens(self) -> int:
        """Most tokens of prompt and completion together."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a plain text."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        grammar: str = "",
        max_tokens: int,
        stop: Sequence[str] = (),
        on_text: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """Continue a conversation at temperature 0.

        Raises:
            EngineError: Prompt and completion do not fit the context.
            Cancelled: ``is_cancelled`` said so.
        """


class LocalChat:
    """A GGUF model of the catalogue, loaded on first use and kept.

    Belongs to one thread. Attributes: see ``ChatModel``.

    Args:
        model_id: Catalogue id.
        threads: 0 for one per core.
        context_tokens: Size of the context; memory grows with it.
    """

    def __init__(self, model_id: str, threads: int = 0, context_tokens: int = 4096) -> None:
        self._model_id = model_id
        self._threads = threads or os.cpu_count() or 2
        self._context_tokens = context_tokens
        self._llama: Any = None
        self._formatter: Any = None
        self._abort: Any = None
        self._is_cancelled: Callable[[], bool] | None = None
        self._polled = 0.0
        self._flag = False

    @property
    def model_id(self) -> str:
        """Catalogue id."""
        return self._model_id

    @property
    def context_tokens(self) -> int:
        """Most tokens of prompt and completion together."""
        return self._context_tokens

    def close(self) -> None:
        """Free the weights; the next call loads them again."""
        if self._llama is not None:
            self._llama.close()
            self._llama = None

    def count_tokens(self, text: str) -> int:
        """Tokens of a plain text."""
        return len(self._loaded().tokenize(text.encode("utf-8"), add_bos=False, special=False))

    def complete(
        self,
        messages: Sequence[Message],
        *,
        grammar: str = "",
        max_tokens: int,
        stop: Sequence[str] = (),
        on_text: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """Continue a conversation at temperature 0.

        Args:
            messages: System message first.
            grammar: GBNF from ``engine.agent.grammar`` or "". A malformed one ends the process, so
                no other source is allowed.
            max_tokens: Longest completion.
            stop: Texts that end the completion.
            on_text: Called with every new piece.
            is_cancelled: Polled while computing, also during prompt evaluation.

        Raises:
            EngineError: Prompt and completion do not fit the context.
            Cancelled: ``is_cancelled`` said so.
            ModelMissing: The weights are not here.
        """
        began = time.monotonic()
        prompt = self._rendered(messages)
        if len(prompt) + max_tokens > self._context_tokens:
            raise EngineError(
                f"The prompt has {len(prompt)} tokens and {max_tokens} are wanted for the answer, "
                f"but {self._model_id} reads {self._context_tokens}.",
                "Lower the evidence budget in the settings.",
            )
        self._is_cancelled, self._flag = is_cancelled, False
        try:
            text, finish = self._gathered(prompt, grammar, max_tokens, stop, on_text)
        except RuntimeError as error:
            if self._flag:
                raise Cancelled from error
            raise
        finally:
            self._is_cancelled = None
        seconds = time.monotonic() - began
        return Completion(text, len(prompt), self.count_tokens(text), seconds, finish)

    def _gathered(
        self,
        prompt: list[int],
        grammar: str,
        max_tokens: int,
        stop: Sequence[str],
        on_text: Callable[[str], None] | None,
    ) -> tuple[str, str]:
        """The whole text and how it ended; pieces are handed on as they come."""
        pieces: list[str] = []
        finish = "stop"
        for text, reason in self._stream(self._loaded(), prompt, grammar, max_tokens, stop):
            if text:
                pieces.append(text)
                if on_text is not None:
                    on_text(text)
            finish = reason or finish
            if self._must_stop():
                raise Cancelled
        return "".join(pieces), finish

    def _stream(
        self, llama: Any, prompt: list[int], grammar: str, max_tokens: int, stop: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        compiled = None
        if grammar:
            from llama_cpp import LlamaGrammar

            compiled = LlamaGrammar.from_string(grammar, verbose=False)
        for part in llama.create_completion(
            prompt,
            max_tokens=max_tokens,
            temperature=0.0,
            repeat_penalty=1.0,
            stop=[*stop, "<|im_end|>"],
            stream=True,
            grammar=compiled,
        ):
            choice = part["choices"][0]
            yield choice["text"], choice.get("finish_reason") or ""

    def _rendered(self, messages: Sequence[Message]) -> list[int]:
        """Tokens of the conversation in the model's own template.

        Text of a transcript could spell control tokens such as ``<|im_end|>`` and so leave its
        fence; a blank inside makes them plain text.
        """
        llama = self._loaded()
        plain = [
            {"role": m.role, "content": m.content.replace("<|", "< |").replace("|>", "| >")}
            for m in messages
        ]
        rendered = self._formatter(messages=plain).prompt
        tokens: list[int] = llama.tokenize(rendered.encode("utf-8"), add_bos=False, special=True)
        return tokens

    def _must_stop(self) -> bool:
        """Whether the user asked to stop; looks at most every ``CANCEL_POLL`` seconds."""
        now = time.monotonic()
        if self._is_cancelled is not None and not self._flag and now - self._polled > CANCEL_POLL:
            self._polled = now
            self._flag = self._is_cancelled()
        return self._flag

    def _loaded(self) -> Any:
        if self._llama is not None:
            return self._llama
        path = locate(self._model_id)
        openmp.configure()
        import llama_cpp
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        from engine.guided import quicken

        try:
            self._llama = llama_cpp.Llama(
                str(path),
                n_ctx=self._context_tokens,
                n_batch=512,
                n_threads=self._threads,
                n_threads_batch=self._threads,
                seed=0,
                verbose=False,
            )
        except (ValueError, OSError) as error:
            raise ModelBroken(
                f"The language model {self._model_id} cannot be loaded.",
                "Check it with 'earwitness models verify'.",
            ) from error
        quicken(self._llama)
        metadata = self._llama.metadata
        end = self._llama.detokenize([self._llama.token_eos()], special=True).decode("utf-8")
        self._formatter = Jinja2ChatFormatter(
            template=metadata["tokenizer.chat_template"], eos_token=end, bos_token=""
        )
        # The reference must live as long as the context does.
        self._abort = llama_cpp.llama_cpp.ggml_abort_callback(lambda _: self._must_stop())
        llama_cpp.llama_set_abort_callback(self._llama._ctx.ctx, self._abort, ctypes.c_void_p(0))
        return self._llama
