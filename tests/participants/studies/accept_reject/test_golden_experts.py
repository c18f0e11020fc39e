"""Tables of experts of every released version stay readable."""

import json
from pathlib import Path

from participants.dataset.table_files import get_table, put_table, sidecar_bytes
from participants.folder import DataFolder
from participants.studies.accept_reject.columns import (
    ANNOTATIONS,
    EXPERTS,
    SINCE_ANNOTATIONS_1_1,
    SINCE_EXPERTS_1_1,
)

GOLDEN = Path(__file__).parents[3] / "golden"
SESSION = "20260102T090000Z-CDF34HK-abcd"
PACK = "0123456789abcdef0123456789abcdef"

PAINTED_1_0 = {
    "participant": "CDF34HK", "item": "i390483559c", "label": "3",
    "region_file": "regions/i390483559c.png", "rt_s": 4.75,
}  # fmt: skip
PASSED_1_0 = PAINTED_1_0 | {"item": "i18e0fb03e1", "label": "no_solution", "region_file": None}
PAINTED = PAINTED_1_0 | {
    "region_file": "regions/CDF34HK-i390483559c-0a1b2c3d.png", "session": SESSION,
    "purpose": "main", "pack_id": PACK, "use": "main", "axis": "deutan", "rung": 8,
    "right_label": "3", "done_s": 14.5, "area": 0.21875, "robot": None,
}  # fmt: skip
PASSED = PAINTED | {
    "item": "i18e0fb03e1", "label": "no_solution", "region_file": None, "rt_s": 6.25,
    "use": "expert_no_numeral", "right_label": "no_solution", "done_s": 7.0, "area": 0.0,
}  # fmt: skip
RECORD = {
    "participant": "CDF34HK", "session": SESSION, "purpose": "main", "pack_id": PACK,
    "robot": None, "complete": True, "plates": 2, "no_solution": 1, "controls": 1,
    "controls_right": 1, "failed": False, "rt_s": 5.5, "area": 0.21875,
}  # fmt: skip


def test_annotations_1_0_read():
    later = dict.fromkeys(SINCE_ANNOTATIONS_1_1)
    rows = get_table(GOLDEN / "annotations-1.0" / "tables", "annotations", ANNOTATIONS)
    assert rows == [PAINTED_1_0 | later, PASSED_1_0 | later]


def test_annotations_1_1_read():
    rows = get_table(GOLDEN / "annotations-1.1" / "tables", "annotations", ANNOTATIONS)
    assert rows == [PAINTED, PASSED]


def test_experts_1_0_read():
    rows = get_table(GOLDEN / "experts-1.0" / "tables", "experts", EXPERTS)
    assert rows == [RECORD | dict.fromkeys(SINCE_EXPERTS_1_1)]


RECORD_1_1 = RECORD | {"low_contrast": 22, "low_contrast_right": 21}


def test_experts_1_1_read():
    rows = get_table(GOLDEN / "experts-1.1" / "tables", "experts", EXPERTS)
    assert rows == [RECORD_1_1]


def test_tables_of_experts_are_still_written_the_same(tmp_path):
    data = DataFolder(tmp_path)
    for schema, rows in ((ANNOTATIONS, [PAINTED, PASSED]), (EXPERTS, [RECORD_1_1])):
        put_table(data.tables, schema.name, schema, rows, sidecar_bytes(schema))
    for name, version, schema in (
        ("annotations", "1.1", ANNOTATIONS),
        ("experts", "1.1", EXPERTS),
    ):
        golden = GOLDEN / f"{name}-{version}" / "tables"
        assert (data.tables / f"{name}.csv").read_bytes() == (golden / f"{name}.csv").read_bytes()
        described = json.loads((golden / f"{name}.json").read_text(encoding="utf-8"))
        assert described["schema"] == f"{name}/{version}"
        assert tuple(described["columns"]) == schema.names
