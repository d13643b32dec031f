"""Twenty thousand utterances: no action does work that grows with the length of a meeting (H1).

How many milliseconds each takes is printed by ``tests/benchmarks/window.py``.
"""

import pytest
import watchdog

# Making the library takes longer than the quick tests may.
pytestmark = pytest.mark.end2end
N_UTTERANCES = 20_000
# Two for each utterance: what looks at every line may do next to nothing with it.
MOST_CALLS = 2 * N_UTTERANCES
MOST_CALLS_OF_A_FRAME = 5_000


@pytest.fixture(scope="module")
def long_library(tmp_path_factory):
    """Made once: writing so many utterances takes a while."""
    import window_fakes as fakes

    folder = tmp_path_factory.mktemp("long") / "library"
    folder.mkdir()
    return folder, fakes.fill(folder, count=N_UTTERANCES)


@pytest.fixture
def library_dir(long_library):
    return long_library[0]


@pytest.fixture
def calls():
    count = watchdog.CallCount()
    yield count
    count.stop()


def test_no_turn_of_the_event_loop_does_much(running, long_library, calls, qtbot):
    with qtbot.waitSignal(running.session.opened, timeout=60_000):
        running.session.open(long_library[1].id)
    running.window.repaint()
    qtbot.wait(300)
    done = {"open": calls.worst}
    for name, act in watchdog.deeds(running).items():
        calls.reset()
        if name == "read again":
            with qtbot.waitSignal(running.session.refreshed, timeout=60_000):
                act()
        else:
            act()
        qtbot.wait(120)
        done[name] = calls.worst
    print(done)
    assert {name: n for name, n in done.items() if n > MOST_CALLS} == {}


def test_a_frame_of_scrolling_does_little(running, long_library, calls, qtbot):
    with qtbot.waitSignal(running.session.opened, timeout=60_000):
        running.session.open(long_library[1].id)
    qtbot.wait(200)
    view = running.window.parts.meeting.transcript.view
    n_frames = 60
    calls.reset()
    for frame in range(n_frames):
        view.verticalScrollBar().setValue(3000 + frame * 90)
        view.viewport().repaint()
    calls.reset_turn()
    assert calls.worst / n_frames < MOST_CALLS_OF_A_FRAME


def test_rows_stay_in_place_while_heights_are_corrected(running, long_library, qtbot):
    with qtbot.waitSignal(running.session.opened, timeout=60_000):
        running.session.open(long_library[1].id)
    transcript = running.window.parts.meeting.transcript
    for row in (19_999, 3, 10_000, 14_321):
        transcript.show_row(row)
        assert transcript.view.is_visible(row)
        top = transcript.view.visualRect(transcript.model.index(row, 0)).top()
        transcript.view.viewport().repaint()
        assert transcript.view.visualRect(transcript.model.index(row, 0)).top() == top
