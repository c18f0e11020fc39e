"""What each kind of help changes: its tables, its figure and its sentences."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.estimates import (
    MEANS,
    MODEL,
    WORDS,
    beside,
    decides,
    disagreement,
)
from analysis.report.parts import Bullets, Column, Part
from analysis.report.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    points_axis,
    subplots,
)
from analysis.report.wording import (
    interval,
    listed,
    p_equals,
    p_value,
    percent,
    points,
    points_tenth,
    unsigned_points,
)
from analysis.studies.human_ai_team import verdicts
from analysis.studies.human_ai_team.rates import ACCURACY, FAMILY, TOLD_APART, PairEffect
from analysis.studies.human_ai_team.rates import OVER as OVER_RELIANCE
from analysis.studies.human_ai_team.rates import UNDER as UNDER_RELIANCE
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.trust import BothWays, HelpEffects, both_ways
from analysis.studies.human_ai_team.verdicts import HELP, OVER, SHOWN, AgainstMargin, Verdict
from analysis.studies.human_ai_team.words import arm, arm_name, base_words, pair

QUANTITY_WORDS: Final[Mapping[str, str]] = {
    ACCURACY: "right answers",
    OVER_RELIANCE: "over-reliance",
    UNDER_RELIANCE: "under-reliance",
    TOLD_APART: "discrimination",
}


def _estimate(row: PairEffect | None) -> str:
    if row is None:
        return ""
    return f"{points(row.estimate)} {interval(row.ci_low, row.ci_high, points)}"


def _family_limits(row: PairEffect) -> str:
    return interval(row.family_low, row.family_high, points)


EFFECTS = ReportTable(
    "differences",
    lambda found: [
        {"base": base, "by": by, **asdict(row)}
        for by, every in ((MEANS, found.means),
                          (MODEL, {name: own.pairs for name, own in found.effects.items()}))
        for base, pairs in every.items()
        for row in pairs
    ],
    lambda found: f"Arms compared on {base_sentence(found)}, in points, by means over "
    f"participants and images{' and by the mixed model' if found.effects[ALL].pairs else ''}.",
    (
        Column("Quantity", lambda row: QUANTITY_WORDS[row.first.quantity], once=True),
        Column("Arms", lambda row: pair(row.first)),
        Column("Means", lambda row: _estimate(row.means), str, "95 % interval"),
        Column("Mixed model", lambda row: _estimate(row.model), str, "95 % interval"),
        Column("95 % interval", lambda row: _family_limits(row.decided), str, "Holm"),
        Column("p", lambda row: row.decided.p_family, p_value, "Holm"),
    ),
    "The last two columns are of the analysis that decides. Holm’s correction is over one family "
    "for each base: "
    f"{FAMILY}; without a reference over all pairs. tables/differences.csv has all pairs and "
    "bases.",
    shown=lambda found: both_ways(found),
    strong=lambda rows: [
        place
        for place in range(1, len(rows))
        if rows[place].first.quantity != rows[place - 1].first.quantity
    ],
    row_headers=2,
)  # fmt: skip
MODEL_ARMS = ReportTable("model_arms", lambda found: found.effects[ALL].arms)
VERDICT_TABLE = ReportTable(
    "verdicts",
    "verdicts",
    "What each kind of help does, by base.",
    (
        Column("Images", lambda row: base_words(row.base), once=True),
        Column("Arm", arm()),
        Column("Verdict", "verdict"),
        Column("Over-reliance", OVER_RELIANCE, points, "points"),
        Column("Under-reliance", UNDER_RELIANCE, points, "points"),
        Column("Discrimination", TOLD_APART, points, "points"),
        Column("Right answers", ACCURACY, points, "points"),
    ),
    lambda found: _verdict_note(found),
    strong=changes("base"),
    row_headers=2,
)


def _verdict_note(found: HelpEffects) -> str:
    margin = "" if found.margin is None else (
        f" Like the reference: nothing is significant, and the 90 % intervals of both reliances "
        f"lie within ±{unsigned_points(found.margin)} points."
    )  # fmt: skip
    by = " and ".join(WORDS[name] for name in dict.fromkeys(row.by for row in found.verdicts))
    return (
        f"Against {arm_name(found.reference)}, by {by}, at 5 % after Holm’s correction over "
        f"{FAMILY}, for each base. An arm helps only if right and wrong labels are told apart "
        "better; one in which more of both are accepted brings over-reliance, even if more answers "
        f"are right because the AI mostly is.{margin}"
    )


def _shown_words(row: AgainstMargin) -> str:
    return SHOWN[row.shown].format(first=arm_name(row.first), second=arm_name(row.second))


def _tenths(row: AgainstMargin) -> str:
    """Return limits with one decimal, so that 9.6 isn't printed like a margin of 10."""
    return interval(row.low_90, row.high_90, points_tenth)


