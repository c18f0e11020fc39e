"""A result under other choices: which conclusions are the same."""

import pytest

from analysis.questions.choices import ANALYSIS, agreement, conclusion, repeated
from analysis.questions.estimates import EstimateRow, Estimates, Quantity

GAIN = Quantity("gain", "Gain", "A gain.")


def row(method, low, high, **more):
    of = {"method": method}
    return EstimateRow(quantity="gain", of=of, ci_low=low, ci_high=high, **more)


MAIN = (row("a", 1.0, 2.0), row("b", -1.0, 1.0))


def said(**choices):
    rows = tuple(repeated({"main": MAIN, **choices}, lambda own: own))
    shown = agreement(rows, ("method",), lambda one: one.of["method"])
    return "" if shown is None else shown.text


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"low": 1.0, "high": 2.0}, "above zero"),
        ({"low": -2.0, "high": -1.0}, "below zero"),
        ({"low": -1.0, "high": 1.0}, "undecided"),
        ({"low": 1.0, "high": 2.0, "adjusted_low": -1.0, "adjusted_high": 3.0}, "undecided"),
        ({"low": 1.0, "high": 2.0, "verdict": "helps"}, "helps"),
        ({"low": None, "high": None}, "unknown"),
    ],
)
def test_a_row_shows_what_its_corrected_limits_or_its_verdict_show(fields, shown):
    assert conclusion(row("a", **fields)) == shown


def test_choices_are_named_and_those_that_cant_be_made_are_left_out():
    rows = list(repeated({"main": MAIN, "never": None, "again": MAIN[:1]}, lambda own: own))
    assert [one.of[ANALYSIS] for one in rows] == ["main", "main", "again"]
    assert Estimates(tuple(rows)).row(GAIN, analysis="again").ci_low == 1.0


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({}, ""),
        ({"x": MAIN}, "Under the other choice, every conclusion is the same."),
        ({"x": MAIN, "y": MAIN}, "Under both other choices, every conclusion is the same."),
        (
            {"x": MAIN, "y": (row("a", -1.0, 2.0), MAIN[1])},
            "Under 1 of 2 other choices, a conclusion differs: y (a undecided).",
        ),
        (
            {"y": (row("b", 1.0, 2.0),)},
            "Under the other choice, a conclusion differs: y (a not compared and b above zero).",
        ),
        # A choice that estimates another quantity says nothing of this one.
        (
            {"z": (EstimateRow(quantity="other", of={"method": "a"}),)},
            "Under the other choice, every conclusion is the same.",
        ),
    ],
)
def test_a_sentence_says_under_which_choice_a_conclusion_differs(choices, sentence):
    assert said(**choices) == sentence
