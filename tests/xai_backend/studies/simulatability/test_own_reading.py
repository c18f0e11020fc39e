"""What a lab's own model reads: texts as people write them, a value of the file for each bin."""

from xai_backend.studies.simulatability.own_reading import TextReader, typical_cells


def test_texts_are_written_as_people_write():
    tokens = ("(", "well", ")", "it's", "3.5", ",", "“", "fine", "”", "", "!")
    assert TextReader(spaced=False).text_of(tokens) == "(well) it's 3.5, “fine”!"
    assert TextReader(spaced=True).text_of(tokens) == "( well ) it's 3.5 , “ fine ” !"


def test_a_value_stands_for_a_cell_of_the_file():
    shown = ["low", "low", "low", "low", "high", "high"]
    assert typical_cells(["low", "high"], shown, ["1", "4", "2", "9", "10", "12"]) == {
        "low": 2,
        "high": 10,
    }
    assert typical_cells(["low"], shown[:2], ["1.5", "2"]) == {"low": 1.5}
    cells = typical_cells(["low", "none"], shown[:4], ["b", "a", "b", "?"])
    assert cells == {"low": "b", "none": "b"}
