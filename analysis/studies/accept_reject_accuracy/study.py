"""What accept_reject_accuracy declares to this room."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.studies.accept_reject.study import ONE_RUN
from analysis.study import OwnRows, Presentation, Results, Study, TableBeside

if TYPE_CHECKING:
    from analysis.data.tables import Dataset


def _analyse(
    dataset: "Dataset", purpose: str | None, left_out: Sequence[str], step: Callable[[str], None]
) -> Results:
    from analysis.studies.accept_reject_accuracy.label_words import label_words
    from analysis.studies.accept_reject_accuracy.results import analyse_accuracy

    return analyse_accuracy(dataset, purpose, left_out, step, label_words(dataset.folder))


def _presentation() -> Presentation:
    from analysis.studies.accept_reject_accuracy.files import TABLE_NAMES, flat_tables
    from analysis.studies.accept_reject_accuracy.present import FIGURE_NAMES, build_report

    return Presentation(build_report, flat_tables, TABLE_NAMES, FIGURE_NAMES)


STUDY = Study(
    analyse=_analyse,
    presentation=_presentation,
    compared=("decision", "rt_s", "frames_dropped"),
    beside={"items": TableBeside(("item",), "Its item table, with --trials.")},
    own_rows={
        "trials": OwnRows("order", lambda order: order == ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.isna()),
    },
)
