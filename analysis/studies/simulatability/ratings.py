"""How good people find explanations, and whether their ratings tell when they are right.

As published: ratings of examples and of counterfactual tests together (Tables 3 and 5), and right
predictions by rating in the counterfactual test after explanations (section 5.3).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed import fit_ordinal
from analysis.mixed.result import fit_or_reason
from analysis.questions.cells import Cells
from analysis.questions.estimates import AGAINST, EstimateRow, Of, Quantity, estimate_row
from analysis.report.about import about
from analysis.report.wording import ratio, rounded, signed
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Ends
from analysis.statistics.proportions import Interval
from analysis.studies.simulatability.published import Resampled, mean_replicates, plan_of
from analysis.studies.simulatability.quantities import HALF_WIDTH, PEOPLE
from analysis.studies.simulatability.resampled_tables import Plan, each_block, same_number
from analysis.studies.simulatability.trials import Predictions, units_of
from analysis.studies.simulatability.words import ALL, COUNTERFACTUAL, DOMAINS
from stimuli.studies.simulatability.protocol import Simulatability

Array = np.ndarray

PREDICTING_REPLICATES: Final = 15_000
LEAST: Final = 10
"""Predictions that a logistic regression needs at least."""
ABSOLUTE, WITHIN_USER, WITHIN_ITEM = "absolute", "within_user", "within_item"
"""A step of the rating: from 4 to 5, or from a mean to one SD above it."""
RIGHT, WRONG = "right", "wrong"
MODEL: Final = {RIGHT: 1.0, WRONG: 0.0}
SCALE: Final[Ends] = (1.0, 7.0)

RATING = Quantity("rating", "Mean", "Mean rating of explanations, 1 to 7.")
RATING_SD = Quantity("rating_sd", "SD", "Standard deviation of ratings.", unit="n − 1")
RATING_DIFFERENCE = Quantity(
    "rating_difference", "Difference",
    "Mean rating where the model is right less that where it is wrong.", rounded(signed, 2),
)  # fmt: skip
RATING_ODDS = Quantity(
    "rating_odds_ratio", "Odds ratio",
    "Odds of a rating above any step, as a ratio, by an ordinal mixed model.", ratio,
)  # fmt: skip
RATING_STEP = Quantity(
    "rating_step_points", "Right predictions",
    "How much more often predictions are right with a rating one step higher: from 4 to 5 "
    "(absolute), or from the mean of a participant, or of a method’s item, to one SD above it.",
    signed, "points",
)  # fmt: skip
_STEPS: Final = 30
_REACHED: Final = 1e-6


@dataclass(frozen=True, slots=True)
class NoOdds:
    """Why a domain has no ordinal model of ratings."""

    domain: Annotated[str, about("Domain.")]
    reason: Annotated[str, about("Why its estimates are not given.")]


@dataclass(frozen=True, slots=True)
class PersonRating:
    """A participant's mean rating of a method's explanations."""

    domain: Annotated[str, about("Domain.")]
    method: Annotated[str, about("The method.")]
    participant: Annotated[str, about("Code of the participant.")]
    n: Annotated[int, about("Ratings.")]
    mean: Annotated[float, about("Mean rating, 1 to 7.")]


def method_ratings(predictions: Predictions, protocol: Simulatability) -> Iterator[EstimateRow]:
    """Yield mean ratings by domain and method."""
    for domain, ratings in _by_domain(predictions):
        plan = plan_of(protocol, (domain, ALL), "ratings")
        for method in _order(ratings["method"], predictions.methods):
            of = {"domain": domain, "method": method}
            yield from _mean(ratings[ratings["method"] == method], of, plan)


def rating_odds(predictions: Predictions) -> Iterator[EstimateRow | NoOdds]:
    """Yield what ratings depend on, by a cumulative logistic model with people and items.

    Ratings are steps: the model takes them as ordered, and not as equally far apart. A domain
    without a sound fit has the reason.
    """
    for domain, ratings in _by_domain(predictions):
        yield from _odds_of(domain, ratings, predictions.methods)


def _odds_of(
    domain: str, ratings: pd.DataFrame, methods: Sequence[str]
) -> Iterator[EstimateRow | NoOdds]:
    known = ratings[ratings["model_right"].notna()]
    ratings = known if known["model_right"].nunique() > 1 else ratings
    order = _order(ratings["method"], methods)
    terms = [f"C(method, Treatment({order[0]!r}))"] if len(order) > 1 else []
    terms += ["model_right"] if ratings["model_right"].nunique() > 1 else []
    if not terms or ratings["rating"].nunique() < 2:
        return
    formula = f"rating ~ {' + '.join(terms)} + (1 | participant) + (1 | item)"
    outcome = fit_or_reason(fit_ordinal, formula, ratings.reset_index(drop=True))
    if outcome.sound is None:
        yield NoOdds(domain, outcome.why_not)
        return
    for row in outcome.sound.fixed:
        compared = {"model": RIGHT, AGAINST: WRONG} if row.term == "model_right" else {}
        for method in order[1:]:
            if row.term.endswith(f"[{method}]"):
                compared = {"method": method, AGAINST: order[0]}
        if compared:
            odds = Interval(*np.exp([row.estimate, row.ci_low, row.ci_high]).tolist())
            yield estimate_row(RATING_ODDS, {"domain": domain, **compared}, odds, p=row.p)


def person_ratings(predictions: Predictions) -> tuple[PersonRating, ...]:
    """Return each participant's mean rating, by domain and method."""
    names = ["domain", "method", "participant"]
    means = predictions.ratings.groupby(names, as_index=False).agg(
        n=("rating", "size"), mean=("rating", "mean")
    )
    return tuple(
        PersonRating(
            **{name: str(row[name]) for name in names}, n=int(row["n"]), mean=float(row["mean"])
        )
        for row in means.to_dict("records")
    )