MARGIN_TABLE = ReportTable(
    "against_margin",
    "against_margin",
    lambda found: (
        f"Right answers of each pair of arms against the margin of "
        f"{unsigned_points(found.margin or 0.0)} points."
    ),
    (
        Column("Images", lambda row: base_words(row.base), once=True),
        Column("Arms", pair),
        Column("Difference", "estimate", points, "points"),
        Column("90 % interval", _tenths, str),
        Column("Shown", _shown_words),
    ),
    "One-sided tests at 5 % each, not corrected for their number. “Isn’t better”: the 90 % "
    "interval leaves out differences of the margin or more in favour of this arm.",
    shown=lambda found: [row for row in found.against_margin if row.base == ALL],
    strong=changes("base"),
    row_headers=2,
)


def disagreements(found: HelpEffects) -> Part | None:
    """Return where means and model differ about the arms, and which of them decides."""
    said = [
        sentence
        for row in both_ways(found)
        if row.means is not None and row.model is not None
        for sentence in disagreement(
            f"{pair(row.first)}, {QUANTITY_WORDS[row.first.quantity]}, points",
            "the means",
            row.means,
            row.model,
            points,
        )
    ]
    if not said:
        return None
    return Bullets((*said, decides(found.primary[0].asked)))


def draw_differences(found: HelpEffects) -> Figure:
    """Return the differences to the reference by means, quantity by quantity."""
    of = {(row.first.first, row.first.quantity): row.first for row in both_ways(found)}
    arms = list(dict.fromkeys(first for first, _ in of))[::-1]
    panels = (
        (ACCURACY, "Right answers", INK, "D"),
        (OVER_RELIANCE, "Over-reliance", ORANGE, "s"),
        (UNDER_RELIANCE, "Under-reliance", BLUE, "o"),
        (TOLD_APART, "Discrimination", GREY, "^"),
    )
    with figure_style():
        figure, every = subplots(
            1, len(panels), sharex=True, sharey=True, layout="constrained",
            figsize=(WIDTH_IN, 0.85 + 0.3 * len(arms)),
        )  # fmt: skip
        for axes, (quantity, title, colour, marker) in zip(every, panels, strict=True):
            axes.set_title(title)
            axes.axvline(0, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
            for place, method in enumerate(arms):
                draw_estimate(axes, of[method, quantity], place, colour, marker)
            points_axis(axes.xaxis)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, symmetric=True))
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        every[0].set_yticks(range(len(arms)), [arm_name(method) for method in arms])
        every[0].set_ylim(-0.5, len(arms) - 0.5)
        figure.supxlabel(f"points, arm less {arm_name(found.reference)}", fontsize=8.5)
    return figure


DIFFERENCES_FIGURE = ReportFigure(
    "differences",
    "How each arm differs from the reference on the images that were shown, by means over "
    "participants and images with 95 % intervals. Discrimination: right labels accepted more often "
    "than wrong ones.",
    "Four panels: right answers, over-reliance, under-reliance, discrimination",
    draw_differences,
    lambda found: found.reference and both_ways(found),
)


def base_sentence(found: HelpEffects, base: str = ALL) -> str:
    """Return what a base is, with its share of right labels."""
    mix = next(row.mix for row in found.primary if row.base == base)
    return f"{base_words(base)} ({percent(mix)} of the labels right)"


