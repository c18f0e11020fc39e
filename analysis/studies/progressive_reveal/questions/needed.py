"""How much of the image recognition needs: curves, and means that keep unrecognised rounds."""

from dataclasses import dataclass
from typing import Annotated

from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.pivot import Wide, limits_of, pivot, value_of
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.deciding import MEANS
from analysis.report.declared import ReportFigure, changes
from analysis.report.parts import Column, Fact, Paragraph
from analysis.report.style import FAINT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    listed,
    percent,
    points_tenth,
    sentence_if,
    with_limits,
)
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.pairs import corrected, family_words
from analysis.studies.progressive_reveal.quantities import (
    RESTRICTED,
    RESTRICTED_END,
    RESTRICTED_LESS,
)
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.progressive_reveal.questions.participants import (
    PARTICIPANTS,
    RevealView,
    methods_of,
)
from analysis.studies.progressive_reveal.recognition import ImageLimits
from analysis.studies.progressive_reveal.share_curves import (
    BY_SHARE,
    FINAL,
    LATE,
    OF_CURVES,
    OF_LATE,
    ONLY,
    Density,
    densities,
    level_of_share,
)
from analysis.studies.progressive_reveal.words import (
    INTERVALS,
    METHOD_COLUMN,
    PRODUCT_LIMIT,
    RESAMPLING,
    between,
    draw_legend,
    draw_line,
    estimates_of,
    floats,
    less_columns,
    levels_of,
    named,
    percent_axis,
)
from stimuli.studies.progressive_reveal.protocol import HUMAN


@dataclass(frozen=True, slots=True)
class Needed(Estimates):
    """How much of the image recognition needs: recognition over the uncovered share, and means."""

    late_rate: Annotated[float, about("The rate that counts as late.")]
    asked: Annotated[tuple[float, ...], about("Shares at which the page gives the curves.")]
    converged: Annotated[bool, about("Whether Turnbull's estimate reached its maximum.")]
    densities: Annotated[
        tuple[Density, ...], about("Densities of the share at recognition, by method.")
    ]
    limits: Annotated[ImageLimits, about("Up to which share restricted means are taken.")]


def compute(data: RevealData) -> Needed:
    """Return curves over the uncovered share, and restricted means."""
    curves, restricted = data.curves_over_shares, data.results.restricted
    return Needed(
        (*curves.rows, *restricted.rows),
        LATE,
        curves.asked,
        curves.converged,
        densities(data.table),
        restricted.limits,
    )


def _restricted(here: RevealView[Needed]) -> tuple[EstimateRow, ...]:
    less = here.whole.of(PAIRS).rows(RESTRICTED_LESS, against=here.methods.reference)
    return (*here.answer.rows(RESTRICTED, RESTRICTED_END), *less)


def _within(row: Wide) -> str:
    lower, upper = (row[f"{RESTRICTED_END.id}/{end}"] for end in ("lower", "upper"))
    return NOTHING if lower is None else f"{bare_percent(lower)} to {bare_percent(upper)}"


RESTRICTED_MEANS = pivot(
    "Mean share of the image uncovered up to recognition, restricted image by image.",
    named(
        METHOD_COLUMN,
        value_of(RESTRICTED),
        between(RESTRICTED),
        Column("Within steps", _within, str, "% of image"),
        *less_columns(RESTRICTED_LESS, "points"),
    ),
    by=("method",),
    over="end",
    of=_restricted,
    note="Lower is better. Within steps: recognition set at the lower and at the upper end of its "
    "step’s interval; the mean has it in the middle.",
)


def _asked(here: RevealView[Needed]) -> list[EstimateRow]:
    return [
        row
        for share in sorted(here.answer.asked)
        for row in here.answer.rows(ONLY, BY_SHARE, FINAL, share=level_of_share(share))
    ]