def correctness_ratings(
    predictions: Predictions, protocol: Simulatability
) -> Iterator[EstimateRow]:
    """Yield mean ratings by domain and whether the model is right, where that is known."""
    for domain, ratings in _by_domain(predictions):
        plan = plan_of(protocol, (domain, ALL), "ratings by model")
        for model, right in MODEL.items():
            of = {"domain": domain, "model": model}
            yield from _mean(ratings[ratings["model_right"] == right], of, plan)


def _by_domain(predictions: Predictions) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the ratings of each domain that has any."""
    ratings = predictions.ratings
    for domain in DOMAINS:
        of_domain = ratings[ratings["domain"] == domain].reset_index(drop=True)
        if len(of_domain):
            yield domain, of_domain


def _order(values: pd.Series, methods: Sequence[str]) -> list[str]:
    there = set(values)
    return [*(m for m in methods if m in there), *sorted(there - set(methods))]


def _mean(ratings: pd.DataFrame, of: Of, plan: Plan) -> Iterator[EstimateRow]:
    """Yield the mean of some ratings, if there are any.

    As published, people and items are resampled among these ratings alone.
    """
    if ratings.empty:
        return
    ratings = ratings.reset_index(drop=True)
    values = ratings["rating"].to_numpy(dtype=float)
    draws = mean_replicates(values, np.ones((len(ratings), 1)), ratings, plan)[:, 0]
    yield from Resampled.of(draws).rows(RATING, of, float(values.mean()), len(ratings))
    yield estimate_row(PEOPLE, of, int(ratings["participant"].nunique()))
    yield estimate_row(RATING_SD, of, float(values.std(ddof=1)) if len(ratings) > 1 else None)


def correctness_differences(
    predictions: Predictions, protocol: Simulatability, plan: Resampling
) -> Iterator[EstimateRow]:
    """Yield whether explanations of right outputs are rated like those of wrong ones (5.2).

    People rate both kinds, and an item has one kind, so both people and items count as random.
    """
    for domain, ratings in _by_domain(predictions):
        known = ratings[ratings["model_right"].notna()].reset_index(drop=True)
        if known["model_right"].nunique() < 2:
            continue
        known["model"] = np.where(known["model_right"] == 1.0, RIGHT, WRONG)
        levels = {"domain": (domain,), "model": tuple(MODEL)}
        cells = Cells.of(known, "rating", levels, plan, SCALE)
        (difference,) = cells.contrasts(RATING_DIFFERENCE, "model", [(RIGHT, WRONG)])
        yield difference.row()
        weights = np.column_stack([known["model"] == model for model in MODEL]).astype(float)
        seed = plan_of(protocol, (domain, ALL), "ratings, right less wrong")
        values = known["rating"].to_numpy(dtype=float)
        right, wrong = mean_replicates(values, weights, known, seed).T
        drawn = Resampled.of(right - wrong)
        yield estimate_row(HALF_WIDTH, difference.of, drawn.half_width, p=drawn.p)


def step_rows(predictions: Predictions, protocol: Simulatability) -> Iterator[EstimateRow]:
    """Yield what ratings say of predictions after explanations, in the counterfactual test."""
    for domain, ratings in _by_domain(predictions):
        plan = plan_of(protocol, (domain, COUNTERFACTUAL), "predicting", PREDICTING_REPLICATES)
        yield from _steps_of(domain, ratings, plan)


def _steps_of(domain: str, ratings: pd.DataFrame, plan: Plan) -> Iterator[EstimateRow]:
    after = ratings[(ratings["test"] == COUNTERFACTUAL) & ratings["correct"].notna()]
    used = after.reset_index(drop=True)
    if len(used) < LEAST or used["correct"].nunique() < 2:
        return
    right = used["correct"].to_numpy(dtype=float)
    scales = {
        ABSOLUTE: used["rating"].to_numpy(dtype=float),
        # The paper's text normalises within users, its code within method and item.
        WITHIN_USER: _normalised(used, ["participant"]),
        WITHIN_ITEM: _normalised(used, ["method", "item"]),
    }
    for scale, rating in scales.items():
        known = np.isfinite(rating)
        if known.sum() < LEAST or np.ptp(rating[known]) == 0 or np.ptp(right[known]) == 0:
            continue
        steps = (4.0, 5.0) if scale == ABSOLUTE else (0.0, 1.0)
        rows, part = used[known].reset_index(drop=True), (rating[known], right[known], steps)
        estimate = float(step_effects(np.ones((1, len(rows))), *part)[0])
        drawn = Resampled.of(_drawn(rows, part, plan))
        points = Interval(100 * estimate, 100 * drawn.ci_low, 100 * drawn.ci_high)
        of = {"domain": domain, "step": scale}
        yield estimate_row(RATING_STEP, of, points, len(rows), p=drawn.p)


def _drawn(rows: pd.DataFrame, part: tuple[Array, Array, tuple[float, float]], plan: Plan) -> Array:
    units = units_of(rows)

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        return step_effects(same_number(units, rng, replicates).astype(float), *part)

    return each_block(compute, plan, len(rows))


def _normalised(used: pd.DataFrame, by: list[str]) -> Array:
    """Return (n,) ratings less their group's mean over its SD (n − 1); NaN if that is 0."""
    groups = used.groupby(by)["rating"]
    sd = groups.transform("std").to_numpy(dtype=float)
    away = (used["rating"] - groups.transform("mean")).to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sd > 0, away / sd, np.nan)


