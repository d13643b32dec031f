"""The command line over a library made by hand; nothing here needs a model."""

import io
import json
import sys

import pytest

from engine.__main__ import main
from engine.cli import output
from engine.cli.parser import build_parser
from engine.errors import EngineError
from engine.graph.store import Store
from engine.types import Utterance
from engine.types_answer import Answer, Citation, Receipt, Sentence, Verdict
from gui.__main__ import _wants_window


@pytest.fixture
def library(tmp_path):
    with Store(tmp_path) as store:
        meeting = store.create_meeting("Weekly talk", "talk.wav")
        store.save_utterances(
            meeting.id,
            [
                Utterance(0, 0.0, 2.0, "Ann", "We start with the budget."),
                Utterance(1, 2.5, 4.0, "Bo", "Fine with me."),
            ],
        )
        store.update_meeting(meeting.id, duration=4.0, is_complete=True)
    return tmp_path


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("order", ["before", "after"])
def test_the_library_may_stand_before_or_after_the_command(capsys, library, order):
    where = ["--library", library]
    arguments = [*where, "list"] if order == "before" else ["list", *where]
    status, out, _ = run(capsys, *arguments)
    assert status == 0
    assert "Weekly talk" in out


def test_show_names_speakers_and_times(capsys, library):
    status, out, _ = run(capsys, "show", "Weekly talk", "--library", library)
    assert status == 0
    assert "0:00  Ann: We start with the budget." in out


def test_show_json_has_the_contract_of_the_design(capsys, library):
    _, out, _ = run(capsys, "show", "Weekly talk", "--library", library, "--json")
    shown = json.loads(out)
    first = shown["utterances"][0]
    assert {"i", "start", "end", "speaker", "text", "words", "acoustics"} <= set(first)
    assert {"speakers", "events"} <= set(shown)


def test_a_missing_meeting_is_one_line_and_exit_1(capsys, library):
    status, out, err = run(capsys, "show", "nothing", "--library", library)
    assert (status, out) == (1, "")
    assert err.count("\n") == 1
    assert err.startswith("earwitness: ")


@pytest.mark.parametrize("command", ["list", "show", "delete", "error"])
def test_what_a_meeting_is_called_gives_no_orders_to_the_terminal(capsys, library, command):
    """A title comes from a file's name, a text from a transcript: from anybody."""
    title = "\x1b[2Jwiped \x1b]52;c;Zm9v\x07 \x9b31m \x7f\rover"
    with Store(library) as store:
        meeting = store.create_meeting(title, title)
        store.save_utterances(meeting.id, [Utterance(0, 0, 1, title, f"wiped {title}")])
    arguments = {
        "list": ["list"],
        "show": ["show", meeting.id],
        "delete": ["delete", meeting.id],
        "error": ["show", title],
    }[command]
    main([*arguments, f"--library={library}"])
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert not set(text) & set("\x1b\x07\x9b\x7f")
    assert "\r" not in shown.out
    assert "␛[2Jwiped" in shown.out + shown.err


def test_json_keeps_every_sign(capsys, library):
    title = "\x1b[2J\x9b\x7f é 会議"
    with Store(library) as store:
        meeting = store.create_meeting(title)
    assert main(["show", meeting.id, "--json", f"--library={library}"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == title


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_a_terminal_that_knows_few_signs_shows_what_it_can(library, monkeypatch, encoding):
    """Windows writes into a file or a pipe in the signs of one language."""
    title = "Plan é 会議 🎉"
    with Store(library) as store:
        meeting = store.create_meeting(title)
    for arguments in (["list"], ["show", meeting.id, "--json"]):
        out = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", out)
        assert main([*arguments, f"--library={library}"]) == 0
        out.flush()
        text = out.buffer.getvalue().decode(encoding)
        if "--json" in arguments:
            assert json.loads(text)["title"] == title
        else:
            assert title.encode(encoding, "replace").decode(encoding) in text


def test_delete_leaves_an_empty_library(capsys, library):
    assert run(capsys, "delete", "Weekly talk", "--library", library)[0] == 0
    status, out, _ = run(capsys, "list", "--library", library, "--json")
    assert (status, json.loads(out)) == (0, [])


def test_export_writes_where_it_is_told(capsys, library, tmp_path):
    target = tmp_path / "out" / "talk.md"
    target.parent.mkdir()
    status, out, _ = run(
        capsys, "export", "Weekly talk", "--library", library, "--format", "md", "-o", target
    )
    assert (status, out.strip()) == (0, str(target))
    assert "We start with the budget." in target.read_text("utf-8")


def test_a_question_without_a_meeting_says_what_to_do(capsys, library):
    status, _, err = run(capsys, "ask", "Why?", "--library", library)
    assert status == 1
    assert "--all" in err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["export", "x"], ["list", "--speakers"]])
def test_senseless_arguments_end_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


def test_every_command_shows_an_example():
    actions = build_parser()._subparsers._group_actions[0].choices
    for name, command in actions.items():
        assert f"Example: earwitness {name}" in command.epilog


@pytest.mark.parametrize(
    ("arguments", "is_window"),
    [
        ([], True),
        (["--library", "x"], True),
        (["--library", "list", "--meeting", "y"], True),
        (["--library", "x", "list"], False),
        (["list"], False),
        (["--help"], False),
    ],
)
def test_only_window_options_open_the_window(arguments, is_window):
    assert _wants_window(arguments) is is_window


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (61.9, "1:01"), (3600, "1:00:00"), (32400, "9:00:00")]
)
def test_clock(seconds, text):
    assert output.clock(seconds) == text


def test_an_answer_marks_what_is_not_supported(capsys):
    cited = Citation("m", 3, 61.0, 63.0, "Ann", "we wait")
    answer = Answer(
        "Why?",
        "They wait. It rains.",
        (Sentence("They wait.", (cited,)), Sentence("It rains.", (), is_supported=False)),
        Verdict(3, is_verified=False),
        abstained=False,
        system="agent",
        receipt=Receipt(n_searched=10, n_read=2, rounds=1),
    )
    output.print_answer(answer)
    out = capsys.readouterr().out
    assert "1:01 Ann: “we wait”" in out
    assert "(not supported) It rains." in out
    assert "[not verified; read 2 of 10 utterances" in out
    assert output.answer_json(answer)["sentences"][0]["citations"][0]["utterance"] == 3


def test_an_error_with_details_prints_them(capsys):
    error = EngineError("It broke.", "Report it.")
    error.add_note("place.py:7")
    output.print_error(error)
    assert capsys.readouterr().err == "earwitness: It broke. Report it.\nplace.py:7\n"
