"""A lab's own explanations: what a CSV says is found in the input, and mistakes in one line."""

import pytest

from stimuli.errors import UserError
from tests.xai_backend.studies.simulatability.stand_ins import row, sentence
from xai_backend.studies.simulatability.methods.rationales import read_rationales
from xai_backend.studies.simulatability.trained import Labelled

TEXT = Labelled("7", sentence("it is far too good , it is"), "pos")
ROW = Labelled("7", row("Age > 48.00", "Male", "Sales", "No gains"), "pos")


@pytest.fixture
def csv(tmp_path):
    def written(text):
        path = tmp_path / "own.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize(
    ("cells", "item", "places"),
    [
        (",", TEXT, ()),
        ("0 4,", TEXT, (0, 4)),
        (",it", TEXT, (0, 6)),
        (",it (2nd)|good", TEXT, (4, 6)),
        (",far too", TEXT, (2, 3)),
        (",it is", TEXT, (0, 1, 6, 7)),
        ("3,far|far too", TEXT, (2, 3)),
        (",Sex", ROW, (1,)),
        (",Male|Work = Sales", ROW, (1, 2)),
        (",Age > 48.00|Gains", ROW, (0, 3)),
    ],
)
def test_places_and_words_are_found(csv, cells, item, places):
    own = read_rationales(csv(f"id,text,places,words\n7,because of it,{cells}\n"))
    found = own.of(item, "text")
    assert found.text == "because of it"
    assert found.places == places


def test_a_text_alone_is_enough_and_an_unknown_id_has_none(csv):
    own = read_rationales(csv("id,text\n7,because\n"))
    assert own.of(TEXT, "text").places == ()
    assert own.of(Labelled("8", TEXT.given, "pos"), "text") is None


def test_an_id_may_stand_in_both_domains(csv):
    own = read_rationales(csv("id,domain,text\n7,text,words\n7,tabular,values\n"))
    assert own.of(TEXT, "text").text == "words"
    assert own.of(ROW, "tabular").text == "values"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,words\n7,it\n", "column missing: text"),
        ("id,text\n7,\n", "line 2: text is empty"),
        ("id,text\n7,a\n7,b\n", "line 3: id 7 occurs twice"),
    ],
)
def test_a_damaged_csv_is_refused(csv, text, message):
    with pytest.raises(UserError, match=message):
        read_rationales(csv(text))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("9,", "line 2: places: 9 isn't a place .0 to 7. of 7"),
        ("-1,", "places: -1 isn't a place"),
        (",bad", "line 2: words: 'bad' isn't a part of 7"),
        (",is it", "words: 'is it' isn't a part"),
    ],
)
def test_what_is_not_in_the_input_is_told(csv, cells, message):
    own = read_rationales(csv(f"id,text,places,words\n7,because,{cells}\n"))
    with pytest.raises(UserError, match=message):
        own.of(TEXT, "text")
