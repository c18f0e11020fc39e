"""How much of the image recognition needs: curves, and means that keep unrecognised rounds."""

from dataclasses import dataclass
from typing import Annotated

from matplotlib.figure import Figure

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.estimates import MEANS
from analysis.report.few_people import few_rule
from analysis.report.parts import Column, Fact, Paragraph, limits
from analysis.report.style import FAINT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    listed,
    percent,
    points_tenth,
    whole_percent,
    with_limits,
)
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.design import CORRECTED, compared_methods
from analysis.studies.progressive_reveal.pairs import corrected, family
from analysis.studies.progressive_reveal.questions.participants import (
    PARTICIPANTS,
    Shown,
    methods_of,
)
from analysis.studies.progressive_reveal.recognition import (
    RestrictedMean,
    RestrictedMeans,
    WithGap,
    gap_columns,
    mean_columns,
    with_gaps,
)
from analysis.studies.progressive_reveal.share_curves import (
    Density,
    NeededShares,
    density_rows,
    needed_shares,
)
from analysis.studies.progressive_reveal.words import (
    INTERVALS,
    METHOD_COLUMN,
    PRODUCT_LIMIT,
    draw_legend,
    draw_line,
    floats,
    named,
    percent_axis,
)
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal


@dataclass(frozen=True, slots=True)
class Needed:
    """How much of the image recognition needs."""

    turnbull: Annotated[NeededShares, about("Recognition over the uncovered share.")]
    densities: Annotated[
        tuple[Density, ...], about("Densities of the share at recognition, by method.")
    ]
    restricted: Annotated[
        RestrictedMeans, about("Mean shares uncovered up to recognition, all rounds.")
    ]


def compute(data: RevealData) -> Needed:
    """Return curves over the uncovered share, and restricted means."""
    return Needed(
        needed_shares(data.table, data.plan), density_rows(data.table), data.results.restricted
    )


def _within(row: WithGap[RestrictedMean]) -> str:
    if row.mean.lower is None:
        return NOTHING
    return f"{bare_percent(row.mean.lower)} to {bare_percent(row.mean.upper)}"


RESTRICTED = ReportTable(
    "restricted_means",
    "answer.restricted.methods",
    "Mean share of the image uncovered up to recognition, restricted image by image.",
    named(
        METHOD_COLUMN,
        *mean_columns("Restricted mean", bare_percent, "% of image"),
        Column("Within steps", _within, str, "% of image"),
        *gap_columns(points_tenth, "points"),
    ),
    "Lower is better. Within steps: recognition set at the lower and at the upper end of its "
    "step’s interval; the mean has it in the middle.",
    shown=lambda here: with_gaps(
        here.answer.restricted.methods, here.answer.restricted.differences
    ),
)
DIFFERENCES = ReportTable("restricted_differences", "answer.restricted.differences")
ASKED = ReportTable(
    "needed_at",
    "answer.turnbull.asked",
    "Recognised with at most so much of the image.",
    named(
        Column("At most uncovered", lambda row: percent(row.share, 1)),
        METHOD_COLUMN,
        Column("Recognised rounds only", "recognised_only", whole_percent, "%"),
        limits(whole_percent, "only_low", "only_high"),
        Column("All rounds, censored", "estimate", whole_percent, "%"),
        limits(whole_percent),
        Column("All rounds, end is final", "end_final", whole_percent, "%"),
    ),
    "Recognised rounds only: as published. Censored: Turnbull’s estimate, interpolated evenly "
    "between two steps’ shares; a round that ended unrecognised says nothing of larger shares. End "
    "is final: such a round counts as never recognised.",
    shown=lambda here: sorted(here.answer.turnbull.asked, key=lambda row: row.share),
    strong=changes("share"),
    row_headers=2,
)
LATE = ReportTable(
    "",
    "answer.turnbull.late",
    lambda here: (
        f"Share of the image by which {percent(here.answer.turnbull.late_rate)} are recognised."
    ),
    named(
        METHOD_COLUMN,
        Column("Recognised rounds only", "recognised_only", bare_percent, "% of image"),
        Column(
            "All rounds, censored",
            "turnbull",
            lambda share: "not reached" if share is None else bare_percent(share),
            "% of image",
        ),
        Column(
            "Ahead of the reference from",
            lambda row: "–" if row.ahead_from is None else bare_percent(row.ahead_from),
            str,
            "% of image",
        ),
        Column("Known up to", "known_to", bare_percent, "% of image"),
        Column("Recognised by then", "by_then", whole_percent, "%"),
    ),
)


@dataclass(frozen=True, slots=True)
class _AtGrid:
    """A method's curves at a share of the grid."""

    method: str
    share: float
    recognised_only: float | None
    reached: float | None
    ci_low: float | None
    ci_high: float | None
    end_final: float | None


CURVES = ReportTable(
    "needed_shares",
    lambda here: [
        _AtGrid(curve.method, *values)
        for curve in here.answer.turnbull.curves
        for values in zip(
            here.answer.turnbull.shares,
            curve.recognised_only,
            curve.reached,
            curve.ci_low,
            curve.ci_high,
            curve.end_final,
            strict=True,
        )
    ],
)


def draw_density(here: Shown[Needed]) -> Figure:
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


