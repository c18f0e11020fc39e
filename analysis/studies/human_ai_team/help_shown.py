"""What each kind of help changes: its tables, its figure and its sentences."""

from collections.abc import Mapping
from typing import Final

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.estimates import AGAINST, EstimateRow, Quantity
from analysis.questions.pivot import Wide, compared_of, level_of, pivot, shortened, value_of
from analysis.report.deciding import (
    MEANS,
    MODEL,
    WORDS,
    beside,
    decides,
    disagreement,
)
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.parts import (
    Bullets,
    Column,
    Part,
    bayes_column,
    corrected_p,
    standardised_column,
)
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
    percent,
    points,
    points_tenth,
    unsigned_points,
)
from analysis.studies.human_ai_team import verdicts
from analysis.studies.human_ai_team.differences import FAMILY, SHOWN
from analysis.studies.human_ai_team.quantities import TESTED, VERDICT
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.trust import MIX, BothWays, Trust, both_ways, used_on
from analysis.studies.human_ai_team.verdicts import HELP, OVER, VERDICTS
from analysis.studies.human_ai_team.words import arm_name, base_words, pair

RIGHT, OVER_RELIANCE, UNDER_RELIANCE, APART = TESTED
QUANTITY_WORDS: Final[Mapping[str, str]] = {
    quantity.id: quantity.heading.lower() for quantity in TESTED
}
IMAGES: Final = level_of("base", "Images", base_words, once=True)


def _estimate(row: EstimateRow | None) -> str:
    if row is None:
        return ""
    return f"{points(row.estimate)} {interval(row.ci_low, row.ci_high, points)}"


def _adjusted_limits(row: EstimateRow) -> str:
    return interval(row.adjusted_low, row.adjusted_high, points)


EFFECTS = ReportTable(
    "",
    both_ways,
    lambda answer: (
        f"Arms compared on {base_sentence(answer)}, in points, by means over "
        "participants and images"
        f"{' and by the mixed model' if answer.rows(*TESTED, base=ALL, by=MODEL) else ''}."
    ),
    (
        Column("Quantity", lambda row: QUANTITY_WORDS[row.first.quantity], once=True),
        Column("Arms", lambda row: pair(row.first)),
        Column("Means", lambda row: _estimate(row.means), str, "95 % interval"),
        Column("Mixed model", lambda row: _estimate(row.model), str, "95 % interval"),
        Column("95 % interval", lambda row: _adjusted_limits(row.decided), str, "Holm"),
        corrected_p(lambda row: row.decided.p_adjusted, lambda row: row.decided.family),
        standardised_column(lambda row: row.first.d),
        bayes_column(lambda row: row.decided.bf10),
    ),
    "The last columns are of the analysis that decides. Holm’s correction is, for each base, "
    f"over {FAMILY}; without a reference over all pairs. tables/estimates.csv has all pairs and "
    "bases.",
    cut=shortened,
    strong=changes(lambda row: row.first.quantity),
    row_headers=2,
)
VERDICT_TABLE = pivot(
    "What each kind of help does, by base.",
    (
        IMAGES,
        level_of("method", "Arm", arm_name),
        Column("Verdict", f"{VERDICT.id}.verdict"),
        *(value_of(quantity) for quantity in (OVER_RELIANCE, UNDER_RELIANCE, APART, RIGHT)),
    ),
    by=("base", "method"),
    of=lambda answer: [
        row
        for verdict in answer.rows(VERDICT)
        for row in (verdict, *answer.rows(*TESTED, **verdict.of))
    ],
    note=lambda answer: _verdict_note(answer),
    strong=changes("base"),
    row_headers=2,
)


def _verdict_note(answer: Trust) -> str:
    margin = (
        f" Like the reference: nothing is significant, and the 90 % intervals of both reliances "
        f"lie within ±{unsigned_points(answer.margin)} points."
    )
    by = " and ".join(WORDS[name] for name in answer.levels("by", VERDICT))
    return (
        f"Against {arm_name(answer.reference)}, by {by}, at 5 % after Holm’s correction over "
        f"{FAMILY}, for each base. An arm helps only if right and wrong labels are told apart "
        "better; one in which more of both are accepted brings over-reliance, even if more answers "
        f"are right because the AI mostly is.{margin}"
    )


