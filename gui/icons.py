"""The window's own line icons, drawn in whatever colour the theme asks for."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from engine import paths


class _LineIcon(QIconEngine):
    """Renders one SVG of ours at any size and scale."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self._svg = svg

    def paint(self, painter: QPainter, rect: object, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw into a rectangle; a disabled icon is fainter."""
        painter.save()
        if mode == QIcon.Mode.Disabled:
            painter.setOpacity(0.4)
        QSvgRenderer(QByteArray(self._svg.encode())).render(painter, QRectF(rect))  # type: ignore[call-overload]
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Draw onto a transparent picture."""
        picture = QPixmap(size)
        if picture.isNull():
            return picture  # A button without room asks for nothing, and nothing can be drawn on.
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, picture.rect(), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        """Another engine with the same drawing."""
        return _LineIcon(self._svg)


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return paths.resource(f"icons/ui/{name}.svg").read_text("utf-8")


def icon(name: str, colour: str) -> QIcon:
    """The icon ``resources/icons/ui/<name>.svg`` in a colour such as ``#3a54c4``."""
    return QIcon(_LineIcon(_source(name).replace("currentColor", colour)))
