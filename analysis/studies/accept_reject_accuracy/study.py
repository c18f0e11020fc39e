"""What accept_reject_accuracy declares to this room."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.studies.accept_reject.study import ONE_RUN
from analysis.study import OwnRows, Results, Study, TableBeside

if TYPE_CHECKING:
    from analysis.data.tables import Dataset
    from analysis.report.plan import ReportPlan


def _analyse(
    dataset: "Dataset", purpose: str | None, left_out: Sequence[str], step: Callable[[str], None]
) -> Results:
    from analysis.studies.accept_reject_accuracy.label_words import label_words
    from analysis.studies.accept_reject_accuracy.results import analyse_accuracy

    return analyse_accuracy(dataset, purpose, left_out, step, label_words(dataset.folder))


def _report() -> "ReportPlan":
    from analysis.studies.accept_reject_accuracy.present import REPORT

    return REPORT


STUDY = Study(
    analyse=_analyse,
    report=_report,
    compared=("decision", "rt_s", "frames_dropped"),
    beside={"items": TableBeside(("item",), "Item table of that table, with --trials.")},
    own_rows={
        "trials": OwnRows("order", lambda order: order == ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.isna()),
    },
)
