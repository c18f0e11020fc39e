"""All methods compared pair by pair, by means and by the model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.estimates import MEANS, MODEL, THESE, WORDS, chosen
from analysis.report.parts import Bullets, Column, Paragraph, Part
from analysis.report.style import SOFT, WIDTH_IN, figure_style, points_axis, subplots
from analysis.report.wording import (
    grouped,
    interval,
    number,
    p_equals,
    p_value,
    points,
    points_tenth,
    rounded,
)
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.pairs import (
    Disagreement,
    Pair,
    disagreements,
)
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.participants import Shown, rules_of
from analysis.studies.progressive_reveal.questions.steps import STEPS
from analysis.studies.progressive_reveal.words import (
    PSEUDO_VALUES,
    RESAMPLING,
    Methods,
    finite,
    percent_axis,
    rows_of,
)

OF_WORDS: Final[Mapping[str, tuple[str, Callable[[float | None], str]]]] = {
    "recognised": ("recognised by the end, points", points),
    "steps": ("mean steps", rounded(number, 1)),
    "restricted": ("restricted mean, points of the image", points_tenth),
}
"""What each quantity is called, and how it is written."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Contrasts between all pairs of methods."""

    rows: Annotated[tuple[Pair, ...], about("The contrasts, by quantity and analysis.")]
    disagreements: Annotated[
        tuple[Disagreement, ...], about("Those on which means and model disagree.")
    ]


def compute(data: RevealData) -> Pairs:
    """Return all pairs of methods, by means and by the model."""
    results = data.results
    rows = [*results.life_tables.pairs, *results.model.pairs, *results.restricted.pairs]
    ordered = sorted(rows, key=lambda row: list(OF_WORDS).index(row.of))
    return Pairs(tuple(ordered), disagreements(rows))


def _pair(row: Pair | Disagreement, methods: Methods) -> str:
    return f"{methods.name(row.method)} less {methods.name(row.other)}"


def agreement(here: Shown[Pairs]) -> Part | None:
    """Return where means and model differ, or that they don't; None without both."""
    found = here.answer
    if {row.by for row in found.rows} != {MEANS, MODEL}:
        return None
    if not found.disagreements:
        return Paragraph("Means and model agree on every pair that both compare.")
    said = [
        f"{_pair(row, here.methods)}, {OF_WORDS[row.of][0]}: {_with_p(row.means)} by means, "
        f"{_with_p(row.model)} by the model; they differ in {row.differ_in}."
        for row in found.disagreements
    ]
    primary = WORDS[here.protocol.analysis.primary_test]
    return Bullets((*said, f"The protocol names {primary} as the primary analysis."))


def _with_p(row: Pair) -> str:
    write = OF_WORDS[row.of][1]
    return f"{write(row.estimate)} {_limits(row)} ({p_equals(row.p_holm)})"


def _limits(row: Pair) -> str:
    return interval(row.holm_low, row.holm_high, OF_WORDS[row.of][1])


def _to_reference(here: Shown[Pairs]) -> list[Pair]:
    """Return the contrasts to the reference that both means and model give."""
    return [
        row
        for row in here.answer.rows
        if row.other == here.methods.reference and row.of != "restricted"
    ]


def _columns(here: Shown[Pairs]) -> tuple[Column, ...]:
    return (
        Column("Of", lambda row: OF_WORDS[row.of][0], once=True),
        Column("Method", lambda row: here.methods.name(row.method)),
        Column("By", "by"),
        Column("Difference", lambda row: OF_WORDS[row.of][1](row.estimate), str),
        Column("95 % interval", _limits, str, "Holm"),
        Column("p", "p_holm", p_value, "Holm"),
    )


TABLE = ReportTable(
    "pairs",
    "answer.rows",
    lambda here: f"Methods less {here.methods.name(here.methods.reference)}.",
    _columns,
    "Means: life tables, over participants and images. Model: the discrete-time model, averaged "
    "over the participants and images that were there. tables/pairs.csv has all pairs, over which "
    "limits and p are corrected for each quantity and way.",
    shown=_to_reference,
    strong=changes("of"),
    row_headers=3,
)


@dataclass(frozen=True, slots=True)
class _Band:
    """A difference with its limits over steps or shares."""

    x: tuple[float, ...]
    middle: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


