"""Who is right, with which help: accuracy per participant by arm."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.estimates import AGAINST, EstimateRow, Estimates
from analysis.questions.pivot import (
    adjusted_limits_of,
    adjusted_p_of,
    compared_of,
    level_of,
    limits_of,
    n_of,
    pivot,
    value_of,
)
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column, Fact
from analysis.report.results import counted as counted_people
from analysis.report.style import BLUE, INK, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import (
    alike,
    bare_percent,
    count,
    interval,
    listed,
    rounded,
    sentence_if,
)
from analysis.studies.human_ai_team.accuracy import (
    PersonAccuracy,
    accuracy_pairs,
    per_user_accuracy,
    person_accuracies,
    statistic,
    why_not,
)
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.quantities import (
    EFFECT,
    HIGHEST,
    LOWEST,
    MEAN,
    MEDIAN,
    OF_ARM,
    OF_PAIR,
    RIGHT,
    SD,
    SD_N,
    SHIFT,
    G,
)
from analysis.studies.human_ai_team.questions.participants import PARTICIPANTS
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.words import (
    HEAD_IN,
    against,
    arm_name,
    arms_axis,
    counted,
    lowest,
    right_axis,
)
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

ROW_IN: Final = 0.42
JITTER: Final = 0.17


@dataclass(frozen=True, slots=True)
class Accuracy(Estimates):
    """Accuracy per participant over all main trials."""

    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    by_participant: Annotated[tuple[PersonAccuracy, ...], about("Accuracy of each participant.")]


def compute(data: TeamData) -> Accuracy:
    """Return accuracy by arm, and arms compared."""
    answers, rates = data.answers, data.rates
    return Accuracy(
        (*per_user_accuracy(answers, rates, ALL), *accuracy_pairs(answers, rates)),
        answers.reference,
        person_accuracies(answers),
    )


def arm_columns(*more: Column) -> tuple[Column, ...]:
    """Return the columns of accuracy by arm, with more after them."""
    return (
        level_of("method", "Arm", arm_name),
        n_of(MEAN, "Participants"),
        value_of(MEAN),
        limits_of(MEAN, write=rounded(bare_percent, 1)),
        value_of(SD),
        value_of(SD_N),
        *more,
    )


def pair_columns(*more: Column) -> tuple[Column, ...]:
    """Return the columns of arms compared, with more before the last."""
    return (
        compared_of("method", "Arms", arm_name),
        Column("U or V", statistic, str),
        value_of(SHIFT),
        adjusted_limits_of(SHIFT),
        adjusted_p_of(SHIFT),
        *more,
        Column("Not given", why_not),
    )


def of_reference(answer: Any) -> tuple[EstimateRow, ...]:
    """Return arms compared with the reference on all images."""
    return answer.rows(*OF_PAIR, part=ALL, **against(answer.reference))


BY_ARM = pivot(
    "Accuracy per participant by arm, all main trials.",
    arm_columns(
        value_of(MEDIAN),
        Column("Range", lambda row: _range(row[LOWEST.id], row[HIGHEST.id]), str, "%"),
        Column("Right", counted(RIGHT), str),
    ),
    by=("method",),
    of=lambda answer: answer.rows(*OF_ARM),
    note="The two standard deviations divide by n − 1 and by n. The paper gives the second for lay "
    "users, the first for experts. Intervals of the mean are over participants and images.",
)
PAIRS = pivot(
    "Accuracy per participant, arms compared pair by pair.",
    pair_columns(value_of(EFFECT), value_of(G)),
    by=("method", AGAINST),
    of=of_reference,
    note="Mann–Whitney tests (U), as published; signed ranks (V) where the same participants "
    "answered in both arms. Shift: the median of all differences between participants (Hodges and "
    "Lehmann’s); its limits follow from the rank test. Holm’s correction of limits and p is over "
    "the pairs of the same images. These tests take answers of different participants as "
    "independent, so use "
    "the primary analysis if arms share images. tables/estimates.csv has all pairs, and separate "
    "ones for natural and for adversarial images; it also has p and limits without the correction.",
)
BY_PARTICIPANT = ReportTable("own_accuracies", "by_participant")


def _range(low: float, high: float) -> str:
    return f"{bare_percent(low)}–{bare_percent(high)}"


def draw(answer: Accuracy) -> Figure:
    """Return accuracy by arm, with participants as dots."""
    rows, write = answer.rows(MEAN)[::-1], _writer(answer)
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, HEAD_IN + ROW_IN * len(rows)), layout="constrained"
        )
        for place, row in enumerate(rows):
            arm = row.of["method"]
            shares = [person.correct for person in answer.by_participant if person.method == arm]
            _draw_dots(axes, shares, place)
            draw_estimate(axes, row, place + 0.27, INK, "D")
            axes.annotate(
                f"{write(row.estimate)} %", (1.005, place), xycoords=("axes fraction", "data"),
                va="center", fontsize=8, color=INK,
            )  # fmt: skip
        arms_axis(axes, [f"{arm_name(row.of['method'])} ({row.n})" for row in rows])
        everyone = (person.correct for person in answer.by_participant)
        right_axis(axes, [*everyone, *map(lowest, rows)])
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


def _facts(answer: Accuracy, _: Whole) -> list[Fact]:
    write = _writer(answer)
    return [
        Fact(
            f"{write(row.estimate)} %",
            f"right, {arm_name(row.of['method'])} {interval(row.ci_low, row.ci_high, write)}",
        )
        for row in answer.rows(MEAN)
    ]


def _headline(answer: Accuracy, whole: Whole) -> list[str]:
    data, write = whole.frame.data, _writer(answer)
    means = [
        f"{arm_name(row.of['method'])} {write(row.estimate)} % ({_spread(answer, row)})"
        for row in answer.rows(MEAN)
    ]
    return [
        f"{counted_people(data, 'participant')} answered {count(data.trials, 'main trial')} on "
        f"{count(data.items, 'image')}; mean accuracy per participant: {listed(means)}."
    ]


def _writer(answer: Accuracy) -> Callable[[float | None], str]:
    """Return what writes the arms' means, all with equally many decimals."""
    rows = answer.rows(MEAN)
    intervals = [(row.ci_low, row.ci_high, row.estimate) for row in rows]
    return alike(bare_percent, intervals) or bare_percent


