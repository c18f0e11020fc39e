"""A data folder of the study's first version: its journals and pack still give its tables."""

import json
import shutil
from pathlib import Path

import pytest

from participants.dataset.derive import write_tables
from participants.dataset.table_files import read_table, schema_of
from participants.folder import DataFolder

GOLDEN = Path(__file__).parents[3] / "golden" / "human_ai_team-1.0"
STUDY = "human_ai_team"
TAGS = {
    "trials": "trials/1.4", "people": "team_people/1.0", "arms": "arms/1.1",
    "metrics": "metrics/1.0", "available": "available/1.0", "ai": "ai/1.0",
}  # fmt: skip

CHANGED = {
    "arms": GOLDEN.parent / "arms-1.1",
    "trials": GOLDEN.parent / "trials-1.4-human_ai_team",
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
    """Two robots with two answers an image, help on demand and ratings; one doesn't qualify."""
    rows = read_table(DataFolder(GOLDEN), STUDY, "trials")
    assert len(rows) == 14
    assert all(row["own_decision"] and row["confidence_rating"] for row in rows)
    assert any(row["help_shown_s"] for row in rows)
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


def test_arms_1_0_read():
    """They name who made the help, but not how."""
    new = read_table(DataFolder(CHANGED["arms"]), STUDY, "arms")
    assert read_table(DataFolder(GOLDEN), STUDY, "arms") == new
    assert {row["help_origin_method"] for row in new} == {None}
