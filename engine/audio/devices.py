"""Microphones and the system's own sound, as plain records, and opening them.

PortAudio cannot list the sources of PulseAudio or PipeWire; where ``pactl`` answers, they are
listed by it and opened one by one through PortAudio's ``pulse`` device. sounddevice is imported
late: without the PortAudio library even the import fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from engine.errors import AudioError
from engine.types import FloatArray

BLOCK_SECONDS = 0.05
_LATENCY_SECONDS = 0.15
_ALSA_CONFIGURATION = Path("/usr/share/alsa/alsa.conf")
_LOOPBACK_WORDS = ("loopback", "monitor", "stereo mix", "blackhole", "soundflower", "vb-audio")
# The ALSA plugin reads its source from the environment while a stream is opened.
_OPENING = threading.Lock()


class Kind(StrEnum):
    """What is heard through a device."""

    MICROPHONE = "microphone"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class InputDevice:
    """Something that can be recorded.

    Attributes:
        name: Shown to the user and kept in the settings; numbers change when devices do.
        id: PulseAudio source name or PortAudio index, valid for this session.
        kind: Microphone or system sound.
        is_pulse: Opened through PulseAudio.
        is_default: The system's choice for its kind.
    """

    name: str
    id: str
    kind: Kind
    is_pulse: bool = False
    is_default: bool = False


class Stream(Protocol):
    """A running capture. ``stop`` is never used: it waits for ever on a dead source."""

    @property
    def samplerate(self) -> float:
        """Samples a second it really has."""

    @property
    def active(self) -> bool:
        """Callbacks can still come."""

    def start(self) -> None:
        """Begin."""

    def abort(self) -> None:
        """End at once."""

    def close(self) -> None:
        """Free the device."""


OnBlock = Callable[[FloatArray], None]


def sound_library() -> Any:
    """The sounddevice module.

    Raises:
        AudioError: PortAudio or its configuration is missing.
    """
    if sys.platform.startswith("linux") and not _ALSA_CONFIGURATION.exists():
        # Without it PortAudio ends the whole process.
        raise AudioError("The ALSA configuration is missing.", "Install libasound2-data.")
    try:
        import sounddevice
    except OSError as error:
        raise AudioError(
            "Recording needs the PortAudio library.", "Install libportaudio2."
        ) from error
    return sounddevice


def inputs() -> list[InputDevice]:
    """Every device that can be recorded, microphones first, the default ones before others.

    Raises:
        AudioError: The sound library is missing.
    """
    found = _pulse_inputs() or _portaudio_inputs()
    return sorted(found, key=lambda device: (device.kind == Kind.SYSTEM, not device.is_default))


def refresh() -> None:
    """Let PortAudio look for devices again; no stream may be open."""
    library = sound_library()
    library._terminate()
    library._initialize()


def find(name: str, kind: Kind = Kind.MICROPHONE) -> InputDevice:
    """The device with a name (or a part of it), or the default of a kind for "".

    Raises:
        AudioError: There is none.
    """
    known = inputs()
    if not name:
        known = [device for device in known if device.kind == kind]
    matches = [d for d in known if d.name == name] or [
        d for d in known if name.casefold() in d.name.casefold()
    ]
    if not matches:
        what = f"The device “{name}”" if name else f"A {kind.value} device"
        raise AudioError(f"{what} is not there.", "Plug it in, or choose another one.")
    return matches[0]


def open_stream(device: InputDevice, rate_hz: int, on_block: OnBlock) -> Stream:
    """Open a device for mono capture; where it refuses the rate, at its own.

    Args:
        device: From ``inputs``.
        rate_hz: Wanted samples a second; ``samplerate`` of the result tells the true one.
        on_block: Called on PortAudio's thread with (n,) float32; must only copy.

    Raises:
        AudioError: It cannot be opened.
    """
    library = sound_library()

    def callback(block: FloatArray, _frames: int, _time: object, _status: object) -> None:
        on_block(block[:, 0])

    with _OPENING:
        before = os.environ.get("PULSE_SOURCE")
        if device.is_pulse:
            os.environ["PULSE_SOURCE"] = device.id
        try:
            return _opened(library, device, rate_hz, callback)
        finally:
            if before is None:
                os.environ.pop("PULSE_SOURCE", None)
            else:
                os.environ["PULSE_SOURCE"] = before


def _opened(library: Any, device: InputDevice, rate_hz: int, callback: Any) -> Stream:
    index = _pulse_index(library) if device.is_pulse else int(device.id)
    own_rate = int(library.query_devices(index)["default_samplerate"])
    last: Exception | None = None
    for rate in dict.fromkeys((rate_hz, own_rate)):
        try:
            stream: Stream = library.InputStream(
                samplerate=rate,
                blocksize=round(rate * BLOCK_SECONDS),
                device=index,
                channels=1,
                dtype="float32",
                latency=_LATENCY_SECONDS,
                callback=callback,
            )
        except (library.PortAudioError, ValueError) as error:
            last = error
        else:
            return stream
    raise AudioError(f"“{device.name}” cannot be opened.", str(last)) from last


def _pulse_index(library: Any) -> int:
    for index, entry in enumerate(library.query_devices()):
        if entry["name"] == "pulse":
            return index
    raise AudioError("PortAudio does not see PulseAudio.", "Install libasound2-plugins.")


def _pactl(*arguments: str) -> str:
    """Output of pactl, "" where there is none or it does not answer."""
    program = shutil.which("pactl")
    if program is None:
        return ""
    try:
        result = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=3, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return result.stdout


def _pulse_inputs() -> list[InputDevice]:
    try:
        sources = json.loads(_pactl("--format=json", "list", "sources") or "[]")
        information = json.loads(_pactl("--format=json", "info") or "{}")
    except ValueError:
        return []
    default_source = information.get("default_source_name", "")
    default_monitor = f"{information.get('default_sink_name', '')}.monitor"
    found = []
    for source in sources:
        name = source["name"]
        is_monitor = name.endswith(".monitor")
        found.append(
            InputDevice(
                source.get("description") or name,
                name,
                Kind.SYSTEM if is_monitor else Kind.MICROPHONE,
                is_pulse=True,
                is_default=name in (default_source, default_monitor),
            )
        )
    return found


def _portaudio_inputs() -> list[InputDevice]:
    library = sound_library()
    default = library.default.device[0]
    found = []
    for index, entry in enumerate(library.query_devices()):
        if entry["max_input_channels"] < 1:
            continue
        name = entry["name"]
        is_loopback = any(word in name.casefold() for word in _LOOPBACK_WORDS)
        kind = Kind.SYSTEM if is_loopback else Kind.MICROPHONE
        found.append(InputDevice(name, str(index), kind, is_default=index == default))
    return found
