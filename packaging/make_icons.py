"""Draw the app icon in every size: ``python packaging/make_icons.py`` (developers only).

Renders resources/icons/earwitness.svg (and the simpler drawing for 24 pixels and less) to PNG
and packs the PNGs into earwitness.ico (Windows) and earwitness.icns (macOS).
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICON_DIR = Path(__file__).resolve().parent.parent / "resources" / "icons"
SMALL_MAX = 24
PNG_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Apple's codes for PNG entries; @2x codes hold twice the nominal size.
ICNS_ENTRIES = (
    (b"icp4", 16), (b"icp5", 32), (b"ic11", 32), (b"ic12", 64), (b"ic07", 128),
    (b"ic13", 256), (b"ic08", 256), (b"ic14", 512), (b"ic09", 512), (b"ic10", 1024),
)  # fmt: skip


def png(size: int) -> bytes:
    """The icon as PNG bytes."""
    name = "earwitness-small.svg" if size <= SMALL_MAX else "earwitness.svg"
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(ICON_DIR / name)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data())


def ico(sizes: tuple[int, ...]) -> bytes:
    """A Windows icon with PNG entries (read since Windows Vista)."""
    pictures = [png(size) for size in sizes]
    at = 6 + 16 * len(sizes)
    head = struct.pack("<HHH", 0, 1, len(sizes))
    for size, picture in zip(sizes, pictures, strict=True):
        side = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    return head + b"".join(pictures)


def icns(entries: tuple[tuple[bytes, int], ...]) -> bytes:
    """A macOS icon."""
    blocks = b""
    for code, size in entries:
        picture = png(size)
        blocks += code + struct.pack(">I", len(picture) + 8) + picture
    return b"icns" + struct.pack(">I", len(blocks) + 8) + blocks


def main() -> None:
    """Write every file."""
    application = QGuiApplication([])
    for size in PNG_SIZES:
        (ICON_DIR / f"earwitness-{size}.png").write_bytes(png(size))
    (ICON_DIR / "earwitness.ico").write_bytes(ico(ICO_SIZES))
    (ICON_DIR / "earwitness.icns").write_bytes(icns(ICNS_ENTRIES))
    application.quit()


if __name__ == "__main__":
    main()
