"""What progressive_reveal declares to this room."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.study import Results, Study, TableBeside

if TYPE_CHECKING:
    from analysis.data.tables import Dataset
    from analysis.report.plan import ReportPlan


def _analyse(
    dataset: "Dataset", purpose: str | None, left_out: Sequence[str], step: Callable[[str], None]
) -> Results:
    from analysis.studies.progressive_reveal.results import analyse_progressive_reveal

    curves, people = dataset.beside.get("curves"), dataset.beside.get("people")
    return analyse_progressive_reveal(dataset, purpose, left_out, step, curves, people)


def _report() -> "ReportPlan":
    from analysis.studies.progressive_reveal.present import REPORT

    return REPORT


STUDY = Study(
    analyse=_analyse,
    report=_report,
    compared=("recognised", "step", "pixels", "frames_dropped"),
    beside={
        "items": TableBeside(("item",), "Item table of that table, with --trials."),
        "curves": TableBeside(
            ("item", "method", "step", "pixels"),
            "Table of what each image uncovers step by step, with --trials.",
        ),
        "people": TableBeside(("participant", "session")),
    },
    # Where a round ended without the right answer, the last step is meant.
    may_be_empty=frozenset({"step", "pixels"}),
)
