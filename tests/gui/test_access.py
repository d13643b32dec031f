"""Keyboard, screen reader, contrast, sizes: field reports H5 and H6."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeySequence, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QProgressBar,
    QPushButton,
    QScrollBar,
    QSlider,
    QSpinBox,
    QTabBar,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from engine.questions import Category, DraftQuestion
from gui import theme
from gui.dressing import Dressing
from gui.widgets.basics import Badge, Card, Choice, Column, IconButton, Label, button

PAGES = ("welcome", "meeting", "record", "search", "versions", "questions", "models", "settings")
TABS = ("ask", "minutes", "speakers", "graph")


def focusable(window):
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisibleTo(window)
        and widget.isEnabled()
        and not isinstance(widget, QScrollBar)
        and widget.focusProxy() is None
        and not widget.objectName().startswith("qt_")
    ]


def spoken_name(widget):
    """What a screen reader says for a widget."""
    if widget.accessibleName():
        return widget.accessibleName()
    return widget.text() if isinstance(widget, QAbstractButton) else ""


@pytest.fixture
def full(opened, clients, spoken, meeting):
    """Every page filled with something."""
    import window_fakes as fakes

    parts = opened.window.parts
    parts.ask.ask("What was decided?")
    clients.assistant.jobs[-1].finished.emit(fakes.answer(meeting.id, spoken, "What was decided?"))
    draft = DraftQuestion("Why cold storage?", "The bill doubled.", Category.EXPLICIT, (3, 6))
    parts.questions._add(draft)
    opened.queue.add("/x/one.wav")
    opened.queue.add("/x/two.wav")
    opened.window.show_banner("A message", "and a hint", "", "details")
    return opened


def show(running, page, tab):
    parts, window = running.window.parts, running.window
    window.stack.setCurrentWidget(getattr(parts, page))
    window.tabs.setCurrentWidget(getattr(parts, tab))
    QApplication.processEvents()
    # A long page is filled in several turns of the event loop, and laid out in the next few.
    while any(column.is_filling for column in window.findChildren(Column)):
        QApplication.processEvents()
    for _ in range(5):
        QApplication.processEvents()


def test_whatever_takes_the_keyboard_has_a_name(full):
    nameless = set()
    for page in PAGES:
        for tab in TABS:
            show(full, page, tab)
            nameless |= {
                f"{page}/{tab}: {type(widget).__name__} in {type(widget.parent()).__name__}"
                for widget in focusable(full.window)
                if not spoken_name(widget)
            }
    assert not nameless


def test_numbers_of_the_settings_can_be_read(full):
    show(full, "settings", "ask")
    numbers = full.window.findChildren(QSpinBox)
    assert numbers
    for box in numbers:
        assert box.lineEdit().width() > box.width() / 2, box.accessibleName()


def test_the_minutes_are_not_cut_off_at_the_side(full):
    show(full, "meeting", "minutes")
    page = full.window.parts.minutes
    assert page.widget().width() <= page.viewport().width()


def test_an_answer_is_not_cut_off_at_the_side(full):
    show(full, "meeting", "ask")
    full.window.resize(1024, 700)
    QApplication.processEvents()
    chat = full.window.parts.ask._chat
    assert chat.widget().width() <= chat.viewport().width()


def test_filling_a_page_opens_no_other_window(full):
    show(full, "settings", "ask")
    assert QApplication.activeWindow() is full.window


def test_tab_reaches_everything_and_is_never_trapped(full):
    window = full.window
    window.activateWindow()
    for page, tab in (("meeting", "ask"), ("settings", "speakers"), ("record", "minutes")):
        show(full, page, tab)
        wanted = {id(widget): widget for widget in focusable(window)}
        window.parts.library.focus_list()
        reached = set()
        for _ in range(len(wanted) * 2 + 10):
            focus = QApplication.focusWidget()
            assert focus is not None
            reached |= {id(focus), id(focus.focusProxy())}
            QTest.keyClick(focus, Qt.Key.Key_Tab)
        missed = {
            type(w).__name__ + " " + spoken_name(w) for k, w in wanted.items() if k not in reached
        }
        assert not missed, f"{page}/{tab}"


def test_every_action_has_keys_and_a_menu(running):
    actions = running.window.parts.actions
    in_menus = {
        action for menu in running.window.menuBar().actions() for action in menu.menu().actions()
    }
    keys = [action.shortcut().toString() for _key, action in actions.items()]
    assert all(keys)
    assert len(set(keys)) == len(keys), "two actions share their keys"
    assert {action for _key, action in actions.items()} <= in_menus


def test_shortcuts_can_be_changed_but_not_taken_twice(running):
    actions = running.window.parts.actions
    assert actions.set_shortcut("record", QKeySequence("Ctrl+O"))
    assert actions.set_shortcut("record", QKeySequence("Ctrl+Alt+R")) == ""
    from gui.actions import Actions

    again = Actions(actions._path)
    assert again["record"].shortcut().toString() == "Ctrl+Alt+R"


def luminance(colour):
    def part(value):
        value /= 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    c = QColor(colour)
    return 0.2126 * part(c.red()) + 0.7152 * part(c.green()) + 0.0722 * part(c.blue())


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_text_can_be_read_in_both_themes(look):
    grounds = ("window", "surface", "hover", "accent_soft")
    pairs = [("text", ground) for ground in grounds]
    pairs += [("muted", ground) for ground in ("window", "surface", "hover")]
    pairs += [(name, f"{name}_soft") for name in ("accent", "good", "warning", "danger")]
    pairs += [("on_accent", "accent"), ("text", "danger_soft"), ("text", "warning_soft")]
    pairs += [("accent", "surface"), ("danger", "surface"), ("surface", "warning")]
    poor = {
        pair: round(ratio, 2)
        for pair in pairs
        if (ratio := contrast(getattr(look, pair[0]), getattr(look, pair[1]))) < 4.5
    }
    poor |= {
        ("speaker", colour): round(contrast(colour, look.surface), 2)
        for colour in look.speakers
        if contrast(colour, look.surface) < 4.5
    }
    assert not poor


def test_speakers_can_be_told_apart():
    for look in (theme.LIGHT, theme.DARK):
        assert len(set(look.speakers)) == len(look.speakers) >= 8


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_window_fits_a_small_screen_at_any_scale(full, dressed, scale):
    """Larger text instead of larger pixels: the same layouts, on 1024 x 600 of them."""
    window = full.window
    for page in PAGES:
        show(full, page, "ask")
        assert window.minimumSizeHint().width() <= 1024 / scale * 3, page
    font = dressed.font()
    before = font.pointSizeF()
    try:
        larger = theme.scaled(font, min(scale, 2.0))
        dressed.setFont(larger)
        window.resize(1024, 600)
        QApplication.processEvents()
        cut = [
            label.text()
            for label in window.findChildren(QLabel)
            if label.isVisible() and label.height() < label.fontMetrics().height() * 0.8
        ]
        assert not cut
    finally:
        dressed.setFont(theme.scaled(dressed.font(), before / dressed.font().pointSizeF()))


def test_right_to_left_turns_the_window_around(full, dressed):
    dressed.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        # A splitter places its parts anew when its size changes, as at a start in such a language.
        full.window.resize(full.window.width() - 40, full.window.height())
        QApplication.processEvents()
        library = full.window.parts.library
        assert library.mapTo(full.window, library.rect().center()).x() > full.window.width() / 2
    finally:
        dressed.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.fixture
def change_theme(dressed, qtbot):
    """Changes the theme and waits until every widget has followed."""

    def change(name):
        theme.apply(dressed, name)
        dressing = dressed.findChild(Dressing)
        qtbot.waitUntil(lambda: dressing is None or not dressing.is_running, timeout=60_000)

    yield change
    change("light")


def test_themes_change_while_it_runs(full, change_theme):
    change_theme("dark")
    picture = full.window.grab().toImage()
    dark = sum(
        picture.pixelColor(x, y).lightness() < 90
        for x in range(0, picture.width(), 40)
        for y in range(0, picture.height(), 40)
    )
    total = len(range(0, picture.width(), 40)) * len(range(0, picture.height(), 40))
    assert dark > 0.7 * total


def one_of_each():
    """A window with all kinds of widgets of which the style sheet speaks."""
    window = QWidget()
    column = QVBoxLayout(window)
    for role in ("", "primary", "danger", "chip", "mark", "suggestion", "quiet"):
        column.addWidget(button("Words", role=role))
    for role in ("quiet", "round", "record"):
        column.addWidget(IconButton("play", "Play", role=role))
    for role in ("", "title", "muted", "danger", "small"):
        column.addWidget(Label("Words", role))
    for tone in ("", "good", "warning", "danger", "accent"):
        column.addWidget(Badge("Word", tone))
        banner = Card("banner")
        banner.setProperty("tone", tone)
        column.addWidget(banner)
    for role in ("card", "bubble", "recording", "bar"):
        column.addWidget(Card(role))
    tabs = QTabBar()
    tabs.addTab("One")
    tabs.addTab("Two")
    bar = QProgressBar(value=40)
    for widget in (tabs, bar, Choice(), QSlider(Qt.Orientation.Horizontal), QCheckBox("Yes")):
        column.addWidget(widget)
    for widget in (QLineEdit("Words"), QSpinBox(), QTextEdit("Words"), QListWidget()):
        widget.setEnabled(False)  # no caret that blinks
        column.addWidget(widget)
    return window


def test_a_changed_theme_looks_as_if_it_had_been_there_from_the_start(dressed, change_theme, qtbot):
    window = one_of_each()
    qtbot.addWidget(window)
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)  # and so without a focus
    window.show()
    light = window.grab().toImage()
    change_theme("dark")
    changed = window.grab().toImage()
    sheet = dressed.styleSheet()
    dressed.setStyleSheet("")
    dressed.setStyleSheet(sheet)  # dresses everything from nothing
    assert changed == window.grab().toImage()
    assert changed != light
    change_theme("light")
    assert light == window.grab().toImage()


def test_a_window_keeps_its_colours_until_all_it_shows_has_the_new_ones(
    full, dressed, change_theme, monkeypatch
):
    monkeypatch.setattr("gui.dressing._TURN_SECONDS", 0.0)  # one widget in each turn
    gone_meanwhile = QPushButton("early", full.window)
    gone_meanwhile.show()
    theme.apply(dressed, "dark")
    assert not full.window.updatesEnabled()
    made_meanwhile = Badge("late", "good")
    shiboken6.delete(gone_meanwhile)
    made_meanwhile.ensurePolished()
    text = made_meanwhile.palette().color(QPalette.ColorRole.WindowText)
    assert text == QColor(theme.DARK.good)
    change_theme("light")
    assert full.window.updatesEnabled()


def test_the_same_theme_again_dresses_nothing(full, dressed):
    theme.apply(dressed, "light")
    assert full.window.updatesEnabled()