ASKED = pivot(
    "Recognised with at most so much of the image.",
    named(
        Column("At most uncovered", lambda row: percent(float(row["share"]), 1)),
        METHOD_COLUMN,
        value_of(ONLY),
        limits_of(ONLY),
        value_of(BY_SHARE),
        limits_of(BY_SHARE),
        value_of(FINAL),
    ),
    by=("share", "method"),
    of=_asked,
    note="Recognised rounds only: as published. Censored: Turnbull’s estimate, interpolated evenly "
    "between two steps’ shares; a round that ended unrecognised says nothing of larger shares. End "
    "is final: such a round counts as never recognised.",
    strong=changes("share"),
    row_headers=2,
)
LATE_SHARES = pivot(
    lambda here: f"Share of the image by which {percent(here.answer.late_rate)} are recognised.",
    named(METHOD_COLUMN, *map(value_of, OF_LATE)),
    by=("method",),
    of=lambda here: here.answer.rows(*OF_LATE),
)


def draw_density(here: RevealView[Needed]) -> Figure:
    """Return the density of the share at recognition (Figure 6)."""
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 2.6), layout="constrained")
        for row in here.answer.densities:
            if row.density is not None:
                density = [value / 100 for value in floats(row.density)]
                draw_line(axes, here.methods, row.method, row.shares, density)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("share of the image uncovered at recognition")
        axes.set_ylabel("density per percentage point")
        percent_axis(axes.xaxis)
        draw_legend(figure, axes)
    return figure


DENSITY = ReportFigure(
    "density",
    "Share of the image uncovered at recognition, recognised rounds only (Figure 6 of the paper).",
    "One density curve for each method",
    draw_density,
    lambda here: any(row.density is not None for row in here.answer.densities),
)


def draw_both_views(here: RevealView[Needed]) -> Figure:
    """Return recognition over the uncovered share: recognised rounds only, and all of them."""
    answer, methods = here.answer, here.methods
    with figure_style():
        figure, (left, right) = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), sharex=True, sharey=True, layout="constrained"
        )
        for axes, quantity in ((left, ONLY), (right, BY_SHARE)):
            for method in methods.all:
                rows = answer.rows(quantity, method=method)
                x = levels_of("share", rows)
                draw_line(axes, methods, method, x, estimates_of(rows))
        left.set_title("Recognised rounds only (as published)")
        right.set_title("All rounds, unrecognised ones censored")
        for axes in (left, right):
            axes.axhline(answer.late_rate, color=FAINT, linewidth=0.8, zorder=0)
            axes.set_xlabel("share of the image uncovered")
            axes.set_xlim(0, max(x))
            axes.set_ylim(0, 1.02)
            percent_axis(axes.xaxis)
            percent_axis(axes.yaxis)
        left.set_ylabel("recognised")
        draw_legend(figure, left)
    return figure


BOTH_VIEWS = ReportFigure(
    "both_views",
    "Recognition over the uncovered share. Left: recognised rounds only, which must end at "
    "100 % (Figure 7 of the paper). Right: all rounds by Turnbull’s estimate, drawn evenly within "
    "an interval between two steps’ shares, where the data can’t say how recognition rises. A "
    "curve ends at the largest share that at least ten rounds could reach. The grey line marks "
    "90 %. Limits are in tables/estimates.csv; the figure of differences has bands.",
    "Two panels of recognition curves",
    draw_both_views,
)


def _pooled(here: RevealView[Needed]) -> Paragraph:
    limit = here.answer.limits
    if limit.smallest is None:
        return Paragraph("No image’s course is known.", "quiet")
    ends = list(dict.fromkeys(map(bare_percent, (limit.smallest, limit.largest))))
    bubbles = (
        "Human maps end where bubbling stopped, so this may not hold. "
        if HUMAN in here.methods.all
        else ""
    )
    return Paragraph(
        "Turnbull’s estimate takes the final count at which a round was censored as unrelated to "
        f"how hard the image is. {bubbles}The restricted mean doesn’t need it: it compares methods "
        f"image by image up to a common limit ({' to '.join(ends)} per cent of the image).",
        "quiet",
    )