def draw_both_views(here: Shown[Needed]) -> Figure:
    """Return recognition over the uncovered share: recognised rounds only, and all of them."""
    found, methods = here.answer.turnbull, here.methods
    x = found.shares
    with figure_style():
        figure, (left, right) = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), sharex=True, sharey=True, layout="constrained"
        )
        for curve in found.curves:
            draw_line(left, methods, curve.method, x, floats(curve.recognised_only))
            draw_line(right, methods, curve.method, x, floats(curve.reached))
        left.set_title("Recognised rounds only (as published)")
        right.set_title("All rounds, unrecognised ones censored")
        for axes in (left, right):
            axes.axhline(found.late_rate, color=FAINT, linewidth=0.8, zorder=0)
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
    "an interval between two steps’ shares, where the data can’t say how recognition rises. Curves "
    "end where the images of fewer than ten rounds uncover more. Limits are in "
    "tables/needed_shares.csv; the figure of differences has bands.",
    "Two panels of recognition curves",
    draw_both_views,
)


def _pooled(here: Shown[Needed]) -> Paragraph:
    limit = here.answer.restricted.limits
    if limit.smallest is None:
        return Paragraph("No image’s course is known.", "quiet")
    return Paragraph(
        "Turnbull’s estimate takes the final count at which a round was censored as unrelated to "
        "how hard the image is. Maps of bubbles end where bubbling stopped, so this may not hold. "
        "The restricted mean doesn’t need it: it compares methods image by image up to a common "
        f"limit ({bare_percent(limit.smallest)} to {bare_percent(limit.largest)} per cent of the "
        "image).",
        "quiet",
    )


def _rough(here: Shown[Needed]) -> Paragraph | None:
    if here.answer.turnbull.converged:
        return None
    return Paragraph("Turnbull’s estimate didn’t reach its maximum; its curves are rough.")


def _facts(found: Needed, whole: Whole) -> list[Fact]:
    methods, recognised = methods_of(whole), whole.of(PARTICIPANTS).recognised_rounds
    known = [row for row in found.restricted.methods if recognised and row.estimate is not None]
    return [
        Fact(
            percent(row.estimate, 1),
            f"of the image, {methods.name(row.method)}"
            f"{with_limits(row.ci_low, row.ci_high, bare_percent)}",
        )
        for row in known
    ]


def _headline(found: Needed, whole: Whole) -> list[str]:
    """Return the reference's restricted mean, and the other methods' differences to it.

    Nothing if no round was recognised: each mean is then that of its images' limits.
    """
    methods, restricted = methods_of(whole), found.restricted
    if not whole.of(PARTICIPANTS).recognised_rounds:
        return []
    base = next(row for row in restricted.methods if row.method == methods.reference)
    if base.estimate is None:
        return []
    said = [
        f"{methods.name(row.method)} {corrected(restricted.pairs, row, 'restricted', points_tenth)}"
        for row in restricted.differences
        if row.estimate is not None
    ]
    others = (
        f"; compared with them, in points of the image: {listed(said)}"
        f"{family(len(methods.all), MEANS)}"
        if said
        else ""
    )
    return [
        "Including unrecognised rounds, and up to each image’s smallest final count, "
        f"{methods.name(methods.reference)} uncovered {percent(base.estimate, 1)} of the image on "
        f"average{with_limits(base.ci_low, base.ci_high, bare_percent)}{others}."
    ]


def _methods(_: Needed, __: Whole) -> list[str]:
    return [
        "Unrecognised rounds are censored, and pixels are uncovered in steps. Recognition over "
        "steps is the "
        f"product-limit estimate ({PRODUCT_LIMIT}); recognition over pixels is the "
        f"nonparametric estimate for intervals ({INTERVALS}), from the last smaller "
        "count to the one at recognition, interpolated evenly within an interval; the mean of "
        "needed pixels is restricted to each image’s smallest final count among the methods, "
        "with equal weights of images. All pairs of methods are compared, with Holm’s "
        "correction."
    ]


def _lacking(data: RevealData, _: Needed | None) -> list[Lacking]:
    if data.curves is not None or "final_pixels" not in data.dataset.absent:
        return []
    result = "the final pixel count of an image, except from rounds that reached it"
    return [Lacking(result, "the table has no column final_pixels")]


def _registered(protocol: ProgressiveReveal) -> Promise:
    others, base = compared_methods(protocol)
    return Promise(
        "primary",
        "Nonparametric estimate of recognition over the uncovered share (Turnbull 1976); means "
        "restricted to each image's smallest final count among the methods. "
        "Intervals hold for participants and images drawn at random.",
        hypotheses=(
            Hypothesis(
                "H2",
                f"Recognition needs another share of the image with {others} than with {base}.",
                "The difference of restricted means of needed pixels differs from zero, for "
                f"participants and images drawn at random, {CORRECTED}"
                + few_rule(protocol.analysis.few_people, "participant", "image"),
            ),
        ),
    )


NEEDED = Question(
    id="needed",
    title="How much of the image recognition needs",
    answer=Needed,
    compute=compute,
    step="estimating what recognition needed",
    parts=(
        DENSITY,
        BOTH_VIEWS,
        ASKED,
        LATE,
        _pooled,
        RESTRICTED,
        _rough,
        DIFFERENCES,
        CURVES,
    ),
    view=Shown,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""How much of the image recognition needs."""
