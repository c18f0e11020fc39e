"""How good participants find explanations, and whether their ratings tell when they are right."""

from dataclasses import dataclass
from typing import Annotated, Final

from matplotlib.figure import Figure

from analysis.questions.question import Lacking, Promise, Question, Unavailable, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes, spelled
from analysis.report.parts import Column, limits
from analysis.report.style import BLUE, GREY, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import grouped, listed, number, p_value, ratio, rounded, signed
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.ratings import (
    ABSOLUTE,
    CorrectnessDifference,
    CorrectnessRating,
    MethodRating,
    NoOdds,
    PersonRating,
    RatingOdds,
    StepEffect,
    correctness_differences,
    correctness_ratings,
    method_ratings,
    person_ratings,
    rating_odds,
    step_rows,
)
from analysis.studies.simulatability.words import (
    ROW_IN,
    UP,
    domain,
    domain_name,
    method,
    method_name,
    methods_axis,
    signed_points,
)

STEP_WORDS: Final = {
    ABSOLUTE: "4 to 5",
    "within_user": "mean to 1 SD, within participants",
    "within_item": "mean to 1 SD, within method and item",
}


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of explanations, 1 to 7."""

    methods: Annotated[tuple[MethodRating, ...], about("By domain and method.")]
    by_model: Annotated[
        tuple[CorrectnessRating, ...], about("By domain and whether the model is right.")
    ]
    by_model_differences: Annotated[
        tuple[CorrectnessDifference, ...], about("Where the model is right less where it is wrong.")
    ]
    predicting: Annotated[
        tuple[StepEffect, ...], about("What a step of the rating says of right predictions.")
    ]
    people: Annotated[tuple[PersonRating, ...], about("Each participant's mean rating.")] = ()
    odds: Annotated[
        tuple[RatingOdds, ...], about("Methods and the model's correctness, by an ordinal model.")
    ] = ()
    no_odds: Annotated[tuple[NoOdds, ...], about("Domains without such a model, and why.")] = ()


def compute(data: SimulatabilityData) -> Ratings | Unavailable:
    """Return ratings by method and by the model's correctness, and what they predict."""
    predictions, protocol = data.predictions, data.protocol
    if predictions.ratings.empty:
        return Unavailable("ratings of explanations", "the table has none")
    odds = rating_odds(predictions)
    return Ratings(
        method_ratings(predictions, protocol),
        correctness_ratings(predictions, protocol),
        correctness_differences(predictions, protocol, data.plan),
        step_rows(predictions, protocol),
        person_ratings(predictions),
        tuple(row for row in odds if isinstance(row, RatingOdds)),
        tuple(row for row in odds if isinstance(row, NoOdds)),
    )


BY_METHOD = ReportTable(
    "ratings",
    "methods",
    "Ratings of explanations by method (1 to 7).",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("n", "n", grouped),
        Column("Participants", "participants", grouped, "n"),
        Column("Mean", "mean", number),
        limits(),
        Column("SD", "sd", number, "n − 1"),
    ),
    "Ratings of examples and of counterfactual items. Intervals: published bootstrap of a method’s "
    "participants and items.",
    strong=changes("domain"),
    row_headers=2,
)
BY_MODEL = ReportTable(
    "ratings_by_model",
    "by_model",
    "Ratings by whether the model is right.",
    (
        Column("Domain", domain, once=True),
        Column("Model", lambda row: "right" if row.model_right else "wrong"),
        Column("n", "n", grouped),
        Column("Mean", "mean", number),
        limits(),
        Column("SD", "sd", number, "n − 1"),
    ),
    strong=changes("domain"),
    row_headers=2,
)
DIFFERENCES = ReportTable(
    "ratings_by_model_differences",
    "by_model_differences",
    "Ratings where the model is right minus ratings where it is wrong.",
    (
        Column("Domain", domain),
        Column("n", "n", grouped),
        Column("Difference", "estimate", rounded(signed, 2)),
        limits(rounded(signed, 2)),
        Column("p", "p", p_value),
        Column("p", "p_published", p_value, "published"),
    ),
    "Means over participants and items, with t tests. Published: bootstrap of participants and "
    "items; the paper found no significant difference.",
)
_COMPARED: Final = {"model_right": "model right", "model_wrong": "model wrong"}


