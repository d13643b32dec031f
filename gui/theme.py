"""Palette, fonts, spacing and speaker colours: the look of the window in one place.

Every length follows from the font's height, every colour from one of two tables; a widget that
paints asks ``colours(self)`` when it paints, so that a change of theme needs no wiring. The style
sheet is the same for all themes: its colours are roles of the palette.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from engine import paths
from gui.dressing import Dressing

# Preferred where the desktop offers nothing better than a fallback font.
_FAMILIES = ("Inter", "Noto Sans", "Ubuntu", "Cantarell", "Noto Sans CJK SC")
_FALLBACKS = ("DejaVu Sans", "Sans Serif", "Sans", "Bitstream Vera Sans")


@dataclass(frozen=True)
class Colours:
    """One theme. ``speakers`` holds text-strength colours that read on ``surface``."""

    window: str
    surface: str
    border: str
    text: str
    muted: str
    accent: str
    hover: str
    accent_soft: str
    on_accent: str
    danger: str
    danger_soft: str
    good: str
    good_soft: str
    warning: str
    warning_soft: str
    wave: str
    speakers: tuple[str, ...] = ()

    def speaker(self, number: int | None) -> QColor:
        """The colour of a speaker; unknown voices are muted."""
        if number is None:
            return QColor(self.muted)
        return QColor(self.speakers[number % len(self.speakers)])


LIGHT = Colours(
    window="#f4f5f7",
    surface="#ffffff",
    border="#dfe2e8",
    text="#1a1f2b",
    muted="#596273",
    accent="#3a54c4",
    hover="#eceef3",
    accent_soft="#e8ecfb",
    on_accent="#ffffff",
    danger="#b3261e",
    danger_soft="#fbe9e7",
    good="#1b6e45",
    good_soft="#e3f3ea",
    warning="#8a5300",
    warning_soft="#fdf0d9",
    wave="#b9c0cd",
    speakers=(
        "#3a54c4",
        "#b4451f",
        "#0f766e",
        "#9333a8",
        "#8a6100",
        "#1d6fa5",
        "#be2f63",
        "#4d7c0f",
        "#6d4fc2",
        "#7a5244",
    ),
)

DARK = Colours(
    window="#15171c",
    surface="#1c1f26",
    border="#343a46",
    text="#e8ebf1",
    muted="#a0a9b8",
    accent="#93a8ff",
    hover="#2a2f3a",
    accent_soft="#2a3252",
    on_accent="#10131c",
    danger="#ff8f87",
    danger_soft="#3d2423",
    good="#7fd6a4",
    good_soft="#1f3529",
    warning="#f1bd6c",
    warning_soft="#3a2f1c",
    wave="#4a5262",
    speakers=(
        "#93a8ff",
        "#f2a07f",
        "#5fd0c3",
        "#d79be6",
        "#e0bf62",
        "#79c4ee",
        "#f394b5",
        "#a9d36b",
        "#b9a5f5",
        "#d0ad9e",
    ),
)


_Role = QPalette.ColorRole

# Which role of the palette carries a colour. Qt has none for good and bad news: those lie in roles
# of which nothing in the window makes use in Qt's own sense.
_ROLES = {
    "window": _Role.Window,
    "surface": _Role.Base,
    "border": _Role.Mid,
    "text": _Role.WindowText,
    "muted": _Role.PlaceholderText,
    "accent": _Role.Highlight,
    "hover": _Role.Light,
    "accent_soft": _Role.Midlight,
    "on_accent": _Role.HighlightedText,
    "danger": _Role.BrightText,
    "danger_soft": _Role.Shadow,
    "good": _Role.LinkVisited,
    "good_soft": _Role.AlternateBase,
    "warning": _Role.ToolTipText,
    "warning_soft": _Role.ToolTipBase,
    "wave": _Role.Dark,
}


def colours(widget: QWidget) -> Colours:
    """The theme a widget is shown in.

    The application's palette decides: a style sheet changes the roles of a single widget.
    """
    ground = QGuiApplication.palette().color(_Role.Window)
    return DARK if ground.lightness() < 128 else LIGHT


def space(widget: QWidget, steps: float = 1) -> int:
    """A distance in the spacing scale: one step is a quarter of a line of text."""
    return max(1, round(QFontMetricsF(widget.font()).height() / 4 * steps))


def scaled(font: QFont, factor: float, *, weight: QFont.Weight | None = None) -> QFont:
    """A font larger or smaller than ``font`` by a factor, perhaps of another weight."""
    copy = QFont(font)
    if font.pointSizeF() > 0:
        copy.setPointSizeF(font.pointSizeF() * factor)
    else:
        copy.setPixelSize(max(1, round(font.pixelSize() * factor)))
    if weight is not None:
        copy.setWeight(weight)
    return copy


def apply(app: QApplication, theme: str) -> None:
    """Dress the whole application: ``system``, ``light`` or ``dark``.

    Widgets that are there already follow in the next turns of the event loop.
    """
    hints = QGuiApplication.styleHints()
    system_is_dark = hints.colorScheme() == Qt.ColorScheme.Dark
    table = DARK if theme == "dark" or (theme == "system" and system_is_dark) else LIGHT
    palette = _palette(table)
    if not app.styleSheet():
        app.setPalette(palette)
        app.setStyleSheet(_filled(paths.resource("style.qss").read_text("utf-8")))
    elif any(app.palette().color(role) != palette.color(role) for role in _ROLES.values()):
        app.setPalette(palette)
        dressing = app.findChild(Dressing)
        (dressing or Dressing(app)).begin()


def choose_font(app: QApplication) -> None:
    """Take a good interface font where the desktop only has a fallback one."""
    font = app.font()
    if font.family() in _FALLBACKS or not QFontDatabase.families():
        known = set(QFontDatabase.families())
        family = next((name for name in _FAMILIES if name in known), font.family())
        font.setFamily(family)
    font.setPointSizeF(max(font.pointSizeF(), 10.0))
    app.setFont(font)


def _filled(sheet: str) -> str:
    """Put roles of the palette into a style sheet's ``@names``."""
    return re.sub(r"@(\w+)", _role_in_sheet, sheet)


def _role_in_sheet(name: re.Match[str]) -> str:
    role = _ROLES.get(name[1])
    if role is None:
        return name[0]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", role.name).lower()
    return f"palette({words.replace('tool-tip', 'tooltip')})"


def _palette(table: Colours) -> QPalette:
    """A palette with the colours of the table, and no others."""
    palette = QPalette()
    for name, role in _ROLES.items():
        palette.setColor(role, QColor(getattr(table, name)))
    same = {
        _Role.Text: table.text,
        _Role.ButtonText: table.text,
        _Role.Button: table.surface,
        _Role.Accent: table.accent,
        _Role.Link: table.accent,
    }
    for role, colour in same.items():
        palette.setColor(role, QColor(colour))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(table.muted))
    return palette