def _rough(here: RevealView[Needed]) -> Paragraph | None:
    if here.answer.converged:
        return None
    return Paragraph("Turnbull’s estimate didn’t reach its maximum; its curves are rough.")


def _facts(answer: Needed, whole: Whole) -> list[Fact]:
    methods, recognised = methods_of(whole), whole.of(PARTICIPANTS).recognised_rounds
    return [
        Fact(
            percent(row.estimate, 1),
            f"of the image, {methods.name(row.of['method'])}"
            f"{with_limits(row.ci_low, row.ci_high, bare_percent)}",
        )
        for row in answer.rows(RESTRICTED)
        if recognised and row.estimate is not None
    ]


def _headline(answer: Needed, whole: Whole) -> list[str]:
    """Return the reference's restricted mean, and the other methods' differences to it.

    Nothing if no round was recognised: each mean is then that of its images' limits.
    """
    methods = methods_of(whole)
    base = answer.row(RESTRICTED, method=methods.reference)
    if not whole.of(PARTICIPANTS).recognised_rounds or base.estimate is None:
        return []
    less = whole.of(PAIRS).rows(RESTRICTED_LESS, against=methods.reference)
    parts = [
        f"{methods.name(row.of['method'])} {corrected(row, points_tenth)}"
        for row in less
        if row.estimate is not None
    ]
    others = (
        f". Compared with them, in points of the image: {listed(parts)}"
        f"{family_words(len(methods.all), MEANS)}"
        if parts
        else ""
    )
    return [
        "In the restricted mean, which counts unrecognised rounds, too, "
        f"{methods.name(methods.reference)} uncovered {percent(base.estimate, 1)} of the image on "
        f"average{with_limits(base.ci_low, base.ci_high, bare_percent)}{others}."
    ]


def _methods(answer: Needed, whole: Whole) -> list[str]:
    curves = (
        f"Curves over pixels have 95 % percentile intervals of a two-way bootstrap ({RESAMPLING}; "
        f"{grouped(whole.frame.bootstrap.replicates)} replicates, "
        f"{grouped(whole.of(PAIRS).replicates)} for Turnbull’s estimate)."
    )
    return [
        "Unrecognised rounds are censored, and pixels are uncovered in steps. Recognition over "
        "steps is the "
        f"product-limit estimate ({PRODUCT_LIMIT}); recognition over pixels is the "
        f"nonparametric estimate for intervals ({INTERVALS}), from the last smaller "
        "count to the one at recognition, interpolated evenly within an interval; the mean of "
        "needed pixels is restricted to each image’s smallest final count among the methods, "
        "with equal weights of images.",
        *sentence_if(answer.has_limits(ONLY, BY_SHARE, FINAL), curves),
    ]


def _lacking(data: RevealData, _: Needed | None) -> list[Lacking]:
    if data.curves is not None or "final_pixels" not in data.dataset.absent:
        return []
    result = "the final pixel count of an image, except from rounds that reached it"
    return [Lacking(result, "the table has no column final_pixels")]


NEEDED = Question(
    id="needed",
    title="How much of the image recognition needs",
    answer=Needed,
    quantities=(*OF_CURVES, RESTRICTED, RESTRICTED_END),
    compute=compute,
    step="estimating what recognition needed",
    parts=(DENSITY, BOTH_VIEWS, ASKED, LATE_SHARES, _pooled, RESTRICTED_MEANS, _rough),
    view=RevealView,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=lambda _: Promise(
        "Nonparametric estimate of recognition over the uncovered share (Turnbull 1976); means "
        "restricted to each image's smallest final count among the methods. "
        "Intervals hold for participants and images drawn at random.",
    ),
)
"""How much of the image recognition needs."""
