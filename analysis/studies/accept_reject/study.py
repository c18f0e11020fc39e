"""What accept_reject declares to this room."""

from typing import Final

from analysis.studies.accept_reject.power.command import power
from analysis.study import OwnRows, Study, TableBeside
from stimuli.catalogue import Late

ONE_RUN: Final = "one_run"
"""The order of a session that assesses accuracy; plates come in two runs."""

STUDY = Study(
    analyse=Late(f"{__package__}.results:analyse_accept_reject"),
    report=Late(f"{__package__}.present:REPORT").imported,
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
    registered=Late(f"{__package__}.registered:registered"),
    pictures=Late(f"{__package__}.seen:pictures"),
)
