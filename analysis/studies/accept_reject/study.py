"""What accept_reject declares to this room."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from analysis.studies.accept_reject.power.command import power
from analysis.study import OwnRows, Results, Study, TableBeside

if TYPE_CHECKING:
    from analysis.data.tables import Dataset
    from analysis.report.plan import ReportPlan

ONE_RUN: Final = "one_run"
"""The order of a session that assesses accuracy; plates come in two runs."""


def _analyse(
    dataset: "Dataset", purpose: str | None, left_out: Sequence[str], step: Callable[[str], None]
) -> Results:
    from analysis.studies.accept_reject.results import analyse_accept_reject

    return analyse_accept_reject(dataset, purpose, left_out, step)


def _report() -> "ReportPlan":
    from analysis.studies.accept_reject.present import REPORT

    return REPORT


STUDY = Study(
    analyse=_analyse,
    report=_report,
    compared=("decision", "rt_s", "frames_dropped"),
    beside={"items": TableBeside(("item",), "Its item table, with --trials.")},
    own_rows={
        "trials": OwnRows("order", lambda order: order != ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.notna()),  # images have none
    },
    power=power,
)
