"""Who made something: the vocabulary, and what is said of what several made."""

import pytest

from stimuli.io.tables import TableSchema
from stimuli.maps.map_set import MAP_TABLE, MAP_TENSORS, MapSet, map_set_from_bytes, read_map_set
from stimuli.maps.origin import (
    IMPORTED,
    NETWORK,
    ORIGINS,
    PEOPLE,
    RESPONSE_MODEL,
    Origin,
    certain_kind,
    origin_cells,
    origin_columns,
    origin_in,
    robot_id,
    settings_text,
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


OWN = Origin(NETWORK, "resnet50", "mine:edges", "power=2.0", "a1" * 32, "b2" * 32)


def test_an_origin_goes_through_a_table_and_comes_back():
    """Written, read, and read from a table that is older than all but two columns."""
    table = TableSchema("arms", "", origin_columns("map_origin", "the maps"))
    made = [OWN, Origin(IMPORTED, "theirs", sha256="c3" * 32), Origin(PEOPLE, "CDF34HK"), Origin()]
    rows = table.from_csv(table.to_csv(origin_cells("map_origin", one) for one in made), "arms.csv")
    assert [origin_in(row, "map_origin") for row in rows] == made
    older = {"map_origin": NETWORK, "map_origin_note": "resnet50"}
    assert origin_in(older, "map_origin") == Origin(NETWORK, "resnet50")


def test_in_words_an_origin_names_function_settings_and_hashes_but_no_person():
    assert OWN.words == (
        "network resnet50; weights of SHA-256 b2b2b2b2b2b2…; method mine:edges (power=2.0); "
        "function's file of SHA-256 a1a1a1a1a1a1…"
    )
    imported = Origin(IMPORTED, "theirs", sha256="c3" * 32)
    assert imported.words == "imported from theirs; files of SHA-256 c3c3c3c3c3c3…"
    assert Origin(PEOPLE, "CDF34HK").words == "people"
    assert Origin().words == "not noted"


def test_settings_are_written_as_the_command_line_takes_them():
    settings = {"patch_px": 8, "areas": [0.1, 0.2], "layer": "layer4", "absolute": True}
    expected = "absolute=true, areas=[0.1, 0.2], layer=layer4, patch_px=8"
    assert settings_text(settings) == expected
    assert settings_text({}) == ""


def test_hashes_of_several_folders_stand_in_the_order_of_their_names():
    first, second = Origin(IMPORTED, "a", sha256="ff"), Origin(IMPORTED, "b", sha256="00")
    assert together([second, first]) == Origin(IMPORTED, "a, b", sha256="ff, 00")