def _tenths(row: Wide) -> str:
    """Return limits with one decimal, so that 9.6 isn't printed like a margin of 10."""
    return interval(row[f"{RIGHT.id}.low_90"], row[f"{RIGHT.id}.high_90"], points_tenth)


def _verdict_words(row: Wide) -> str:
    words = {"first": arm_name(row["method"]), "second": arm_name(row[AGAINST])}
    return SHOWN[row[f"{RIGHT.id}.verdict"]].format(**words)


_SAYS: Final[Mapping[str, str]] = {
    "not": "“Isn’t better”: the 90 % interval leaves out differences of the margin or more in "
    "favour of this arm.",
    "unknown": "Unknown: an arm has too few participants, or nothing varies.",
}


def _margin_note(answer: Trust) -> str:
    rows = answer.rows(RIGHT, base=ALL, by=used_on(answer, ALL))
    found = {row.verdict.split()[0] for row in rows}
    says = [text for verdict, text in _SAYS.items() if verdict in found]
    return " ".join(["One-sided tests at 5 % each, not corrected for their number.", *says])


MARGIN_TABLE = pivot(
    lambda answer: (
        f"Right answers of each pair of arms against the margin of "
        f"{unsigned_points(answer.margin)} points."
    ),
    (
        IMAGES,
        compared_of("method", "Arms", arm_name),
        value_of(RIGHT, heading="Difference"),
        Column("90 % interval", _tenths, str),
        Column("Verdict", _verdict_words),
    ),
    by=("base", "method", AGAINST),
    of=lambda answer: answer.rows(RIGHT, base=ALL, by=used_on(answer, ALL)),
    note=_margin_note,
    strong=changes("base"),
    row_headers=2,
)


def disagreements(answer: Trust) -> Part | None:
    """Return where means and model differ about the arms, and which of them decides."""
    sentences = [
        sentence
        for row in both_ways(answer)
        if row.means is not None and row.model is not None
        for sentence in disagreement(
            f"{pair(row.first)}, {QUANTITY_WORDS[row.first.quantity]}, points",
            "the means",
            row.means,
            row.model,
            points,
        )
    ]
    if not sentences:
        return None
    return Bullets((*sentences, decides(answer.primary[0].asked)))


def _by_arm(answer: Trust) -> dict[tuple[str, str], BothWays]:
    """Return the differences on the images that were shown, by arm and quantity."""
    return {(row.first.of["method"], row.first.quantity): row for row in both_ways(answer)}


def draw_differences(answer: Trust) -> Figure:
    """Return the differences to the reference by means, quantity by quantity."""
    rows = _by_arm(answer)
    arms = list(dict.fromkeys(method for method, _ in rows))[::-1]
    looks = ((INK, "D"), (ORANGE, "s"), (BLUE, "o"), (GREY, "^"))
    with figure_style():
        figure, every = subplots(
            1, len(TESTED), sharex=True, sharey=True, layout="constrained",
            figsize=(WIDTH_IN, 0.85 + 0.3 * len(arms)),
        )  # fmt: skip
        for axes, quantity, look in zip(every, TESTED, looks, strict=True):
            axes.set_title(quantity.heading)
            axes.axvline(0, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
            for place, method in enumerate(arms):
                draw_estimate(axes, rows[method, quantity.id].first, place, *look)
            points_axis(axes.xaxis)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, symmetric=True))
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        every[0].set_yticks(range(len(arms)), [arm_name(method) for method in arms])
        every[0].set_ylim(-0.5, len(arms) - 0.5)
        figure.supxlabel(f"points, arm less {arm_name(answer.reference)}", fontsize=8.5)
    return figure


DIFFERENCES_FIGURE = ReportFigure(
    "differences",
    "How each arm differs from the reference on the images that were shown, by means over "
    "participants and images with 95 % intervals. Discrimination: right labels accepted more often "
    "than wrong ones.",
    "Four panels: right answers, over-reliance, under-reliance, discrimination",
    draw_differences,
    lambda answer: answer.reference and both_ways(answer),
)


def base_sentence(answer: Trust, base: str = ALL) -> str:
    """Return what a base is, with its share of right labels."""
    mix = answer.row(MIX, base=base)
    return f"{base_words(base)} ({percent(mix.estimate)} of the labels right)"


def difference_sentences(answer: Trust) -> list[str]:
    """Return differences in the primary test and in right answers to the reference.

    Without a reference they are those of the one pair.
    """
    names = {APART: "discrimination, the primary test", RIGHT: "right answers"}
    return [
        text for quantity, name in names.items() for text in _differences(answer, quantity, name)
    ]


