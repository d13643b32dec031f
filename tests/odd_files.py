"""The odd audio files of real users, made at test time (field reports, section A and F2).

Every maker takes an empty path to write and (samples,) float32 speech at 16 kHz, and returns the
path. Encoders are those inside PyAV; headers that no library would write are written by hand.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import soundfile as sf
import soxr

from engine.types import FloatArray

RATE_HZ = 16_000
PCM_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")
NAMES = (
    "会議の録音.wav",
    "re\u0301union d'équipe.wav",
    "🎙 team 🎧.wav",
    "-o out.wav",
    'a\'b "c" %d %s.wav',
    "frame%03d*[1-2]?.wav",
    "concat:a|b;c&d.wav",
    "n" * 240 + ".wav",
)


def _chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body


def _pcm16(samples: FloatArray) -> bytes:
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def _fmt(channels: int = 1, rate_hz: int = RATE_HZ, bits: int = 16, tag: int = 1) -> bytes:
    frame = channels * bits // 8
    return struct.pack("<HHIIHH", tag, channels, rate_hz, rate_hz * frame, frame, bits)


def pcm_wav(path: Path, samples: FloatArray, subtype: str = "PCM_16") -> Path:
    """A plain WAV of any libsndfile subtype: FLOAT, DOUBLE, PCM_U8, PCM_24, PCM_32 (A1, A2)."""
    sf.write(path, samples, RATE_HZ, subtype=subtype, format="WAV")
    return path


def extensible_wav(path: Path, samples: FloatArray, bits: int = 24) -> Path:
    """WAVE_FORMAT_EXTENSIBLE by hand: 40-byte fmt chunk, 24 or 32 bits (A2)."""
    whole = (np.clip(samples, -1, 1).astype(np.float64) * (2 ** (bits - 1) - 1)).astype("<i4")
    body = whole.view(np.uint8).reshape(-1, 4)[:, : bits // 8].tobytes()
    guid = struct.pack("<H", 1) + PCM_GUID_TAIL
    extra = struct.pack("<HHI", 22, bits, 0) + guid
    fmt = _chunk(b"fmt ", _fmt(bits=bits, tag=0xFFFE) + extra)
    path.write_bytes(_chunk(b"RIFF", b"WAVE" + fmt + _chunk(b"data", body)))
    return path


def wav_at_rate(path: Path, samples: FloatArray, rate_hz: int) -> Path:
    """Telephone (8 kHz) to studio (192 kHz) rates (A3)."""
    sf.write(path, soxr.resample(samples, RATE_HZ, rate_hz), rate_hz, subtype="PCM_16")
    return path


def encoded(path: Path, samples: FloatArray, codec: str, rate_hz: int, **options: str) -> Path:
    """Any codec and container PyAV can write; the container follows from the name (A3, A6, A7)."""
    bit_rate = int(options.pop("b", "64000"))
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream(codec, rate=rate_hz, layout="mono")
        stream.bit_rate = bit_rate
        _mux(container, stream, samples, rate_hz)
    return path


def _mux(
    container: av.container.OutputContainer,
    stream: av.AudioStream,
    samples: FloatArray,
    rate_hz: int,
) -> None:
    resampler = av.AudioResampler(stream.format, "mono", rate_hz)
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples)[None, :], "flt", "mono")
    frame.sample_rate = RATE_HZ
    for piece in [*resampler.resample(frame), *resampler.resample(None)]:
        container.mux(stream.encode(piece))
    container.mux(stream.encode(None))


def vorbis(path: Path, samples: FloatArray) -> Path:
    """Ogg Vorbis; PyAV has no encoder for it, libsndfile has (A7)."""
    sf.write(path, samples, RATE_HZ, subtype="VORBIS", format="OGG")
    return path


def mp3_with_cover(path: Path, samples: FloatArray) -> Path:
    """A podcast: an ID3 tag with a picture, which is a video stream to FFmpeg."""
    encoded(path, samples, "libmp3lame", 44_100)
    coder = av.CodecContext.create("mjpeg", "w")
    coder.width, coder.height, coder.pix_fmt = 64, 64, "yuvj420p"
    coder.time_base = Fraction(1, 1)
    picture = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 90, np.uint8), "rgb24")
    packets = [*coder.encode(picture.reformat(format="yuvj420p")), *coder.encode(None)]
    jpeg = b"".join(bytes(packet) for packet in packets)
    frame = b"\x00image/jpeg\x00\x03\x00" + jpeg
    body = b"APIC" + struct.pack(">I", len(frame)) + b"\x00\x00" + frame
    size = bytes((len(body) >> shift) & 0x7F for shift in (21, 14, 7, 0))
    path.write_bytes(b"ID3\x03\x00\x00" + size + body + path.read_bytes())
    return path


def variable_rate_mp3(path: Path, samples: FloatArray) -> Path:
    """VBR without the Xing header, so that no table says where a time lies (A17)."""
    with av.open(str(path), "w", format="mp3", options={"write_xing": "0"}) as container:
        stream = container.add_stream("libmp3lame", rate=RATE_HZ, layout="mono")
        stream.options = {"compression_level": "4"}
        stream.codec_context.qscale = True
        stream.codec_context.global_quality = 6 * 118
        _mux(container, stream, samples, RATE_HZ)
    return path


def tone_left_speech_right(path: Path, samples: FloatArray) -> Path:
    """A 1 kHz tone left and the speech right (A8)."""
    tone = 0.1 * np.sin(2 * np.pi * 1000 * np.arange(samples.size) / RATE_HZ)
    sf.write(path, np.stack([tone, samples], axis=1), RATE_HZ, subtype="PCM_16", format="WAV")
    return path


def maskless_channels(path: Path, samples: FloatArray, channels: int, spoken: int) -> Path:
    """Several channels without a channel mask, speech on one of them alone (A10)."""
    frames = np.zeros((samples.size, channels), np.float32)
    frames[:, spoken] = samples
    body = _chunk(b"fmt ", _fmt(channels)) + _chunk(b"data", _pcm16(frames))
    path.write_bytes(_chunk(b"RIFF", b"WAVE" + body))
    return path


def silent_film(path: Path, seconds: int = 2) -> Path:
    """Video without any sound track (A11)."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(10 * seconds):
            picture = np.full((48, 64, 3), 90, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode(None))
    return path


