"""A registry's copy in a backup holds all its rows, and an empty server gets them back."""

from contextlib import closing

from sqlalchemy import select

from participants.backup.make import fill_server, registry_copy
from participants.new_person import NewPerson
from participants.notes import note
from participants.registry import Registry
from participants.registry.tables import metadata


def rows_of(url):
    def work(connection):
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=str)
            for table in metadata.sorted_tables
        }

    with closing(Registry.open(url)) as registry:
        return registry.transact(work)


def fill(url):
    with closing(Registry.open(url)) as registry:
        codes = registry.enrol_several(3, NewPerson("participant"))
        note(registry, "incident", "fire alarm", codes[0])
        registry.record_withdrawal(codes[1])


def test_a_copy_of_either_database_has_all_rows(either_url, tmp_path):
    fill(either_url)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(registry_copy(either_url))
    assert rows_of(f"sqlite:///{copy}") == rows_of(either_url)


def test_an_empty_server_gets_all_rows_back_and_one_with_people_stays(server, tmp_path):
    old, new, copy = server.database(), server.database(), tmp_path / "copy.sqlite"
    fill(old)
    copy.write_bytes(registry_copy(old))
    assert fill_server(new, copy)
    assert rows_of(new) == rows_of(old)
    # Numbers that the server gives go on after those that were copied.
    fill(new)
    assert not fill_server(new, copy)
    assert len(rows_of(new)["notes"]) == 2
