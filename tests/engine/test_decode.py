"""Odd audio files (field reports A1-A17): whatever comes in, one timeline comes out."""

import struct
from functools import cache
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile as sf

from engine.audio.decode import SAMPLE_RATE, chunks, decode, duration_of, read
from engine.errors import AudioError, Cancelled
from engine.progress import Report, silent


@cache
def speechlike(seconds: float = 3.0, rate: int = 16_000, seed: int = 1) -> np.ndarray:
    """A buzz in syllables: broad spectrum, clear envelope, its own source per seed."""
    random = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    f0 = 110 + 40 * seed + 20 * np.sin(2 * np.pi * 0.7 * t)
    buzz = sum(np.sin(k * 2 * np.pi * np.cumsum(f0) / rate) / k for k in range(1, 12))
    syllables = np.clip(np.sin(2 * np.pi * (1.5 + 0.3 * seed) * t + seed), 0, 1)
    samples = (0.2 * buzz * syllables + 0.001 * random.standard_normal(len(t))).astype(np.float32)
    samples.flags.writeable = False  # all tests get the same
    return samples


def encode(path: Path, codec: str, samples: np.ndarray, rate: int, **options: str) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, options=options)
        stream.layout = "mono"
        frame_size = 1024
        for i in range(0, len(samples), frame_size):
            frame = av.AudioFrame.from_ndarray(samples[None, i : i + frame_size], "fltp", "mono")
            frame.rate = rate
            frame.pts = i
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def wav(path: Path, samples: np.ndarray, rate: int = 16_000, subtype: str = "PCM_16") -> Path:
    sf.write(path, samples, rate, subtype=subtype, format="WAV")
    return path


def header(data_size: int, riff_size: int, channels: int = 1, rate: int = 16_000) -> bytes:
    fmt = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    head = b"RIFF" + struct.pack("<I", riff_size) + b"WAVEfmt " + struct.pack("<I", 16)
    return head + fmt + b"data" + struct.pack("<I", data_size)


def pcm(samples: np.ndarray) -> bytes:
    return (samples * 32767).astype("<i2").tobytes()


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    n = min(len(a), len(b))
    return float(np.corrcoef(a[:n], b[:n])[0, 1])


@pytest.mark.parametrize("subtype", ["FLOAT", "DOUBLE", "PCM_24", "PCM_32", "PCM_U8", "ULAW"])
def test_every_sample_format(tmp_path, subtype):
    """A1, A2: floats, 8, 24 and 32 bits are sound like any other."""
    x = speechlike()
    timeline = decode(wav(tmp_path / "x.wav", x, subtype=subtype), tmp_path, "auto", silent())
    assert timeline.duration == pytest.approx(3.0, abs=0.001)
    assert likeness(read(timeline.path), x) > 0.97


@pytest.mark.parametrize("rate", [8_000, 11_025, 44_100, 96_000, 192_000])
def test_every_rate_keeps_its_length(tmp_path, rate):
    """A3: telephone and studio rates are resampled, not refused."""
    source = wav(tmp_path / "x.wav", speechlike(2.0, rate), rate)
    assert decode(source, tmp_path, "auto", silent()).duration == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("x.m4a", "aac"),
        ("x.MP3", "mp3"),
        ("x.opus", "libopus"),
        ("x.webm", "libopus"),
        ("x.mkv", "libopus"),
        ("x.aac", "aac"),
        ("x.ts", "mp2"),
    ],
)
def test_every_container(tmp_path, name, codec):
    """A6, A7: AAC, Opus and the others give the sound of the source."""
    rate = 48_000 if codec == "libopus" else 44_100
    x = speechlike(3.0, rate)
    source = encode(tmp_path / name, codec, x, rate)
    timeline = decode(source, tmp_path, "auto", silent())
    assert timeline.duration == pytest.approx(3.0, abs=0.15)
    assert float(np.std(read(timeline.path))) == pytest.approx(float(np.std(x)), rel=0.2)


def test_the_name_does_not_matter(tmp_path):
    strange = tmp_path / '-a\'b "c" %d 会議 é🎤.TXT'
    wav(tmp_path / "x.wav", speechlike()).rename(strange)
    assert decode(strange, tmp_path, "auto", silent()).duration == pytest.approx(3.0, abs=0.01)


@pytest.mark.parametrize(("data", "riff"), [(0, 0), (0xFFFFFFFF, 0xFFFFFFFF), (1000, 1036)])
def test_a_wrong_length_in_the_header_is_not_believed(tmp_path, data, riff):
    """A14: the size of the file counts, not what its header says."""
    source = tmp_path / "x.wav"
    source.write_bytes(header(data, riff) + pcm(speechlike()))
    assert decode(source, tmp_path, "auto", silent()).duration == pytest.approx(3.0, abs=0.05)


