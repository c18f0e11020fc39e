"""A lab's own explanations: what a table says is found in the input, and mistakes in one line."""

import pytest

from stimuli.errors import UserError
from tests.xai_backend.studies.simulatability.stand_ins import (
    row,
    sentence,
    table_domain,
    text_domain,
)
from xai_backend.studies.simulatability.methods.brought import read_explanations
from xai_backend.studies.simulatability.trained import Labelled

TEXTS, ROWS = text_domain(), table_domain()
TEXT = Labelled("7", sentence("it is far too good , it is"), "pos", "pos")
ROW = Labelled("7", row("Age > 48.00", "Male", "Sales", "No gains"), "pos", "pos")


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
    own = read_explanations(csv(f"id,text,places,words\n7,because of it,{cells}\n"))
    found = own.explain(item, TEXTS)
    assert found.text == "because of it"
    assert found.places == places


def test_an_id_may_stand_in_both_domains(csv):
    own = read_explanations(csv("id,domain,text\n7,text,words\n7,tabular,values\n"))
    assert own.explain(TEXT, TEXTS).text == "words"
    assert own.explain(ROW, ROWS).text == "values"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,words\n7,it\n", "has no explanations; beside id it needs the columns part and weight"),
        ("text\na\n", "column missing: id"),
        ("id,text\n", "has no lines below the header"),
        ("id,rule\n7,it\n7,is\n", "row 3: id 7 occurs twice"),
        ("id,text\n7,a\n7,b\n", "row 3: id 7 occurs twice"),
    ],
)
def test_a_damaged_csv_is_refused(csv, text, message):
    with pytest.raises(UserError, match=message):
        read_explanations(csv(text))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("9,", "row 2: places: 9 isn't a place .0 to 7. .id 7."),
        ("-1,", "places: -1 isn't a place"),
        (",bad", "row 2: words: 'bad' isn't a part .id 7."),
        (",is it", "words: 'is it' isn't a part"),
    ],
)
def test_what_is_not_in_the_input_is_told(csv, cells, message):
    own = read_explanations(csv(f"id,text,places,words\n7,because,{cells}\n"))
    with pytest.raises(UserError, match=message):
        own.explain(TEXT, TEXTS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,text\n7,\n", "row 2: text: is empty .id 7."),
        ("id,part,weight\n7,bad,1\n", "part: 'bad' isn't in the input"),
        ("id,part,weight\n7,good,much\n", "weight: 'much' isn't a number"),
        ("id,part,weight\n7,good,nan\n", "weight: nan isn't finite"),
        ("id,part,weight,class\n7,good,1,fine\n", "class: 'fine' isn't one of neg, pos"),
        ("id,weights\n7,1\n", "weights: 1 numbers for 8 parts of the input"),
        ("id,weights\n7,many\n", "weights: isn't a JSON list of numbers"),
        ("id,rule\n7,good|bad\n", "rule: 'bad' isn't in the input"),
        ("id,rule\n7,|\n", "rule: has no condition"),
        ("id,rule,precision\n7,good,90\n", "precision: 90 isn't a share from 0 to 1"),
        ("id,example_id\n7,none\n", "example_id: none isn't an id of the data"),
        ("id,example\n7,\n", "example: is empty"),
        ("id,example\n7,a film\n", "example_label: '' isn't one of neg, pos"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(csv, text, message):
    own = read_explanations(csv(text))
    with pytest.raises(UserError, match=message):
        own.explain(TEXT, TEXTS)


def test_weights_are_listed_from_the_highest_and_for_the_positive_class(csv):
    """A list for all tokens and a line for each word say the same; so do opposite signs."""
    longer = read_explanations(csv("id,part,weight\n7,it,-0.5\n7,good,2\n7,far too,1\n"))
    shown = longer.explain(TEXT, TEXTS)
    assert shown.target == "pos"
    assert [(one.name, one.places, one.weight) for one in shown.terms] == [
        ("good", (4,), 2.0), ("far too", (2, 3), 1.0), ("it", (0, 6), -0.5),
    ]  # fmt: skip
    listed = read_explanations(csv('id,weights,class\n7,"[0,0,0,0,-2,null,0.5,0]",neg\n'))
    shown = listed.explain(TEXT, TEXTS)
    assert shown.target == "pos"
    assert [(one.name, one.places, one.weight) for one in shown.terms] == [
        ("good", (4,), 2.0), ("it (2nd)", (6,), -0.5),
    ]  # fmt: skip


def test_attention_speaks_for_no_class(csv):
    shown = read_explanations(csv("id,part,attention\n7,it,0.1\n7,good,0.6\n"))
    found = shown.explain(TEXT, TEXTS)
    assert found.target is None
    assert [one.weight for one in found.terms] == [0.6, 0.1]
    listed = read_explanations(csv('id,attention\n7,"[0,0,0,0,-1,0,0,0]"\n'))
    with pytest.raises(UserError, match="attention: is below 0"):
        listed.explain(TEXT, TEXTS)


def test_rules_and_examples_are_shown_as_those_of_the_suite(csv):
    own = read_explanations(csv("id,rule,says,coverage\n7,Male|Work = Sales,neg,0.2\n"))
    rule = own.explain(ROW, ROWS)
    assert [one.places for one in rule.conditions] == [(1,), (2,)]
    assert (rule.outcome, rule.precision, rule.coverage) == ("neg", None, 0.2)
    by_id = read_explanations(csv("id,example_id\n7,id3\n")).explain(TEXT, TEXTS)
    assert by_id.prototype == TEXTS.splits["train"][3].instance
    assert (by_id.label, by_id.evidence) == (TEXTS.splits["train"][3].label, None)
    written = read_explanations(csv("id,example,example_label\n7,Sex = Female,neg\n"))
    age, _, *rest = ROW.instance.values
    assert written.explain(ROW, ROWS).prototype.values == (age, "Female", *rest)
