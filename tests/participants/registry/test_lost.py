"""A lab that has had a registry never gets a second one unasked, whatever command is typed."""

import sqlite3
from contextlib import closing

import pytest

from participants.backup.store import REGISTRY_COPY, BackupStore
from participants.cli import main
from participants.dataset.derive import write_tables
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from stimuli.errors import UserError
from tests.participants.dataset.test_derive import record
from tests.participants.studies.accept_reject.packs import bare_pack


def delete(file):
    file.unlink()


def empty(file):
    file.write_bytes(b"")


def replace_by_another(file):
    file.unlink()
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE other (id)")


LOSSES = (delete, empty, replace_by_another)


@pytest.fixture
def file(lab):
    return lab.root / "registry.sqlite"


@pytest.fixture
def code(lab):
    """Return a person with a session."""
    with closing(Registry.of(lab)) as registry:
        code = registry.enrol("lead", axis="deutan", rung=1)
        record(lab.data, bare_pack(), f"s-{code}", participant=code)
        registry.learn(read_journal(lab.data.session(f"s-{code}").journal), None)
    write_tables(lab.data, "accept_reject")
    return code


def refused(capsys, done):
    said = capsys.readouterr().err
    assert done == 2
    assert "is gone, though this lab had one; restore brings it back from a backup" in said
    assert "participants rebuild makes it again from the journals" in said
    assert sum("is gone" in line for line in said.splitlines()) == 1


COMMANDS = (
    "participants list",
    "participants enrol --role expert",
    "participants counts",
    "participants due",
    "participants reminders --out OUT",
    "participants payments",
    "participants notes",
    "participants show CODE",
    "participants note late",
    "participants withdraw CODE --yes",
    "status",
    "export bids --out OUT",
    "participants tables accept_reject",
)


def test_every_command_names_what_brings_a_lost_registry_back(file, code, capsys, tmp_path):
    file.unlink()
    for command in COMMANDS:
        words = command.replace("CODE", code).replace("OUT", str(tmp_path / "out")).split()
        refused(capsys, main(words))
        assert not file.exists()


@pytest.mark.parametrize("lose", LOSSES)
def test_a_lab_without_sessions_notices_too(lose, lab, file, capsys):
    Registry.of(lab).close()
    lose(file)
    before = file.read_bytes() if file.exists() else None
    refused(capsys, main(["participants", "enrol", "--role", "expert"]))
    assert (file.read_bytes() if file.exists() else None) == before


def test_sessions_alone_say_that_there_was_a_registry(lab, file, code, capsys):
    file.unlink()
    lab.data.had_registry.unlink()
    refused(capsys, main(["participants", "list"]))


def test_rebuild_makes_it_again_and_then_every_command_works(file, code, capsys):
    file.unlink()
    assert main(["participants", "rebuild"]) == 0
    assert main(["participants", "list", "--json"]) == 0
    assert code in capsys.readouterr().out


def test_a_backup_keeps_the_rest_and_says_that_the_registry_is_not_in_it(
    lab, file, code, capsys, tmp_path
):
    assert main(["backup", "--to", str(tmp_path / "backups")]) == 0
    capsys.readouterr()
    file.unlink()
    refused(capsys, main(["backup", "--to", str(tmp_path / "backups")]))
    kept = BackupStore.open(tmp_path / "backups").backups()[0]
    assert [REGISTRY_COPY in one.files for one in kept] == [True, False]
    assert f"data/sessions/s-{code}/journal.jsonl" in kept[-1].files


def test_a_new_lab_still_works_and_a_server_makes_its_tables_at_first_use(lab, server):
    with closing(Registry.of(lab)) as registry:
        assert registry.list() == ()
    shared = LabFolder(
        lab.root / "other", lab.settings.model_copy(update={"registry": server.database()})
    )
    with closing(Registry.of(shared)) as registry:
        registry.enrol("expert")
    with closing(Registry.of(shared)) as registry:
        assert len(registry.list()) == 1
    emptied = LabFolder(
        shared.root, lab.settings.model_copy(update={"registry": server.database()})
    )
    with pytest.raises(UserError, match="is gone, though this lab had one"):
        Registry.of(emptied)
