import json
from dataclasses import dataclass, replace

import pytest

from analysis.power.question import Outcome, Term, Verdicts, as_asked, without_result
from analysis.power.results import rows_as_json
from analysis.power.simulation import Cell, Grid
from analysis.power.summary import (
    Studies,
    failures,
    fitted_models,
    share_verdicts,
    smallest_enough,
    summarise,
)
from analysis.report.model import ModelFit, Spread
from analysis.statistics.proportions import Count, wilson


@dataclass(frozen=True)
class Shift:
    """What a study without a name puts in."""

    size: float

    @property
    def name(self):
        return f"shift{self.size:g}"

    def columns(self):
        return {"shift": self.size}


CELL = Cell(10, 30, Shift(0.2))
TERM = Term("usefulness", lambda shift: shift.size, "usefulness", "Usefulness", "power")
SAID = {"helps": "it helps", "harms": "it harms", "undecided": "neither"}
VERDICTS = Verdicts("verdict", "help", SAID, "undecided", lambda shift: "helps", "verdict")


def outcome(found, size, whole=True, verdict="undecided"):
    tests, model = {"usefulness": (size, found)}, "y ~ 1" if not whole else "y ~ x"
    return Outcome(True, "", tests, {"verdict": verdict}, whole, model, 1.0)


FAILED = without_result("Separation")


def test_power_counts_failed_fits_as_studies_that_found_nothing():
    outcomes = [outcome(True, 0.3), outcome(True, -0.25), outcome(False, 0.1, False), FAILED]
    row = summarise(Studies(CELL, "+20", outcomes), TERM)
    assert (row.runs, row.significant, row.power) == (4, 2, 0.5)
    assert (row.ci_low, row.ci_high) == (
        wilson(Count(2, 4)).ci_low,
        wilson(Count(2, 4)).ci_high,
    )
    assert row.type_s == 0.5
    assert row.type_m == pytest.approx((0.3 + 0.25) / 2 / 0.2)
    assert row.mean_estimate == pytest.approx(0.05)
    assert row.as_asked == 0.5
    assert row.failed == 0.25
    assert (row.participants, row.items, row.effect.size) == (10, 30, 0.2)
    assert failures(outcomes) == {"Separation": 1}
    assert Outcome.of(json.loads(json.dumps(outcomes[0].plain()))).tests["usefulness"] == [
        0.3,
        True,
    ]


@pytest.mark.parametrize("truth", [0.0, None])
def test_without_a_true_size_errors_of_sign_and_size_are_unknown(truth):
    term = replace(TERM, truth=lambda shift: truth)
    row = summarise(Studies(CELL, "", [outcome(True, 0.3)]), term)
    assert (row.power, row.type_s, row.type_m) == (1.0, None, None)


def test_all_failed_is_no_power_not_a_crash():
    row = summarise(Studies(CELL, "", [FAILED, FAILED]), TERM)
    assert (row.power, row.failed, row.as_asked) == (0.0, 1.0, 0.0)


def test_shares_of_verdicts_and_of_studies_without_one_add_up():
    outcomes = [outcome(True, 0.3, verdict="helps")] * 2 + [outcome(False, 0.1), FAILED]
    found = {row.term: row for row in share_verdicts(Studies(CELL, "+20", outcomes), VERDICTS)}
    shares = {name: row.power for name, row in found.items()}
    assert shares == {"helps": 0.5, "harms": 0.0, "undecided": 0.25}
    assert sum(shares.values()) + found["helps"].failed == 1
    assert [name for name, row in found.items() if row.right] == ["helps"]


def test_models_are_counted_by_size_the_most_frequent_first():
    own = [outcome(True, 0.3)] + [outcome(True, 0.3, False)] * 2 + [FAILED]
    found = fitted_models({CELL: own, Cell(10, 30, Shift(0.0)): [outcome(True, 0.3)]})
    assert [(row.model, row.as_asked, row.studies) for row in found] == [
        ("y ~ x", True, 2), ("y ~ 1", False, 2), ("", False, 1),
    ]  # fmt: skip
    assert {row.of for row in found} == {5}


def test_a_model_is_as_asked_with_all_its_effects_and_correlations_alone():
    spreads = (Spread("a", "1", 0.3), Spread("a", "x", 0.2))
    model = ModelFit(
        asked="y ~ x + (1 + x | a)", coding="", rule="", fitted=True, converged=True,
        formula="y ~ 1 + x + (1 + x | a)", random=spreads,
    )  # fmt: skip
    assert as_asked(model, 2)
    assert not as_asked(model, 3)
    assert not as_asked(replace(model, converged=False), 2)
    assert not as_asked(replace(model, formula="y ~ 1 + x + (1 + x || a)"), 2)
    assert not as_asked(replace(model, random=(spreads[0], Spread("a", "x", 0.001))), 2)


def rows(*powers):
    first = summarise(Studies(CELL, "+10", [outcome(True, 0.1)]), TERM)
    return [
        replace(first, participants=10 * (k + 1), power=power, ci_low=power - 0.05)
        for k, power in enumerate(powers)
    ]


@pytest.mark.parametrize(
    ("powers", "participants", "sure"),
    [
        ((0.5, 0.82, 0.9), 20, False),
        ((0.5, 0.9, 0.95), 20, True),
        ((0.81, 0.7, 0.9), 30, True),
        ((0.2, 0.3), None, False),
    ],
)
def test_enough_is_the_fewest_from_which_on_power_stays(powers, participants, sure):
    (found,) = smallest_enough(rows(*powers))
    assert (found.participants, found.sure) == (participants, sure)


def test_of_verdicts_the_right_one_is_enough_and_no_effect_ever_is():
    (right,) = rows(0.9)
    wrong, null = replace(right, right=False), replace(right, truth=0.0)
    assert len(smallest_enough([replace(right, right=True, truth=None)])) == 1
    assert smallest_enough([wrong, null]) == ()


def test_an_effects_columns_stand_in_the_table_between_sizes_and_words():
    row = summarise(Studies(CELL, "+20", [outcome(True, 0.3)]), TERM)
    (written,) = rows_as_json((row,))
    assert list(written)[:5] == ["participants", "items", "shift", "put_in", "term"]
    assert (written["shift"], written["truth"], written["right"]) == (0.2, 0.2, None)


def test_a_grid_gives_every_combination_once():
    cells = list(Grid((10, 20), (30, 60), (Shift(0.0), Shift(0.1)), 5).cells())
    assert len({cell.name for cell in cells}) == len(cells) == 8
    assert cells[0].name == "10x30/shift0"