def test_chunks_after_the_data_are_not_sound(tmp_path):
    body = pcm(speechlike(1.0))
    source = tmp_path / "x.wav"
    tail = b"LIST" + struct.pack("<I", 400) + bytes(400)
    source.write_bytes(header(len(body), 36 + len(body) + 408) + body + tail)
    assert decode(source, tmp_path, "auto", silent()).duration == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize("format_name", ["RF64", "W64", "AIFF", "FLAC", "OGG", "AU", "CAF"])
def test_more_formats(tmp_path, format_name):
    source = tmp_path / "x.bin"
    sf.write(source, speechlike(), 16_000, format=format_name)
    assert decode(source, tmp_path, "auto", silent()).duration == pytest.approx(3.0, abs=0.05)


@pytest.mark.parametrize("channels", [3, 6])
def test_many_channels_without_a_mask_never_become_silence(tmp_path, channels):
    """A10: channels without a layout are mixed by what they carry."""
    x = speechlike()
    frames = np.zeros((len(x), channels), dtype=np.float32)
    frames[:, 2] = x
    source = tmp_path / "x.wav"
    body = pcm(frames)
    source.write_bytes(header(len(body), 36 + len(body), channels) + body)
    timeline = decode(source, tmp_path, "auto", silent())
    assert likeness(read(timeline.path), x) > 0.99
    assert "silent" in " ".join(timeline.notes)
    assert timeline.channel_paths == ()


def test_opposite_phases_do_not_cancel(tmp_path):
    x = speechlike()
    timeline = decode(wav(tmp_path / "x.wav", np.stack([x, -x], 1)), tmp_path, "auto", silent())
    assert float(np.std(read(timeline.path))) == pytest.approx(float(np.std(x)), rel=0.05)


def test_a_voice_per_channel_is_kept_apart(tmp_path):
    frames = np.stack([speechlike(4, seed=1), speechlike(4, seed=3)], axis=1)
    timeline = decode(wav(tmp_path / "x.wav", frames), tmp_path, "auto", silent())
    assert [path.name for path in timeline.channel_paths] == ["channel-0.flac", "channel-1.flac"]
    assert likeness(read(timeline.channel_paths[1]), frames[:, 1]) > 0.99
    mixed = decode(tmp_path / "x.wav", tmp_path, "mix", silent())
    assert mixed.channel_paths == ()
    assert not list(tmp_path.glob("channel-*"))


def test_two_microphones_in_one_room_are_one_recording(tmp_path):
    x = speechlike(4, seed=1) + speechlike(4, seed=3)
    frames = np.stack([x, 0.6 * np.roll(x, 40)], axis=1)
    timeline = decode(wav(tmp_path / "x.wav", frames), tmp_path, "auto", silent())
    assert timeline.channel_paths == ()


def test_only_one_channel_carries_the_voice(tmp_path):
    """A8: an empty channel does not halve the other."""
    x = speechlike()
    frames = np.stack([np.zeros_like(x), x], axis=1)
    timeline = decode(wav(tmp_path / "x.wav", frames), tmp_path, "auto", silent())
    assert likeness(read(timeline.path), x) > 0.99


def test_the_track_with_sound_is_taken(tmp_path):
    """A11: the second track is taken where the first is silent."""
    x = speechlike(3.0, 48_000)
    source = tmp_path / "x.mkv"
    with av.open(str(source), "w") as container:
        streams = [container.add_stream("libopus", rate=48_000) for _ in range(2)]
        for stream in streams:
            stream.layout = "mono"
        for i in range(0, len(x), 960):
            for stream, samples in zip(streams, (np.zeros_like(x), x), strict=True):
                frame = av.AudioFrame.from_ndarray(samples[None, i : i + 960], "fltp", "mono")
                frame.rate, frame.pts = 48_000, i
                container.mux(stream.encode(frame))
        for stream in streams:
            container.mux(stream.encode(None))
    timeline = decode(source, tmp_path, "auto", silent())
    assert "track 2" in " ".join(timeline.notes)
    assert float(np.std(read(timeline.path))) > 0.05


