"""How good participants find explanations, and whether their ratings tell when they are right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

from matplotlib.figure import Figure

from analysis.questions.estimates import AGAINST, EstimateRow, Estimates, levels, select
from analysis.questions.pivot import (
    Wide,
    level_of,
    limits_of,
    n_of,
    p_of,
    pivot,
    value_of,
    with_p_of,
)
from analysis.questions.question import Lacking, Promise, Question, Unavailable, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.parts import Column
from analysis.report.style import BLUE, GREY, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import listed
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.quantities import HALF_WIDTH, PEOPLE
from analysis.studies.simulatability.ratings import (
    ABSOLUTE,
    RATING,
    RATING_DIFFERENCE,
    RATING_ODDS,
    RATING_SD,
    RATING_STEP,
    WITHIN_ITEM,
    WITHIN_USER,
    WRONG,
    NoOdds,
    PersonRating,
    correctness_differences,
    correctness_ratings,
    method_ratings,
    person_ratings,
    rating_odds,
    step_rows,
)
from analysis.studies.simulatability.tables import DOMAIN, table_by
from analysis.studies.simulatability.words import (
    ROW_IN,
    UP,
    domain_name,
    method_name,
    methods_axis,
    signed_points,
)

STEP_WORDS: Final = {
    ABSOLUTE: "4 to 5",
    WITHIN_USER: "mean to 1 SD, within participants",
    WITHIN_ITEM: "mean to 1 SD, within method and item",
}


@dataclass(frozen=True, slots=True)
class Ratings(Estimates):
    """Ratings of explanations, 1 to 7."""

    people: Annotated[tuple[PersonRating, ...], about("Each participant's mean rating.")]
    no_odds: Annotated[tuple[NoOdds, ...], about("Domains without an ordinal model, and why.")]


def compute(data: SimulatabilityData) -> Ratings | Unavailable:
    """Return ratings by method and by the model's correctness, and what they predict."""
    predictions, protocol = data.predictions, data.protocol
    if predictions.ratings.empty:
        return Unavailable("ratings of explanations", "the table has none")
    odds = list(rating_odds(predictions))
    rows = (
        *method_ratings(predictions, protocol),
        *correctness_ratings(predictions, protocol),
        *correctness_differences(predictions, protocol, data.plan),
        *step_rows(predictions, protocol),
        *(row for row in odds if isinstance(row, EstimateRow)),
    )
    reasons = tuple(row for row in odds if isinstance(row, NoOdds))
    return Ratings(rows, person_ratings(predictions), reasons)


def _means(answer: Ratings, factor: str) -> Sequence[EstimateRow]:
    """Return mean ratings, and what stands beside them, by the levels of a factor."""
    rows = answer.rows(RATING, RATING_SD, PEOPLE)
    return [row for row in rows if factor in row.of and AGAINST not in row.of]


MEANS: Final = (value_of(RATING), limits_of(RATING), value_of(RATING_SD))
BY_METHOD = table_by(
    ("domain", "method"),
    "Ratings of explanations by method (1 to 7).",
    (n_of(RATING, "n", unit=""), value_of(PEOPLE), *MEANS),
    lambda answer: _means(answer, "method"),
    "Ratings of examples and of counterfactual items. Intervals: published bootstrap of a "
    "method’s participants and items.",
)
BY_MODEL = pivot(
    "Ratings by whether the model is right.",
    (DOMAIN, level_of("model", "Model"), n_of(RATING, "n", unit=""), *MEANS),
    by=("domain", "model"),
    of=lambda answer: _means(answer, "model"),
    strong=changes("domain"),
    row_headers=2,
)
DIFFERENCES = pivot(
    "Ratings where the model is right minus ratings where it is wrong.",
    (
        DOMAIN,
        n_of(RATING_DIFFERENCE, "n", unit=""),
        *with_p_of(RATING_DIFFERENCE),
        replace(p_of(HALF_WIDTH), unit="published"),
    ),
    by=("domain",),
    of=lambda answer: answer.rows(RATING_DIFFERENCE, HALF_WIDTH, against=WRONG),
    note="Means over participants and items, with t tests. Published: bootstrap of participants "
    "and items; the paper found no significant difference.",
)


