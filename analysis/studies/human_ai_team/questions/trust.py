"""Whether trust in the AI is well placed: over- and under-reliance, and what help changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes, some
from analysis.report.estimates import WORDS
from analysis.report.parts import Column, Paragraph, between, limits
from analysis.report.style import BLUE, INK, ORANGE, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    estimated,
    grouped,
    interval,
    number,
    p_value,
    percent,
    points,
)
from analysis.statistics.reliance import MEASURES, SWITCHING
from analysis.studies.human_ai_team import words
from analysis.studies.human_ai_team.accuracy import RatePair, rate_pairs
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.design import decided_by, helped_arms
from analysis.studies.human_ai_team.help_shown import (
    DIFFERENCES_FIGURE,
    EFFECTS,
    MARGIN_TABLE,
    MODEL_ARMS,
    VERDICT_TABLE,
    difference_sentence,
    disagreements,
    verdict_sentences,
)
from analysis.studies.human_ai_team.rates import FAMILY, TOLD_APART
from analysis.studies.human_ai_team.rates import MEASURES as RATES
from analysis.studies.human_ai_team.rates import OVER as OVER_RELIANCE
from analysis.studies.human_ai_team.rates import UNDER as UNDER_RELIANCE
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.trust import (
    Detection,
    HelpEffects,
    Primary,
    Reliance,
    TeamGain,
    complementarity_rows,
    detection_rows,
    help_effects,
    reliance_rows,
)
from analysis.studies.human_ai_team.words import (
    HEAD_IN,
    arm,
    arm_name,
    arms_axis,
    part,
    rule_rows,
    tenths,
)
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam

MEASURE_WORDS: Final[Mapping[str, str]] = {
    "reliance": "followed the AI",
    OVER_RELIANCE: "over-reliance",
    UNDER_RELIANCE: "under-reliance",
    "appropriate_reliance": "appropriate reliance",
    TOLD_APART: "discrimination",
    "switch_fraction": "switched to the AI’s answer",
    "relative_ai_reliance": "relative AI reliance (RAIR)",
    "relative_self_reliance": "relative self-reliance (RSR)",
}


@dataclass(frozen=True, slots=True)
class Trust(HelpEffects):
    """Trust in the AI's labels, by arm, and what each kind of help changes."""

    reliance: Annotated[tuple[Reliance, ...], about("Measures of reliance, by images and arm.")]
    detection: Annotated[tuple[Detection, ...], about("d′ and criterion, by images and arm.")]
    complementarity: Annotated[tuple[TeamGain, ...], about("Teams against both alone.")]
    rate_pairs: Annotated[tuple[RatePair, ...], about("Measures of trust, compared by arms.")]


def compute(data: TeamData) -> Trust:
    """Return reliance, and what the model says of each kind of help."""
    answers, rates, plan = data.answers, data.rates, data.plan
    return Trust(
        **help_effects(data),
        reliance=reliance_rows(answers, plan),
        detection=detection_rows(answers, rates),
        complementarity=complementarity_rows(answers, plan, data.threshold),
        rate_pairs=rate_pairs(answers, rates, tuple(RATES)[1:]),
    )


@dataclass(frozen=True, slots=True)
class _TrustOfArm:
    """The measures of an arm that stand in one row of the page."""

    part: str
    method: str
    measures: Mapping[str, Reliance]


def _by_arm(found: Trust) -> list[_TrustOfArm]:
    """Return a row for each arm and part, with the measures of trust that it has."""
    rows: dict[tuple[str, str], dict[str, Reliance]] = {}
    for row in found.reliance:
        rows.setdefault((row.part, row.method), {})[row.measure] = row
    return [_TrustOfArm(*key, own) for key, own in rows.items()]


def _measure(name: str) -> Callable[[_TrustOfArm], str]:
    def write(row: _TrustOfArm) -> str:
        own = row.measures[name]
        if own.estimate is None:
            return NOTHING
        return estimated(bare_percent, own.estimate, own.ci_low, own.ci_high, " %")

    return write


def _rejected(row: _TrustOfArm) -> str:
    """Return the share of all labels that were rejected."""
    own = row.measures["reliance"]
    if own.estimate is None or own.ci_low is None or own.ci_high is None:
        return NOTHING
    return estimated(bare_percent, 1 - own.estimate, 1 - own.ci_high, 1 - own.ci_low, " %")


def _counted(row: Reliance) -> str:
    return grouped(row.n) if row.count is None else f"{grouped(row.count)} of {grouped(row.n)}"


WITHOUT_ALONE: Final = (
    " Participants of Label alone weren’t told of an AI, so the table leaves them out."
)


def _of_advised(note: str) -> Callable[[Trust], str]:
    """Return a note that says why an arm without advice has no row, if there is such an arm."""
    return lambda found: note + WITHOUT_ALONE if found.complementarity else note


