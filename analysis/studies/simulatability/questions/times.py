"""How long participants take for examples and predictions, by method."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.estimates import (
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    levels,
    select,
)
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Question, Unavailable
from analysis.report.declared import ReportFigure, changes
from analysis.report.style import BLUE, GREY, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import number, rounded
from analysis.statistics.estimate import Estimate, by_student
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.tables import DOMAIN, METHOD
from analysis.studies.simulatability.words import (
    COUNTERFACTUAL,
    FORWARD,
    LEARNING,
    POST,
    PRE,
    ROW_IN,
    UP,
    domain_name,
    methods_axis,
)

tenths = rounded(number, 1)
PART_WORDS: Final = {
    "examples_before": "examples, the first time",
    "examples_after": "examples, the second time",
    "forward_before": "forward, before",
    "forward_after": "forward, after",
    "counterfactual_before": "counterfactual, before",
    "counterfactual_after": "counterfactual, after",
}
"""Parts of a session, in order."""
THAT_EXPLAIN: Final = ("examples_after", "counterfactual_after")
"""Parts in which methods show explanations, and the arm without them the same cases."""
_USES: Final = {LEARNING: "examples", FORWARD: FORWARD, COUNTERFACTUAL: COUNTERFACTUAL}
_PHASES: Final = {PRE: "before", POST: "after"}


MEDIAN = Quantity("median_s", "Median", "Median time of a participant for a case.", tenths, "s")
MEAN = Quantity("mean_s", "Time for a case", "Mean of participants’ medians.", tenths, "s")
CASES = Quantity("cases", "Cases", "Examples or items with a time.")


def compute(data: SimulatabilityData) -> Estimates | Unavailable:
    """Return how long people take for a case, by method and part of the session."""
    timed = _timed(data.selection.kept)
    if timed.empty:
        return Unavailable("times by method", "the table has no column rt_s, look_s or rating_rt_s")
    return Estimates(tuple(_rows(timed, data.predictions.methods)))


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


def _rows(timed: pd.DataFrame, methods: tuple[str, ...]) -> Iterator[EstimateRow]:
    groups = dict(list(timed.groupby(["domain", "method", "part"])))
    for domain_ in dict.fromkeys(key[0] for key in groups):
        for name in methods:
            for part in PART_WORDS:
                if (cases := groups.get((domain_, name, part))) is not None:
                    of = {"domain": str(domain_), "method": name, "part": part}
                    medians = cases.groupby("participant")["seconds"].median()
                    yield estimate_row(MEAN, of, mean_time(medians), len(medians))
                    yield estimate_row(CASES, of, len(cases))
                    for code, median in medians.items():
                        yield estimate_row(MEDIAN, of | {"participant": str(code)}, float(median))


def mean_time(medians: pd.Series) -> Estimate:
    """Return the mean of an arm's participants; no time, so no limit, is below 0."""
    n = len(medians)
    se = float(medians.std(ddof=1)) / n**0.5
    return by_student(float(medians.mean()), se, n - 1, (0.0, inf))


def _explained(answer: Estimates) -> tuple[EstimateRow, ...]:
    """Return mean times in the parts in which methods show explanations."""
    return tuple(row for row in answer.rows(MEAN) if row.of["part"] in THAT_EXPLAIN)


BY_METHOD = pivot(
    "Time for a case in the parts in which methods show explanations.",
    (
        DOMAIN,
        replace(METHOD, once=True),
        level_of("part", "Part", PART_WORDS.__getitem__),
        n_of(MEAN, "Participants"),
        value_of(MEAN),
        limits_of(MEAN),
    ),
    by=("domain", "method", "part"),
    of=_explained,
    note="The arm without explanations sees the same cases without them. Means of participants’ "
    "medians, with Student’s t. Time runs from the case’s onset to the "
    "rating and on to the prediction. tables/estimates.csv has the other parts, too.",
    strong=changes("domain"),
    row_headers=3,
)


def draw(answer: Estimates) -> Figure:
    """Return participants' times in these parts, a panel a domain and part."""
    means = _explained(answer)
    panels = list(dict.fromkeys((row.of["domain"], row.of["part"]) for row in means))
    methods = levels(means, "method")[::-1]
    with figure_style():
        figure, grid = subplots(
            1, len(panels), sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.9 + ROW_IN * len(methods)),
        )  # fmt: skip
        for axes, (name, part) in zip(grid.flat, panels, strict=True):
            axes.set_title(f"{domain_name(name).capitalize()},\n{part.split('_')[0]}")
            for row in select(means, domain=name, part=part):
                place = methods.index(row.of["method"])
                medians = [median.estimate for median in answer.rows(MEDIAN, **row.of)]
                axes.plot(
                    medians, [place - UP] * len(medians), "o", color=GREY,
                    markersize=3, alpha=0.6, markeredgewidth=0,
                )  # fmt: skip
                draw_estimate(axes, row, place + UP / 2, BLUE, "o")
            methods_axis(axes, methods)
            axes.set_xlim(0, 1.05 * axes.get_xlim()[1])
        figure.supxlabel("time for a case, s", fontsize=8.5)
    return figure


def _limits_words(answer: Estimates) -> str:
    known = any(row.ci_low is not None for row in _explained(answer))
    return " with 95 % intervals" if known else ""


FIGURE = ReportFigure(
    "times",
    lambda answer: (
        f"Time for a case where methods show explanations: means{_limits_words(answer)}, and each "
        "participant’s median."
    ),
    "Panels by domain and part; a row for each method with its mean and its participants",
    draw,
    _explained,
)
TIMES = Question(
    id="times",
    title="Time for a case",
    answer=Estimates,
    quantities=(MEAN, CASES, MEDIAN),
    compute=compute,
    parts=(FIGURE, BY_METHOD),
)
"""How long participants take for a case."""
