"""A layout that fills lines from the start side and wraps, for chips."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget


class FlowLayout(QLayout):
    """Puts its widgets side by side as long as they fit."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """Number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """The item at a place, None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Remove and return the item at a place."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """It never asks for more than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Its height follows from its width."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """Height of all lines at a width."""
        return self._place(QRect(0, 0, width, 0), is_dry=True)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Place the items."""
        super().setGeometry(rect)
        self._place(rect, is_dry=False)

    def sizeHint(self) -> QSize:
        """The least it needs."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        """The widest single item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, is_dry: bool) -> int:
        x, y, line_height = 0, 0, 0
        for item in self._items:
            hint = item.sizeHint()
            width = min(hint.width(), max(1, rect.width()))
            if x and x + width > rect.width():
                x, y, line_height = 0, y + line_height + self.spacing(), 0
            if not is_dry:
                spot = QRect(rect.topLeft() + QPoint(x, y), QSize(width, hint.height()))
                parent = self.parentWidget()
                direction = parent.layoutDirection() if parent else Qt.LayoutDirection.LeftToRight
                item.setGeometry(QStyle.visualRect(direction, rect, spot))
            x += width + self.spacing()
            line_height = max(line_height, hint.height())
        return y + line_height
