"""How good people find explanations, and whether their ratings tell when they are right.

As published: ratings of examples and of counterfactual tests together (Tables 3 and 5), and right
predictions by rating in the counterfactual test after explanations (section 5.3).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed import fit_ordinal
from analysis.mixed.result import fit_or_reason
from analysis.report.about import about
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.means import estimate_mean, measure_means
from analysis.studies.simulatability.published import Resampled, mean_replicates, plan_of
from analysis.studies.simulatability.resampled_tables import Plan, each_block, same_number
from analysis.studies.simulatability.trials import Predictions, units_of
from analysis.studies.simulatability.words import ALL, COUNTERFACTUAL, DOMAINS
from stimuli.studies.simulatability.protocol import Simulatability

Array = np.ndarray

PREDICTING_REPLICATES: Final = 15_000
LEAST: Final = 10
"""Predictions that a logistic regression needs at least."""
ABSOLUTE: Final = "absolute"
"""The step from 4 to 5 of the rating."""
_STEPS: Final = 30
_REACHED: Final = 1e-6


@dataclass(frozen=True)
class MethodOf:
    """A method of a domain."""

    domain: Annotated[str, about("Domain.")]
    method: Annotated[str, about("The method.")]


@dataclass(frozen=True)
class CorrectnessOf:
    """Whether the model of a domain is right."""

    domain: Annotated[str, about("Domain.")]
    model_right: Annotated[bool, about("Whether the model is right.")]


@dataclass(frozen=True)
class MeanRating:
    """A mean of ratings, 1 to 7."""

    n: Annotated[int, about("Ratings.")]
    participants: Annotated[int, about("Participants.")]
    mean: Annotated[float, about("Mean rating, 1 to 7.")]
    sd: Annotated[float | None, about("Standard deviation (n − 1).")]
    half_width: Annotated[float | None, about("Half the width of the mean's 95 % interval.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit of the mean.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit of the mean.")]


@dataclass(frozen=True)
class MethodRating(MeanRating, MethodOf):
    """Ratings of a method's explanations."""


@dataclass(frozen=True)
class CorrectnessRating(MeanRating, CorrectnessOf):
    """Ratings of explanations by whether the model is right."""


@dataclass(frozen=True, slots=True)
class CorrectnessDifference:
    """Mean rating where the model is right less that where it is wrong."""

    domain: Annotated[str, about("Domain.")]
    n: Annotated[int, about("Ratings.")]
    estimate: Annotated[float | None, about("Difference of mean ratings.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over participants and items.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p of no difference, two-sided.")]
    half_width: Annotated[
        float | None, about("Half the width of its interval by the published bootstrap.")
    ]
    p_published: Annotated[float | None, about("p of no difference by the published bootstrap.")]


@dataclass(frozen=True, slots=True)
class RatingOdds:
    """How much higher explanations are rated, by an ordinal mixed model."""

    domain: Annotated[str, about("Domain.")]
    what: Annotated[str, about("A method, or model_right: the model is right.")]
    reference: Annotated[str, about("What it is compared with: a method, or model_wrong.")]
    odds_ratio: Annotated[float | None, about("Odds of a rating above any step, as a ratio.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p of no difference, two-sided.")]


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


@dataclass(frozen=True, slots=True)
class StepEffect:
    """How much more often predictions are right with a rating one step higher."""

    domain: Annotated[str, about("Domain.")]
    scale: Annotated[
        str,
        about(
            "The step. absolute: from 4 to 5; within_user: from a participant's mean to one SD "
            "above it; within_item: from the mean of a method's item to one SD above it."
        ),
    ]
    n: Annotated[int, about("Predictions.")]
    points: Annotated[float | None, about("Difference of right predictions, percentage points.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p of no difference.")]


def method_ratings(predictions: Predictions, protocol: Simulatability) -> tuple[MethodRating, ...]:
    """Return mean ratings by domain and method."""
    return tuple(
        MethodRating(domain, str(method), *mean)
        for domain, own in _by_domain(predictions)
        for method, mean in _means(
            own,
            "method",
            _order(own["method"], predictions.methods),
            plan_of(protocol, (domain, ALL), "ratings"),
        )
    )


def rating_odds(predictions: Predictions) -> tuple[RatingOdds | NoOdds, ...]:
    """Return what ratings depend on, by a cumulative logistic model with people and items.

    Ratings are steps: the model takes them as ordered, and not as equally far apart. A domain
    without a sound fit has the reason.
    """
    return tuple(
        row
        for domain, own in _by_domain(predictions)
        for row in _odds_of(domain, own, predictions.methods)
    )


