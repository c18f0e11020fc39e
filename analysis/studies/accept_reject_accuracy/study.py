"""What accept_reject_accuracy declares for analysis, and its command ``power``."""

from typing import TYPE_CHECKING

from analysis.power.options import JobOptions, grid_of
from analysis.studies.accept_reject.study import ONE_RUN
from analysis.studies.accept_reject_accuracy.power import (
    AccuracySizes,
    LabelWorld,
    require_possible,
)
from analysis.study import OwnRows, Study, TableBeside
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.accept_reject_accuracy.data import AccuracyData


@grouped
def power(sizes: AccuracySizes, world: LabelWorld, job: JobOptions) -> None:
    """Find how many leads and images accept_reject_accuracy needs.

    The command simulates the study many times and analyses each simulated study as real data. It
    writes report.html, results.json, power.csv and figures/*. After an interruption the same
    command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power accept_reject_accuracy --participants 5,20 --items 200
    --effect=-0.05,0 --out power
    """
    from analysis.power.job import answer
    from analysis.power.simulation import Ask
    from analysis.studies.accept_reject_accuracy.simulated import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

    rules = load_protocol("accept_reject_accuracy", sizes.protocol)
    assert isinstance(rules, AcceptRejectAccuracy)
    require_possible(world)
    answer(question_of(Ask(rules, grid_of(sizes, sizes.effect), world, job.seed)), job)


def inquiry() -> "Inquiry[AccuracyData]":
    """Return the questions of accept_reject_accuracy, in the order of the page."""
    from analysis.studies.accept_reject_accuracy.inquiry import LABELS

    return LABELS


STUDY = Study(
    inquiry,
    beside={
        "items": TableBeside(("item",), "Item table, with --trials."),
        "arms": TableBeside(("solver",)),
    },
    own_rows={
        "trials": OwnRows("order", lambda order: order == ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.isna()),
        "arms": OwnRows("method", lambda method: method.isna()),
    },
    power=power,
)
