"""Whose data went out is noted in the registry, experts whose answers were shown among them."""

import pytest

from participants.export.run import ExportRequest, export_bids, export_psych_ds
from participants.folder import DataFolder
from participants.registry import Registry
from participants.registry.tables import exported, exports
from participants.simulate.run import simulate
from participants.tombstones import add_tombstones
from stimuli.io.canonical import sha256_hex
from stimuli.pack import Pack
from stimuli.pack.model import seal
from stimuli.protocol import protocol_hash
from tests.participants.export.conftest import enter
from tests.participants.export.exported import asked, csv_rows, everything_in, tsv_rows
from tests.participants.studies.human_ai_team.taken import pack_of

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_the_registry_notes_whose_data_went_out(tmp_path, lab):
    out = export_psych_ds(asked(tmp_path, study="human_ai_team")).out
    registry = Registry.open(lab.registry_url)
    (row,) = registry.transact(lambda connection: connection.execute(exports.select()).all())
    assert (row.kind, row.place, row.purpose) == ("psych-ds", str(out), "robot")
    wanted = exported.select().with_only_columns(exported.c.code)
    codes = registry.transact(lambda connection: connection.scalars(wanted).all())
    rows = csv_rows(next((out / "data").glob("*people_data.csv")))
    assert set(codes) == {row["participant"] for row in rows}


def test_experts_whose_answers_were_shown_are_noted_and_forgotten_too(tmp_path, lab):
    """The data set's labels have an expert's place in the tables; take it for a person."""
    code, study = "uci", "accept_reject_accuracy"
    enter(lab, code)
    out = export_bids(ExportRequest(tmp_path / "before", study=study, purpose="robot")).out
    items = out / "stimuli" / "acceptrejectaccuracy_items.tsv"
    assert {row["expert_id"] for row in tsv_rows(items)} == {code}
    wanted = exported.select().with_only_columns(exported.c.code)
    registry = Registry.open(lab.registry_url)
    assert code in registry.transact(lambda connection: connection.scalars(wanted).all())
    add_tombstones(lab.data, {code: "2026-01-01T00:00:00.000000Z"})
    out = export_bids(ExportRequest(tmp_path / "after", study=study, purpose="robot")).out
    items = out / "stimuli" / "acceptrejectaccuracy_items.tsv"
    assert {row["expert_id"] for row in tsv_rows(items)} == {"n/a"}


def drawn_by(codes):
    """Return a pack whose maps these people drew."""
    made, names = pack_of(), '"{}"'.format(", ".join(codes)).encode()
    files = {name: made.asset(name).replace(b"sketch", names) for name in made.manifest.files}
    hashes = {name: sha256_hex(content) for name, content in files.items()}
    protocol = made.protocol
    manifest = seal(protocol, protocol_hash(protocol), "solutions", hashes, sketch=True)
    return Pack(manifest, files.__getitem__)


def test_of_several_experts_in_one_cell_each_is_noted_and_forgotten(tmp_path, lab):
    """Maps that two people drew name both in one cell; one of them takes the data back."""
    kept, gone = codes = ("CDF34HK", "DT3SMQM")
    for code in codes:
        enter(lab, code)
    data = DataFolder(tmp_path / "data")
    simulate(data, drawn_by(codes), ["careful"] * 2)
    before = export_bids(asked(tmp_path, data=data.root)).out
    arms = "humanaiteam_arms.tsv"
    assert {row["help_origin_note"] for row in tsv_rows(before / "stimuli" / arms)} == {
        "n/a", ", ".join(codes)
    }  # fmt: skip
    wanted = exported.select().with_only_columns(exported.c.code)
    registry = Registry.open(lab.registry_url)
    assert {*codes} <= {*registry.transact(lambda connection: connection.scalars(wanted).all())}
    add_tombstones(data, {gone: "2026-01-01T00:00:00.000000Z"})
    after = export_bids(ExportRequest(tmp_path / "after", data=data.root, purpose="robot")).out
    notes = {row["help_origin_note"] for row in tsv_rows(after / "stimuli" / arms)}
    assert notes == {"n/a", kept}
    assert gone not in everything_in(after)
