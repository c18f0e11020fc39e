"""What a lab's own model reads of a row: a value of the file for each bin."""

from xai_backend.studies.simulatability.own_model import typical_cells


def test_a_value_stands_for_a_cell_of_the_file():
    shown = ["low", "low", "low", "low", "high", "high"]
    assert typical_cells(["low", "high"], shown, ["1", "4", "2", "9", "10", "12"]) == {
        "low": 2,
        "high": 10,
    }
    assert typical_cells(["low"], shown[:2], ["1.5", "2"]) == {"low": 1.5}
    cells = typical_cells(["low", "none"], shown[:4], ["b", "a", "b", "?"])
    assert cells == {"low": "b", "none": "b"}
