"""Controls: how often leads accept what none should accept."""

from typing import Final

from analysis.questions.estimates import Estimates, Quantity, share_row
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Promise, Question
from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.words import BARE, TENTHS
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.people import KINDS

KIND_WORDS: Final = {"wrong_label": "wrong label", "no_solution": "“no solution”"}
ACCEPTED = Quantity(
    "control_accepted", "Accepted", "Share of a kind of controls that is accepted, whenever it is.",
    TENTHS,
)  # fmt: skip


def compute(data: AccuracyData) -> Estimates:
    """Return how often each kind of control was accepted."""
    decisions = data.judged.frame.groupby("control_kind")["decision"]
    accepted = {
        kind: Count(int((answers == "accept").sum()), len(answers)) for kind, answers in decisions
    }
    return Estimates(
        tuple(
            share_row(ACCEPTED, {"control_kind": kind}, accepted[kind])
            for kind in KINDS
            if kind in accepted
        )
    )


KINDS_TABLE = pivot(
    "Controls, which none should accept.",
    (
        level_of("control_kind", "Control", KIND_WORDS.__getitem__),
        value_of(ACCEPTED),
        limits_of(ACCEPTED, write=BARE),
        n_of(ACCEPTED, "Trials"),
    ),
    by=("control_kind",),
    otherwise="No control was shown.",
)
CONTROLS = Question(
    id="controls",
    title="Controls",
    answer=Estimates,
    quantities=(ACCEPTED,),
    compute=compute,
    parts=(KINDS_TABLE,),
    registered=lambda _: Promise("Acceptance of wrong labels and of the word for no solution."),
)
"""How often leads accept controls."""
