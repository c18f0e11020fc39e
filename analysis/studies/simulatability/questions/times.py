"""How long participants take with explanations and predictions, by method."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import nan
from typing import Annotated, Final

import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes, spelled
from analysis.report.parts import Column, limits
from analysis.report.style import BLUE, GREY, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import grouped, number, rounded
from analysis.statistics.proportions import Interval
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import (
    COUNTERFACTUAL,
    FORWARD,
    LEARNING,
    POST,
    PRE,
    ROW_IN,
    UP,
    domain,
    domain_name,
    method,
    methods_axis,
)

tenths = rounded(number, 1)
PART_WORDS: Final = {
    "examples_before": "examples, without explanations",
    "examples_after": "examples, with explanations",
    "forward_before": "forward, before",
    "forward_after": "forward, after",
    "counterfactual_before": "counterfactual, before",
    "counterfactual_after": "counterfactual, with explanations",
}
"""Parts of a session, in order."""
WITH_EXPLANATIONS: Final = ("examples_after", "counterfactual_after")
_USES: Final = {LEARNING: "examples", FORWARD: FORWARD, COUNTERFACTUAL: COUNTERFACTUAL}
_PHASES: Final = {PRE: "before", POST: "after"}


@dataclass(frozen=True, slots=True)
class MethodTime:
    """Time for a case in a part of the session, over the medians of an arm's participants."""

    domain: Annotated[str, about("Domain.")]
    method: Annotated[str, about("The method.")]
    part: Annotated[str, about("Part of the session; its cases are examples or items.")]
    cases: Annotated[int, about("Cases with a time.")]
    medians_s: Annotated[tuple[float, ...], about("Each participant's median, seconds.")]
    mean_s: Annotated[float, about("Mean of participants' medians, seconds.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Student's t).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Times:
    """Time with explanations and predictions: on the screen until the rating or the prediction."""

    by_method: Annotated[tuple[MethodTime, ...], about("By domain, method and part.")]


def compute(data: SimulatabilityData) -> Times | Unavailable:
    """Return how long people take for a case, by method and part of the session."""
    timed = _timed(data.taken.kept)
    if timed.empty:
        return Unavailable("times by method", "the table has no column rt_s, look_s or rating_rt_s")
    return Times(tuple(_rows(timed, data.predictions.methods)))


def _timed(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the cases with a time: of the look, or else until rating and prediction together."""
    look, rating, answer = (
        pd.to_numeric(trials[name], errors="coerce").astype(float)
        if name in trials
        else pd.Series(float("nan"), index=trials.index)
        for name in ("look_s", "rating_rt_s", "rt_s")
    )
    # A look at an example that is rated ends with the rating: its time isn't added again.
    seconds = look.fillna(rating.add(answer, fill_value=0.0))
    part = trials["use"].map(_USES) + "_" + trials["phase"].map(_PHASES)
    frame = trials[["participant", "domain", "method"]].assign(part=part, seconds=seconds)
    return frame.dropna()


def _rows(timed: pd.DataFrame, methods: tuple[str, ...]) -> Iterator[MethodTime]:
    groups = dict(list(timed.groupby(["domain", "method", "part"])))
    for domain_ in dict.fromkeys(key[0] for key in groups):
        for name in methods:
            for part in PART_WORDS:
                if (own := groups.get((domain_, name, part))) is not None:
                    medians = own.groupby("participant")["seconds"].median()
                    mean = _mean(medians)
                    yield MethodTime(
                        str(domain_),
                        name,
                        part,
                        len(own),
                        tuple(float(median) for median in medians),
                        mean.estimate,
                        mean.ci_low,
                        mean.ci_high,
                    )


def _mean(medians: pd.Series) -> Interval:
    """Return the mean of an arm's participants with its limits; NaN with a single one.

    No time is below 0, so no limit is.
    """
    estimate, n = float(medians.mean()), len(medians)
    if n < 2:
        return Interval(estimate, float("nan"), float("nan"))
    reach = float(stats.t.ppf(0.975, n - 1) * medians.std(ddof=1) / n**0.5)
    return Interval(estimate, max(0.0, estimate - reach), estimate + reach)


BY_METHOD = ReportTable(
    "times",
    lambda found: [
        {name: value for name, value in asdict(row).items() if name != "medians_s"}
        | {"participants": len(row.medians_s)}
        for row in found.by_method
    ],
    "Time for a case with explanations on the screen.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method, once=True),
        Column("Part", spelled("part", PART_WORDS)),
        Column("Participants", lambda row: len(row.medians_s), grouped, "n"),
        Column("Time for a case", "mean_s", tenths, "s"),
        limits(tenths),
    ),
    "Means of participants’ medians, with Student’s t. Time runs from the case’s onset to the "
    "rating and on to the prediction. tables/times.csv has the parts without explanations, too.",
    shown=lambda found: [row for row in found.by_method if row.part in WITH_EXPLANATIONS],
    strong=changes("domain"),
    row_headers=3,
)


def draw(found: Times) -> Figure:
    """Return participants' times with explanations, a panel a domain and part."""
    rows = [row for row in found.by_method if row.part in WITH_EXPLANATIONS]
    panels = list(dict.fromkeys((row.domain, row.part) for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))[::-1]
    with figure_style():
        figure, grid = subplots(
            1, len(panels), sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.9 + ROW_IN * len(methods)),
        )  # fmt: skip
        for axes, (domain_, part) in zip(grid.flat, panels, strict=True):
            axes.set_title(f"{domain_name(domain_).capitalize()},\n{part.split('_')[0]}")
            for row in rows:
                if (row.domain, row.part) == (domain_, part):
                    place = methods.index(row.method)
                    axes.plot(
                        row.medians_s, [place - UP] * len(row.medians_s), "o", color=GREY,
                        markersize=3, alpha=0.6, markeredgewidth=0,
                    )  # fmt: skip
                    mean = Interval(row.mean_s, _or_nan(row.ci_low), _or_nan(row.ci_high))
                    draw_estimate(axes, mean, place + UP / 2, BLUE, "o")
            methods_axis(axes, methods)
            axes.set_xlim(left=0)
        figure.supxlabel("time for a case, s", fontsize=8.5)
    return figure


def _or_nan(value: float | None) -> float:
    return nan if value is None else value


FIGURE = ReportFigure(
    "times",
    "Time for a case with explanations: means with 95 % intervals, and each participant’s median.",
    "Panels by domain and part; a row for each method with its mean and its participants",
    draw,
    lambda found: any(row.part in WITH_EXPLANATIONS for row in found.by_method),
)
TIMES = Question(
    id="times",
    title="Time with explanations",
    answer=Times,
    compute=compute,
    parts=(FIGURE, BY_METHOD),
)
"""How long participants take with explanations."""
