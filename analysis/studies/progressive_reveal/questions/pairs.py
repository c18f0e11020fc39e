"""All methods compared pair by pair, by means and by the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.estimates import AGAINST, EstimateRow, Estimates, levels
from analysis.questions.pivot import shortened
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, THESE, WORDS, chosen
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.methods import equivalence
from analysis.report.parts import (
    Bullets,
    Column,
    Paragraph,
    Part,
    bayes_column,
    corrected_p,
    standardised_column,
)
from analysis.report.style import SOFT, WIDTH_IN, figure_style, points_axis, subplots
from analysis.report.wording import interval, p_equals, sentence_if
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.design import hypotheses
from analysis.studies.progressive_reveal.pairs import QUANTITIES, disagreements, judged
from analysis.studies.progressive_reveal.quantities import (
    LESS_BY_STEP,
    RECOGNISED_LESS,
    STEPS_LESS,
)
from analysis.studies.progressive_reveal.questions.participants import (
    PARTICIPANTS,
    RevealView,
    rules_of,
)
from analysis.studies.progressive_reveal.share_curves import LESS_BY_SHARE
from analysis.studies.progressive_reveal.words import (
    PSEUDO_VALUES,
    Methods,
    draw_band,
    estimates_of,
    levels_of,
    percent_axis,
)


@dataclass(frozen=True, slots=True)
class Pairs(Estimates):
    """Contrasts between all pairs of methods, and to the reference over steps and shares."""

    replicates: Annotated[int, about("Replicates of Turnbull's estimate.")]

    @property
    def means(self) -> str:
        """The analysis by means: of these participants if they are few."""
        return THESE if THESE in self.levels("by") else MEANS


def compute(data: RevealData) -> Pairs:
    """Return all pairs of methods, by means and by the model."""
    results, curves = data.results, data.curves_over_shares
    rows = [*results.life.pairs(), *results.model.pairs, *results.restricted.pairs]
    ordered = sorted(rows, key=lambda row: list(QUANTITIES).index(row.quantity))
    margin = data.protocol.analysis.margin
    ordered = [
        judged(row, margin) if row.quantity == RECOGNISED_LESS.id else row for row in ordered
    ]
    return Pairs((*ordered, *results.life.over_steps(), *curves.less), curves.replicates)


def _pair(row: EstimateRow, methods: Methods) -> str:
    return f"{methods.name(row.of['method'])} less {methods.name(row.of[AGAINST])}"


def _heading(row: EstimateRow) -> str:
    return QUANTITIES[row.quantity].heading


def _limits(row: EstimateRow) -> str:
    return interval(row.adjusted_low, row.adjusted_high, QUANTITIES[row.quantity].write)


def agreement(here: RevealView[Pairs]) -> Part | None:
    """Return where means and model differ, or that they don't; None without both."""
    rows = here.answer.rows(*QUANTITIES.values())
    if MODEL not in levels(rows, "by"):
        return None
    parts = [
        f"{_pair(row.means, here.methods)}, {_heading(row.means)}: {_with_p(row.means)} by means, "
        f"{_with_p(row.model)} by the model; they differ in {row.differ_in}."
        for row in disagreements(rows)
    ]
    if not parts:
        return Paragraph("Means and model agree on every pair that both compare.")
    primary = WORDS[here.protocol.analysis.primary_test]
    return Bullets((*parts, f"The protocol names {primary} as the primary analysis."))


def _with_p(row: EstimateRow) -> str:
    write = QUANTITIES[row.quantity].write
    return f"{write(row.estimate)} {_limits(row)} ({p_equals(row.p_adjusted)})"


def _columns(here: RevealView[Pairs]) -> tuple[Column, ...]:
    return (
        Column("Of", _heading, once=True),
        Column("Method", lambda row: here.methods.name(row.of["method"])),
        Column("By", lambda row: row.of["by"]),
        Column("Difference", lambda row: QUANTITIES[row.quantity].write(row.estimate), str),
        Column("95 % interval", _limits, str, "Holm"),
        corrected_p(),
        standardised_column(),
        bayes_column(),
    )


TABLE = ReportTable(
    "",
    lambda here: here.answer.rows(RECOGNISED_LESS, STEPS_LESS, against=here.methods.reference),
    lambda here: f"Methods less {here.methods.name(here.methods.reference)}.",
    _columns,
    "Means: life tables, over participants and images. Model: the discrete-time model, averaged "
    "over the participants and images that were there. tables/estimates.csv has all pairs, over "
    "which limits and p are corrected for each quantity and way.",
    cut=shortened,
    strong=changes("quantity"),
    row_headers=3,
)


def draw(here: RevealView[Pairs]) -> Figure:
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
            _draw_difference(above, "step", here.answer.rows(LESS_BY_STEP, method=method), colour)
            above.set_xlim(0.5, here.people.steps + 0.5)
            above.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
            above.set_xlabel("step")
            above.set_title(methods.panel_name(method))
            by_share = here.answer.rows(LESS_BY_SHARE, method=method)
            _draw_difference(below, "share", by_share, colour)
            below.set_xlim(0, max(levels_of("share", by_share)))
            below.set_xlabel("share of the image uncovered")
            percent_axis(below.xaxis, most=3)
        for axes in panels[:, 0]:
            axes.set_ylabel("points of recognition")
            points_axis(axes.yaxis)
    return figure


def _draw_difference(axes: Axes, factor: str, rows: Sequence[EstimateRow], colour: str) -> None:
    axes.axhline(0, color=SOFT, linewidth=0.8, zorder=1)
    draw_band(axes, colour, factor, rows, alpha=0.18)
    axes.plot(levels_of(factor, rows), estimates_of(rows), color=colour)


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


def _methods(answer: Pairs, whole: Whole) -> list[str]:
    frame, rules = whole.frame, rules_of(whole).analysis
    used = THESE if frame.data.participants < rules.few_people else rules.primary_test
    left = (
        f"; rounds that were left midway enter by their pseudo-values ({PSEUDO_VALUES})"
        if whole.of(PARTICIPANTS).left_rounds
        else ""
    )
    family = (
        "Pairs of methods are a family for each quantity and each way to estimate it, with Holm’s "
        "correction."
    )
    corrected = any(row.p_adjusted is not None for row in answer.estimates)
    return [
        f"Intervals of averages, life tables and restricted means are {frame.intervals}{left}.",
        f"{chosen(rules.primary_test, used)}.",
        *sentence_if(corrected, family),
        *equivalence(
            rules.margin if corrected else None,
            rules.margin_reason,
            "Calling methods nearly equivalent in recognition by the last step",
            ", for each pair",
        ),
    ]


def _lacking(data: RevealData, _: Pairs | None) -> list[Lacking]:
    if len(data.table.methods) < 2:
        return [Lacking("comparisons of methods", "there is one method")]
    return []


PAIRS = Question(
    id="pairs",
    title="Methods compared pair by pair",
    answer=Pairs,
    quantities=(*QUANTITIES.values(), LESS_BY_STEP, LESS_BY_SHARE),
    compute=compute,
    step="fitting the discrete-time models",
    parts=(FIGURE, TABLE, agreement),
    view=RevealView,
    shown=lambda answer: answer.estimates,
    methods=_methods,
    lacking=_lacking,
    registered=lambda protocol: Promise(
        "All pairs, by means over participants and images, and by the model.",
        hypotheses=hypotheses(protocol),
    ),
)
"""All methods compared pair by pair."""
