"""Rich text holds its colours as text: another theme has it written anew."""

import pytest
from PySide6.QtTest import QTest

from engine.types import LiveUtterance
from engine.types_answer import TraceEvent
from gui import theme
from gui.widgets.live_view import LiveView
from gui.widgets.trace_view import TraceView


def trace():
    view = TraceView()
    view.show_trace([TraceEvent("note", 1, "forty meetings are read")])
    return view, "accent"


def live():
    view = LiveView()
    view.show_lines([LiveUtterance(0, 1.0, 2.0, 0, "Speaker 1", "Good morning.", False)])
    return view, "muted"


@pytest.mark.parametrize("make", [trace, live])
def test_what_is_written_follows_the_theme(dressed, make, qtbot):
    view, name = make()
    qtbot.addWidget(view)
    view.show()
    text = view.toPlainText()
    try:
        for look, table in (("dark", theme.DARK), ("light", theme.LIGHT)):
            theme.apply(dressed, look)
            QTest.qWait(1)
            assert getattr(table, name) in view.toHtml()
            assert view.toPlainText() == text
    finally:
        theme.apply(dressed, "light")
