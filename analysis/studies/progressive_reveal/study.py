"""What progressive_reveal declares to this room."""

from typing import TYPE_CHECKING

from analysis.studies.progressive_reveal.power.command import power
from analysis.study import Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.progressive_reveal.data import RevealData


def inquiry() -> "Inquiry[RevealData]":
    """Return the questions of progressive_reveal, in the order of the page."""
    from analysis.studies.progressive_reveal.inquiry import REVEAL

    return REVEAL


STUDY = Study(
    inquiry,
    beside={
        "items": TableBeside(("item",), "Item table, with --trials."),
        "curves": TableBeside(
            ("item", "method", "step", "pixels"),
            "Table of what each image uncovers step by step, with --trials.",
        ),
        "arms": TableBeside(("method",)),
        "people": TableBeside(("participant", "session")),
    },
    power=power,
    # Where a round ended without the right answer, the last step is meant.
    may_be_empty=frozenset({"step", "pixels"}),
)
