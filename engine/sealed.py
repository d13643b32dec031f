"""Files of a library, encrypted where the library is: opened here, they look like any other.

A sealed file is ``MAGIC`` and a random number of 16 bytes, then records: length of the content
(4 bytes), nonce (12 bytes), content with tag (AES-256-GCM). A record is bound to its file and its
place in it. A file that grows ends with its last whole record, so that a killed writer loses what
it had not passed on yet and nothing before. That the last records were cut off is not noticed here.

Source:
    NIST SP 800-38D; nonces are random, which keeps a key good for 2**32 records.
"""

from __future__ import annotations

import io
import os
import secrets
import struct
from bisect import bisect_right
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from engine import vault

MAGIC = b"EARSEAL1"
_ID_BYTES = 16
_START = len(MAGIC) + _ID_BYTES
_LENGTH = struct.Struct("<I")
_TAG_BYTES = 16
_AROUND = _LENGTH.size + vault.NONCE_BYTES + _TAG_BYTES
RECORD_BYTES = 1 << 16


class Record(NamedTuple):
    """Where a record begins in the content and in the file, and how long its content is."""

    start: int
    offset: int
    length: int


def open_file(
    path: Path, mode: str, records: list[Record] | None = None, buffering: int = -1
) -> BinaryIO:
    """Open a file, sealed where it lies in an encrypted library.

    A plain file inside an encrypted library is read as it is.

    Args:
        path: The file.
        mode: ``rb``, ``wb``, ``r+b`` or ``ab``.
        records: Of an earlier look at a file that grows; spares reading their lengths again.
        buffering: Of a plain file, as for ``open``.

    Raises:
        OSError: It cannot be opened, or is damaged.
        LibraryLocked: The passphrase was not given yet.
    """
    key = vault.key_for(path, "files")
    if key is None or (mode in ("rb", "r+b") and not is_sealed(path)):
        return cast(BinaryIO, path.open(mode, buffering))
    return cast(BinaryIO, SealedFile(path, mode, key, records))


def for_sound(path: Path) -> str | BinaryIO:
    """What a sound library can open: the path, or the open file where it is sealed.

    Raises:
        OSError: It cannot be opened, or is damaged.
        LibraryLocked: The passphrase was not given yet.
    """
    key = vault.key_for(path, "files")
    if key is None or not is_sealed(path):
        return str(path)
    return cast(BinaryIO, SealedFile(path, "rb", key))


def new_sound(path: Path) -> str | BinaryIO:
    """What a sound library can write to; see ``for_sound``."""
    key = vault.key_for(path, "files")
    return str(path) if key is None else cast(BinaryIO, SealedFile(path, "wb", key))


def is_sealed(path: Path) -> bool:
    """Whether a file is encrypted.

    Raises:
        OSError: It cannot be opened.
    """
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def size(path: Path) -> int:
    """Bytes of a file's content.

    Raises:
        OSError: It is not there.
        LibraryLocked: The passphrase was not given yet.
    """
    if vault.key_for(path, "files") is None:
        return path.stat().st_size
    with open_file(path, "rb") as file:
        return file.seek(0, os.SEEK_END)


