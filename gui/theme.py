"""Palette, fonts, spacing and speaker colours: the look of the window in one place.

Every length follows from the font's height, every colour from one of two tables; a widget that
paints asks ``colours(self)`` when it paints, so that a change of theme needs no wiring.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from engine import paths

# Preferred where the desktop offers nothing better than a fallback font.
_FAMILIES = ("Inter", "Noto Sans", "Ubuntu", "Cantarell", "Noto Sans CJK SC")
_FALLBACKS = ("DejaVu Sans", "Sans Serif", "Sans", "Bitstream Vera Sans")


@dataclass(frozen=True)
class Colours:
    """One theme. ``speakers`` holds text-strength colours that read on ``surface``."""

    window: str
    surface: str
    raised: str
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
    raised="#fbfbfc",
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
    raised="#232730",
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


def colours(widget: QWidget) -> Colours:
    """The theme a widget is shown in.

    The application's palette decides: a style sheet changes the roles of a single widget.
    """
    ground = QGuiApplication.palette().color(QPalette.ColorRole.Window)
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
    """Dress the whole application: ``system``, ``light`` or ``dark``."""
    hints = QGuiApplication.styleHints()
    system_is_dark = hints.colorScheme() == Qt.ColorScheme.Dark
    table = DARK if theme == "dark" or (theme == "system" and system_is_dark) else LIGHT
    app.setPalette(_palette(table))
    sheet = _filled(paths.resource("style.qss").read_text("utf-8"), table)
    if sheet != app.styleSheet():  # to set it dresses every widget anew
        # Qt takes three times as long from one sheet to another as over none at all.
        app.setStyleSheet("")
        app.setStyleSheet(sheet)


def choose_font(app: QApplication) -> None:
    """Take a good interface font where the desktop only has a fallback one."""
    font = app.font()
    if font.family() in _FALLBACKS or not QFontDatabase.families():
        known = set(QFontDatabase.families())
        family = next((name for name in _FAMILIES if name in known), font.family())
        font.setFamily(family)
    font.setPointSizeF(max(font.pointSizeF(), 10.0))
    app.setFont(font)


def _filled(sheet: str, table: Colours) -> str:
    """Put the colours of a theme into a style sheet's ``@names``."""
    values = {f.name: getattr(table, f.name) for f in fields(table) if f.name != "speakers"}
    return re.sub(r"@(\w+)", lambda match: values.get(match[1], match[0]), sheet)


def _palette(table: Colours) -> QPalette:
    """A palette in which every role of Qt follows from the table."""
    role = QPalette.ColorRole
    palette = QPalette()
    pairs = {
        role.Window: table.window,
        role.WindowText: table.text,
        role.Base: table.surface,
        role.AlternateBase: table.raised,
        role.Text: table.text,
        role.Button: table.surface,
        role.ButtonText: table.text,
        role.BrightText: table.on_accent,
        role.Highlight: table.accent,
        role.HighlightedText: table.on_accent,
        role.Accent: table.accent,
        role.Link: table.accent,
        role.LinkVisited: table.accent,
        role.ToolTipBase: table.raised,
        role.ToolTipText: table.text,
        role.PlaceholderText: table.muted,
        role.Light: table.raised,
        role.Midlight: table.hover,
        role.Mid: table.border,
        role.Dark: table.border,
        role.Shadow: table.border,
    }
    for key, value in pairs.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(table.muted))
    return palette
