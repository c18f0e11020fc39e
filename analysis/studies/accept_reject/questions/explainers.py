"""Which explanation method of S is the most useful: each by itself, and every pair."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.estimates import (
    AGAINST,
    Contrast,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    family,
)
from analysis.questions.pivot import (
    adjusted_limits_of,
    adjusted_p_of,
    compared_of,
    level_of,
    limits_of,
    n_of,
    pivot,
    value_of,
)
from analysis.questions.question import Question, Within
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import Column, Paragraph
from analysis.report.style import (
    BLUE,
    INK,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    points_axis,
    subplots,
)
from analysis.report.wording import points
from analysis.statistics.bootstrap.draws import People, Units
from analysis.statistics.means import estimate_shares
from analysis.statistics.proportions import Count
from analysis.statistics.two_way import two_way_means
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.quantities import ACCEPTED, LEADS
from analysis.studies.accept_reject.questions.participants import time_granted
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.words import TENTHS
from stimuli.names import method_title

Array = np.ndarray

DESIGN_WORDS: Final[Mapping[str, str]] = {
    "between": "The methods were shown to different leads: their difference is one of groups, and "
    "holds as far as the groups are alike but for the method.",
    "within": "Every lead saw all methods: in a difference the solutions without explanation, "
    "which are the same, fall out.",
    "mixed": "Some leads saw several methods, others one; differences are partly between leads.",
}
_STEP_IN: Final = 0.24


METHOD_GAIN = Quantity(
    "method_usefulness", "Usefulness",
    "Acceptance of S's solutions explained by a method, less that of S's solutions without by the "
    "same leads.",
    points, "percentage points",
)  # fmt: skip
DIFFERENCE = Quantity(
    "method_difference", "Difference", "Usefulness of a method less that of another.",
    points, "percentage points",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Explainers(Estimates):
    """S's explanation methods compared; no estimates if there is only one."""

    design: Annotated[
        str | None, about("Whether methods differ between leads: between, within or mixed.")
    ]


def compute(data: LeadData) -> Explainers:
    """Return usefulness of each method, and all pairs."""
    return compare_explainers(data.judged, data.plan.people)


def compare_explainers(judged: ScoredTrials, people: People = "random") -> Explainers:
    """Return usefulness of each of S's explanation methods and their differences.

    A method's usefulness is acceptance of S's solutions explained by it, less acceptance of S's
    solutions without explanation by the same leads. Methods may differ between leads (the study
    repeated with other packs) or within them; if every lead saw both of a pair, the part without
    explanation is the same and cancels. Intervals and p values are over leads and items
    (`analysis.statistics.two_way`); p of all pairs is adjusted by Holm.

    Parameters
    ----------
    judged
        All trials; without a column ``method`` there is nothing to compare.
    people
        ``fixed`` if intervals are about these leads alone.
    """
    frame = judged.frame[~judged.aside & (judged.frame["solver"] == "S").to_numpy()]
    methods = _methods(frame)
    if len(methods) < 2:
        return Explainers((), None)
    seen = {name: set(frame.loc[frame["method"] == name, "participant"]) for name in methods}
    weights = np.column_stack([_weights(frame, name, seen[name]) for name in methods])
    accepted = frame["accepted"].to_numpy(dtype=float)
    counts = [
        Count(int(hits), int(n))
        for hits, n in zip(accepted @ weights, weights.sum(axis=0), strict=True)
    ]
    means = None
    if frame["participant"].nunique() > 1:
        units = Units.of(frame["participant"], frame["item"])
        means = two_way_means(accepted, weights, units, people)
    design, between = _design(list(seen.values())), means
    if means is not None and design != "within":
        between = two_way_means(accepted, weights, units)  # never about these leads alone
    gains = dict(zip(methods, _gains(len(methods)), strict=True))
    rows = [row for place, name in enumerate(methods)
            for row in _accepted(name, counts[2 * place : 2 * place + 2])]  # fmt: skip
    for name, gain in gains.items():
        part, n = estimate_shares(counts, gain, means), _n(counts, gain)
        rows.append(estimate_row(METHOD_GAIN, {"method": name}, part, n))
        rows.append(estimate_row(LEADS, {"method": name}, len(seen[name])))
    contrasts = []
    for first, second in itertools.combinations(methods, 2):
        of = {"method": first, AGAINST: second}
        part = estimate_shares(counts, gains[first] - gains[second], between)
        contrasts.append(Contrast(DIFFERENCE, of, part))
        rows.append(estimate_row(LEADS, of, len(seen[first] & seen[second])))
    return Explainers((*rows, *family(contrasts)), design)


