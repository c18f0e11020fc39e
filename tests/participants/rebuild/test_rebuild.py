"""A registry entered again from journals, compared with the one that was lost."""

import shutil
import sqlite3

import pytest

from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.registry import (
    ListOffer,
    Place,
    PlaceRules,
    Registry,
)
from participants.registry.records import records_of
from participants.session import withdrawal_in
from participants.simulate.run import simulated_code
from participants.study import session_kind_of
from participants.tombstones import add_tombstones
from tests.participants.commands import printed, printed_json, refused
from tests.participants.dataset.test_derive import record
from tests.participants.session.scripted import ScriptedPresenter
from tests.participants.studies.accept_reject.packs import bare_pack, tiny_sketch
from tests.participants.studies.human_ai_team.taken import pack_of
from tests.participants.withdrawal.full_lab import take
from tests.stimuli.studies.progressive_reveal.small import small_sketch

UNTOLD = (
    "id", "enrolled_utc", "assigned_utc", "rig", "lease_until_utc", "lease_pc", "data_folder",
)  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A lab with three people, made once, and all rows of each."""
    lab = LabFolder.make(tmp_path_factory.mktemp("filled") / "lab")
    return lab, fill(lab)


def rebuild(capsys, *options):
    return printed_json(capsys, "participants", "rebuild", *options)


def fill(lab):
    """Enrol three people who are given places and take part; return all rows of each."""
    registry = Registry.open(lab.registry_url)
    lead = registry.enrol("lead", axis="deutan", rung=1)
    others = [registry.enrol("participant") for _ in range(2)]
    for code, pack, robot in (
        (lead, tiny_sketch(), "lead"),
        (others[0], pack_of(), "careful"),
        (others[1], small_sketch(), "viewer"),
    ):
        kind = session_kind_of(pack)
        offer = next(one for one in kind.offers(pack) if one.rung in (None, 1))
        orders = kind.orders(pack.protocol)[:1]
        offers = [ListOffer(offer.list, offer.axis, offer.rung)]
        registry.assign(
            Place(code, pack.manifest.study, pack.pack_id, "simulation"),
            PlaceRules(offers, orders, seed=1, drop_after_s=60.0, sides=kind.sides[:1]),
        )
        session = take(lab.data, pack, code, robot)
        journal = read_journal(lab.data.session(session).journal)
        registry.learn(journal, withdrawal_in(journal))
    rows = {code: rows_of(registry, code) for code in (lead, *others)}
    registry.close()
    return rows


def rows_of(registry, code):
    found = registry.transact(lambda connection: records_of(connection, code))
    return {
        table: [{name: row[name] for name in row if name not in UNTOLD} for row in rows]
        for table, rows in found.items()
    }


@pytest.mark.parametrize("loss", ["deleted", "damaged", "rows"])
def test_a_lost_registry_is_as_it_was_as_far_as_journals_tell(lab, filled, capsys, loss):
    before = filled[1]
    shutil.copytree(filled[0].root, lab.root, dirs_exist_ok=True)
    path = lab.root / "registry.sqlite"
    if loss == "rows":
        with sqlite3.connect(path) as database:
            for table in ("consents", "sessions", "assignments"):
                database.execute(f"DELETE FROM {table}")
    else:
        whole = path.read_bytes()
        path.unlink()
        if loss != "deleted":
            path.write_bytes(b"x" * 100 + whole[100:])
    done = rebuild(capsys)
    assert len(done["people"]) == (0 if loss == "rows" else 3)
    assert (done["sessions"], done["left_out"], done["without_place"]) == (3, {}, [])
    assert "screenings" in done["unknown"]
    registry = Registry.open(lab.registry_url)
    assert {code: rows_of(registry, code) for code in before} == before
    aside = list(lab.root.glob("registry.damaged-*.sqlite"))
    assert len(aside) == (loss == "damaged")
    assert done["damaged"] == (str(aside[0]) if aside else None)
    again = rebuild(capsys)
    assert again["people"] == []
    assert {code: rows_of(registry, code) for code in before} == before


def test_people_of_several_pcs_and_what_is_left_out(lab, capsys, tmp_path):
    code, other, gone = (simulated_code("accept_reject", 1, number) for number in range(3))
    declines = ScriptedPresenter(agrees_again=False)
    west, east = lab.data, DataFolder(tmp_path / "east")
    stops = ScriptedPresenter(abort_at="trial-0009")
    record(west, bare_pack(), "s1", participant=code, presenter=stops)
    record(east, bare_pack(), "s2", participant=other, presenter=declines)
    record(east, bare_pack(), "s3", participant=gone)
    record(west, bare_pack(main_trials=3), "s4", participant=code, purpose="pilot")
    add_tombstones(east, {gone: "2026-01-01T00:00:00.000000Z"})
    for path in west.pack_copy(bare_pack(main_trials=3).pack_id).iterdir():
        path.unlink()
    broken = west.session("s5")
    broken.folder.mkdir()
    broken.journal.write_text("no line of a journal\n")
    done = rebuild(capsys, "--data", str(east.root))
    assert set(done["people"]) == {code, other}
    assert set(done["left_out"]) == {"s3", "s5"}
    assert done["without_place"] == ["s4"]
    registry = Registry.open(lab.registry_url)
    assert registry.person(other).withdrawn
    person = registry.person(code)
    assert (person.axis, person.rung, person.sessions, person.complete) == ("deutan", 3, 2, 1)
    said = printed(capsys, "participants", "rebuild", "--data", east.root)
    assert "session s4: its pack's copy is missing" in said
    assert "Journals don't say: screenings, notes" in said


def test_a_registry_in_use_is_not_set_aside(lab, capsys):
    Registry.open(lab.registry_url).close()
    holder = sqlite3.connect(lab.root / "registry.sqlite", timeout=0)
    holder.execute("BEGIN EXCLUSIVE")
    line = refused(capsys, "participants", "rebuild")
    assert "database is locked; close what uses it" in line
    holder.close()
    assert not list(lab.root.glob("registry.damaged-*"))
