"""Controls: how often leads accept what none should accept."""

from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.question import Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, spelled
from analysis.report.estimates import limits_row
from analysis.report.parts import Column, share_with_limits
from analysis.report.wording import grouped
from analysis.statistics.proportions import Count, wilson
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.people import KINDS

KIND_WORDS: Final = {"wrong_label": "wrong label", "no_solution": "“no solution”"}


@dataclass(frozen=True, slots=True)
class ControlRate:
    """How often a kind of control was accepted, whenever it was."""

    kind: Annotated[str, about("The kind: wrong_label or no_solution.")]
    n: Annotated[int, about("Trials.")]
    rate: Annotated[float | None, about("Share accepted, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]


@dataclass(frozen=True, slots=True)
class Controls:
    """Controls."""

    kinds: Annotated[tuple[ControlRate, ...], about("Kinds of controls that were shown.")]


def compute(data: AccuracyData) -> Controls:
    """Return how often each kind of control was accepted."""
    frame, rows = data.judged.frame, []
    for kind in KINDS:
        own = frame.loc[frame["control_kind"] == kind, "decision"]
        if len(own):
            accepted = Count(int((own == "accept").sum()), len(own))
            rows.append(ControlRate(kind, len(own), **limits_row(wilson(accepted), "rate")))
    return Controls(tuple(rows))


KINDS_TABLE = ReportTable(
    "controls",
    "kinds",
    "Controls, which none should accept.",
    (
        Column("Control", spelled("kind", KIND_WORDS)),
        *share_with_limits("Accepted"),
        Column("Trials", "n", grouped, "n"),
    ),
    otherwise="No control was shown.",
)

CONTROLS = Question(
    id="controls",
    title="Controls",
    answer=Controls,
    compute=compute,
    parts=(KINDS_TABLE,),
    registered=lambda _: Promise(
        "secondary", "Acceptance of wrong labels and of the word for no solution."
    ),
)
"""How often leads accept controls."""
