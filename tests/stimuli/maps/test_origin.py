"""Who made something: the vocabulary, and what is said of what several made."""

import pytest

from stimuli.maps.map_set import MAP_TABLE, MAP_TENSORS, MapSet, map_set_from_bytes, read_map_set
from stimuli.maps.origin import (
    IMPORTED,
    NETWORK,
    ORIGINS,
    PEOPLE,
    RESPONSE_MODEL,
    Origin,
    certain_kind,
    robot_id,
    together,
)
from tests.stimuli.test_golden import GOLDEN


def test_nothing_simulated_hides_behind_people():
    people, robot = Origin(PEOPLE, "CDF34HK"), Origin(RESPONSE_MODEL, "robot-1")
    assert together([people, robot, Origin(NETWORK)]) == robot
    assert together([people, Origin(PEOPLE, "AAAAA")]) == Origin(PEOPLE, "AAAAA, CDF34HK")
    assert together([people, Origin(IMPORTED, "ClickMe")]) == Origin(IMPORTED, "ClickMe")
    assert together([]) == Origin()
    assert [robot.simulated, people.simulated, Origin().simulated] == [True, False, False]


def test_a_code_makes_a_robot_certain_and_nothing_else():
    assert certain_kind(robot_id("1")) == RESPONSE_MODEL
    assert [certain_kind(code) for code in ("CDF34HK", "plate_cnn-1a2b", None, "")] == [""] * 4


@pytest.mark.parametrize(
    ("source", "solver_id", "origin"),
    [
        ("model", "plate_cnn-1a2b", NETWORK),
        ("expert", "CDF34HK", PEOPLE),
        ("expert", "robot-1", RESPONSE_MODEL),
        ("imported", "", IMPORTED),
        ("imported", "robot-1", RESPONSE_MODEL),
    ],
)
def test_in_a_map_set_of_version_1_0_the_origin_follows_from_source_and_code(
    source, solver_id, origin
):
    header = "map,item,source,solver_id,method,axis,rung,answer,confidence,rt_s"
    table = f"{header}\nm1,i1,{source},{solver_id},painting,,,3,,\n".encode()
    old = map_set_from_bytes(table, (GOLDEN / "mapset-1.0" / MAP_TENSORS).read_bytes(), "old")
    assert (old.records[0].origin, old.records[0].origin_note) == (origin, None)


def test_a_map_set_says_who_made_it_and_where_a_file_came_from(tmp_path):
    old = read_map_set(GOLDEN / "mapset-1.0")
    files = MapSet(old.records, old.maps).files()
    assert b",origin,origin_note\n" in files[MAP_TABLE]
    assert b"mapset/1.1" in files[MAP_TENSORS]
    assert map_set_from_bytes(files[MAP_TABLE], files[MAP_TENSORS], "new").records == old.records
    assert {record.origin for record in old.records} <= set(ORIGINS)