def step_effects(weights: Array, rating: Array, right: Array, steps: tuple[float, float]) -> Array:
    """Return (tables,) how the probability of being right changes over a step of the rating.

    A logistic regression of being right on the rating is fitted to each table by Newton's steps;
    NaN if it has no maximum.

    Parameters
    ----------
    weights
        (tables, n) how often each row is in a table.
    rating, right
        (n,) the rating; 1 where the prediction is right, else 0.
    steps
        The two ratings.
    """
    values, place = np.unique(rating, return_inverse=True)
    level = np.eye(len(values))[place]
    n, hits = weights @ level, weights @ (level * right[:, None])
    centre = values.mean()
    x, beta = values - centre, np.zeros((len(weights), 2))
    for _ in range(_STEPS):
        p = expit(beta[:, :1] + beta[:, 1:] * x)
        residual, weight = hits - n * p, n * p * (1 - p)
        slope = np.stack([residual.sum(axis=1), residual @ x], axis=1)
        a, b, d = weight.sum(axis=1), weight @ x, weight @ x**2
        with np.errstate(divide="ignore", invalid="ignore"):
            move = np.stack(
                [d * slope[:, 0] - b * slope[:, 1], a * slope[:, 1] - b * slope[:, 0]], axis=1
            ) / (a * d - b * b)[:, None]  # fmt: skip
        beta += np.clip(move, -4, 4)
        if np.nanmax(np.abs(move), initial=0.0) < 1e-9:
            break
    # If ratings separate right from wrong without exception, the slope grows without limit.
    lost = ~(np.abs(move) < _REACHED).all(axis=1)
    shares = expit(beta[:, :1] + beta[:, 1:] * (np.array(steps) - centre))
    return np.where(lost, np.nan, shares[:, 1] - shares[:, 0])
