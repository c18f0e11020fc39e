"""Careless people in made-up studies of progressive_reveal: means keep to the truth."""

import numpy as np
import pytest

from analysis.report.deciding import MEANS
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.recognition import Life
from bench.parts.reveal_careless import (
    PEOPLE,
    careless_rounds,
    summary,
    told_of,
    true_difference,
)

STUDIES = 10


def test_who_is_careless_never_types_or_types_once_at_the_first_step():
    frame = careless_rounds(np.random.default_rng(1), 1.0).frame
    assert set(frame.loc[frame["recognised"], "step"]) == {1}
    rates = frame.groupby("participant")["recognised"].mean()
    assert (rates == 0).sum() > 0.2 * PEOPLE
    assert 0 < frame["recognised"].mean() < 2 / 17


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_the_headlines_means_are_unbiased_whatever_the_share_of_careless_people(share):
    found = []
    for number in range(STUDIES):
        rounds = careless_rounds(np.random.default_rng([7, number]), share)
        found += told_of(Life.of(rounds, Resampling(1, 1)).pairs(), share)
    told = summary(found, share, MEANS)
    assert told["truth"] == true_difference(share)
    assert abs(told["bias"]) < 4 * told["error"]
    assert told["coverage"] >= 0.8
