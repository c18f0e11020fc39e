"""A data folder of the study's first version: its journals and pack still give its tables."""

import json
import shutil
from pathlib import Path

import pytest

from participants.dataset.derive import write_tables
from participants.dataset.table_files import read_table, schema_of
from participants.folder import DataFolder

GOLDEN = Path(__file__).parents[3] / "golden" / "simulatability-1.0"
STUDY = "simulatability"
TAGS = {
    "trials": "trials/1.4", "people": "simulatability_people/1.0", "methods": "methods/1.1",
    "models": "models/1.0",
}  # fmt: skip

CHANGED = {
    "methods": GOLDEN.parent / "methods-1.1",
    "trials": GOLDEN.parent / "trials-1.4-simulatability",
}
"""Tables that have another version since."""


@pytest.fixture
def data(tmp_path):
    for part in ("sessions", "packs"):
        shutil.copytree(GOLDEN / part, tmp_path / part)
    return DataFolder(tmp_path)


def test_its_journals_still_give_its_tables(data):
    """A table that comes out otherwise is another version, with a golden one of its own."""
    assert write_tables(data, STUDY).left_out == {}
    for name, tag in TAGS.items():
        golden = CHANGED.get(name, GOLDEN) / "tables" / f"{name}.csv"
        assert (data.tables / f"{name}.csv").read_bytes() == golden.read_bytes()
        described = json.loads(golden.with_suffix(".json").read_text(encoding="utf-8"))
        assert described["schema"] == tag
        assert tuple(described["columns"]) == schema_of(STUDY, name).names


def test_its_tables_read():
    """A robot with two tests and ratings of confidence, and one that may not go on."""
    rows = read_table(DataFolder(GOLDEN), STUDY, "trials")
    assert len(rows) == 80
    assert {row["arm"] for row in rows} == {"text_no_explanation", "tabular_lime"}
    assert sum(row["rating"] is not None for row in rows) == 12
    people = read_table(DataFolder(GOLDEN), STUDY, "people")
    assert [row["qualified"] for row in people] == [True, False]


def test_trials_1_3_read():
    """They don't say how long something was shown, and onsets have digits that no clock tells."""
    old, new = (read_table(DataFolder(one), STUDY, "trials") for one in (GOLDEN, CHANGED["trials"]))
    assert {row["shown_s"] for row in old} == {None}
    assert all(row["shown_s"] > 0 for row in new)
    assert [row["onset_s"] for row in new] == pytest.approx(
        [row["onset_s"] for row in old], abs=5.1e-5
    )


def test_methods_1_0_read():
    """They name who made the explanations, but not how."""
    new = read_table(DataFolder(CHANGED["methods"]), STUDY, "methods")
    assert read_table(DataFolder(GOLDEN), STUDY, "methods") == new
    assert {row["origin_method"] for row in new} == {None}
