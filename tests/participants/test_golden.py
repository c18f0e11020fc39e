"""Artefacts of every released version stay readable by what the product reads them with.

The journal's is in journal/test_reading, experts' tables in test_golden_experts. A pack
is opened here too: sessions are planned from it.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from participants.dataset.table_files import read_table, schema_of, write_table
from participants.folder import DataFolder, LabFolder
from participants.lab_settings import LabInLanguage, PaymentRules
from participants.registry import (
    Assignment,
    Place,
    PlaceRules,
    Registry,
    Unfinished,
)
from participants.registry.tables import REGISTRY_SCHEMA
from participants.studies.accept_reject.plan import plan_session
from participants.study import session_kind_of
from stimuli.pack import open_pack
from stimuli.protocol import PROTOCOL_SCHEMA, load_protocol

GOLDEN = Path(__file__).parents[1] / "golden"
STUDY = "accept_reject"

ANSWERED = {
    "participant": "CDF34HK", "session": "20260102T090000Z-CDF34HK-abcd", "purpose": "main",
    "rig": "rig-1", "trial": 13, "item": "i390483559c", "condition": "with", "rt_s": 2.512346,
    "onset_s": 104.25, "shown_s": None, "frames_planned": None, "frames_dropped": 1,
    "pack_id": "0123456789abcdef0123456789abcdef", "protocol_hash": "f" * 64, "run": 1,
    "order": "with_first", "presentation": "p0119e426820a", "solver": "E",
    "solver_id": "expert-1", "method": "painting", "explained": True, "rung": 3,
    "axis": "deutan", "true_label": "3", "shown_label": "3", "control_kind": None,
    "decision": "accept", "cutoff_mode": "internal", "cutoff_s": 3.0, "rt_corrected_s": 2.502346,
    "in_time": True, "accepted": True, "list": "deutan-r3-l1", "position": 1, "robot": None,
    "repeat_of": None, "counts": True,
}  # fmt: skip
SILENT = ANSWERED | {
    "trial": 14, "position": 2, "item": "i18e0fb03e1", "presentation": "p0252ace51eb6",
    "solver": "control", "solver_id": None, "method": None, "shown_label": "6",
    "control_kind": "wrong_digit", "decision": "none", "rt_s": None, "rt_corrected_s": None,
    "in_time": False, "accepted": False, "purpose": "robot", "robot": "lead",
    "frames_planned": 1800,
}  # fmt: skip
REPEATED = ANSWERED | {"trial": 37, "rt_s": 1.5, "frames_dropped": 0, "repeat_of": 13}
UNASKED = dict.fromkeys(
    ("guessed_source", "relied_on", "noticed_kinds", "source_guess", "source_which")
)
BEFORE_ORIGINS = {"solver_origin": None}
BEFORE_ORIGINS_OF_ITEMS = {"expert_origin": None, "expert_origin_note": None}
ASKED = {
    "guessed_source": "machine", "relied_on": "numeral", "noticed_kinds": "no",
    "source_guess": "some_machine", "source_which": "both_alike",
}  # fmt: skip
LEFT_OUT = {"20260101T090000Z-GHK56MN-abcd": "sessions/…/journal.jsonl, line 7: was changed"}
ITEM = {
    "item": "i390483559c", "method": "occlusion", "axis": "deutan", "rung": 3,
    "true_label": "3", "model_label": "8", "model_confidence": 0.8125, "expert_id": None,
    "expert_label": None, "region_area": 0.25, "region_iou": None,
}  # fmt: skip
ITEM_1_1 = ITEM | {
    "item": "tench/n01440764_1.JPEG", "method": None, "axis": None, "rung": None,
    "true_label": "tench", "model_label": "goldfish", "model_confidence": None,
    "expert_id": "photos", "expert_label": "tench", "region_area": None,
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("protocol-*/*.toml")), ids=str)
def test_released_protocols_read(path):
    protocol = load_protocol(path.stem, path)
    assert protocol.schema_tag == PROTOCOL_SCHEMA.tag
    assert protocol.catalogue_name == path.stem


def test_trials_1_0_read():
    old = [row | UNASKED | BEFORE_ORIGINS for row in (ANSWERED, SILENT)]
    assert read_table(DataFolder(GOLDEN / "trials-1.0"), STUDY, "trials") == old


def test_trials_1_1_read():
    """A trial that lost a frame and its repeat both stand there, and one counts."""
    rows = read_table(DataFolder(GOLDEN / "trials-1.1"), STUDY, "trials")
    expected = [ANSWERED | {"counts": False}, SILENT, REPEATED]
    assert rows == [row | UNASKED | BEFORE_ORIGINS for row in expected]


def test_trials_1_2_read():
    """What the lead answered at the end stands in each of the lead's trials."""
    rows = read_table(DataFolder(GOLDEN / "trials-1.2"), STUDY, "trials")
    expected = [ANSWERED | {"counts": False} | ASKED, SILENT | UNASKED, REPEATED | ASKED]
    assert rows == [row | BEFORE_ORIGINS for row in expected]


def test_items_1_0_read():
    assert read_table(DataFolder(GOLDEN / "items-1.0"), STUDY, "items") == [
        ITEM | BEFORE_ORIGINS_OF_ITEMS
    ]


def test_items_1_1_read():
    """Since 1.1 an item may be an image: without method, axis, rung or confidence."""
    assert read_table(DataFolder(GOLDEN / "items-1.1"), STUDY, "items") == [
        row | BEFORE_ORIGINS_OF_ITEMS for row in (ITEM, ITEM_1_1)
    ]


