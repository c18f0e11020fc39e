"""Trial and item tables say who made what was shown; older ones only where it is certain."""

import pytest

from participants.dataset.study_tables import SHARED_VERSIONS
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from stimuli.maps.origin import RESPONSE_MODEL
from tests.participants.test_golden import GOLDEN


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2"])
def test_a_table_from_before_origins_has_none_of_people(version):
    rows = read_table(DataFolder(GOLDEN / f"trials-{version}"), "accept_reject", "trials")
    assert {row["solver_origin"] for row in rows} == {None}


def test_the_code_of_a_robot_makes_an_old_row_certain():
    columns = {"solver_id": ["robot-1", "CDF34HK", "plate_cnn-1a2b", ""]}
    step = SHARED_VERSIONS["trials"].steps[2]
    made = step({"schema": "trials/1.2", "columns": columns})["columns"]
    assert made["solver_origin"] == [RESPONSE_MODEL, "", "", ""]
    assert "map_origin" not in made


def test_a_table_of_rounds_gets_empty_columns():
    columns = {"method": ["human", "lrp"], "step_first_key": ["1", "2"]}
    made = SHARED_VERSIONS["trials"].steps[2]({"columns": columns})["columns"]
    assert made["map_origin"] == made["catch"] == ["", ""]
    assert "solver_origin" not in made


def test_items_of_an_older_version_read_without_origins():
    rows = read_table(DataFolder(GOLDEN / "items-1.1"), "accept_reject", "items")
    assert {(row["expert_origin"], row["expert_origin_note"]) for row in rows} == {(None, None)}
