"""What progressive_reveal declares to this room."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.study import Presentation, Results, Study, TableBeside

if TYPE_CHECKING:
    from analysis.data.tables import Dataset


def _analyse(
    dataset: "Dataset", purpose: str | None, left_out: Sequence[str], step: Callable[[str], None]
) -> Results:
    from analysis.studies.progressive_reveal.results import analyse_progressive_reveal

    curves, people = dataset.beside.get("curves"), dataset.beside.get("people")
    return analyse_progressive_reveal(dataset, purpose, left_out, step, curves, people)


def _presentation() -> Presentation:
    from analysis.studies.progressive_reveal.files import TABLE_NAMES, flat_tables
    from analysis.studies.progressive_reveal.present import FIGURE_NAMES, build_report

    return Presentation(build_report, flat_tables, TABLE_NAMES, FIGURE_NAMES)


STUDY = Study(
    analyse=_analyse,
    presentation=_presentation,
    compared=("recognised", "step", "pixels", "frames_dropped"),
    beside={
        "items": TableBeside(("item",), "Its item table, with --trials."),
        "curves": TableBeside(
            ("item", "method", "step", "pixels"),
            "What each image uncovers step by step, with --trials.",
        ),
        "people": TableBeside(("participant", "session")),
    },
    # Where a round ended without the right answer, the last step is meant.
    may_be_empty=frozenset({"step", "pixels"}),
)
