"""A withdrawal is carried out in every backup that can be reached, and noted for the others."""

import os
from datetime import timedelta

import pytest

from participants.backup.make import back_up
from participants.backup.record import Record
from participants.backup.store import REGISTRY_COPY, BackupStore
from participants.cli import main
from tests.participants.backup.comparing import NOW, contents, flip, killed
from tests.participants.commands import printed_json
from tests.participants.withdrawal.test_withdraw import files_that_name


@pytest.fixture
def place(tmp_path):
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk" / "backups"


def test_a_withdrawal_is_carried_out_in_every_backup(lab, people, place, tmp_path, capsys):
    code, two = people.expert, place.with_name("two")
    first = back_up(lab, place, NOW, thorough=False).backup
    (lab.root / "later.md").write_text("later")
    back_up(lab, place, NOW + timedelta(hours=1), thorough=False)
    back_up(lab, two, NOW, thorough=False)
    two.rename(two.with_name("away"))
    assert main(["participants", "withdraw", code, "--yes", "--delete-built"]) == 0
    said = capsys.readouterr().out
    assert f"Removed from 2 backups in {place}" in said
    assert f"Still in the backups in {two}, which can't be reached" in said
    only_tombstones(place, code)
    assert Record.of(lab).place(two).to_remove.keys() == {code}
    # When the other one is there again, the next backup carries it out.
    two.with_name("away").rename(two)
    assert main(["backup", "--to", str(two)]) == 0
    assert f"Removed from 1 backup in {two}" in capsys.readouterr().out
    only_tombstones(two, code)
    assert code not in lab.backups.read_text()
    # An older backup still serves all others.
    words = ["restore", str(place), "--backup", first.id, "--lab", str(tmp_path / "new")]
    assert main(words) == 0
    listed = printed_json(capsys, "participants", "list", "--lab", tmp_path / "new")
    assert {one["code"] for one in listed} == set(vars(people).values()) - {code}
    assert contents(tmp_path / "new").keys() == contents(lab.root).keys() - {"later.md"}


def only_tombstones(place, code):
    """The code stands in the tombstones' files alone: the registry's copy and withdrawn.csv."""
    store = BackupStore.open(place)
    found, _ = store.backups()
    allowed = {
        store.path_of(one.files[path].sha256).relative_to(place).as_posix()
        for one in found
        for path in (REGISTRY_COPY, "data/withdrawn.csv")
        if path in one.files
    }
    assert files_that_name(place, code) <= allowed
    for one in found:
        assert store.read(one.files[REGISTRY_COPY]).count(code.encode()) == 2
        assert not any(code in path for path in one.files)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("step", [9])
def test_a_killed_withdrawal_from_backups_is_finished_by_the_next_backup(
    lab, people, place, capsys, step
):
    for hours in range(3):
        back_up(lab, place, NOW + timedelta(hours=hours), thorough=False)
    words = ["participants", "withdraw", people.lead, "--yes"]
    assert killed("rmdir", step, lambda: main(words))
    assert main(words) == 0
    only_tombstones(place, people.lead)


@pytest.mark.slow
def test_a_withdrawal_says_where_it_was_not_possible(lab, people, place, capsys):
    first = back_up(lab, place, NOW, thorough=False).backup
    flip(place / "backups" / f"{first.id}.json")
    assert main(["participants", "withdraw", people.lead, "--yes"]) == 2
    assert f"Not removed: backups in {place}: " in capsys.readouterr().err
    (place / "backups" / f"{first.id}.json").unlink()
    assert main(["backup", "--to", str(place)]) == 0
    only_tombstones(place, people.lead)
