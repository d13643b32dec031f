"""Failures a user can meet, each with what is wrong and what to do about it.

Anything that is not an ``EngineError`` is a bug of ours and is reported as one.
"""

from __future__ import annotations


class EngineError(Exception):
    """Something in the user's world went wrong.

    Attributes:
        message: One line: what is wrong.
        hint: One line: what to do, or an empty string.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class AudioError(EngineError):
    """A file or device gives no usable sound."""


class ModelMissing(EngineError):
    """A model of the catalogue is not on this machine."""


class ModelBroken(EngineError):
    """A model file is there but is not what the catalogue promises."""


class StoreError(EngineError):
    """The library cannot be read or written."""


class KeyMissing(StoreError):
    """A library is encrypted and the file with its key is gone."""


class LibraryLocked(StoreError):
    """The library is encrypted and its passphrase was not given yet."""


class MeetingNotFound(StoreError):
    """No meeting has this id or title."""


class TranscriptError(EngineError):
    """A transcript file cannot be understood."""


class EngineDied(EngineError):
    """The engine process ended while it was working."""


class Cancelled(Exception):
    """The user asked to stop. Never shown as an error."""