def second_track_speaks(path: Path, samples: FloatArray) -> Path:
    """Matroska whose first sound track is silent and whose second carries the speech (A11)."""
    with av.open(str(path), "w", format="matroska") as container:
        streams = [container.add_stream("pcm_s16le", rate=RATE_HZ, layout="mono") for _ in range(2)]
        for stream, track in zip(streams, (np.zeros_like(samples), samples), strict=True):
            _mux(container, stream, track, RATE_HZ)
    return path


def cut(path: Path, share: float = 0.7) -> Path:
    """Cut the end off a file, as an aborted copy does (A12)."""
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    return path


def wrong_sizes(path: Path, samples: FloatArray, size: int) -> Path:
    """A WAV whose RIFF and data sizes are 0, 0xFFFFFFFF or wrapped around (A14)."""
    body = _pcm16(samples)
    head = b"RIFF" + struct.pack("<I", size) + b"WAVE" + _chunk(b"fmt ", _fmt())
    path.write_bytes(head + b"data" + struct.pack("<I", size) + body)
    return path


def rf64(path: Path, samples: FloatArray) -> Path:
    """RF64 with its true sizes in the ds64 chunk (A14)."""
    body = _pcm16(samples)
    sizes = struct.pack("<QQQI", len(body) + 72, len(body), samples.size, 0)
    head = b"RF64\xff\xff\xff\xffWAVE" + _chunk(b"ds64", sizes) + _chunk(b"fmt ", _fmt())
    path.write_bytes(head + b"data\xff\xff\xff\xff" + body)
    return path


def w64(path: Path, samples: FloatArray) -> Path:
    """Sony Wave64 (A14)."""
    sf.write(path, samples, RATE_HZ, subtype="PCM_16", format="W64")
    return path


def empty(path: Path) -> Path:
    """Nothing at all (A15)."""
    path.touch()
    return path


def header_only(path: Path) -> Path:
    """A WAV of 44 bytes: the recorder died at once (A15)."""
    path.write_bytes(_chunk(b"RIFF", b"WAVE" + _chunk(b"fmt ", _fmt()) + _chunk(b"data", b"")))
    return path


def page_instead(path: Path) -> Path:
    """An HTML page under the name of a recording: a download behind a login."""
    path.write_text("<!DOCTYPE html><html><body>Please log in</body></html>", encoding="utf-8")
    return path


def bursts(seconds: float, every: float = 10.0) -> FloatArray:
    """A short tone at each multiple of ``every`` over faint noise, to check seeking (A17)."""
    random = np.random.default_rng(3)
    n = int(seconds * RATE_HZ)
    total = random.normal(0, 0.003, n).astype(np.float32)
    # loud noise between makes the frames of a variable bit rate differ in size
    for start in np.arange(3.0, seconds - 2, every):
        first = int(start * RATE_HZ)
        total[first : first + RATE_HZ] += random.normal(0, 0.1, RATE_HZ).astype(np.float32)
    tone = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(int(0.2 * RATE_HZ)) / RATE_HZ)
    for start in np.arange(0.0, seconds - 1, every):
        first = int(start * RATE_HZ)
        total[first : first + tone.size] += tone.astype(np.float32)
    return total