def test_a_cut_recording_is_kept_as_far_as_it_goes(tmp_path):
    whole = encode(tmp_path / "x.mp3", "mp3", speechlike(10, 44_100), 44_100).read_bytes()
    source = tmp_path / "cut.mp3"
    source.write_bytes(whole[: len(whole) * 6 // 10])
    assert 5.5 < decode(source, tmp_path, "auto", silent()).duration < 6.5
    body = pcm(speechlike(10))
    source = tmp_path / "cut.wav"
    source.write_bytes(header(len(body), 36 + len(body)) + body[: len(body) // 2])
    timeline = decode(source, tmp_path, "auto", silent())
    assert timeline.duration == pytest.approx(5.0, abs=0.01)
    assert "cut" in " ".join(timeline.notes)


def test_a_cut_m4a_says_so(tmp_path):
    """A12: a download that stopped early is called incomplete."""
    whole = encode(tmp_path / "x.m4a", "aac", speechlike(10, 44_100), 44_100).read_bytes()
    source = tmp_path / "cut.m4a"
    source.write_bytes(whole[: len(whole) * 7 // 10])
    with pytest.raises(AudioError, match="incomplete"):
        decode(source, tmp_path, "auto", silent())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (header(0, 36), "no sound"),
        (b"hello world " * 99, "not a recording"),
        (
            b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/hostname\n",
            "playlist|not a rec",
        ),
    ],
)
def test_what_is_no_recording_is_refused_in_plain_words(tmp_path, content, message):
    source = tmp_path / "x.wav"
    source.write_bytes(content)
    with pytest.raises(AudioError, match=message):
        decode(source, tmp_path, "auto", silent())
    assert [p.name for p in tmp_path.iterdir()] == ["x.wav"]


def test_video_without_sound(tmp_path):
    """A11: a film without sound is refused in plain words."""
    source = tmp_path / "x.mp4"
    with av.open(str(source), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for _ in range(10):
            frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), "rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(AudioError, match="no sound track"):
        decode(source, tmp_path, "auto", silent())


def test_a_missing_file(tmp_path):
    with pytest.raises(AudioError, match="cannot be read"):
        decode(tmp_path / "no.wav", tmp_path, "auto", silent())


def test_not_a_number_is_silence_not_noise(tmp_path):
    x = speechlike().copy()
    x[1000:1100] = np.nan
    timeline = decode(wav(tmp_path / "x.wav", x, subtype="FLOAT"), tmp_path, "auto", silent())
    assert np.isfinite(read(timeline.path)).all()


def test_short_clip(tmp_path):
    """A15: shorter than a recogniser accepts."""
    timeline = decode(wav(tmp_path / "x.wav", speechlike(0.3)), tmp_path, "auto", silent())
    assert timeline.duration == pytest.approx(0.3, abs=0.001)


def test_peaks_and_pieces_fit_the_timeline(tmp_path):
    x = speechlike(3.3)
    timeline = decode(wav(tmp_path / "x.wav", x), tmp_path, "auto", silent())
    peaks = np.load(tmp_path / "peaks.npy")
    assert peaks.shape == (165, 2)
    assert peaks.dtype == np.float16
    assert float(peaks[:, 1].max()) == pytest.approx(float(x.max()), abs=0.01)
    pieces = list(chunks(timeline.path, 1.0))
    assert [start for start, _ in pieces] == [0.0, 1.0, 2.0, 3.0]
    assert np.array_equal(np.concatenate([p for _, p in pieces]), read(timeline.path))
    assert np.array_equal(read(timeline.path, 1.0, 2.0), pieces[1][1])
    assert len(read(timeline.path, 9.0)) == 0
    assert len(read(timeline.path, -1.0, 0.5)) == SAMPLE_RATE // 2
    assert duration_of(timeline.path) == pytest.approx(3.3)


def test_seek_is_exact_in_a_variable_rate_file(tmp_path):
    """A17: a time leads to its moment."""
    # tone bursts every two seconds must lie where they were, within 50 ms
    rate = 44_100
    x = np.zeros(rate * 11, dtype=np.float32)
    for second in range(1, 11, 2):
        burst = np.sin(2 * np.pi * 1000 * np.arange(rate // 5) / rate)
        x[second * rate : second * rate + rate // 5] = 0.5 * burst
    source = encode(tmp_path / "x.mp3", "mp3", x, rate, q="4")
    timeline = decode(source, tmp_path, "auto", silent())
    for second in range(1, 11, 2):
        level = np.abs(read(timeline.path, second - 0.5, second + 0.5))
        onset = second - 0.5 + int(np.argmax(level > 0.1)) / SAMPLE_RATE
        assert onset == pytest.approx(second, abs=0.05)


def test_cancel_leaves_nothing_behind(tmp_path):
    source = wav(tmp_path / "x.wav", speechlike(5))
    with pytest.raises(Cancelled):
        decode(source, tmp_path, "auto", Report(is_cancelled=lambda: True))
    assert [path.name for path in tmp_path.iterdir()] == ["x.wav"]


def test_a_damaged_timeline_is_an_audio_error(tmp_path):
    (tmp_path / "audio.flac").write_bytes(b"fLaC nonsense")
    for use in (read, duration_of, lambda path: list(chunks(path, 1.0))):
        with pytest.raises(AudioError, match="cannot be read"):
            use(tmp_path / "audio.flac")
