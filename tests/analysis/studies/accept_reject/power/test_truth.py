"""Small forms of the truth bench: what is put in comes out, at the stated rates."""

import numpy as np
import pytest
from scipy.stats import binom

from analysis.power.simulation import Cell, Run
from analysis.studies.accept_reject.power import PlateWorld, Usefulness
from bench.parts.truth import Check, check, simulated
from stimuli.protocol import load_protocol

VARYING_ITEMS = PlateWorld(sd_item=(1.0, 1.0, 0.3, 0.3))


def within_chance(hits, nominal):
    """Whether a share lies where 99.9 % of repetitions put it if it is as stated."""
    low, high = binom.interval(0.999, len(hits), nominal)
    return low <= sum(hits) <= high


@pytest.mark.slow
def test_a_t_test_by_participant_is_fooled_by_items_and_the_two_way_bootstrap_is_not():
    """No effect on average; an item is explained for everyone or for no one."""
    rules = load_protocol("accept_reject")
    cell = Cell(40, 16, Usefulness(0.0, 0.0))
    found = [check(Check(Run(rules, VARYING_ITEMS, 3, cell, n), True, False)) for n in range(60)]
    by_participant = np.mean([one["t"]["p"] < 0.05 for one in found])
    two_way = np.mean([one["bootstrap"]["p"] < 0.05 for one in found])
    assert by_participant > 0.3
    assert two_way < 0.15


@pytest.mark.slow
def test_no_effect_is_found_in_five_percent_of_studies():
    found = simulated(Cell(16, 32, Usefulness(0.0, 0.0)), PlateWorld(), 150)
    fitted = [one for one in found if one["fitted"]]
    assert len(fitted) >= 0.95 * len(found)
    for term in ("explained", "explained:solver"):
        assert within_chance([one["fixed"][term]["p"] < 0.05 for one in fitted], 0.05)


@pytest.mark.slow
def test_usefulness_is_recovered_and_its_intervals_cover():
    cell = Cell(16, 32, Usefulness(0.2, 0.05))
    fitted = [one for one in simulated(cell, PlateWorld(), 150) if one["fitted"]]
    for solver, truth in (("S", 0.2), ("E", 0.05), ("S-E", 0.15)):
        rows = [one["usefulness"][solver] for one in fitted]
        estimates = np.array([row["estimate"] for row in rows])
        error = estimates.std(ddof=1) / np.sqrt(len(rows))
        assert abs(estimates.mean() - truth) < 3.3 * error
        assert within_chance([row["ci_low"] <= truth <= row["ci_high"] for row in rows], 0.95)
