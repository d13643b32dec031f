"""Encrypted files look like any others to whoever has the key, and like noise to everybody else."""

import io
import os

import numpy as np
import pytest
import soundfile

from engine import sealed, swap, vault
from engine.audio import decode, take
from engine.audio.growing import GrowingWav
from engine.errors import EngineError, LibraryLocked, StoreError
from engine.progress import silent

PHRASE = "correct horse battery"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An encrypted, unlocked folder with a cheap derivation."""
    monkeypatch.setattr(vault, "_SCRYPT_N", 1 << 10)
    vault.write_header(tmp_path, PHRASE)
    yield tmp_path
    vault.lock_all()


@pytest.mark.parametrize("seed", range(8))
def test_a_sealed_file_does_what_a_plain_one_does(folder, seed):
    """Random writes, overwrites, seeks and reads, against a file in memory."""
    random = np.random.default_rng(seed)
    twin = io.BytesIO()
    with sealed.open_file(folder / "x", "wb") as file:
        for _ in range(60):
            content = random.bytes(int(random.integers(1, 90_000)))
            size = twin.seek(0, os.SEEK_END)
            at = size if random.random() < 0.6 else int(random.integers(0, size + 1))
            for one in (twin, file):
                one.seek(at)
                one.write(content)
            if random.random() < 0.2:
                file.flush()
            at = int(random.integers(0, len(twin.getvalue())))
            file.seek(at)
            assert file.read(1000) == twin.getvalue()[at : at + 1000]
    assert sealed.size(folder / "x") == len(twin.getvalue())
    with sealed.open_file(folder / "x", "rb") as file:
        assert file.read() == twin.getvalue()
    raw = (folder / "x").read_bytes()
    assert twin.getvalue()[:64] not in raw
    assert twin.getvalue()[-64:] not in raw


def test_nothing_is_read_without_the_right_passphrase(folder):
    sealed.write_text(folder / "list.json", "purple giraffe")
    vault.lock_all()
    with pytest.raises(LibraryLocked):
        sealed.read_text(folder / "list.json")
    with pytest.raises(LibraryLocked):
        sealed.write_text(folder / "list.json", "plain")
    with pytest.raises(StoreError, match="The passphrase is wrong"):
        vault.unlock(folder, "wrong horse battery")
    vault.unlock(folder, PHRASE)
    assert sealed.read_text(folder / "list.json") == "purple giraffe"
    assert b"giraffe" not in (folder / "list.json").read_bytes()


def test_another_passphrase_opens_the_same_files(folder):
    sealed.write_text(folder / "a", "purple")
    vault.change_passphrase(folder, PHRASE, "another long one")
    vault.lock_all()
    with pytest.raises(StoreError):
        vault.unlock(folder, PHRASE)
    vault.unlock(folder, "another long one")
    assert sealed.read_text(folder / "a") == "purple"
    with pytest.raises(EngineError, match="at least"):
        vault.change_passphrase(folder, "another long one", "short")


def test_a_changed_byte_is_noticed(folder):
    sealed.write_text(folder / "a", "purple" * 100)
    raw = bytearray((folder / "a").read_bytes())
    raw[-5] ^= 1
    (folder / "a").write_bytes(raw)
    with pytest.raises(OSError, match="damaged"):
        sealed.read_text(folder / "a")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 1, "n": 1e99}'])
def test_a_damaged_key_file_is_one_clear_line(tmp_path, content):
    (tmp_path / vault.HEADER_NAME).write_text(content)
    with pytest.raises(StoreError, match="damaged"):
        vault.is_encrypted(tmp_path)


def test_a_cut_file_keeps_its_whole_records_and_can_grow_again(folder):
    with sealed.open_file(folder / "a", "ab") as file:
        for line in (b"one\n", b"two\n", b"three\n"):
            file.write(line)
            file.flush()
    raw = (folder / "a").read_bytes()
    (folder / "a").write_bytes(raw[:-3])
    assert sealed.read_text(folder / "a") == "one\ntwo\n"
    with sealed.open_file(folder / "a", "ab") as file:
        file.write(b"four\n")
    assert sealed.read_text(folder / "a") == "one\ntwo\nfour\n"


def test_a_timeline_is_sealed_and_read_from_anywhere(folder, tmp_path_factory):
    samples = (0.3 * np.sin(np.arange(16_000 * 40) / 9)).astype(np.float32)
    source = tmp_path_factory.mktemp("outside") / "talk.wav"
    soundfile.write(source, np.stack([samples, samples[::-1]], 1), 16_000)
    media = folder / "media" / "m1"
    media.mkdir(parents=True)
    timeline = decode.decode(source, media, "speakers", silent())
    assert not list(media.glob("*.part"))
    assert all(sealed.is_sealed(path) for path in media.iterdir())
    assert decode.duration_of(timeline.path) == pytest.approx(40)
    plain = tmp_path_factory.mktemp("plain")
    twin = decode.decode(source, plain, "speakers", silent())
    for start, end in ((0.0, 1.0), (17.3, 18.0), (39.5, None)):
        assert np.array_equal(
            decode.read(timeline.path, start, end), decode.read(twin.path, start, end)
        )
    with sealed.open_file(media / "peaks.npy", "rb") as file:
        assert np.array_equal(np.load(file), np.load(plain / "peaks.npy"))
    with sealed.open_file(timeline.path, "rb") as file:
        assert file.read() == twin.path.read_bytes()


def test_a_recording_is_followed_and_joined(folder):
    track = take.TrackFile(folder / "microphone.wav", 16_000)
    grows = GrowingWav(folder / "microphone.wav")
    pcm = (np.arange(48_000) % 3000).astype(np.int16)
    heard = []
    for start in range(0, 48_000, 1600):
        track.append(pcm[start : start + 1600])
        if start % 16_000 == 0:
            track.sync()
            heard.append(grows.read(10))
    track.close()
    heard.append(grows.read(10))
    assert np.array_equal(np.concatenate(heard), pcm.astype(np.float32) / np.float32(32768))
    assert take.seconds(folder / "microphone.wav") == 3
    take.mend(folder / "microphone.wav")
    raw = (folder / "microphone.wav").read_bytes()
    assert pcm[1000:1100].tobytes() not in raw


def test_a_recording_killed_at_any_moment_lacks_its_last_moments_only(folder):
    """What others find in the file after each tenth of a second, although nothing is synced."""
    track = take.TrackFile(folder / "microphone.wav", 16_000)
    pcm = np.random.default_rng(2).integers(-30_000, 30_000, 16_000 * 4).astype(np.int16)
    for end in range(1600, len(pcm) + 1, 1600):
        track.append(pcm[end - 1600 : end])
        killed = folder / "killed.wav"
        killed.write_bytes((folder / "microphone.wav").read_bytes())
        assert end / 16_000 - take.seconds(killed) < 0.3
    take.mend(killed)
    with sealed.open_file(killed, "rb") as file:
        found, _rate = soundfile.read(file, dtype="int16")
    assert np.array_equal(found, pcm[: len(found)])
    track.close()


@pytest.mark.parametrize("n_steps", range(1, 14))
def test_files_are_replaced_together_or_not_at_all(tmp_path, monkeypatch, n_steps):
    """Ended after any step, the folder settles to all old or all new files."""
    for name in "abc":
        (tmp_path / name).write_text("old")
    steps = iter(range(1000))

    class Ended(BaseException):
        pass

    def counted(real):
        def step(*arguments, **options):
            if next(steps) >= n_steps:
                raise Ended
            return real(*arguments, **options)

        return step

    with monkeypatch.context() as patched:
        patched.setattr(swap, "_to_disk", counted(swap._to_disk))
        patched.setattr(swap.Path, "replace", counted(swap.Path.replace))
        try:
            with swap.staged(tmp_path) as files:
                (files / "a").write_text("new")
                (files / "b").write_text("new")
                swap.commit(tmp_path, ["c"])
        except Ended:
            pass
    swap.settle(tmp_path)
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found in (dict.fromkeys("abc", "old"), dict.fromkeys("ab", "new"))


def test_two_conversions_do_not_meet(tmp_path):
    with (
        swap.staged(tmp_path),
        pytest.raises(StoreError, match="by another program"),
        swap.staged(tmp_path),
    ):
        pass
    assert not list(tmp_path.iterdir())
