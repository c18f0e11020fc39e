"""What accept_reject_accuracy declares to this room."""

from analysis.studies.accept_reject.study import ONE_RUN
from analysis.studies.accept_reject_accuracy.power.command import power
from analysis.study import OwnRows, Study, TableBeside
from stimuli.catalogue import Late

STUDY = Study(
    analyse=Late(f"{__package__}.results:analyse_accuracy"),
    report=Late(f"{__package__}.present:REPORT").imported,
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
    registered=Late(f"{__package__}.registered:registered"),
)
