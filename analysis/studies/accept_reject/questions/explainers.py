"""Which explanation method of S is the most useful: each by itself, and every pair."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.question import Question, Within
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, some
from analysis.report.estimates import HolmRow, holm_row, limits_row
from analysis.report.parts import Column, Paragraph, holm_limits, limits
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
from analysis.report.wording import grouped, p_value, points
from analysis.statistics.bootstrap.draws import People, Units
from analysis.statistics.estimate import adjusted
from analysis.statistics.means import estimate_shares
from analysis.statistics.proportions import Count
from analysis.statistics.two_way import TwoWayMeans, two_way_means
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import time_granted
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.words import N_COLUMN, TENTHS
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


@dataclass(frozen=True, slots=True)
class MethodGain:
    """Usefulness of S's explanations by one method."""

    method: Annotated[str, about("The method.")]
    leads: Annotated[int, about("Leads who saw it.")]
    accepted_with: Annotated[float | None, about("Share accepted with it, 0 to 1.")]
    accepted_without: Annotated[
        float | None, about("Share of S's solutions without explanation that its leads accepted.")
    ]
    estimate: Annotated[float | None, about("Their difference: usefulness.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Trials.")]


@dataclass(frozen=True)
class MethodPair(HolmRow):
    """Two methods compared: usefulness of the first less that of the second.

    p_holm is over all pairs.
    """

    first: Annotated[str, about("The first method.")]
    second: Annotated[str, about("The second method.")]
    estimate: Annotated[float | None, about("Difference of usefulness.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p, two-sided.")]
    leads_of_both: Annotated[int, about("Leads who saw both.")]


@dataclass(frozen=True, slots=True)
class Explainers:
    """S's explanation methods compared; empty if there is only one."""

    methods: Annotated[tuple[MethodGain, ...], about("Usefulness by method.")]
    pairs: Annotated[tuple[MethodPair, ...], about("All pairs.")]
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
        return Explainers((), (), None)
    seen = {name: set(frame.loc[frame["method"] == name, "participant"]) for name in methods}
    weights = np.column_stack([_weights(frame, name, seen[name]) for name in methods])
    accepted = frame["accepted"].to_numpy(dtype=float)
    counts = [
        Count(int(hits), int(n))
        for hits, n in zip(accepted @ weights, weights.sum(axis=0), strict=True)
    ]
    found = None
    if frame["participant"].nunique() > 1:
        units = Units.of(frame["participant"], frame["item"])
        found = two_way_means(accepted, weights, units, people)
    design, between = _design(list(seen.values())), found
    if found is not None and design != "within":
        between = two_way_means(accepted, weights, units)  # never about these leads alone
    return Explainers(
        tuple(
            _method_row(name, gain, counts, len(seen[name]), found)
            for name, gain in zip(methods, _gains(len(methods)), strict=True)
        ),
        _pairs(methods, counts, seen, between),
        design,
    )


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


def _method_row(
    name: str, gain: Array, counts: list[Count], leads: int, found: TwoWayMeans | None
) -> MethodGain:
    own = [counts[cell] for cell in np.flatnonzero(gain)]
    return MethodGain(
        method=name,
        leads=leads,
        accepted_with=own[0].rate,
        accepted_without=own[1].rate,
        **limits_row(estimate_shares(counts, gain, found)),
        n=own[0].n + own[1].n,
    )


def _pairs(
    methods: list[str], counts: list[Count], seen: dict[str, set[str]], found: TwoWayMeans | None
) -> tuple[MethodPair, ...]:
    gains = _gains(len(methods))
    places = list(itertools.combinations(range(len(methods)), 2))
    tests = [estimate_shares(counts, gains[a] - gains[b], found) for a, b in places]
    return tuple(
        MethodPair(
            first=methods[a],
            second=methods[b],
            **limits_row(row.of),
            p=row.of.p,
            leads_of_both=len(seen[methods[a]] & seen[methods[b]]),
            **holm_row(row),
        )
        for (a, b), row in zip(places, adjusted(tests), strict=True)
    )


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


def _pair_name(row: MethodPair) -> str:
    return f"{method_title(row.first)} less {method_title(row.second)}"


def _method_cells(row: MethodGain) -> dict[str, Any]:
    return {
        "method": row.method, "leads": row.leads, "with": row.accepted_with,
        "without": row.accepted_without, "estimate": row.estimate, "ci_low": row.ci_low,
        "ci_high": row.ci_high, "n": row.n,
    }  # fmt: skip


METHODS = ReportTable(
    "explanation_methods",
    some(lambda here: [_method_cells(row) for row in here.answer.methods]),
    lambda here: f"Usefulness by explanation method: acceptance {time_granted(here)}.",
    (
        Column("Method", lambda row: method_title(row.method)),
        Column("Leads", "leads", grouped, "n"),
        Column("Without", "accepted_without", TENTHS, "accepted"),
        Column("With", "accepted_with", TENTHS, "accepted"),
        Column("Usefulness", "estimate", points, "percentage points"),
        limits(points),
        N_COLUMN,
    ),
    shown="answer.methods",
)
PAIRS = ReportTable(
    "explanation_method_pairs",
    some("answer.pairs"),
    "Differences of usefulness between explanation methods.",
    (
        Column("Methods", _pair_name),
        Column("Difference", "estimate", points, "percentage points"),
        holm_limits(points),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Leads of both", "leads_of_both", grouped, "n"),
    ),
    lambda here: "Limits and p are corrected over all pairs." if len(here.answer.pairs) > 1 else "",
)


def draw(here: Within[Explainers]) -> Figure:
    """Draw dots and intervals of methods, and of pairs below."""
    found = here.answer
    rows: list[tuple[str, MethodGain | MethodPair]] = [
        *((method_title(row.method), row) for row in found.methods),
        *((_pair_name(row), row) for row in found.pairs),
    ]
    height = 0.9 + _STEP_IN * len(rows)
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, height), layout="constrained")
        for place, (_, row) in enumerate(rows):
            look = (INK, "D", True) if isinstance(row, MethodPair) else (BLUE, "o", False)
            draw_estimate(axes, row, place, *look)
        axes.axhline(len(found.methods) - 0.5, color=SOFT, linewidth=0.5)
        axes.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7.8)
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
    compute=compute,
    parts=(_introduction, METHODS, FIGURE, PAIRS),
    view=Within,
    shown=lambda found: found.methods,
    needs={"method": "the comparison of explanation methods"},
)
"""Which explanation method is the most useful."""