def _compared(row: Wide) -> str:
    """Return what is compared with what."""
    names = (row["method"] or row["model"], row[AGAINST])
    return " against ".join(method_name(name) if row["method"] else f"model {name}"
                            for name in names)  # fmt: skip


ODDS = pivot(
    "Higher ratings, by an ordinal mixed model.",
    (DOMAIN, Column("Compared", _compared), *with_p_of(RATING_ODDS)),
    by=("domain", "method", "model", AGAINST),
    of=lambda answer: answer.rows(RATING_ODDS),
    note="A cumulative logistic model of ratings with random intercepts of participants and items. "
    "It takes the steps of the scale as ordered, and not as equally far apart. Above 1: higher "
    "ratings.",
    strong=changes("domain"),
    row_headers=2,
)
PREDICTING = pivot(
    "How much more often predictions are right with a higher rating (counterfactual test, after "
    "explanations).",
    (
        DOMAIN,
        level_of("step", "Step of the rating", STEP_WORDS.__getitem__),
        n_of(RATING_STEP, "n", unit=""),
        *with_p_of(RATING_STEP),
    ),
    by=("domain", "step"),
    of=lambda answer: answer.rows(RATING_STEP),
    note="Logistic regression, with intervals from the published bootstrap. The paper’s text "
    "normalises ratings within participants, its code within method and item.",
    strong=changes("domain"),
    row_headers=2,
)
PEOPLE_TABLE = ReportTable("person_ratings", "people")


def draw(answer: Ratings) -> Figure:
    """Return mean ratings by method, a panel a domain."""
    rows = [row for row in answer.rows(RATING) if "method" in row.of]
    domains, methods = levels(rows, "domain"), levels(rows, "method")[::-1]
    with figure_style():
        figure, panels = subplots(
            1, len(domains), sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + 0.6 + ROW_IN * len(methods)),
        )  # fmt: skip
        for axes, name in zip(panels.flat, domains, strict=True):
            axes.set_title(domain_name(name).capitalize())
            for person in answer.people:
                if person.domain == name:
                    place = methods.index(person.method) - UP
                    axes.plot(person.mean, place, "o", color=GREY, markersize=2.5, alpha=0.5)
            for row in select(rows, domain=name):
                draw_estimate(axes, row, methods.index(row.of["method"]) + UP / 2, BLUE, "o")
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


def _headline(answer: Ratings, _: Whole) -> list[str]:
    rows = answer.rows(RATING_STEP, step=ABSOLUTE)
    steps = [
        f"{written} ({domain_name(row.of['domain'])})"
        for row, written in zip(rows, signed_points(rows, " points"), strict=True)
    ]
    if not steps:
        return []
    return [
        "If an explanation was rated 5 instead of 4, the share of right predictions in the "
        f"counterfactual test differed by {listed(steps)}."
    ]


def _lacking(_: SimulatabilityData, answer: Ratings | None) -> list[Lacking]:
    if answer is None:
        return []
    rows: list[Lacking] = []
    if not _means(answer, "model"):
        reason = "the table doesn’t say when the model is right (outcome)"
        rows.append(Lacking("ratings by the model’s correctness", reason))
    if not answer.rows(RATING_STEP):
        reason = "too few rated predictions of the counterfactual test"
        rows.append(Lacking("right predictions by rating", reason))
    for row in answer.no_odds:
        rows.append(Lacking(f"ratings by an ordinal model, {domain_name(row.domain)}", row.reason))
    return rows


RATINGS = Question(
    id="ratings",
    title="Ratings of explanations",
    answer=Ratings,
    quantities=(
        RATING,
        RATING_SD,
        PEOPLE,
        HALF_WIDTH,
        RATING_DIFFERENCE,
        RATING_STEP,
        RATING_ODDS,
    ),
    compute=compute,
    step="resampling ratings",
    parts=(FIGURE, BY_METHOD, BY_MODEL, DIFFERENCES, ODDS, PREDICTING, PEOPLE_TABLE),
    headline=_headline,
    lacking=_lacking,
    registered=lambda _: Promise(
        "Ratings by method and by whether the model is right, and whether ratings predict "
        "right answers.",
    ),
)
"""How good participants find explanations."""
