"""Whether trust in the AI is well placed: over- and under-reliance, and what help changes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.questions.estimates import EstimateRow
from analysis.questions.pivot import (
    Wide,
    interval_of,
    level_of,
    pivot,
    value_of,
    with_limits_of,
)
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.deciding import WORDS
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.methods import equivalence
from analysis.report.parts import Bounds, Column, Paragraph, limits
from analysis.report.style import BLUE, INK, ORANGE, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import (
    bare_percent,
    interval,
    number,
    p_value,
    percent,
    sentence_if,
)
from analysis.statistics.reliance import MEASURES as WORDS_OF
from analysis.statistics.reliance import SWITCHING
from analysis.studies.human_ai_team import words
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.design import hypotheses
from analysis.studies.human_ai_team.differences import FAMILY
from analysis.studies.human_ai_team.help_shown import (
    DIFFERENCES_FIGURE,
    EFFECTS,
    MARGIN_TABLE,
    VERDICT_TABLE,
    difference_sentences,
    disagreements,
    verdict_sentences,
)
from analysis.studies.human_ai_team.quantities import (
    CRITERION,
    D_PRIME,
    DIFFERENCES,
    MEASURES,
    OVER,
    TOLD_APART,
    UNDER,
)
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.trust import (
    ACCEPTS_ALL,
    AI,
    ALONE,
    BETTER,
    GAIN,
    MIX,
    OF_CHANGES,
    OF_TEAM,
    TEAM,
    THRESHOLD,
    Primary,
    Trust,
    trust_of,
)
from analysis.studies.human_ai_team.words import (
    HEAD_IN,
    PART_WORDS,
    arm_name,
    arms_axis,
    count_words,
    tenths,
)
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam


def _with_limits(name: str) -> Column:
    """Return the column of a measure in per cent, with its interval."""
    return replace(with_limits_of(MEASURES[name]), write=bare_percent, unit="%")


def _rejected(part: str) -> Callable[[Wide], float | None]:
    """Return a function that reads the share of all labels that were rejected, or its limit."""

    def rejected(row: Wide) -> float | None:
        accepted = row[f"reliance{part}"]
        return None if accepted is None else 1 - accepted

    return rejected


WITHOUT_ALONE: Final = (
    " Participants of Label alone weren’t told of an AI, so the table leaves them out."
)


def _of_advised(note: str) -> Callable[[Trust], str]:
    """Return a note that says why an arm without advice has no row, if there is such an arm."""
    return lambda answer: note + WITHOUT_ALONE if answer.rows(TEAM) else note


ARM: Final = level_of("method", "Arm", arm_name)
RELIANCE = pivot(
    "Trust in the AI’s label, by arm, with 95 % intervals.",
    (
        level_of("part", "Images", PART_WORDS.__getitem__, once=True),
        ARM,
        _with_limits(OVER),
        _with_limits(UNDER),
        _with_limits(TOLD_APART),
        Column(
            "Rejected",
            _rejected(""),
            bare_percent,
            "%",
            within=Bounds(_rejected(".ci_high"), _rejected(".ci_low"), bare_percent),
        ),
    ),
    by=("part", "method"),
    of=lambda answer: [row for row in answer.rows(*MEASURES.values()) if row.n is not None],
    note=_of_advised(
        f"Over-reliance: {WORDS_OF[OVER]}. Under-reliance: {WORDS_OF[UNDER]}. "
        f"Discrimination: {WORDS_OF[TOLD_APART]}. Rejected: share of all labels. "
        "tables/estimates.csv has counts."
    ),
    strong=changes("part"),
    row_headers=2,
)
SWITCHED = ReportTable(
    "",
    lambda answer: [
        row
        for row in answer.rows(*(MEASURES[name] for name in SWITCHING), part=ALL)
        if row.estimate is not None
    ],
    "Own answers, and what advice made of them.",
    (
        Column("Arm", lambda row: arm_name(row.of["method"]), once=True),
        Column("Measure", lambda row: MEASURES[row.quantity].heading),
        Column("Share", "estimate", tenths),
        limits(bare_percent),
        Column("Answers", lambda row: count_words(row.estimate, row.n), str),
    ),
    "RAIR: of own wrong answers, with the AI right, those given up for it. RSR: of own right "
    "answers, with the AI wrong, those kept (Schemmer et al. 2023).",
    strong=changes(lambda row: row.of["method"]),
    row_headers=2,
)
DETECTION = pivot(
    "Sensitivity and criterion by arm, all images.",
    (
        ARM,
        value_of(MEASURES[D_PRIME]),
        interval_of(MEASURES[D_PRIME]),
        value_of(MEASURES[CRITERION]),
        interval_of(MEASURES[CRITERION]),
    ),
    by=("method",),
    of=lambda answer: answer.rows(MEASURES[D_PRIME], MEASURES[CRITERION], part=ALL),
    note=_of_advised(
        "Of all answers of an arm, with the log-linear correction; intervals over participants and "
        "images. A positive criterion leans to rejecting the AI’s label. tables/estimates.csv has "
        "natural images, too."
    ),
)
COMPLEMENTARITY = pivot(
    "Teams against both alone.",
    (
        ARM,
        value_of(TEAM),
        value_of(ALONE),
        value_of(AI),
        value_of(ACCEPTS_ALL),
        value_of(GAIN),
        interval_of(GAIN),
        Column("p", f"{BETTER.id}.p", p_value, "one-sided"),
        Column(BETTER.heading, f"{BETTER.id}.verdict"),
    ),
    by=("method",),
    of=lambda answer: answer.rows(*OF_TEAM),
    note=lambda answer: (
        "Gain: the team less the better of participants alone and the AI alone. Alone: "
        "the label was seen without confidence or help. The AI alone "
        + (
            "accepts every label, since its confidence isn’t known"
            if not (threshold := answer.rows(THRESHOLD))
            else f"accepts labels from a confidence of {number(threshold[0].estimate)} on and "
            "rejects the others"
        )
        + "; it is counted on the images that the team saw."
    ),
)
INTRODUCTION = Paragraph(
    "An arm can raise accuracy in two ways. People may discriminate better between right and "
    "wrong labels; only this is called help. Or they may accept more labels of an AI that is "
    "mostly right; this is over-reliance if they accept more wrong labels too. So this "
    "section gives the two errors separately."
)


def draw_reliance(answer: Trust) -> Figure:
    """Return over- and under-reliance by arm: wrong labels accepted, right ones rejected."""
    by_measure = {name: {row.of["method"]: row for row in answer.rows(MEASURES[name], part=ALL)}
           for name in (OVER, UNDER)}  # fmt: skip
    arms = list(by_measure[OVER])[::-1]
    panels = (
        (OVER, "Over-reliance:\nwrong labels accepted", ORANGE, "s"),
        (UNDER, "Under-reliance:\nright labels rejected", BLUE, "o"),
    )
    with figure_style():
        figure, both = subplots(
            1, 2, sharex=True, sharey=True, layout="constrained",
            figsize=(WIDTH_IN, HEAD_IN + 0.3 * len(arms)),
        )  # fmt: skip
        for axes, (measure, title, colour, marker) in zip(both, panels, strict=True):
            axes.set_title(title)
            for place, method in enumerate(arms):
                row = by_measure[measure][method]
                draw_estimate(axes, row, place, colour, marker)
                if row.estimate is not None:
                    axes.annotate(
                        percent(row.estimate), (row.estimate, place), xytext=(0, 6),
                        textcoords="offset points", ha="center", fontsize=7, color=INK,
                    )  # fmt: skip
            axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
            axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
            arms_axis(axes, [arm_name(method) for method in arms])
        rates = [row for rows in by_measure.values() for row in rows.values()]
        highest = max(row.ci_high or row.estimate or 0.0 for row in rates)
        # Room for a whole marker at 0.
        both[0].set_xlim(-0.03, min(1.03, highest + 0.05))
        both[0].set_ylim(-0.5, len(arms) - 0.3)
    return figure


RELIANCE_FIGURE = ReportFigure(
    "reliance",
    "Over- and under-reliance by arm, all main trials, with 95 % intervals over "
    "participants and images.",
    "Two panels with a point and an interval for each arm",
    draw_reliance,
    lambda answer: answer.row(MIX, base=ALL).estimate not in (0, 1) and answer.rows(MEASURES[OVER]),
)


def _headline(answer: Trust, _: Whole) -> list[str]:
    return [*difference_sentences(answer), *verdict_sentences(answer), *_reliance(answer)]


def _reliance(answer: Trust) -> list[str]:
    by_arm = []
    for row in answer.rows(MEASURES[OVER], part=ALL):
        under = answer.row(MEASURES[UNDER], **row.of)
        if row.n and under.n:
            by_arm.append(f"{arm_name(row.of['method'])} {_share(row)} and {_share(under)}")
    if not by_arm:
        return []
    return [
        f"Over-reliance (wrong labels accepted) and under-reliance (right labels rejected): "
        f"{'; '.join(by_arm)}."
    ]


def _share(row: EstimateRow) -> str:
    ends = interval(row.ci_low, row.ci_high, lambda value: bare_percent(value, 0))
    return f"{percent(row.estimate)} {ends}"


def _methods(answer: Trust, whole: Whole) -> Sequence[str]:
    frame = whole.frame
    compared = any(row.margin is not None for row in answer.estimates)
    rules = cast(HumanAiTeam, whole.protocol).analysis
    margin = rules.margin if compared else None
    return [
        "Over-reliance is the share of the AI’s wrong labels that were accepted, under-reliance "
        "the share of its right labels that were rejected; d′ and the criterion have the "
        f"log-linear correction ({words.DETECTION}).",
        f"Intervals of shares and accuracies are {frame.intervals}.",
        *sentence_if(
            answer.has_limits(GAIN), words.resampled("Complementarity has", frame.bootstrap)
        ),
        f"The primary analysis, named in the protocol, is {_decides(answer.primary[0])}. Holm’s "
        f"correction is over {FAMILY}.",
        *equivalence(margin, rules.margin_reason, "Calling an arm like the reference"),
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
    return Promise(
        "Over-reliance, under-reliance, d′ and criterion by arm. Differences between arms are "
        "given by means over participants and images and by the mixed model, each with Student’s t "
        f"tests. Each arm gets a verdict against {arm_name(protocol.analysis.reference_arm)}, for "
        "the images that were shown, for natural images, and for natural images as often as they "
        "occur; right answers of each pair of arms are compared with the margin.",
        hypotheses=hypotheses(protocol),
    )


TRUST = Question(
    id="trust",
    title="Whether trust is well placed",
    answer=Trust,
    quantities=(*MEASURES.values(), *DIFFERENCES.values(), *OF_CHANGES, *OF_TEAM),
    compute=trust_of,
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
    ),
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Whether trust is well placed."""
