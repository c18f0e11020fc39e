"""Rates, levels, weights and ratings against slow references."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from analysis.statistics.bootstrap import Resampling
from analysis.statistics.confidence import type_2_areas
from analysis.studies.human_ai_team.alone import sweep_rows, weighted_rows, weights_of
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.reliance import complementarity_rows
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from tests.analysis.studies.human_ai_team.tables_of import answers_of, crossed, experts

PLAN = Resampling(100, 1)


def test_measures_are_what_they_say():
    table = crossed()
    rates = measure(answers_of(table), PLAN)
    yes, right = table["decision"] == "yes", table["ai_correct"]
    parts = {"all": True, "natural": ~table["adversarial"], "adversarial": table["adversarial"]}
    for (part, inside), arm in itertools.product(parts.items(), ("confidence", "gradcam")):
        own = (table["method"] == arm) & inside
        hits, alarms = yes[own & right], yes[own & ~right]
        correct = (yes == right)[own].groupby(table["participant"][own]).mean().mean()
        found = {m: rates.interval(m, part, arm).estimate for m in ("accuracy", "over_reliance",
                 "under_reliance", "d_prime", "criterion")}  # fmt: skip
        assert found["accuracy"] == pytest.approx(correct)
        assert found["over_reliance"] == pytest.approx(alarms.mean())
        if not len(hits):
            assert np.isnan(found["under_reliance"])
            continue
        assert found["under_reliance"] == pytest.approx(1 - hits.mean())
        z = [norm.ppf((s.sum() + 0.5) / (len(s) + 1)) for s in (hits, alarms)]
        assert found["d_prime"] == pytest.approx(z[0] - z[1])
        assert found["criterion"] == pytest.approx(-(z[0] + z[1]) / 2)


def test_confidence_in_whole_per_cent_falls_into_bins_as_published():
    table = (
        experts()
        .iloc[:6]
        .assign(
            confidence=[100, 30, 60, 35, 40, 80], ai_correct=[True, True, False, False, True, False]
        )
    )
    answers = answers_of(table)
    assert list(answers.frame["level"]) == ["easy", "hard", "medium", "", "medium", "hard"]
    assert any("taken to lie below" in note for note in answers.notes)
    shares = answers_of(table.assign(confidence=(table["confidence"] / 100 + 1e-4).clip(upper=1)))
    assert list(shares.frame["level"])[1:3] == ["", ""]


@pytest.mark.parametrize(
    ("word", "right", "level"),
    [("low", True, "hard"), ("high", False, "hard"), ("mid", True, "medium"), ("Easy", 0, "easy"),
     ("right_hard", True, "hard"), ("odd", True, "")],
)  # fmt: skip
def test_bins_of_elsewhere_are_read(word, right, level):
    table = experts().iloc[:2].assign(bin=[word, "easy"], ai_correct=[bool(right), True])
    assert answers_of(table).frame["level"][0] == level


def test_teams_are_weighted_by_bins_and_need_all_of_them():
    rows = [
        (f"p{person}", f"{bin_}{n}", "confidence", bin_.startswith("right"), bin_.split("_")[1])
        for person in range(4)
        for bin_ in NATURAL_BINS
        for n in range(4)
    ]
    table = pd.DataFrame(rows, columns=["participant", "item", "method", "ai_correct", "level"])
    wrong = table["item"].str.endswith("0") | (table["item"].str.startswith("wrong_hard"))
    yes = table["ai_correct"] != wrong
    table["decision"] = yes.map({True: "yes", False: "no"})
    share = dict(zip(NATURAL_BINS, (0.5, 0.1, 0.05, 0.1, 0.15, 0.1), strict=True))
    available = pd.DataFrame({"bin": list(share), "weight": list(share.values())})
    weights = weights_of(available)
    (row,) = weighted_rows(answers_of(table), weights, sweep_rows(None, weights), PLAN)
    assert row.estimate == pytest.approx(0.9 * 0.75)
    assert row.ai == pytest.approx(0.5 + 0.1 + 0.15)
    fewer = answers_of(table[~table["item"].str.startswith("right_hard")])
    (row,) = weighted_rows(fewer, weights, sweep_rows(None, weights), PLAN)
    assert np.isnan(row.estimate)
    assert np.isnan([row.ci_low, row.over_ai, row.over_ai_low]).all()
    assert row.bins == 5


def test_the_area_of_ratings_is_the_share_of_ordered_pairs():
    rng = np.random.default_rng(1)
    rating, right = rng.integers(1, 5, 40).astype(float), rng.random(40) < 0.6
    weights = rng.integers(0, 3, (2, 40)).astype(float)
    for own, found in zip(weights, type_2_areas(rating, right, weights), strict=True):
        above = total = 0.0
        for i, j in itertools.product(np.flatnonzero(right), np.flatnonzero(~right)):
            total += own[i] * own[j]
            above += own[i] * own[j] * ((rating[i] > rating[j]) + 0.5 * (rating[i] == rating[j]))
        assert found == pytest.approx(above / total)


def test_a_team_is_complementary_where_it_beats_both():
    table = crossed(methods=("human_alone", "gradcam"))
    always = (table["method"] == "gradcam") & (table["item"] != "i0")
    right = table["ai_correct"].map({True: "yes", False: "no"})
    table["decision"] = right.where(always, table["decision"])
    (row,) = complementarity_rows(answers_of(table), PLAN)
    assert row.complementary
    assert row.ai == pytest.approx(1 / 3)


def test_arms_that_are_all_right_have_intervals_all_the_same():
    table = crossed()
    table["decision"] = table["ai_correct"].map({True: "yes", False: "no"})
    rates = measure(answers_of(table), PLAN)
    for found in (rates.difference("accuracy", "all", "gradcam", "confidence"),
                  rates.interval("accuracy", "all", "gradcam")):  # fmt: skip
        assert found.ci_high - found.ci_low > 0.01