RELIANCE = ReportTable(
    "reliance",
    "reliance",
    "Trust in the AI’s label, by arm, with 95 % intervals.",
    (
        Column("Images", part, once=True),
        Column("Arm", arm()),
        Column("Over-reliance", _measure(OVER_RELIANCE), str),
        Column("Under-reliance", _measure(UNDER_RELIANCE), str),
        Column("Discrimination", _measure(TOLD_APART), str),
        Column("Rejected", _rejected, str),
    ),
    _of_advised(
        f"Over-reliance: {MEASURES[OVER_RELIANCE]}. Under-reliance: {MEASURES[UNDER_RELIANCE]}. "
        f"Discrimination: {MEASURES[TOLD_APART]}. Rejected: share of all labels. "
        "tables/reliance.csv has counts."
    ),
    shown=_by_arm,
    strong=changes("part"),
    row_headers=2,
)
SWITCHED = ReportTable(
    "",
    lambda found: [
        row
        for row in found.reliance
        if row.measure in SWITCHING and row.estimate is not None and row.part == ALL
    ],
    "Own answers, and what advice made of them.",
    (
        Column("Arm", arm(), once=True),
        Column("Measure", lambda row: MEASURE_WORDS[row.measure]),
        Column("Share", "estimate", tenths),
        limits(bare_percent),
        Column("Answers", _counted, str),
    ),
    "RAIR: of own wrong answers, with the AI right, those given up for it. RSR: of own right "
    "answers, with the AI wrong, those kept (Schemmer et al. 2023).",
    strong=changes("method"),
    row_headers=2,
)
DETECTION = ReportTable(
    "detection",
    "detection",
    "Sensitivity and criterion by arm, all images.",
    (
        Column("Arm", arm()),
        Column("d′", "d_prime", number),
        Column("95 % interval", between("d_prime", number), str),
        Column("c", "criterion", number),
        Column("95 % interval", between("criterion", number), str),
    ),
    _of_advised(
        "Of all answers of an arm, with the log-linear correction; intervals over participants and "
        "images. A positive criterion leans to rejecting the AI’s label. tables/detection.csv has "
        "natural images, too."
    ),
    shown=lambda found: [row for row in found.detection if row.part == ALL],
)
COMPLEMENTARITY = ReportTable(
    "complementarity",
    some("complementarity"),
    "Teams against both alone.",
    (
        Column("Arm", arm()),
        Column("Team", "team", tenths),
        Column("Alone", "alone", tenths),
        Column("AI", "ai", tenths, "own rule"),
        Column("AI", "accepts_all", tenths, "accepts all"),
        Column("Gain", "gain", points, "points"),
        Column("95 % interval", between("gain", points), str),
        Column("p", "p", p_value, "one-sided"),
        Column("Better than both", lambda row: "yes" if row.complementary else "no"),
    ),
    lambda found: (
        "Gain: the team less the better of participants alone and the AI alone. Alone: "
        "the label was seen without confidence or help. The AI alone "
        + (
            "accepts every label, since its confidence isn’t known"
            if (t := found.complementarity[0].threshold) is None
            else f"accepts labels from a confidence of {number(t)} on and rejects the others"
        )
        + "; it is counted on the images that the team saw."
    ),
)
RATE_PAIRS = ReportTable("rate_pairs", "rate_pairs")
INTRODUCTION = Paragraph(
    "An arm can raise accuracy in two ways. People may discriminate better between right and "
    "wrong labels; only this is called help. Or they may accept more labels of an AI that is "
    "mostly right; this is over-reliance if they accept more wrong labels too. So this "
    "section gives the two errors separately."
)


def draw_reliance(found: Trust) -> Figure:
    """Return over- and under-reliance by arm: wrong labels accepted, right ones rejected."""
    own = {(row.method, row.measure): row for row in found.reliance if row.part == ALL}
    arms = list(dict.fromkeys(method for method, _ in own))[::-1]
    panels = (
        (OVER_RELIANCE, "Over-reliance: wrong labels accepted", ORANGE, "s"),
        (UNDER_RELIANCE, "Under-reliance: right labels rejected", BLUE, "o"),
    )
    with figure_style():
        figure, both = subplots(
            1, 2, sharex=True, sharey=True, layout="constrained",
            figsize=(WIDTH_IN, HEAD_IN + 0.3 * len(arms)),
        )  # fmt: skip
        for axes, (measure, title, colour, marker) in zip(both, panels, strict=True):
            axes.set_title(title)
            for place, method in enumerate(arms):
                row = own[method, measure]
                draw_estimate(axes, row, place, colour, marker)
                if row.estimate is not None:
                    axes.annotate(
                        percent(row.estimate), (row.estimate, place), xytext=(0, 6),
                        textcoords="offset points", ha="center", fontsize=7, color=INK,
                    )  # fmt: skip
            axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
            axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        shown = [own[method, measure] for method in arms for measure, *_ in panels]
        highest = max(row.ci_high or row.estimate or 0.0 for row in shown)
        # Room for a whole marker at 0.
        both[0].set_xlim(-0.03, min(1.03, highest + 0.05))
        arms_axis(both[0], [arm_name(method) for method in arms])
        both[1].spines["left"].set_visible(False)
        both[1].tick_params(axis="y", length=0)
        rule_rows(both[1], len(arms))
        both[0].set_ylim(-0.5, len(arms) - 0.3)
    return figure


