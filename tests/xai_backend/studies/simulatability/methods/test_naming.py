"""Names of words and values, as the published sheets have them."""

import pytest

from tests.xai_backend.studies.simulatability.stand_ins import row, sentence
from xai_backend.studies.simulatability.methods.around import names_of, ordinal


def test_words_that_repeat_are_told_apart():
    given = sentence("if it is good , it is good")
    names = "if|it (1st)|is (1st)|good (1st)|,|it (2nd)|is (2nd)|good (2nd)"
    assert names_of(given) == tuple(names.split("|"))


def test_a_value_that_says_its_column_stands_alone():
    names = names_of(row("Age > 48.00", "Male", "Sales", "No gains"))
    assert names == ("Age > 48.00", "Sex = Male", "Work = Sales", "Gains = No gains")


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (22, "22nd"), (111, "111th")],
)  # fmt: skip
def test_ordinals(number, text):
    assert ordinal(number) == text
