"""What is asked of the data: the study's questions, each in a module of its own."""

from typing import TYPE_CHECKING

from analysis.study import Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.questions.trials import TrialData


def inquiry() -> "Inquiry[TrialData]":
    """Return the questions, in the order of the page; imported when they are needed."""
    from analysis.questions.trials import trial_inquiry
    from preferences.first_answer import FIRST_ANSWER

    return trial_inquiry(
        "preferences",
        "preferences: do people choose the first answer?",
        (FIRST_ANSWER,),
        limit_s=lambda protocol: protocol.choice.limit_s,
    )


STUDY = Study(
    inquiry,
    beside={"items": TableBeside(("item",), "Its item table, with --trials.")},
)
