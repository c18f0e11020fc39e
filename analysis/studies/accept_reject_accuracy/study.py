"""What accept_reject_accuracy declares to this room."""

from typing import TYPE_CHECKING

from analysis.studies.accept_reject.study import ONE_RUN
from analysis.studies.accept_reject_accuracy.power.command import power
from analysis.study import OwnRows, Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.accept_reject_accuracy.data import AccuracyData


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