RELIANCE_FIGURE = ReportFigure(
    "reliance",
    "Over- and under-reliance by arm, all main trials, with 95 % intervals over "
    "participants and images.",
    "Two panels with a point and an interval for each arm",
    draw_reliance,
    lambda found: found.effects[ALL].mix not in (0, 1) and found.reliance,
)


def _headline(found: Trust, _: Whole) -> list[str]:
    return [*difference_sentence(found), *verdict_sentences(found), *_reliance(found)]


def _reliance(found: Trust) -> list[str]:
    own = [row for row in found.reliance if row.part == ALL and row.n]
    rows = {(row.method, row.measure): row for row in own}
    each = []
    for method in dict.fromkeys(row.method for row in own):
        over, under = rows.get((method, OVER_RELIANCE)), rows.get((method, UNDER_RELIANCE))
        if over and under:
            each.append(f"{arm_name(method)} {_share(over)} and {_share(under)}")
    if not each:
        return []
    return [
        f"Over-reliance (wrong labels accepted) and under-reliance (right labels rejected): "
        f"{'; '.join(each)}."
    ]


def _share(row: Reliance) -> str:
    ends = interval(row.ci_low, row.ci_high, lambda value: bare_percent(value, 0))
    return f"{percent(row.estimate)} {ends}"


def _methods(found: Trust, whole: Whole) -> Sequence[str]:
    frame = whole.frame
    drawn = "participants and images" if frame.bootstrap.drawn == "both" else "participants"
    replicates = grouped(frame.bootstrap.replicates)
    return [
        "Over-reliance is the share of the AI’s wrong labels that were accepted, under-reliance "
        "the share of its right labels that were rejected; d′ and the criterion have the "
        f"log-linear correction ({words.DETECTION}).",
        f"Intervals of shares and accuracies are {frame.intervals}. Complementarity, ratings "
        f"and what people needed have percentile intervals of {replicates} "
        f"bootstrap replicates over {drawn} ({words.RESAMPLING}).",
        f"The primary analysis, named in the protocol, is {_decides(found.primary[0])}. Holm’s "
        f"correction is over one family: {FAMILY}.",
    ]


def _decides(primary: Primary) -> str:
    """Return which analysis the protocol names, and which decides instead, if another does."""
    if primary.used == primary.asked:
        return WORDS[primary.asked]
    return f"{WORDS[primary.asked]}. It gives no differences here, so {WORDS[primary.used]} decide"


def _lacking(data: TeamData, _: Trust | None) -> list[Lacking]:
    rows = []
    if HUMAN_ALONE not in data.answers.arms:
        rows.append(Lacking("complementarity", f"there is no arm {HUMAN_ALONE}"))
    if not np.isfinite(data.answers.frame["own_followed"]).any():
        result = "switching, relative AI reliance (RAIR) and relative self-reliance (RSR)"
        rows.append(Lacking(result, "there was one answer only (question.decision)"))
    return rows


def _registered(protocol: HumanAiTeam) -> Promise:
    named, reference = helped_arms(protocol)
    return Promise(
        "primary",
        "Over-reliance, under-reliance, d′ and criterion by arm. Differences between arms are "
        "given by means over participants and images and by the mixed model, each with Student’s t "
        f"tests. Each arm gets a verdict against {reference}, for the images that were shown, for "
        "natural images, and for natural images as often as they occur; right answers of each pair "
        "of arms are compared with the margin.",
        hypotheses=(
            Hypothesis(
                "H2",
                f"Participants accept fewer of the AI's wrong labels (over-reliance) with {named} "
                f"than with {reference}.",
                decided_by(protocol),
            ),
        ),
    )


TRUST = Question(
    id="trust",
    title="Whether trust is well placed",
    answer=Trust,
    compute=compute,
    step="fitting the mixed models",
    parts=(
        INTRODUCTION,
        RELIANCE_FIGURE,
        VERDICT_TABLE,
        DIFFERENCES_FIGURE,
        EFFECTS,
        disagreements,
        MARGIN_TABLE,
        RELIANCE,
        SWITCHED,
        DETECTION,
        COMPLEMENTARITY,
        RATE_PAIRS,
        MODEL_ARMS,
    ),
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Whether trust is well placed."""
