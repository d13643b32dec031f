import sqlite3

import pytest

from engine.errors import StoreError
from engine.graph import database, migrations
from engine.graph.database import DATABASE_NAME
from engine.graph.search import keyword_search
from engine.graph.store import Store


def schema(connection):
    return sorted(connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOTNULL"))


def library_of(folder, version):
    """A library as a program of that version left it, with a meeting in it."""
    folder.mkdir()
    connection = sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)
    database._configure(connection)
    migrations.migrate(connection, version)
    if version >= 1:
        connection.execute(
            "INSERT INTO meetings(id, title, created) VALUES ('m1', 'Old', '2024-01-01')"
        )
        connection.execute(
            'INSERT INTO utterances(meeting_id, idx, start, "end", text) '
            "VALUES ('m1', 0, 0, 1, 'an old budget')"
        )
    connection.close()


@pytest.mark.parametrize("version", range(migrations.latest() + 1))
def test_a_library_of_any_version_is_brought_up_to_date(tmp_path, version):
    library_of(tmp_path / "old", version)
    with Store(tmp_path / "old") as store, Store(tmp_path / "new") as fresh:
        assert migrations.version(store.connection) == migrations.latest()
        assert schema(store.connection) == schema(fresh.connection)
        if version:
            assert store.meeting("Old").id == "m1"
            assert store.utterances("m1")[0].text == "an old budget"
            assert keyword_search(store, [], "budget", 5), "old texts are searched as well"
    kept = tmp_path / "old" / f"{DATABASE_NAME}.format-{version}"
    assert kept.exists() == (0 < version < migrations.latest())


def test_a_change_that_fails_leaves_the_library_as_it_was(tmp_path, monkeypatch):
    library_of(tmp_path / "old", 1)

    def breaks(connection):
        connection.execute("CREATE TABLE half (x)")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(migrations, "_MIGRATIONS", [migrations._MIGRATIONS[0], breaks])
    with pytest.raises(StoreError, match="full"):
        Store(tmp_path / "old")
    connection = sqlite3.connect(tmp_path / "old" / DATABASE_NAME)
    assert migrations.version(connection) == 1
    assert "half" not in [row[1] for row in schema(connection)]
    connection.close()


def test_an_old_library_is_not_read_without_being_changed(tmp_path):
    library_of(tmp_path / "old", 1)
    with pytest.raises(StoreError, match="older format"):
        Store(tmp_path / "old", read_only=True)


def test_numbers_are_never_reused():
    assert migrations.latest() == len(migrations._MIGRATIONS)
    names = [migration.__name__ for migration in migrations._MIGRATIONS]
    assert len(set(names)) == len(names)