def _compared(row: RatingOdds) -> str:
    """Return what is compared with what."""
    names = (_COMPARED.get(name) or method_name(name) for name in (row.what, row.reference))
    return " against ".join(names)


ODDS = ReportTable(
    "rating_odds",
    "odds",
    "Higher ratings, by an ordinal mixed model.",
    (
        Column("Domain", domain, once=True),
        Column("Compared", _compared),
        Column("Odds ratio", "odds_ratio", ratio),
        limits(ratio),
        Column("p", "p", p_value),
    ),
    "A cumulative logistic model of ratings with random intercepts of participants and items. It "
    "takes the steps of the scale as ordered, and not as equally far apart. Above 1: higher "
    "ratings.",
    strong=changes("domain"),
    row_headers=2,
)
PREDICTING = ReportTable(
    "predicting",
    "predicting",
    "How much more often predictions are right with a higher rating (counterfactual test, after "
    "explanations).",
    (
        Column("Domain", domain, once=True),
        Column("Step of the rating", spelled("scale", STEP_WORDS)),
        Column("n", "n", grouped),
        Column("Right predictions", "points", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Logistic regression, with intervals from the published bootstrap. The paper’s text normalises "
    "ratings within participants, its code within method and item.",
    strong=changes("domain"),
    row_headers=2,
)


PEOPLE = ReportTable("person_ratings", "people")


@dataclass(frozen=True, slots=True)
class _Mean:
    """A mean rating as figures draw it."""

    estimate: float
    ci_low: float | None
    ci_high: float | None


def draw(found: Ratings) -> Figure:
    """Return mean ratings by method, a panel a domain."""
    rows = found.methods
    domains = list(dict.fromkeys(row.domain for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))[::-1]
    with figure_style():
        figure, panels = subplots(
            1, len(domains), sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + 0.6 + ROW_IN * len(methods)),
        )  # fmt: skip
        for axes, name in zip(panels.flat, domains, strict=True):
            axes.set_title(domain_name(name).capitalize())
            for person in found.people:
                if person.domain == name:
                    place = methods.index(person.method) - UP
                    axes.plot(person.mean, place, "o", color=GREY, markersize=2.5, alpha=0.5)
            for row in rows:
                if row.domain == name:
                    mean = _Mean(row.mean, row.ci_low, row.ci_high)
                    draw_estimate(axes, mean, methods.index(row.method) + UP / 2, BLUE, "o")
            methods_axis(axes, methods)
            axes.set_xlim(0.8, 7.2)
            axes.set_xticks(range(1, 8))
        figure.supxlabel("rating: does the explanation show why? (1 to 7)", fontsize=8.5)
    return figure


FIGURE = ReportFigure(
    "ratings",
    "Mean ratings with 95 % intervals of the published bootstrap. Grey dots are participants.",
    "A row for each method with its mean rating, a panel for each domain",
    draw,
)


def _headline(found: Ratings, _: Whole) -> list[str]:
    steps = [
        f"{signed_points(row.points, row, ' points')} ({domain(row)})"
        for row in found.predicting
        if row.scale == ABSOLUTE
    ]
    if not steps:
        return []
    return [
        "If an explanation was rated 5 instead of 4, the share of right predictions in the "
        f"counterfactual test differed by {listed(steps)}."
    ]


def _lacking(_: SimulatabilityData, found: Ratings | None) -> list[Lacking]:
    rows: list[Lacking] = []
    if found is not None and not found.by_model:
        reason = "the table doesn’t say when the model is right (outcome)"
        rows.append(Lacking("ratings by the model’s correctness", reason))
    if found is not None and not found.predicting:
        reason = "too few rated predictions of the counterfactual test"
        rows.append(Lacking("right predictions by rating", reason))
    for row in found.no_odds if found is not None else ():
        rows.append(Lacking(f"ratings by an ordinal model, {domain_name(row.domain)}", row.reason))
    return rows


RATINGS = Question(
    id="ratings",
    title="Ratings of explanations",
    answer=Ratings,
    compute=compute,
    step="resampling ratings",
    parts=(FIGURE, BY_METHOD, BY_MODEL, DIFFERENCES, ODDS, PREDICTING, PEOPLE),
    headline=_headline,
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary",
        "Ratings by method and by whether the model is right, and whether ratings predict "
        "right answers.",
    ),
)
"""How good participants find explanations."""
