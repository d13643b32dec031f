"""The library: search, rename, export, delete, settings, models, recovery."""

import json
import tomllib
from pathlib import Path

import pytest
import window_fakes as fakes

from engine import settings
from engine.messages import Delete, Edit, Export, Failed, Finished, Partial, Search, Stored
from engine.types import DeleteReceipt, SearchHit
from engine.weights import catalogue

ROOT = Path(__file__).resolve().parents[2]


def last(client, kind):
    return [request for request in client.requests if isinstance(request, kind)][-1]


def job_of(client, kind):
    return [job for job in client.jobs if isinstance(job.request, kind)][-1]


def test_the_list_shows_title_date_length_and_speakers(opened, qtbot):
    model = opened.window.parts.library.model
    qtbot.waitUntil(lambda: model.rowCount() == 1)
    from gui.item_models.meetings import SUMMARY_ROLE

    assert model.index(0, 0).data() == "Autumn release planning"
    assert "4 speakers" in model.index(0, 0).data(SUMMARY_ROLE)


def test_search_shows_hits_that_play_and_never_lies(opened, clients, meeting, spoken, qtbot):
    parts = opened.window.parts
    parts.library.search_requested.emit("don't")
    assert last(clients.clerk, Search).text == "don't"
    job = job_of(clients.clerk, Search)
    clients.clerk.deliver(job, Failed("", "StoreError", "The index is damaged.", ""))
    assert "failed" in parts.search._count.text()
    parts.library.search_requested.emit("archive")
    hits = tuple(SearchHit(meeting.id, meeting.title, u, 1.0) for u in spoken[3:6])
    clients.clerk.deliver(job_of(clients.clerk, Search), Finished("", hits))
    assert "3 moments" in parts.search._count.text()
    with qtbot.waitSignal(parts.search.citation_chosen) as signal:
        from PySide6.QtWidgets import QPushButton

        parts.search._list.findChildren(QPushButton)[0].click()
    assert signal.args[0].start == spoken[3].start
    assert opened.player.is_playing


def test_rename_and_tags_are_edits(opened, clients, meeting, dialogs):
    dialogs.replies = ["Budget talk", "work, #autumn, work"]
    opened.window.parts.actions["rename"].trigger()
    assert last(clients.clerk, Edit).arguments == {"title": "Budget talk"}
    opened.window.parts.actions["tags"].trigger()
    assert last(clients.clerk, Edit).arguments == {"tags": ("work", "autumn")}


@pytest.mark.parametrize(
    ("chosen", "kind", "written"), [("a.docx", "docx", "a.docx"), ("b", "md", "b.md")]
)
def test_export_takes_its_format_from_the_name(opened, clients, dialogs, chosen, kind, written):
    dialogs.replies = [f"/tmp/{chosen}"]
    opened.window.parts.actions["export"].trigger()
    request = last(clients.clerk, Export)
    assert (request.format, Path(request.path).name) == (kind, written)
    clients.clerk.deliver(job_of(clients.clerk, Export), Finished("", request.path))
    assert opened.window.parts.banner.text() == "Exported."


def test_delete_asks_closes_and_gives_a_receipt(opened, clients, meeting, dialogs):
    dialogs.replies = [False]
    opened.window.parts.actions["delete"].trigger()
    assert not [r for r in clients.clerk.requests if isinstance(r, Delete)]
    dialogs.replies = [True]
    opened.window.parts.actions["delete"].trigger()
    assert opened.session.content is None
    assert opened.player.duration == 0
    receipt = DeleteReceipt(meeting.id, meeting.title, {"utterances": 48, "words": 400}, 2, 9000)
    clients.clerk.deliver(job_of(clients.clerk, Delete), Finished("", receipt))
    banner = opened.window.parts.banner
    assert meeting.title in banner.text()
    assert "448 entries" in banner._hint.text()


def test_a_deleted_meeting_leaves_the_list_before_its_traces_are_wiped(
    opened, clients, dialogs, qtbot
):
    dialogs.replies = [True]
    opened.window.parts.actions["delete"].trigger()
    meetings = opened.window.parts.meetings
    with qtbot.waitSignal(meetings.library_changed):
        clients.clerk.deliver(job_of(clients.clerk, Delete), Partial("", Stored("m1")))


def test_the_licences_of_all_that_ships_are_on_one_screen(running, dialogs):
    running.window.parts.actions["licences"].trigger()
    ((kind, _title, _text, details),) = dialogs.asked
    assert kind == "tell"
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for name in (*wanted, *(entry.title for entry in catalogue.shipped())):
        assert f"| {name} |".lower() in details.lower(), name


def test_settings_follow_their_declarations_and_take_effect(running, clients, qtbot):
    page = running.window.parts.settings
    running.window.parts.actions["settings"].trigger()
    qtbot.waitUntil(lambda: len(page._cards) == len(settings.Settings.__dataclass_fields__))
    page._search.setText("theme")
    shown = [words for words, card in page._cards if card.isVisibleTo(page)]
    assert len(shown) == 1
    page._set("max_rounds", 3)
    assert settings.load().max_rounds == 3


def test_a_setting_takes_effect_without_a_restart(running):
    """Field report E2."""
    changed = running.window.parts.settings.changed
    changed.emit(settings.Settings(theme="light", language="cs", enrich_automatically=False))
    assert running.live.language == "cs"
    assert not running.writer.is_automatic


def test_the_model_manager_offers_what_is_missing(running, clients):
    from engine.messages import FetchModels, ListModels
    from engine.weights.status import ModelRow

    rows = (
        ModelRow("a", "transcription", "Small", "MIT", 10, "missing", True),
        ModelRow("b", "language model", "Big", "Apache-2.0", 10, "present", False),
    )
    job = job_of(clients.clerk, ListModels)
    job.finished.emit(rows)
    page = running.window.parts.models
    assert running.window.stack.currentWidget() is page
    page.fetch_missing()
    assert last(clients.analysis, FetchModels).model_ids == ("a",)
    clients.analysis.deliver(job_of(clients.analysis, FetchModels), Finished("", None))
    assert not page._progress.isVisible()


def test_a_damaged_settings_file_is_told_not_fatal(monkeypatch, tmp_path):
    monkeypatch.setenv("EARWITNESS_CONFIG", str(tmp_path))
    (tmp_path / "settings.json").write_text(json.dumps({"max_rounds": 99}))
    from engine.errors import EngineError

    with pytest.raises(EngineError):
        settings.load()


def test_the_open_meeting_survives_a_broken_sound_file(running, library_dir, qtbot):
    made = fakes.fill(library_dir, count=8, title="Broken")
    (library_dir / "media" / made.id / "audio.flac").write_bytes(b"nonsense")
    with qtbot.waitSignal(running.session.opened):
        running.session.open(made.id)
    assert "cannot be played" in running.window.parts.banner.text()
    assert running.window.parts.meeting.transcript.model.rowCount() == 8


def test_faults_of_ours_are_written_down_without_content(running, monkeypatch, tmp_path):
    from gui import crash

    monkeypatch.setenv("EARWITNESS_LOGS", str(tmp_path))
    try:
        raise ValueError("what Anna said in confidence")
    except ValueError as error:
        report = crash.crash_report(type(error), error.__traceback__)
    path = Path(crash.write_report(report))
    assert "ValueError" in path.read_text()
    assert "Anna" not in path.read_text()
