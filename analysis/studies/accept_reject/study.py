"""What accept_reject declares to this room."""

from typing import TYPE_CHECKING, Final

from analysis.studies.accept_reject.power.command import power
from analysis.study import OwnRows, Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.accept_reject.data import LeadData

ONE_RUN: Final = "one_run"
"""The order of a session that assesses accuracy; plates come in two runs."""


def inquiry() -> "Inquiry[LeadData]":
    """Return the questions of accept_reject, in the order of the page."""
    from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT

    return ACCEPT_REJECT


STUDY = Study(
    inquiry,
    beside={
        "items": TableBeside(("item",), "Item table, with --trials."),
        "arms": TableBeside(("solver",)),
    },
    own_rows={
        "trials": OwnRows("order", lambda order: order != ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.notna()),  # images have none
        "arms": OwnRows("method", lambda method: method.notna()),
    },
    power=power,
)
