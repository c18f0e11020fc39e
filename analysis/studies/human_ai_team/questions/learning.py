"""Whether people get better or worse over the trials, by arm."""

from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np

from analysis.questions.question import Found, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.estimates import limits_row
from analysis.report.parts import Column
from analysis.report.wording import interval, percent, points
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import Count
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm

THIRDS: Final = ("first", "middle", "last")
CHANGE: Final = "change"
WEIGHTS: Final = (*np.eye(3), np.array([-1.0, 0.0, 1.0]))
"""Of the thirds: each of them, and the last less the first."""
LEAST: Final = 3
RESULT: Final = "learning over trials"


@dataclass(frozen=True, slots=True)
class Stretch:
    """An arm's right answers in a third of the trials, or how they change."""

    method: Annotated[str, about("The arm.")]
    third: Annotated[str, about("Third of each participant's trials; change: last less first.")]
    n: Annotated[int, about("Answers.")]
    estimate: Annotated[float | None, about("Share of right answers; of the change a difference.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over participants and images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Learning:
    """Right answers over the trials."""

    stretches: Annotated[tuple[Stretch, ...], about("By arm and third of the trials.")]


def compute(data: TeamData, found: Found) -> Learning | Unavailable:
    """Return right answers by arm and third of each participant's trials."""
    answers = data.answers
    frame = answers.frame
    if not np.isfinite(frame["position"]).all():
        return Unavailable(RESULT, "the table doesn't say in which order trials came")
    if frame["participant"].value_counts().min() < LEAST:
        return Unavailable(RESULT, f"a participant has fewer than {LEAST} answers")
    by_person = frame.groupby("participant")["position"]
    place = by_person.rank(method="first") - 1
    third = (place * len(THIRDS) // by_person.transform("size")).to_numpy(dtype=int)
    arm_place = frame["method"].map({name: k for k, name in enumerate(answers.arms)}).to_numpy()
    cell, cells = arm_place * len(THIRDS) + third, len(answers.arms) * len(THIRDS)
    correct = frame["correct"].to_numpy(dtype=float)
    counts = [Count(int(correct[cell == k].sum()), int((cell == k).sum())) for k in range(cells)]
    measured = measure_shares(correct, cell, cells, answers.units(), data.plan)
    rows = []
    for number, method in enumerate(answers.arms):
        first = number * len(THIRDS)
        for name, weights in zip(
            (*THIRDS, CHANGE), (*np.eye(3), np.array([-1.0, 0, 1])), strict=True
        ):
            contrast = np.zeros(cells)
            contrast[first : first + len(THIRDS)] = weights
            n = sum(counts[k].n for k in np.flatnonzero(contrast))
            value = estimate_shares(counts, contrast, measured)
            rows.append(Stretch(method, name, n, **limits_row(value)))
    return Learning(tuple(rows))


@dataclass(frozen=True, slots=True)
class _Course:
    """The stretches of an arm, which are a row of the page."""

    method: str
    stretches: dict[str, Stretch]

    def share(self, third: str) -> str:
        """Return the share of right answers in a third."""
        return percent(self.stretches[third].estimate)

    @property
    def change(self) -> str:
        """The last third less the first, with its limits."""
        row = self.stretches[CHANGE]
        return f"{points(row.estimate)} {interval(row.ci_low, row.ci_high, points)}"


def _courses(found: Learning) -> list[_Course]:
    rows: dict[str, dict[str, Stretch]] = {}
    for row in found.stretches:
        rows.setdefault(row.method, {})[row.third] = row
    return [_Course(*own) for own in rows.items()]


TABLE = ReportTable(
    "learning",
    "stretches",
    "Right answers by third of a participant’s trials.",
    (
        Column("Arm", arm()),
        Column("First third", lambda row: row.share("first"), str),
        Column("Middle", lambda row: row.share("middle"), str),
        Column("Last", lambda row: row.share("last"), str),
        Column("Last less first", lambda row: row.change, str, "points, 95 % interval"),
    ),
    "No answer was followed by feedback. Intervals are over participants and images.",
    shown=_courses,
)
LEARNING = Question(
    id="learning",
    title="Learning over trials",
    answer=Learning,
    compute=compute,
    parts=(TABLE,),
)
"""Whether people get better or worse over the trials."""