def draw(here: Shown[Pairs]) -> Figure:
    """Return one column of panels per method: over steps above, over the share below.

    Bands are those of the difference itself, in which people and images are drawn together for
    both methods: two curves whose own bands overlap may well differ.
    """
    methods = here.methods
    with figure_style():
        figure, panels = subplots(
            2, len(methods.others), figsize=(min(WIDTH_IN, 1.0 + 2.6 * len(methods.others)), 4.2),
            sharey=True, layout="constrained", squeeze=False,
        )  # fmt: skip
        for (above, below), method in zip(panels.T, methods.others, strict=True):
            colour = methods.look(method)[0]
            _draw_band(above, _over_steps(here, method), colour)
            above.set_xlim(0.5, here.people.steps + 0.5)
            above.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
            above.set_xlabel("step")
            above.set_title(methods.panel_name(method))
            over_shares = _over_shares(here, method)
            _draw_band(below, over_shares, colour)
            below.set_xlim(0, max(over_shares.x))
            below.set_xlabel("share of the image uncovered")
            percent_axis(below.xaxis, most=3)
        for axes in panels[:, 0]:
            axes.set_ylabel("points of recognition")
            points_axis(axes.yaxis)
    return figure


def _over_steps(here: Shown[Pairs], method: str) -> _Band:
    rows = rows_of(here.whole.of(STEPS).life_tables.over_time, method)
    return _Band(
        tuple(row.step for row in rows),
        tuple(row.estimate for row in rows),
        tuple(row.ci_low for row in rows),
        tuple(row.ci_high for row in rows),
    )


def _over_shares(here: Shown[Pairs], method: str) -> _Band:
    found = here.whole.of(NEEDED).turnbull
    (curve,) = rows_of(found.curves, method)
    return _Band(found.shares, curve.less_reference, curve.less_low, curve.less_high)


def _draw_band(axes: Axes, band: _Band, colour: str) -> None:
    axes.axhline(0, color=SOFT, linewidth=0.8, zorder=1)
    axes.fill_between(
        band.x, finite(band.low), finite(band.high), color=colour, alpha=0.18, linewidth=0
    )
    axes.plot(band.x, finite(band.middle), color=colour)


FIGURE = ReportFigure(
    "differences",
    lambda here: (
        "Recognition by each method less that by "
        f"{here.methods.name(here.methods.reference)}, with pointwise "
        "95 % bands of the difference over participants and images. Above: by the end of "
        "each step (product-limit estimates); below: over the uncovered share (Turnbull’s "
        "estimates, even within an interval), as far as both are known."
    ),
    "A column of panels for each method: difference of recognition over steps and share",
    draw,
    lambda here: len(here.methods.all) > 1,
)


def _methods(_: Pairs, whole: Whole) -> list[str]:
    frame, needed, rules = whole.frame, whole.of(NEEDED), rules_of(whole).analysis
    used = THESE if frame.data.participants < rules.few_people else rules.primary_test
    return [
        f"Intervals of averages, life tables and restricted means are {frame.intervals}; rounds "
        f"that were left midway enter by their pseudo-values ({PSEUDO_VALUES}). Curves over pixels "
        f"have 95 % percentile intervals of a two-way bootstrap ({RESAMPLING}; "
        f"{grouped(frame.bootstrap.replicates)} replicates, "
        f"{grouped(needed.turnbull.replicates)} for Turnbull’s estimate).",
        f"{chosen(rules.primary_test, used)}. Pairs of methods are a "
        "family for each quantity and each way to estimate it, with Holm’s correction.",
    ]


def _lacking(data: RevealData, _: Pairs | None) -> list[Lacking]:
    if len(data.table.methods) < 2:
        return [Lacking("comparisons of methods", "there is one method")]
    return []


PAIRS = Question(
    id="pairs",
    title="Methods compared pair by pair",
    answer=Pairs,
    compute=compute,
    step="fitting the discrete-time models",
    parts=(FIGURE, TABLE, agreement),
    view=Shown,
    shown=lambda found: found.rows,
    methods=_methods,
    lacking=_lacking,
    registered=lambda _: Promise(
        "primary", "All pairs, by means over participants and images, and by the model."
    ),
)
"""All methods compared pair by pair."""
