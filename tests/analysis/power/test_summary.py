from dataclasses import dataclass

import pytest

from analysis.power.grid import Cell, Grid, Outcome
from analysis.power.summary import failures, smallest_enough, summarise
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


def outcome(p, size, singular=False):
    return Outcome(True, "", singular, {"explained": (1.0, 0.3, p)}, {"mean": size}, 1.0)


FAILED = Outcome(False, "Separation", False, {}, {}, 3.0)


def test_power_counts_failed_fits_as_studies_that_found_nothing():
    outcomes = [outcome(0.01, 0.3), outcome(0.04, -0.25), outcome(0.2, 0.1, True), FAILED]
    row = summarise(CELL, "explained", "mean", 0.2, outcomes)
    assert (row["runs"], row["significant"], row["power"]) == (4, 2, 0.5)
    assert (row["ci_low"], row["ci_high"]) == (
        wilson(Count(2, 4)).ci_low,
        wilson(Count(2, 4)).ci_high,
    )
    assert row["type_s"] == 0.5
    assert row["type_m"] == pytest.approx((0.3 + 0.25) / 2 / 0.2)
    assert row["mean_estimate"] == pytest.approx(0.05)
    assert row["singular"] == pytest.approx(1 / 3)
    assert row["failed"] == 0.25
    assert (row["participants"], row["items"], row["shift"]) == (10, 30, 0.2)
    assert failures(outcomes) == {"Separation": 1}


def test_without_an_effect_errors_of_sign_and_size_are_unknown():
    row = summarise(CELL, "explained", "mean", 0.0, [outcome(0.01, 0.3)])
    assert (row["type_s"], row["type_m"]) == (None, None)


def test_all_failed_is_no_power_not_a_crash():
    row = summarise(CELL, "explained", "mean", 0.2, [FAILED, FAILED])
    assert (row["power"], row["failed"], row["singular"]) == (0.0, 1.0, None)


def rows(*powers):
    return [
        {
            "term": "explained", "truth": 0.1, "items": 30, "participants": 10 * (k + 1),
            "power": power, "ci_low": power - 0.05,
        }
        for k, power in enumerate(powers)
    ]  # fmt: skip


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
    assert (found["participants"], found["sure"]) == (participants, sure)


def test_a_grid_gives_every_combination_once():
    cells = list(Grid((10, 20), (30, 60), (Shift(0.0), Shift(0.1)), 5).cells())
    assert len({cell.name for cell in cells}) == len(cells) == 8
    assert cells[0].name == "10x30/shift0"