def _spread(answer: Accuracy, row: EstimateRow) -> str:
    sd = answer.row(SD, **row.of).estimate
    return f"n {row.n}" if sd is None else f"sd {bare_percent(sd)}, n {row.n}"


def _methods(answer: Accuracy, whole: Whole) -> list[str]:
    everybody = cast(HumanAiTeam, whole.protocol).analysis.primary == "all"
    whom = "" if whole.of(PARTICIPANTS).without_main else " (intention to treat)"
    return [
        f"Everybody with main trials was analysed{whom}, then those who qualified."
        if everybody
        else "Those who qualified were analysed, then everybody.",
        "As published: mean accuracy per participant by arm, Mann–Whitney tests between arms, "
        "accuracy by bin, natural images weighted by how often their bins occur, adversarial "
        "images separately.",
        *_added(answer),
    ]


def _added(answer: Accuracy) -> list[str]:
    """Return what stands beside the published tests and isn't the paper's."""
    corrected = any(row.p_adjusted is not None for row in answer.estimates)
    return sentence_if(
        corrected, "Beside the published tests are Holm’s correction and effect sizes."
    )


def _lacking(data: TeamData, _: Accuracy | None) -> list[Lacking]:
    answers = data.answers
    if len(answers.arms) < 2:
        return [Lacking("comparisons of arms", "there is one arm")]
    if answers.reference is None:
        result = "the effect of each kind of help, compared with confidence only"
        return [Lacking(result, f"there is no arm {data.protocol.analysis.reference_arm}")]
    return []


ACCURACY = Question(
    id="accuracy",
    title="Who is right, with which help",
    answer=Accuracy,
    quantities=(*OF_ARM, *OF_PAIR),
    compute=compute,
    step="measuring arms over participants and images",
    parts=(FIGURE, BY_ARM, PAIRS, BY_PARTICIPANT),
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=lambda _: Promise(
        "As published: mean accuracy per participant by arm, with Mann–Whitney tests between "
        "arms. Intervals hold for participants and images drawn at random.",
    ),
)
"""Who is right, with which help."""
