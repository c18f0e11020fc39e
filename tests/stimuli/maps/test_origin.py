"""Who made something: the vocabulary, and what is said of what several made."""

from stimuli.io.tables import TableSchema
from stimuli.maps.origin import (
    IMAGE,
    IMPORTED,
    NETWORK,
    PEOPLE,
    RESPONSE_MODEL,
    Origin,
    origin_cells,
    origin_columns,
    origin_in,
    together,
)


def test_nothing_simulated_hides_behind_people():
    people, robot = Origin(PEOPLE, "CDF34HK"), Origin(RESPONSE_MODEL, "robot-1")
    assert together([people, robot, Origin(NETWORK)]) == robot
    assert together([people, Origin(PEOPLE, "AAAAA")]) == Origin(PEOPLE, "AAAAA, CDF34HK")
    assert together([people, Origin(IMPORTED, "ClickMe")]) == Origin(IMPORTED, "ClickMe")
    assert together([]) == Origin()
    assert [robot.simulated, people.simulated, Origin().simulated] == [True, False, False]


OWN = Origin(NETWORK, "resnet50", "mine:edges", "power=2.0", "a1" * 32, "b2" * 32)


def test_an_origin_goes_through_a_table_and_comes_back():
    table = TableSchema("arms", "", origin_columns("map_origin", "the maps"))
    made = [OWN, Origin(IMPORTED, "theirs", sha256="c3" * 32), Origin(PEOPLE, "CDF34HK"), Origin()]
    rows = table.from_csv(table.to_csv(origin_cells("map_origin", one) for one in made), "arms.csv")
    assert [origin_in(row, "map_origin") for row in rows] == made


def test_in_words_an_origin_names_function_settings_and_hashes_but_no_person():
    assert OWN.words == (
        "network resnet50; weights of SHA-256 b2b2b2b2b2b2…; method mine:edges (power=2.0); "
        "function's file of SHA-256 a1a1a1a1a1a1…"
    )
    imported = Origin(IMPORTED, "theirs", sha256="c3" * 32)
    assert imported.words == "imported from theirs; files of SHA-256 c3c3c3c3c3c3…"
    assert Origin(IMAGE, "u2net").words == "image-only method u2net"
    assert Origin(PEOPLE, "CDF34HK").words == "people"
    assert Origin().words == "not noted"