def _differences(answer: Trust, quantity: Quantity, name: str) -> list[str]:
    reference = answer.reference
    rows = [row for row in both_ways(answer) if row.first.quantity == quantity.id]
    if not rows or (reference is None and len(rows) > 1):
        return []
    beyond = f" against {arm_name(reference)}" if reference else ""
    compared = [f"{_compared(row.first, reference)} {_written(row, answer)}" for row in rows]
    return [
        f"In points of {name}{beyond}, on {base_sentence(answer)}, by {WORDS[rows[0].by]}, "
        f"limits and p after Holm over these: {'; '.join(compared)}."
    ]


def _compared(row: EstimateRow, reference: str | None) -> str:
    return arm_name(row.of["method"]) if reference else pair(row)


def _written(row: BothWays, answer: Trust, unit: str = "") -> str:
    """Return the difference that decides, with corrected limits and p, and the other beside it."""
    decided = row.decided
    difference = f"{points(decided.estimate)} {_adjusted_limits(decided)}{unit}"
    p = p_equals(decided.p_adjusted)
    if row.means is None:
        return f"{difference} (by {WORDS[MODEL]}, {p})"
    varies = answer.unvarying.words("participants", "images") if answer.unvarying else ""
    by = MEANS if decided is row.model else MODEL
    other = beside(row.means, row.model, points, varies, by=by)
    return f"{difference} ({'; '.join(filter(None, [p, other]))})"


def verdict_sentences(answer: Trust) -> list[str]:
    """Return what each kind of help does on the images shown, and which verdicts don't hold."""
    rows = answer.rows(VERDICT, base=ALL)
    plain = (verdicts.NOTHING, verdicts.LIKE, verdicts.FEW)
    loud = [row for row in rows if row.verdict not in plain]
    sentences = [_verdict_sentence(row, answer) for row in loud]
    for name in plain:
        arms = [arm_name(row.of["method"]) for row in rows if row.verdict == name]
        if arms:
            sentences.append(f"{listed(arms)}: {_plain_words(name, answer)}.")
    return [*sentences, *_other_bases(answer)]


def _plain_words(name: str, answer: Trust) -> str:
    reference = arm_name(answer.reference)
    if name == verdicts.LIKE:
        margin = unsigned_points(answer.margin)
        return (
            f"like {reference}, since the 90 % intervals of over- and of under-reliance lie within "
            f"±{margin} points"
        )
    if name == verdicts.FEW:
        return f"nothing is concluded, since {VERDICTS[verdicts.FEW].partition(',')[0]}"
    return f"no clear difference from {reference} in accepting right or wrong labels"


def _other_bases(answer: Trust) -> list[str]:
    """Return the verdicts that differ between the images shown and other bases."""
    first = {row.of["method"]: row.verdict for row in answer.rows(VERDICT, base=ALL)}
    sentences = []
    for base in (base for base in answer.levels("base", VERDICT) if base != ALL):
        others = [
            f"{arm_name(row.of['method'])}: {row.verdict}"
            for row in answer.rows(VERDICT, base=base)
            if first.get(row.of["method"]) not in (row.verdict, verdicts.NOTHING, verdicts.FEW)
        ]
        if others:
            sentences.append(
                f"These verdicts are others on {base_sentence(answer, base)}: {'; '.join(others)}."
            )
    return sentences


def _verdict_sentence(row: EstimateRow, answer: Trust) -> str:
    method, reference = row.of["method"], arm_name(row.of[AGAINST])
    name, on, differences = arm_name(method), base_words(ALL), _by_arm(answer)
    if row.verdict == OVER:
        over = _written(differences[method, OVER_RELIANCE.id], answer, " points")
        return (
            f"On {on}, {name} brings over-reliance, not help: wrong labels of the AI are accepted "
            f"more often than with {reference}, by {over}, and that right and wrong labels "
            "are told apart better isn’t shown."
        )
    if row.verdict.startswith(HELP):
        price = row.verdict.removeprefix(HELP)
        apart = _written(differences[method, APART.id], answer, " points")
        return (
            f"On {on}, {name} helps{price}: beyond what {reference} does, right labels are "
            f"accepted more often than wrong ones by {apart}."
        )
    return f"On {on}, {name} against {reference}: {row.verdict} ({VERDICTS[row.verdict]})."
