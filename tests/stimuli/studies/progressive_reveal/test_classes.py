"""Class names: what typed text finds."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.names import folded
from stimuli.studies.progressive_reveal.classes import Classes, class_rows, matched
from stimuli.studies.progressive_reveal.tables import CLASSES

NAMES = {
    ("n1", ""): "school bus|coach",
    ("n1", "de"): "Schulbus|Reisebus",
    ("n2", ""): "sports car",
    ("n2", "de"): "Sportwagen",
    ("n3", ""): "great white shark|white shark",
    ("n3", "de"): "Weißer Hai",
    ("n4", ""): "water jug|carafe",
    ("n4", "de"): "Wasserkrug|Karaffe",
    ("n5", ""): "saw",
    ("n5", "de"): "Säge",
    ("n6", ""): "bald eagle",
}
IDS = ["n1", "n2", "n3", "n4", "n5", "n6", "sea_lion"]


def classes(language: str, **how) -> Classes:
    rows = CLASSES.from_csv(CLASSES.to_csv(class_rows(IDS, NAMES)), "classes.csv")
    return Classes.of(rows, language, **how)


def found(typed: str, language: str = "en", most: int = 9) -> list[str]:
    return [one.name for one in classes(language).suggestions(typed, most)]


def test_a_class_is_called_by_its_languages_word_or_else_the_common_one():
    assert {one.class_id: one.name for one in classes("de").names} == {
        "n1": "Schulbus", "n2": "Sportwagen", "n3": "Weißer Hai", "n4": "Wasserkrug",
        "n5": "Säge", "n6": "bald eagle", "sea_lion": "sea lion",
    }  # fmt: skip
    assert [one.name for one in classes("en").names] == sorted(
        one.name for one in classes("en").names
    )


def listed(names: dict[tuple[str, str], str], language: str = "de", **how) -> list[str]:
    rows = class_rows({class_id for class_id, _ in names}, names)
    return [one.name for one in Classes.of(rows, language, **how).names]


def test_numbers_within_names_are_taken_as_numbers():
    names = {(name, ""): name for name in ("type 10", "type 2", "type", "model 9b", "model 10a")}
    assert listed(names) == ["model 9b", "model 10a", "type", "type 2", "type 10"]


def test_suggestions_begin_as_typed_at_the_start_of_a_word_names_before_aliases():
    assert found("s") == ["saw", "school bus", "sea lion", "sports car", "great white shark"]
    assert found("wh") == ["great white shark"]
    assert found("ca") == ["sports car", "water jug"]
    assert found("car") == ["sports car", "water jug"]
    assert found("coach") == ["school bus"]
    assert found("white sh") == ["great white shark"]
    assert found("hark") == []
    assert found("s", most=2) == ["saw", "school bus"]
    assert found("") == found("  ") == found("-") == []


@pytest.mark.parametrize("typed", ["sage", "SÄGE", "säge", "saege", "Sa\u0308ge", " säge "])
def test_umlauts_may_be_typed_or_left_out_or_spelled_out(typed):
    assert classes("de").exact(typed).class_id == "n5"
    assert found(typed, "de") == ["Säge"]


def test_sharp_s_and_ss_are_one():
    assert classes("de").exact("weisser hai") == classes("de").exact("WEIẞER HAI")
    assert classes("de").exact("weisser hai").class_id == "n3"


def test_only_whole_words_are_exact_and_aliases_count_where_they_are_accepted():
    assert classes("en").exact("school bus").class_id == "n1"
    assert classes("en").exact("School-Bus").class_id == "n1"
    assert classes("en").exact("coach").class_id == "n1"
    assert classes("en").exact("school") is None
    assert classes("en").exact("") is None
    strict = classes("en", aliases=False)
    assert strict.exact("coach") is None
    assert strict.suggestions("coach", 9) == ()


@given(st.sampled_from([one.name for one in classes("de").names]), st.integers(1, 20))
def test_every_beginning_of_a_name_finds_it(name, length):
    start = name[:length]
    assert name in [one.name for one in classes("de").suggestions(start, 99)]
    assert name in [one.name for one in classes("de").suggestions(start.upper(), 99)]


@given(st.text(max_size=12))
def test_folding_twice_is_folding_once_whatever_the_form(text):
    once = folded(text)
    assert folded(once) == once
    assert folded(unicodedata.normalize("NFC", text)) == once
    assert folded(unicodedata.normalize("NFD", text)) == once


@pytest.mark.parametrize("other", ["Coach", "SCHOOL  bus", "school_bus"])
def test_two_classes_of_one_word_are_refused(other):
    with pytest.raises(UserError, match=r"classes n1 and x are both called"):
        class_rows(["n1", "x"], {**NAMES, ("x", ""): f"thing|{other}"})


def test_a_blank_name_is_refused():
    with pytest.raises(UserError, match=r"class n1: 'bus\|' contains a blank name"):
        class_rows(["n1"], {("n1", ""): "bus|"})


@pytest.mark.parametrize(
    ("word", "typed", "part"),
    [
        ("Schulbus", "SCHU", "Schu"),
        ("Französisches Horn", "ho", "Ho"),
        ("Französisches Horn", "franzoe", "Franzö"),
        ("Braunbär", "braunbar", "Braunbär"),
        ("Straße", "strasse", "Straße"),
        ("Straße", "stras", "Straß"),
        ("school-bus", "bus", "bus"),
        ("school bus", "school b", "school b"),
        ("Schulbus", "bus", None),
        ("Schulbus", " ", None),
    ],
)
def test_the_letters_that_were_typed_are_found_in_their_word(word, typed, part):
    span = matched(word, typed)
    assert (span if span is None else word[slice(*span)]) == part
