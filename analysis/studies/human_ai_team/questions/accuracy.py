"""Who is right, with which help: accuracy per participant by arm."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column, Fact, holm_limits, limits
from analysis.report.results import counted
from analysis.report.style import BLUE, INK, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import (
    count,
    grouped,
    interval,
    listed,
    no_finer,
    number,
    p_value,
    points,
    rounded,
)
from analysis.studies.human_ai_team.accuracy import (
    AccuracyPair,
    ArmAccuracy,
    PersonAccuracy,
    accuracy_pairs,
    per_user_accuracy,
    person_accuracies,
)
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.design import decided_by, helped_arms
from analysis.studies.human_ai_team.questions.participants import PARTICIPANTS
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.words import (
    HEAD_IN,
    MeanShare,
    against,
    arm,
    arm_name,
    arms_axis,
    pair,
    right_axis,
    statistic,
)
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

ROW_IN: Final = 0.42
JITTER: Final = 0.17


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy per participant over all main trials."""

    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    by_arm: Annotated[tuple[ArmAccuracy, ...], about("Accuracy by arm.")]
    pairs: Annotated[tuple[AccuracyPair, ...], about("Arms compared pair by pair, by images.")]
    by_participant: Annotated[tuple[PersonAccuracy, ...], about("Accuracy of each participant.")]


def compute(data: TeamData) -> Accuracy:
    """Return accuracy by arm, and arms compared."""
    answers, rates = data.answers, data.rates
    return Accuracy(
        answers.reference,
        per_user_accuracy(answers, rates, ALL),
        accuracy_pairs(answers, rates),
        person_accuracies(answers),
    )


BY_ARM = ReportTable(
    "per_user_accuracy",
    "by_arm",
    "Accuracy per participant by arm, all main trials.",
    (
        Column("Arm", arm()),
        Column("Participants", "n", grouped, "n"),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("SD", "sd_n", number, "n"),
        Column("Median", "median", number, "%"),
        Column("Range", lambda r: f"{number(r.lowest, 1)}–{number(r.highest, 1)}", str, "%"),
        Column("Right", lambda r: f"{grouped(r.right)} of {grouped(r.answers)}", str),
    ),
    "The two standard deviations divide by n − 1 and by n. The paper gives the second for lay "
    "users, the first for experts. Intervals of the mean are over participants and images.",
)
PAIRS = ReportTable(
    "pairs",
    "pairs",
    "Accuracy per participant, arms compared pair by pair.",
    (
        Column("Arms", pair),
        Column("U or V", statistic, str),
        Column("Shift", "shift", points, "points"),
        holm_limits(points),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Rank-biserial r", "effect", number),
        Column("Hedges’ g", "g", number),
        Column("Not given", "note"),
    ),
    "Mann–Whitney tests (U), as published; signed ranks (V) where the same participants answered "
    "in both arms. Shift: the median of all differences between participants (Hodges and "
    "Lehmann’s); its limits follow from the rank test. Holm’s correction of limits and p is over "
    "the pairs of the same images. These tests take answers of different participants as "
    "independent, so use "
    "the primary analysis if arms share images. tables/pairs.csv has all pairs, and separate ones "
    "for natural and for adversarial images; it also has p and limits without the correction.",
    shown=lambda found: against(found.reference, of_all_images(found.pairs)),
)
BY_PARTICIPANT = ReportTable("own_accuracies", "by_participant")


def of_all_images(pairs: Sequence[AccuracyPair]) -> list[AccuracyPair]:
    """Return the comparisons over all images."""
    return [row for row in pairs if row.part == ALL]


def draw(found: Accuracy) -> Figure:
    """Return accuracy by arm, with participants as dots."""
    rows = found.by_arm[::-1]
    shares = [MeanShare.of(row) for row in rows]
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, HEAD_IN + ROW_IN * len(rows)), layout="constrained"
        )
        for place, (row, share) in enumerate(zip(rows, shares, strict=True)):
            own = [person.correct for person in found.by_participant if person.method == row.method]
            _draw_dots(axes, own, place)
            draw_estimate(axes, share, place + 0.27, INK, "D")
            axes.annotate(
                f"{_mean(row)} %", (1.005, place), xycoords=("axes fraction", "data"),
                va="center", fontsize=8, color=INK,
            )  # fmt: skip
        arms_axis(axes, [f"{arm_name(row.method)} ({row.n})" for row in rows])
        everyone = (person.correct for person in found.by_participant)
        right_axis(axes, [*everyone, *(share.lowest for share in shares)])
        axes.set_xlabel("right answers of a participant")
    return figure


