"""How a study from a table is analysed."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.study import Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.questions.trials import Questions
    from analysis.table_study.data import ItemData


def declare(folder: Path, questions: "Callable[[], Questions]" = tuple) -> Study:
    """Return the declaration of the study in a folder.

    Parameters
    ----------
    folder
        The study's.
    questions
        Returns questions of the study's own, which follow the general ones.
    """

    def inquiry() -> "Inquiry[ItemData]":
        from analysis.table_study.inquiry import table_inquiry

        return table_inquiry(folder.name, questions())

    return Study(
        inquiry,
        beside={
            "items": TableBeside(("item",), "Its item table, with --trials."),
            "people": TableBeside(("participant", "arm")),
        },
    )