def read_text(path: Path) -> str:
    """The UTF-8 text of a file; wrong bytes become replacement characters.

    Raises:
        OSError: It is not there, or damaged.
        LibraryLocked: The passphrase was not given yet.
    """
    with open_file(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def write_text(path: Path, text: str) -> None:
    """Write a file whole.

    Raises:
        OSError: The disk is full or gone.
        LibraryLocked: The passphrase was not given yet.
    """
    with open_file(path, "wb") as file:
        file.write(text.encode())


class SealedFile(io.RawIOBase):
    """A sealed file with random access; belongs to one thread.

    Content is appended, or written over in place: never beyond the end. ``flush`` and ``close``
    pass everything on.

    Attributes:
        records: As far as they are written.

    Raises:
        OSError: From every method: the file is damaged, gone, or the disk is full.
    """

    def __init__(
        self, path: Path, mode: str, key: bytes, records: list[Record] | None = None
    ) -> None:
        super().__init__()
        self.name = str(path)
        self._cipher = vault.cipher(key)
        self._is_writable = mode != "rb"
        self.records: list[Record] = list(records or [])
        self._tail = bytearray()
        self._position = 0
        self._cached: tuple[int, bytes] = (-1, b"")
        is_new = mode == "wb" or (mode == "ab" and not path.exists())
        how = "w+b" if is_new else "r+b" if self._is_writable else "rb"
        self._file = path.open(how, buffering=0)
        try:
            if is_new:
                self._id = secrets.token_bytes(_ID_BYTES)
                self._put(0, MAGIC + self._id)
            else:
                self._read_layout()
                if self._is_writable:
                    # What a killed writer left half written would hide what comes after it.
                    self._file.truncate(self._next_offset())
            if mode == "ab":
                self._position = self._size()
        except BaseException:
            self._file.close()
            raise

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def writable(self) -> bool:
        """Unless it was opened to be read."""
        return self._is_writable

    def fileno(self) -> int:
        """Of the file on the disk, for ``fsync``."""
        return self._file.fileno()

    def tell(self) -> int:
        """Position in the content, bytes."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a position in the content, bytes."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size()}[whence]
        self._position = max(0, base + offset)
        return self._position

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes; fewer only at the end."""
        end = self._size() if size is None or size < 0 else min(self._size(), self._position + size)
        pieces = []
        while self._position < end:
            piece = self._piece_at(self._position)[: end - self._position]
            pieces.append(piece)
            self._position += len(piece)
        return b"".join(pieces)

    def readall(self) -> bytes:
        """Everything that follows."""
        return self.read()

    def readinto(self, buffer: object) -> int:
        """Fill a buffer as far as the content goes; bytes read."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        content = self.read(len(view))
        view[: len(content)] = content
        return len(content)

    def write(self, content: object) -> int:
        """Append, or write over what is there; all bytes are taken."""
        data = bytes(memoryview(content).cast("B"))  # type: ignore[arg-type]
        written = self._overwrite(data)
        self._tail += data[written:]
        self._position += len(data) - written
        while len(self._tail) >= RECORD_BYTES:
            self._append(bytes(self._tail[:RECORD_BYTES]))
            del self._tail[:RECORD_BYTES]
        return len(data)

    def flush(self) -> None:
        """Pass on what was written."""
        if not self.closed and self._tail:
            self._append(bytes(self._tail))
            self._tail.clear()

    def close(self) -> None:
        """Pass on what was written and close."""
        if self.closed:
            return
        try:
            super().close()
        finally:
            self._file.close()

    def _size(self) -> int:
        return self._sealed_size() + len(self._tail)

    def _sealed_size(self) -> int:
        return self.records[-1].start + self.records[-1].length if self.records else 0

    def _next_offset(self) -> int:
        return (
            self.records[-1].offset + self.records[-1].length + _AROUND if self.records else _START
        )

    def _read_layout(self) -> None:
        head = self._get(0, _START)
        if head[: len(MAGIC)] != MAGIC or len(head) < _START:
            raise OSError(f"{self.name} is no sealed file")
        self._id = head[len(MAGIC) :]
        n_bytes = os.fstat(self._file.fileno()).st_size
        offset, start = self._next_offset(), self._sealed_size()
        while offset + _AROUND <= n_bytes:
            (length,) = _LENGTH.unpack(self._get(offset, _LENGTH.size))
            if offset + length + _AROUND > n_bytes:
                break
            self.records.append(Record(start, offset, length))
            offset, start = offset + length + _AROUND, start + length

    def _piece_at(self, position: int) -> bytes:
        """Content from a position to the end of its record."""
        at = position - self._sealed_size()
        if at >= 0:
            return bytes(self._tail[at:])
        index = bisect_right(self.records, position, key=lambda record: record.start) - 1
        return self._content(index)[position - self.records[index].start :]

    def _content(self, index: int) -> bytes:
        from cryptography.exceptions import InvalidTag

        if self._cached[0] != index:
            record = self.records[index]
            raw = self._get(record.offset + _LENGTH.size, record.length + _AROUND - _LENGTH.size)
            nonce, sealed = raw[: vault.NONCE_BYTES], raw[vault.NONCE_BYTES :]
            try:
                content = self._cipher.decrypt(nonce, sealed, self._place(index))
            except (InvalidTag, ValueError) as error:
                raise OSError(f"{self.name} is damaged") from error
            self._cached = (index, content)
        return self._cached[1]

    def _overwrite(self, data: bytes) -> int:
        """Write over existing content, one record after the other; bytes taken."""
        if self._position > self._size():
            raise OSError(f"{self.name}: written beyond its end")
        taken = 0
        while taken < len(data) and self._position < self._sealed_size():
            index = bisect_right(self.records, self._position, key=lambda r: r.start) - 1
            record = self.records[index]
            content = bytearray(self._content(index))
            at = self._position - record.start
            piece = data[taken : taken + record.length - at]
            content[at : at + len(piece)] = piece
            self._put(record.offset, self._record(index, bytes(content)))
            self._cached = (-1, b"")
            taken += len(piece)
            self._position += len(piece)
        at = self._position - self._sealed_size()
        if taken < len(data) and at < len(self._tail):
            piece = data[taken : taken + len(self._tail) - at]
            self._tail[at : at + len(piece)] = piece
            taken += len(piece)
            self._position += len(piece)
        return taken

    def _append(self, content: bytes) -> None:
        record = Record(self._sealed_size(), self._next_offset(), len(content))
        self._put(record.offset, self._record(len(self.records), content))
        self.records.append(record)

    def _record(self, index: int, content: bytes) -> bytes:
        nonce = secrets.token_bytes(vault.NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, content, self._place(index))
        return _LENGTH.pack(len(content)) + nonce + bytes(sealed)

    def _place(self, index: int) -> bytes:
        return self._id + index.to_bytes(8, "little")

    def _get(self, offset: int, n_bytes: int) -> bytes:
        self._file.seek(offset)
        pieces = []
        while n_bytes and (piece := self._file.read(n_bytes)):
            pieces.append(piece)
            n_bytes -= len(piece)
        return b"".join(pieces)

    def _put(self, offset: int, raw: bytes) -> None:
        self._file.seek(offset)
        view = memoryview(raw)
        while view:
            # A full disk can take a part; the rest then raises.
            view = view[self._file.write(view) :]