def _draw_dots(axes: Axes, values: Sequence[float], place: float) -> None:
    """Draw one dot for each participant; equal values are spread up and down."""
    seen: dict[float, int] = {}
    most = max((values.count(value) for value in values), default=1)
    step = min(0.075, 2 * JITTER / max(most - 1, 1))
    heights = []
    for value in values:
        n = seen[value] = seen.get(value, 0) + 1
        heights.append(place - 0.08 + (n // 2) * step * (1 if n % 2 else -1))
    axes.plot(values, heights, "o", color=BLUE, markersize=3.1, alpha=0.55, markeredgewidth=0)


FIGURE = ReportFigure(
    "accuracy",
    "Right answers by arm. Dots: participants; diamonds: means with 95 % intervals over "
    "participants and images. Dotted: chance. In brackets: participants.",
    "A row of dots for each arm, with its mean and interval",
    draw,
)


def _facts(found: Accuracy, _: Whole) -> list[Fact]:
    facts = []
    for row in found.by_arm:
        write = no_finer(rounded(number, 1), row.ci_low, row.ci_high, row.mean)
        ends = interval(row.ci_low, row.ci_high, write)
        facts.append(Fact(f"{write(row.mean)} %", f"right, {arm_name(row.method)} {ends}"))
    return facts


def _headline(found: Accuracy, whole: Whole) -> list[str]:
    data = whole.frame.data
    means = [f"{arm_name(row.method)} {_mean(row)} % ({_spread(row)})" for row in found.by_arm]
    return [
        f"{counted(data, 'participant')} answered {count(data.trials, 'main trial')} on "
        f"{count(data.items, 'image')}; mean accuracy per participant: {listed(means)}."
    ]


def _mean(row: ArmAccuracy) -> str:
    return no_finer(rounded(number, 1), row.ci_low, row.ci_high, row.mean)(row.mean)


def _spread(row: ArmAccuracy) -> str:
    return f"n {row.n}" if row.sd is None else f"sd {number(row.sd, 1)}, n {row.n}"


def _methods(_: Accuracy, whole: Whole) -> list[str]:
    everybody = cast(HumanAiTeam, whole.protocol).analysis.primary == "all"
    whom = "" if whole.of(PARTICIPANTS).without_main else " (intention to treat)"
    return [
        f"Everybody with main trials was analysed{whom}, then those who qualified."
        if everybody
        else "Those who qualified were analysed, then everybody.",
        "As published: mean accuracy per participant by arm, Mann–Whitney tests between arms, "
        "accuracy by bin, natural images weighted by how often their bins occur, adversarial "
        "images separately; with Holm’s correction and effect sizes.",
    ]


def _lacking(data: TeamData, _: Accuracy | None) -> list[Lacking]:
    answers = data.answers
    if len(answers.arms) < 2:
        return [Lacking("comparisons of arms", "there is one arm")]
    if answers.reference is None:
        result = "the effect of each kind of help, compared with confidence only"
        return [Lacking(result, f"there is no arm {data.protocol.analysis.reference_arm}")]
    return []


def _registered(protocol: HumanAiTeam) -> Promise:
    named, reference = helped_arms(protocol)
    return Promise(
        "secondary",
        "As published: mean accuracy per participant by arm, with Mann–Whitney tests between "
        "arms. Intervals hold for participants and images drawn at random.",
        hypotheses=(
            Hypothesis(
                "H1",
                f"Participants are right more often with {named} than with {reference}.",
                decided_by(protocol),
            ),
        ),
    )


ACCURACY = Question(
    id="accuracy",
    title="Who is right, with which help",
    answer=Accuracy,
    compute=compute,
    step="measuring arms over participants and images",
    parts=(FIGURE, BY_ARM, PAIRS, BY_PARTICIPANT),
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Who is right, with which help."""
