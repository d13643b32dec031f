"""An encrypted library in the window: asked for, chosen, taken off, never lost by a wrong word."""

from __future__ import annotations

import pytest

from engine import vault
from engine.errors import StoreError
from engine.graph.store import Store
from gui import passphrase
from gui.passphrase import Encryption, PassphraseDialog

PHRASE = "correct horse battery"


@pytest.fixture
def library(tmp_path, monkeypatch):
    monkeypatch.setattr(vault, "_SCRYPT_N", 1 << 10)
    with Store(tmp_path / "library") as store:
        store.create_meeting("About the quokka", "")
    yield tmp_path / "library"
    vault.lock_all()


def wish(library, typed):
    asked = Encryption(library)
    dialog = asked.ask()
    dialog.field.setText(typed)
    dialog.again.setText(typed)
    assert dialog.go.isEnabled()
    dialog.accept()
    assert asked.is_wanted
    dialog.deleteLater()
    return asked


def test_a_plain_library_asks_nothing(library, qapp):
    assert passphrase.library_unlocks(library, pytest.fail)


def test_the_start_asks_until_it_is_right_or_given_up(library, qapp):
    wish(library, PHRASE).carry_out()
    vault.lock_all()
    answers, seen = ["wrong horse", PHRASE], []

    def ask(problem):
        seen.append(problem)
        return answers.pop(0)

    assert passphrase.library_unlocks(library, ask)
    assert seen == ["", "The passphrase is wrong."]
    vault.lock_all()
    assert not passphrase.library_unlocks(library, lambda _: "")


def test_encrypted_and_back_by_way_of_the_menu(library, qapp):
    wish(library, PHRASE).carry_out()
    assert b"quokka" not in (library / "library.db").read_bytes()
    with pytest.raises(StoreError, match="wrong"):
        wish(library, "another horse").carry_out()
    assert vault.is_encrypted(library)
    wish(library, PHRASE).carry_out()
    assert not vault.is_encrypted(library)


def test_the_window_opens_again_after_it(library, qapp, monkeypatch):
    started, told = [], []
    monkeypatch.setattr(passphrase.subprocess, "Popen", started.append)
    passphrase.finish(Encryption(library), ["--library", "x"], told.append)
    assert not started
    passphrase.finish(wish(library, PHRASE), ["--library", "x"], told.append)
    assert started[0][-2:] == ["--library", "x"]
    passphrase.finish(wish(library, "not this one"), [], told.append)
    assert "wrong" in str(told[0])
    assert vault.is_encrypted(library)


def test_a_new_passphrase_is_typed_twice_and_never_shown(qtbot):
    dialog = PassphraseDialog("Choose one.", "Encrypt", is_new=True)
    qtbot.addWidget(dialog)
    for first, again, is_enough in (
        ("short", "short", False),
        (PHRASE, "", False),
        (PHRASE, PHRASE, True),
    ):
        dialog.field.setText(first)
        dialog.again.setText(again)
        assert dialog.go.isEnabled() is is_enough
    assert dialog.field.echoMode() == dialog.field.EchoMode.Password
    assert dialog.field.accessibleName()