def difference_sentence(found: HelpEffects) -> list[str]:
    """Return differences of accuracy to the reference, or of the one pair without one."""
    reference = found.reference
    own = [row for row in both_ways(found) if row.first.quantity == ACCURACY]
    if not own or (reference is None and len(own) > 1):
        return []
    beyond = f" against {arm_name(reference)}" if reference else ""
    each = [f"{_compared(row.first, reference)} {_written(row, found)}" for row in own]
    return [
        f"In points of right answers{beyond}, on {base_sentence(found)}, by {WORDS[own[0].by]}, "
        f"limits and p after Holm over {FAMILY}: {'; '.join(each)}."
    ]


def _compared(row: object, reference: str | None) -> str:
    return arm("first")(row) if reference else pair(row)


def _written(row: BothWays, found: HelpEffects, unit: str = "") -> str:
    """Return the difference that decides, with corrected limits and p, and the other beside it."""
    decided = row.decided
    shown = f"{points(decided.estimate)} {_family_limits(decided)}{unit}"
    p = p_equals(decided.p_family)
    if row.means is None:
        return f"{shown} (by {WORDS[MODEL]}, {p})"
    varies = found.unvarying.words("participants", "images") if found.unvarying else ""
    by = MEANS if decided is row.model else MODEL
    other = beside(row.means, row.model, points, varies, by=by)
    return f"{shown} ({'; '.join(filter(None, [p, other]))})"


def verdict_sentences(found: HelpEffects) -> list[str]:
    """Return what each kind of help does on the images shown, and which verdicts don't hold."""
    rows = {(row.first.first, row.first.quantity): row for row in both_ways(found)}
    shown = [row for row in found.verdicts if row.base == ALL]
    plain = (verdicts.NOTHING, verdicts.LIKE, verdicts.FEW)
    loud = [row for row in shown if row.verdict not in plain]
    sentences = [_verdict_sentence(row, rows, found) for row in loud]
    for name in plain:
        own = [arm_name(row.method) for row in shown if row.verdict == name]
        if own:
            sentences.append(f"{listed(own)}: {_plain_words(name, found)}.")
    return [*sentences, *_other_bases(found)]


def _plain_words(name: str, found: HelpEffects) -> str:
    reference = arm_name(found.reference)
    if name == verdicts.LIKE:
        margin = unsigned_points(found.margin or 0.0)
        return (
            f"like {reference}, since the 90 % intervals of over- and of under-reliance lie within "
            f"±{margin} points"
        )
    if name == verdicts.FEW:
        return f"nothing is concluded, since {found.verdict_words[verdicts.FEW].partition(',')[0]}"
    return f"no clear difference from {reference} in accepting right or wrong labels"


def _other_bases(found: HelpEffects) -> list[str]:
    """Return the verdicts that differ between the images shown and other bases."""
    first = {row.method: row.verdict for row in found.verdicts if row.base == ALL}
    sentences = []
    for base in dict.fromkeys(row.base for row in found.verdicts if row.base != ALL):
        own = [row for row in found.verdicts if row.base == base]
        others = [
            f"{arm_name(row.method)}: {row.verdict}"
            for row in own
            if first.get(row.method) not in (row.verdict, verdicts.NOTHING, verdicts.FEW)
        ]
        if others:
            sentences.append(
                f"These verdicts are others on {base_sentence(found, base)}: {'; '.join(others)}."
            )
    return sentences


def _verdict_sentence(
    row: Verdict, rows: Mapping[tuple[str, str], BothWays], found: HelpEffects
) -> str:
    name, reference = arm_name(row.method), arm_name(row.reference)
    on = base_words(ALL)
    if row.verdict == OVER:
        over = _written(rows[row.method, OVER_RELIANCE], found, " points")
        return (
            f"On {on}, {name} brings over-reliance, not help: wrong labels of the AI are accepted "
            f"more often than with {reference}, by {over}, and that right and wrong labels "
            "are told apart better isn’t shown."
        )
    if row.verdict.startswith(HELP):
        price = row.verdict.removeprefix(HELP)
        apart = _written(rows[row.method, TOLD_APART], found, " points")
        return (
            f"On {on}, {name} helps{price}: beyond what {reference} does, right labels are "
            f"accepted more often than wrong ones by {apart}."
        )
    meaning = found.verdict_words[row.verdict]
    return f"On {on}, {name} against {reference}: {row.verdict} ({meaning})."
