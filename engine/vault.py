"""The keys of encrypted libraries: where they come from, and which are at hand in this process.

An encrypted library has a file ``earwitness.key``: its random key, sealed with a key that scrypt
derives from the passphrase. Whatever lies below that file is encrypted. Another passphrase seals
the same key anew. Opened keys are kept in memory only, and are handed to engine processes through
their pipe.

Source:
    RFC 7914 (scrypt), NIST SP 800-38D (AES-GCM), RFC 2104 (HMAC, for one key a purpose).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine import swap
from engine.errors import EngineError, LibraryLocked, StoreError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HEADER_NAME = "earwitness.key"
MIN_LENGTH = 8
"""Characters of the shortest passphrase."""

KEY_BYTES = 32
NONCE_BYTES = 12
_FORMAT = 1
# 128 MB and about half a second for each guess.
_SCRYPT_N, _SCRYPT_R, _SCRYPT_P = 1 << 17, 8, 1
_LARGEST_N = 1 << 20
_DEEPEST = 5
"""Folders between a file and its library, at most."""

_PLAIN = "plain"
_open: dict[str, bytes] = {}


@dataclass(frozen=True, slots=True)
class Keys:
    """What an engine process is told, before anything else, by the pipe that it serves."""

    by_library: dict[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Header:
    id: str
    salt: bytes
    n: int
    sealed: bytes


def is_encrypted(library_dir: Path) -> bool:
    """Whether a library needs a passphrase; finishes an interrupted conversion first.

    Raises:
        StoreError: It is being converted at this moment, or its header is damaged.
    """
    swap.settle(Path(library_dir))
    return _header_of(Path(library_dir)) is not None


def is_locked(library_dir: Path) -> bool:
    """Whether a library is encrypted and its key is not at hand; see ``is_encrypted``."""
    return is_encrypted(library_dir) and _key_of(_header_of(Path(library_dir))) is None


def unlock(library_dir: Path, passphrase: str) -> None:
    """Have the key of a library at hand in this process.

    Raises:
        StoreError: The passphrase is wrong, the library is not encrypted, or its header damaged.
    """
    header = _header_of(Path(library_dir))
    if header is None:
        raise StoreError(f"The library {library_dir} is not encrypted.")
    _open[header.id] = _unsealed(header, passphrase)


def lock_all() -> None:
    """Forget every key."""
    _open.clear()


def keys() -> Keys:
    """The keys at hand, for an engine process."""
    return Keys(dict(_open))


def adopt(given: Keys) -> None:
    """Have the keys of another process at hand."""
    _open.update(given.by_library)


def key_for(path: Path, purpose: str) -> bytes | None:
    """The key for a file, by where it lies; None where it belongs to no encrypted library.

    Args:
        path: Need not be there.
        purpose: ``files`` or ``database``; each has a key of its own.

    Returns:
        32 bytes.

    Raises:
        LibraryLocked: The passphrase was not given yet.
        StoreError: The header is damaged.
    """
    header = _header_above(Path(path))
    if header is None:
        return None
    key = _key_of(header)
    if key is None:
        raise LibraryLocked("The library is encrypted.", "Its passphrase is needed.")
    return hmac.digest(key, purpose.encode(), "sha256")


def write_header(folder: Path, passphrase: str) -> None:
    """Make a folder the top of an encrypted library with a new key, which is then at hand.

    Raises:
        EngineError: The passphrase is too short.
        OSError: The folder cannot be written.
    """
    library_id, key = secrets.token_hex(8), secrets.token_bytes(KEY_BYTES)
    _write(folder, library_id, key, passphrase)
    _open[library_id] = key


def write_plain_header(folder: Path) -> None:
    """Except a folder inside an encrypted library from the encryption, while it is decrypted."""
    (folder / HEADER_NAME).write_text(json.dumps({_PLAIN: True}), "utf-8")


def change_passphrase(library_dir: Path, old: str, new: str) -> None:
    """Seal the key of a library with another passphrase; nothing else is written.

    Raises:
        StoreError: The old passphrase is wrong, or the library cannot be written.
        EngineError: The new one is too short.
    """
    unlock(library_dir, old)
    header = _header_of(Path(library_dir))
    assert header is not None, "unlock() would have raised"
    try:
        _write(Path(library_dir), header.id, _open[header.id], new)
    except OSError as error:
        raise StoreError(f"The library {library_dir} cannot be written.", str(error)) from error


def copy_header(source_dir: Path, target_dir: Path) -> None:
    """Let a copy of a library have the same key and passphrase; nothing for a plain library.

    Raises:
        OSError: The folder cannot be written.
    """
    if (source_dir / HEADER_NAME).is_file():
        (target_dir / HEADER_NAME).write_bytes((source_dir / HEADER_NAME).read_bytes())


def check_passphrase(passphrase: str) -> None:
    """Refuse a passphrase that is no protection.

    Raises:
        EngineError: It is too short.
    """
    if len(passphrase) < MIN_LENGTH:
        raise EngineError(
            f"The passphrase needs at least {MIN_LENGTH} characters.",
            "Several words that do not belong together are easy to keep in mind.",
        )


def _write(folder: Path, library_id: str, key: bytes, passphrase: str) -> None:
    check_passphrase(passphrase)
    salt = secrets.token_bytes(16)
    nonce = secrets.token_bytes(NONCE_BYTES)
    wrapping = _derived(passphrase, salt, _SCRYPT_N)
    sealed = nonce + cipher(wrapping).encrypt(nonce, key, library_id.encode())
    values = {
        "format": _FORMAT,
        "id": library_id,
        "kdf": "scrypt",
        "n": _SCRYPT_N,
        "salt": salt.hex(),
        "key": sealed.hex(),
    }
    part = folder / f"{HEADER_NAME}.part"
    with part.open("w", encoding="utf-8") as file:
        json.dump(values, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / HEADER_NAME)


def _derived(passphrase: str, salt: bytes, n: int) -> bytes:
    return hashlib.scrypt(
        passphrase.encode(),
        salt=salt,
        n=n,
        r=_SCRYPT_R,
        p=_SCRYPT_P,
        maxmem=256 * n * _SCRYPT_R,
        dklen=KEY_BYTES,
    )


def _unsealed(header: _Header, passphrase: str) -> bytes:
    from cryptography.exceptions import InvalidTag

    wrapping = _derived(passphrase, header.salt, header.n)
    nonce, content = header.sealed[:NONCE_BYTES], header.sealed[NONCE_BYTES:]
    try:
        return cipher(wrapping).decrypt(nonce, content, header.id.encode())
    except InvalidTag:
        raise StoreError("The passphrase is wrong.") from None


def cipher(key: bytes) -> AESGCM:
    """AES-256-GCM with a key of 32 bytes."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _key_of(header: _Header | None) -> bytes | None:
    return None if header is None else _open.get(header.id)


def _header_above(path: Path) -> _Header | None:
    """The header of the library that a file lies in."""
    for folder in list(path.absolute().parents)[:_DEEPEST]:
        if (folder / HEADER_NAME).is_file():
            return _header_of(folder)
    return None


def _header_of(folder: Path) -> _Header | None:
    path = folder / HEADER_NAME
    try:
        values = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _damaged(path) from error
    if isinstance(values, dict) and values.get(_PLAIN) is True:
        return None
    try:
        if values["format"] != _FORMAT:
            raise StoreError(
                "The library was encrypted by a newer Earwitness.", "Update Earwitness to open it."
            )
        n = int(values["n"])
        if not 1 < n <= _LARGEST_N:
            raise _damaged(path)
        return _Header(
            str(values["id"]), bytes.fromhex(values["salt"]), n, bytes.fromhex(values["key"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> StoreError:
    return StoreError(
        f"The key file {path} is damaged.", "Take the one of a backup: it has the same key."
    )