def _accepted(method: str, counts: list[Count]) -> Iterator[EstimateRow]:
    for explanation, count in zip(("with", "without"), counts, strict=True):
        yield estimate_row(
            ACCEPTED, {"method": method, "explanation": explanation}, count.rate, count.n
        )


def _n(counts: list[Count], gain: Array) -> int:
    return sum(counts[cell].n for cell in np.flatnonzero(gain))


def _methods(frame: pd.DataFrame) -> list[str]:
    if "method" not in frame:
        return []
    return sorted(frame.loc[frame["explained"], "method"].dropna().unique())


def _weights(frame: pd.DataFrame, method: str, leads: set[str]) -> Array:
    """Return (n, 2): which trials are explained by this method, and which of its leads aren't."""
    with_ = frame["explained"] & (frame["method"] == method)
    without = ~frame["explained"] & frame["participant"].isin(leads)
    return np.column_stack([with_, without]).astype(float)


def _gains(methods: int) -> Array:
    """Return (methods, 2 × methods) each method's usefulness as a sum of the rates."""
    return np.kron(np.eye(methods), [1.0, -1.0])


def _design(leads: list[set[str]]) -> str:
    overlaps = [a & b for a, b in itertools.combinations(leads, 2)]
    if not any(overlaps):
        return "between"
    return "within" if all(group == leads[0] for group in leads) else "mixed"


def _introduction(here: Within[Explainers]) -> Paragraph:
    text = (
        "Usefulness of S’s explanations by the method that made them: acceptance of S’s solutions "
        "with explanations of this method, less that of S’s solutions without by the same leads."
    )
    return Paragraph(f"{text} {DESIGN_WORDS[here.answer.design or 'between']}")


METHODS = pivot(
    lambda here: f"Usefulness by explanation method: acceptance {time_granted(here)}.",
    (
        level_of("method", "Method", method_title),
        value_of(LEADS),
        Column("Without", f"{ACCEPTED.id}/without", TENTHS, "accepted"),
        Column("With", f"{ACCEPTED.id}/with", TENTHS, "accepted"),
        value_of(METHOD_GAIN),
        limits_of(METHOD_GAIN),
        n_of(METHOD_GAIN, "n", "trials"),
    ),
    by=("method",),
    over="explanation",
    of=lambda here: [row for row in here.answer.estimates if AGAINST not in row.of],
)
PAIRS = pivot(
    "Differences of usefulness between explanation methods.",
    (
        compared_of("method", "Methods", method_title),
        value_of(DIFFERENCE),
        adjusted_limits_of(DIFFERENCE),
        adjusted_p_of(DIFFERENCE),
        value_of(LEADS, heading="Leads of both"),
    ),
    by=("method", AGAINST),
    of=lambda here: [row for row in here.answer.estimates if AGAINST in row.of],
    note=lambda here: (
        "Limits and p are corrected over all pairs."
        if len(here.answer.rows(DIFFERENCE)) > 1
        else ""
    ),
)


def draw(here: Within[Explainers]) -> Figure:
    """Draw dots and intervals of methods, and of pairs below."""
    gains = here.answer.rows(METHOD_GAIN)
    rows = (*gains, *here.answer.rows(DIFFERENCE))
    names = [
        " less ".join(method_title(row.of[key]) for key in ("method", AGAINST) if key in row.of)
        for row in rows
    ]
    height = 0.9 + _STEP_IN * len(rows)
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, height), layout="constrained")
        for place, row in enumerate(rows):
            look = (BLUE, "o", False) if place < len(gains) else (INK, "D", True)
            draw_estimate(axes, row, place, *look)
        axes.axhline(len(gains) - 0.5, color=SOFT, linewidth=0.5)
        axes.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), names, fontsize=7.8)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("usefulness, or difference of usefulness (percentage points)")
        points_axis(axes.xaxis)
    return figure


FIGURE = ReportFigure(
    "explanation_methods",
    "Usefulness of each explanation method (filled) and differences of pairs, first less "
    "second (hollow), with 95 % intervals.",
    "Dots and intervals of usefulness by explanation method, and of their differences",
    draw,
)
EXPLAINERS = Question(
    id="explainers",
    title="Explanation methods",
    answer=Explainers,
    quantities=(ACCEPTED, METHOD_GAIN, LEADS, DIFFERENCE),
    compute=compute,
    parts=(_introduction, METHODS, FIGURE, PAIRS),
    view=Within,
    shown=lambda answer: answer.estimates,
    needs={"method": "the comparison of explanation methods"},
)
"""Which explanation method is the most useful."""