ROWS_1_3 = [
    ANSWERED | {"counts": False, "solver_origin": "people"} | ASKED,
    SILENT | UNASKED | BEFORE_ORIGINS,
    REPEATED | ASKED | {"solver_origin": "response_model", "solver_id": "robot-1"},
]
ITEMS_1_2 = [
    ITEM | BEFORE_ORIGINS_OF_ITEMS,
    ITEM_1_1 | {"expert_origin": "imported", "expert_origin_note": "labels of the set"},
]


ROWS_1_4 = [
    row | {"shown_s": shown_s}
    for row, shown_s in zip(ROWS_1_3, (2.5173, None, 1.5002), strict=True)
]


def write_golden(root):
    data = DataFolder(root)
    write_table(data, STUDY, "trials", ROWS_1_4, LEFT_OUT)
    write_table(data, STUDY, "items", ITEMS_1_2)


def test_trials_1_3_and_items_1_2_read():
    """Since then it is told who made what was shown."""
    assert read_table(DataFolder(GOLDEN / "trials-1.3"), STUDY, "trials") == ROWS_1_3
    assert read_table(DataFolder(GOLDEN / "items-1.2"), STUDY, "items") == ITEMS_1_2


def test_trials_1_4_read():
    """Since then it is told how long the stimulus was shown."""
    assert read_table(DataFolder(GOLDEN / "trials-1.4"), STUDY, "trials") == ROWS_1_4


def test_tables_are_still_written_the_same(tmp_path):
    """A table that comes out otherwise is another version, with a golden one of its own."""
    write_golden(tmp_path)
    for name, version, schema in (
        ("trials", "1.4", schema_of(STUDY, "trials")),
        ("items", "1.2", schema_of(STUDY, "items")),
    ):
        golden = GOLDEN / f"{name}-{version}" / "tables"
        written = (tmp_path / "tables" / f"{name}.csv").read_bytes()
        assert written == (golden / f"{name}.csv").read_bytes()
        described = json.loads((golden / f"{name}.json").read_text(encoding="utf-8"))
        assert described["schema"] == f"{name}/{version}"
        assert tuple(described["columns"]) == schema.names


VOTED = LabInLanguage(ethics_vote="Ethikkommission, Nr. 123/26")
SWISS = PaymentRules(currency="CHF", per_hour=12.5, round_up_min=5)


@pytest.mark.parametrize(
    ("version", "countdown_s", "consent"),
    [
        ("1.0", 3.0, {}),
        ("1.1", 4.5, {}),
        ("1.2", 4.5, {"de": VOTED.model_dump()}),
        ("1.3", 4.5, {"de": VOTED.model_dump() | {"contact": "labor@uni.example"}}),
        ("1.4", 4.5, {"de": VOTED.model_dump() | {"contact": "labor@uni.example"}}),
    ],
)
def test_lab_files_read(tmp_path, version, countdown_s, consent):
    shutil.copy(GOLDEN / f"lab-{version}" / "lab.toml", tmp_path)
    lab = LabFolder.open(tmp_path)
    assert lab.data.root == tmp_path / "elsewhere"
    assert lab.registry_url == "postgresql+psycopg://lab@db.example/plainsight"
    assert lab.settings.model_dump(exclude={"schema_tag", "data", "registry"}) == {
        "rig": "rig-7k2m",
        "language": "de",
        "institution": "Universität, Institut für Psychologie",
        "contact": "lab@uni.example",
        "pause_countdown_s": countdown_s,
        "backup": [],
        "studies": ["studies/moods"] if version >= "1.3" else [],
        "payment": (SWISS if version == "1.4" else PaymentRules()).model_dump(),
        "consent": consent,
    }


def test_a_session_can_be_planned_from_pack_1_0():
    pack = open_pack(GOLDEN / "pack-1.0", "solutions")
    offers = session_kind_of(pack).offers(pack)
    assert [(offer.list, offer.axis, offer.rung) for offer in offers] == [
        ("deutan-r1-l1", "deutan", 1)
    ]
    plan = plan_session(pack, Assignment("deutan-r1-l1", "with_first"), "en", "CDF34HK")
    assert [trial.presentation for trial in plan.trials] == [
        "p2a6f008db632", "pdd6940cbf2c5", "pfa3c580e9252",
    ]  # fmt: skip
    assert [trial.stimulus.shown_label for trial in plan.trials] == ["7", "4", "1"]


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"])
def test_released_registries_open_with_everybody_in_them(version, tmp_path):
    path = tmp_path / "registry.sqlite"
    script = (GOLDEN / f"registry-{version}" / "registry.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    with closing(Registry.open(f"sqlite:///{path.as_posix()}")) as registry:
        lead, expert, gone = registry.list()
        assert (lead.code, lead.axis, lead.rung, lead.sessions) == ("ZMXCWYH", "deutan", 3, 1)
        assert (lead.consent, lead.complete, expert.role) == (True, 0, "expert")
        assert (gone.code, gone.purpose, gone.withdrawn) == ("MZCPMTJ", "pilot", True)
        unfinished = registry.unfinished("ZMXCWYH", study=STUDY, pack_id="p1")
        assert unfinished == Unfinished("s1", "rig-1", "p1", 7)
        given = registry.assign(
            Place("ZMXCWYH", STUDY, "p1", "rig-1"), PlaceRules((), (), seed=1, drop_after_s=1.0)
        )
        assert given.accept_side == (None if version == "1.0" else "left")
        assert lead.disqualified == int(version >= "1.2")
    with closing(sqlite3.connect(path)) as database:
        tag = database.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()[0]
    assert tag == REGISTRY_SCHEMA.tag