def _odds_of(
    domain: str, own: pd.DataFrame, methods: Sequence[str]
) -> Iterator[RatingOdds | NoOdds]:
    known = own[own["model_right"].notna()]
    own = known if known["model_right"].nunique() > 1 else own
    order = _order(own["method"], methods)
    terms = [f"C(method, Treatment({order[0]!r}))"] if len(order) > 1 else []
    terms += ["model_right"] if own["model_right"].nunique() > 1 else []
    if not terms or own["rating"].nunique() < 2:
        return
    formula = f"rating ~ {' + '.join(terms)} + (1 | participant) + (1 | item)"
    outcome = fit_or_reason(fit_ordinal, formula, own.reset_index(drop=True))
    if outcome.sound is None:
        yield NoOdds(domain, outcome.why_not)
        return
    for row in outcome.sound.fixed:
        right = row.term == "model_right"
        method = next((m for m in order[1:] if row.term.endswith(f"[{m}]")), "")
        if right or method:
            what = ("model_right", "model_wrong") if right else (method, order[0])
            limits = np.exp([row.estimate, row.ci_low, row.ci_high]).tolist()
            yield RatingOdds(domain, *what, *limits, row.p)


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
) -> tuple[CorrectnessRating, ...]:
    """Return mean ratings by domain and whether the model is right, where that is known."""
    return tuple(
        CorrectnessRating(domain, bool(right), *mean)
        for domain, own in _by_domain(predictions)
        for right, mean in _means(
            own[own["model_right"].notna()].reset_index(drop=True),
            "model_right",
            [1.0, 0.0],
            plan_of(protocol, (domain, ALL), "ratings by model"),
        )
    )


def _by_domain(predictions: Predictions) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the ratings of each domain that has any."""
    ratings = predictions.ratings
    for domain in DOMAINS:
        own = ratings[ratings["domain"] == domain].reset_index(drop=True)
        if len(own):
            yield domain, own


def _order(found: pd.Series, methods: Sequence[str]) -> list[str]:
    there = set(found)
    return [*(m for m in methods if m in there), *sorted(there - set(methods))]


def _means(
    own: pd.DataFrame, column: str, levels: Sequence[Any], plan: Plan
) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield each level of a column that has ratings, with the values of a `MeanRating`.

    As published, people and items are resampled among the ratings of the level alone.
    """
    for level in levels:
        mine = own[own[column] == level].reset_index(drop=True)
        if mine.empty:
            continue
        values = mine["rating"].to_numpy(dtype=float)
        draws = mean_replicates(values, np.ones((len(mine), 1)), mine, plan)[:, 0]
        found, people = Resampled.of(draws), int(mine["participant"].nunique())
        sd = float(values.std(ddof=1)) if len(mine) > 1 else None
        mean = (len(mine), people, float(values.mean()), sd)
        yield level, (*mean, found.half_width, found.ci_low, found.ci_high)


def correctness_differences(
    predictions: Predictions, protocol: Simulatability, plan: Resampling
) -> tuple[CorrectnessDifference, ...]:
    """Return whether explanations of right outputs are rated like those of wrong ones (5.2).

    People rate both kinds, and an item has one kind, so both people and items count as random.
    """
    rows = []
    for domain, ratings in _by_domain(predictions):
        own = ratings[ratings["model_right"].notna()].reset_index(drop=True)
        if own["model_right"].nunique() < 2:
            continue
        cells = np.column_stack([own["model_right"] == 1.0, own["model_right"] == 0.0])
        values, contrast = own["rating"].to_numpy(dtype=float), np.array([1.0, -1.0])
        means = measure_means(values, cells.astype(float), units_of(own), plan)
        limits = estimate_mean(means, contrast)
        drawn = Resampled.of(
            mean_replicates(
                values,
                cells.astype(float),
                own,
                plan_of(protocol, (domain, ALL), "ratings, right less wrong"),
            )
            @ contrast
        )
        rows.append(
            CorrectnessDifference(
                domain,
                len(own),
                limits.estimate,
                limits.ci_low,
                limits.ci_high,
                limits.p,
                drawn.half_width,
                drawn.p,
            )
        )
    return tuple(rows)


def step_rows(predictions: Predictions, protocol: Simulatability) -> tuple[StepEffect, ...]:
    """Return what ratings say of predictions after explanations, in the counterfactual test."""
    return tuple(
        row
        for domain, own in _by_domain(predictions)
        for row in _steps_of(
            own, plan_of(protocol, (domain, COUNTERFACTUAL), "predicting", PREDICTING_REPLICATES)
        )
    )


def _steps_of(own: pd.DataFrame, plan: Plan) -> Iterator[StepEffect]:
    used = own[(own["test"] == COUNTERFACTUAL) & own["correct"].notna()].reset_index(drop=True)
    if len(used) < LEAST or used["correct"].nunique() < 2:
        return
    right = used["correct"].to_numpy(dtype=float)
    scales = {
        ABSOLUTE: used["rating"].to_numpy(dtype=float),
        # The paper's text normalises within users, its code within method and item.
        "within_user": _normalised(used, ["participant"]),
        "within_item": _normalised(used, ["method", "item"]),
    }
    for scale, rating in scales.items():
        known = np.isfinite(rating)
        if known.sum() < LEAST or np.ptp(rating[known]) == 0 or np.ptp(right[known]) == 0:
            continue
        steps = (4.0, 5.0) if scale == ABSOLUTE else (0.0, 1.0)
        rows, part = used[known].reset_index(drop=True), (rating[known], right[known], steps)
        estimate = float(step_effects(np.ones((1, len(rows))), *part)[0])
        found = Resampled.of(_drawn(rows, part, plan))
        yield StepEffect(
            rows["domain"].iloc[0],
            scale,
            n=len(rows),
            points=100 * estimate,
            ci_low=100 * found.ci_low,
            ci_high=100 * found.ci_high,
            p=found.p,
        )


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
    found = expit(beta[:, :1] + beta[:, 1:] * (np.array(steps) - centre))
    return np.where(lost, np.nan, found[:, 1] - found[:, 0])
