"""Ratings of explanations, and what a step of the rating goes with."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from analysis.studies.simulatability.data import read_data
from analysis.studies.simulatability.published import Resampled, mean_replicates, plan_of
from analysis.studies.simulatability.quantities import HALF_WIDTH
from analysis.studies.simulatability.questions import ratings
from analysis.studies.simulatability.ratings import (
    MODEL,
    RATING,
    RATING_DIFFERENCE,
    RATING_ODDS,
    RATING_SD,
    RATING_STEP,
    step_effects,
)
from stimuli.errors import UserError
from tests.analysis.studies.simulatability.tables_of import (
    dataset_of,
    predictions_of,
    protocol_of,
    trials_of,
)


def rated(people=12, items=8, seed=3):
    """Return trials whose counterfactual items are rated after explanations."""
    trials = trials_of(people, items, seed)
    rng = np.random.default_rng(seed)
    asked = (trials["use"] == "counterfactual") & (trials["phase"] == "post")
    rating = rng.integers(1, 8, len(trials))
    return trials.assign(
        rating=pd.array(np.where(asked, rating, 0), dtype="Int64").astype("Int64"),
        outcome=np.where(rng.random(len(trials)) < 0.5, "true_positive", "false_negative"),
    ).assign(rating=lambda t: t["rating"].mask(~asked))


def ratings_of(trials):
    """Return what is answered on ratings."""
    return ratings.compute(read_data(dataset_of(trials), None, ()))


def test_a_step_of_the_rating_is_that_of_a_logistic_regression():
    rng = np.random.default_rng(1)
    rating = rng.integers(1, 8, 150).astype(float)
    right = (rng.random(150) < 0.3 + 0.06 * rating).astype(float)
    weights = rng.integers(0, 4, (5, 150)).astype(float)
    found = step_effects(weights, rating, right, (4.0, 5.0))
    for own, value in zip(weights, found, strict=True):
        rows = np.repeat(np.arange(150), own.astype(int))
        fit = sm.Logit(right[rows], sm.add_constant(rating[rows])).fit(disp=0)
        low, high = fit.predict([[1, 4.0], [1, 5.0]])
        assert value == pytest.approx(high - low, abs=1e-6)


def test_separated_answers_have_no_effect_to_give():
    rating = np.array([1.0, 2, 3, 5, 6, 7])
    assert np.isnan(step_effects(np.ones((1, 6)), rating, (rating > 4) * 1.0, (4.0, 5.0)))[0]


def test_means_and_counts_are_those_of_the_table():
    trials = rated()
    answer, given = ratings_of(trials), trials[trials["rating"].notna()]
    for method, own in given.groupby("method")["rating"]:
        mean, values = answer.row(RATING, method=method), own.astype(float)
        assert (mean.n, mean.estimate) == (len(values), pytest.approx(values.mean()))
        assert answer.row(RATING_SD, method=method).estimate == pytest.approx(values.std())
        assert mean.ci_low < mean.estimate < mean.ci_high
    by_model = [answer.row(RATING, model=model) for model in MODEL]
    assert sum(row.n for row in by_model) == len(given)
    assert set(answer.levels("step")) == {"absolute", "within_user", "within_item"}


def test_ratings_that_say_the_same_everywhere_predict_nothing():
    trials = rated().assign(rating=lambda t: t["rating"].mask(t["rating"].notna(), 4))
    assert ratings_of(trials).rows(RATING_STEP) == ()
    assert ratings_of(trials_of(4, 4)).reason == "the table has none"


def test_ratings_are_resampled_within_their_method():
    """Pooled over methods, a method's number of ratings varies: such intervals are wider."""
    own = predictions_of(rated(18, 8)).ratings
    answer, plan = ratings_of(rated(18, 8)), plan_of(protocol_of(), ("tabular", "all"), "ratings")
    for method in own["method"].unique():
        mine = own[own["method"] == method].reset_index(drop=True)
        draws = mean_replicates(mine["rating"].to_numpy(float), np.ones((len(mine), 1)), mine, plan)
        half_width = answer.row(HALF_WIDTH, method=method).estimate
        assert half_width == pytest.approx(Resampled.of(draws[:, 0]).half_width)


def test_right_and_wrong_outputs_are_compared_as_the_paper_does():
    trials = rated(18, 8)
    item = trials["item"].str.removeprefix("i").astype(int)
    trials["outcome"] = np.where(item % 2 == 0, "true_positive", "false_negative")
    none = ratings_of(trials).row(RATING_DIFFERENCE)
    assert none.p > 0.05
    assert none.ci_low < 0 < none.ci_high
    lower = trials["rating"].sub(3).clip(lower=1)
    worse = trials.assign(rating=trials["rating"].where(item % 2 == 0, lower))
    answer = ratings_of(worse)
    row = answer.row(RATING_DIFFERENCE)
    right, wrong = (answer.row(RATING, model=model).estimate for model in MODEL)
    assert row.estimate == pytest.approx(right - wrong)
    assert row.p < 0.01
    assert answer.row(HALF_WIDTH, **row.of).p < 0.05
    of_model, of_method = answer.rows(RATING_ODDS)[::-1]
    assert of_model.of == row.of
    assert of_model.estimate > 3
    assert of_model.ci_low > 1
    assert of_method.of["method"] == "lime"


@pytest.mark.parametrize(("column", "value"), [("rating", 9), ("rating", 0), ("confidence", 5)])
def test_a_rating_outside_its_scale_is_refused_in_one_line(column, value):
    trials = rated(4, 4)
    trials[column] = pd.array([value] + [pd.NA] * (len(trials) - 1), dtype="Int64")
    with pytest.raises(UserError, match=f"{column}: {value} of participant p0, item ") as error:
        predictions_of(trials)
    assert "\n" not in str(error.value)


def test_ratings_without_a_sound_model_have_the_reason():
    """Each person always rates alike, one of two extremes, but once. Today nothing is said."""
    trials = rated()
    high = trials["participant"].str[1:].astype(int) % 2 == 1
    rating = trials["rating"].where(trials["rating"].isna(), high.map({True: 7, False: 1}))
    rating[rating.first_valid_index()] = 4
    answer = ratings_of(trials.assign(rating=rating.astype("Int64")))
    assert answer.rows(RATING_ODDS) == ()
    (row,) = answer.no_odds
    assert row.reason
    lacking = ratings.RATINGS.lacking(None, answer)
    assert row.reason in [one.reason for one in lacking]
