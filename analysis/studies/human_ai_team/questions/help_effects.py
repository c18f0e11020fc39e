"""What each kind of help changes, by the mixed model: what the question of trust builds on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.question import Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.parts import Column, between, limits
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
from analysis.report.wording import interval, listed, p_equals, p_value, points_tenth
from analysis.studies.human_ai_team import verdicts
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.model import Effects, PairEffect, effects_of
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY, of_all_images
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.verdicts import HELP, OVER, VERDICTS, Verdict, verdict_rows
from analysis.studies.human_ai_team.words import against, arm, arm_name, pair

OVER_RELIANCE, UNDER_RELIANCE, TOLD_APART = "over_reliance", "under_reliance", "discrimination"
QUANTITY_WORDS: Final[Mapping[str, str]] = {
    "accuracy": "right answers",
    OVER_RELIANCE: "over-reliance",
    UNDER_RELIANCE: "under-reliance",
    TOLD_APART: "discrimination",
}


@dataclass(frozen=True, slots=True)
class HelpEffects:
    """What each kind of help changes."""

    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    effects: Annotated[dict[str, Effects], about("What the mixed model says, by images.")]
    verdicts: Annotated[tuple[Verdict, ...], about("What each kind of help does.")]
    verdict_words: Annotated[dict[str, str], about("What each verdict says.")]


def help_effects(data: TeamData) -> dict[str, Any]:
    """Return the values of `HelpEffects` by their names."""
    answers = data.answers
    effects = {part: effects_of(answers.part(part), fit) for part, fit in data.fits.items()}
    return {
        "reference": answers.reference,
        "effects": effects,
        "verdicts": verdict_rows(effects[ALL].pairs, answers.reference),
        "verdict_words": dict(VERDICTS),
    }


def model_pairs(found: HelpEffects) -> list[PairEffect]:
    """Return the model's differences to the reference over all images; all pairs without one."""
    return against(found.reference, found.effects[ALL].pairs)


EFFECTS = ReportTable(
    "model_pairs",
    lambda found: found.effects[ALL].pairs,
    "Arms compared by the mixed model, averaged over participants and images.",
    (
        Column("Quantity", lambda row: QUANTITY_WORDS[row.quantity], once=True),
        Column("Arms", pair),
        Column("Difference", "estimate", points_tenth, "points"),
        limits(points_tenth),
        Column("p", "p", p_value),
        Column("p", "corrected_p", p_value, "Holm"),
    ),
    "Right answers: for the share of right labels that participants were shown. Holm’s correction "
    "is over the arms that are compared with the reference, or over all pairs where there is no "
    "reference; tables/model_pairs.csv has all pairs.",
    shown=model_pairs,
    strong=changes("quantity"),
    row_headers=2,
)
MODEL_ARMS = ReportTable("model_arms", lambda found: found.effects[ALL].arms)
VERDICT_TABLE = ReportTable(
    "verdicts",
    "verdicts",
    "What each kind of help does.",
    (
        Column("Arm", arm()),
        Column("Against", arm("reference")),
        Column("Verdict", "verdict"),
        Column("Over-reliance", OVER_RELIANCE, points_tenth, "points"),
        Column("Under-reliance", UNDER_RELIANCE, points_tenth, "points"),
        Column("Discrimination", TOLD_APART, points_tenth, "points"),
        Column("Right answers", "accuracy", points_tenth, "points"),
    ),
    "By the model, at 5 % after Holm’s correction over the arms that are compared with the "
    "reference. An arm helps only if right and wrong "
    "labels are told apart better; one in which more of both are accepted brings over-reliance, "
    "even if more answers are right because the AI mostly is.",
)


def draw_differences(found: HelpEffects) -> Figure:
    """Return the model's differences to the reference, quantity by quantity."""
    of = {(row.first, row.quantity): row for row in model_pairs(found)}
    arms = list(dict.fromkeys(first for first, _ in of))[::-1]
    panels = (
        ("accuracy", "Right answers", INK, "D"),
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
    "By the mixed model: how each arm differs from the reference, with 95 % intervals. "
    "Discrimination: right labels accepted more often than wrong ones.",
    "Four panels: right answers, over-reliance, under-reliance, discrimination",
    draw_differences,
    lambda found: found.reference and found.effects[ALL].pairs,
)


def difference_sentence(found: HelpEffects, whole: Whole) -> list[str]:
    """Return differences of accuracy to the reference, by the model, or of the one pair without."""
    reference = found.reference
    own = [row for row in model_pairs(found) if row.quantity == "accuracy"]
    beyond = f" against {arm_name(reference)}" if reference else ""
    if own and (reference or len(own) == 1):
        each = [f"{_compared(row, reference)} {_points(row)}" for row in own]
        return [
            f"By the mixed model, in points of accuracy{beyond}, averaged over "
            f"participants and images: {listed(each)}; p by Holm over these."
        ]
    tested = against(reference, of_all_images(whole.of(ACCURACY).pairs))
    if not tested or (reference is None and len(tested) > 1):
        return []
    each = [
        f"{_compared(row, reference)} {points_tenth(row.resampled)} "
        f"{between('resampled', points_tenth)(row)}"
        for row in tested
    ]
    return [f"In points of accuracy{beyond}: {listed(each)}."]


def _compared(row: object, reference: str | None) -> str:
    return arm("first")(row) if reference else pair(row)


def _points(row: PairEffect) -> str:
    ends = interval(row.ci_low, row.ci_high, points_tenth)
    return f"{points_tenth(row.estimate)} {ends} ({p_equals(row.corrected_p)})"


def verdict_sentences(found: HelpEffects) -> list[str]:
    """Return what each kind of help does, over-reliance by its name."""
    pairs = {(row.first, row.quantity): row for row in model_pairs(found)}
    loud = [row for row in found.verdicts if row.verdict != verdicts.NOTHING]
    quiet = [arm_name(row.method) for row in found.verdicts if row.verdict == verdicts.NOTHING]
    sentences = [_verdict_sentence(row, pairs, found.verdict_words) for row in loud]
    if quiet:
        sentences.append(
            f"{listed(quiet)}: no clear difference to {arm_name(found.reference)} in "
            "accepting right or wrong labels."
        )
    return sentences


def _verdict_sentence(
    row: Verdict, pairs: Mapping[tuple[str, str], PairEffect], meaning: Mapping[str, str]
) -> str:
    name, reference = arm_name(row.method), arm_name(row.reference)
    if row.verdict == OVER:
        over = pairs[row.method, OVER_RELIANCE]
        return (
            f"{name} brings over-reliance, not help: wrong labels of the AI are accepted more "
            f"often than with {reference}, by {_points(over)} points, and right and wrong labels "
            "aren’t told apart better."
        )
    if row.verdict.startswith(HELP):
        price = row.verdict.removeprefix(HELP)
        apart = pairs[row.method, TOLD_APART]
        return (
            f"{name} helps{price}: beyond what {reference} does, right labels are accepted more "
            f"often than wrong ones by {_points(apart)} points."
        )
    return f"{name} against {reference}: {row.verdict} ({meaning[row.verdict]})."
