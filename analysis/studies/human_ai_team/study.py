"""What human_ai_team declares to this room."""

from typing import TYPE_CHECKING, Final

from analysis.studies.human_ai_team.power.command import power
from analysis.study import Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.human_ai_team.data import TeamData

_YES_NO: Final = {
    **dict.fromkeys(("y", "true", "1", "1.0", "accept", "ja"), "yes"),
    **dict.fromkeys(("n", "false", "0", "0.0", "reject", "nein"), "no"),
}
"""What tables from elsewhere say for yes and no."""


def inquiry() -> "Inquiry[TeamData]":
    """Return the questions of human_ai_team, in the order of the page."""
    from analysis.studies.human_ai_team.inquiry import TEAM

    return TEAM


STUDY = Study(
    inquiry,
    beside={
        "available": TableBeside(
            ("bin",), "Table of how often bins occur, with --trials: bin, weight."
        ),
        "ai": TableBeside(
            ("confidence", "correct"), "Table of the AI on all images, with --trials."
        ),
        "arms": TableBeside(("arm",)),
        "metrics": TableBeside(
            ("item", "method"), "Table of the maps' metrics by image and arm, with --trials."
        ),
        "people": TableBeside(("participant", "method")),
    },
    # Without an answer nothing was decided.
    may_be_empty=frozenset({"decision"}),
    words={
        "phase": {"test": "main"},
        "decision": _YES_NO,
        "own_decision": _YES_NO,
        "prior_knowledge": _YES_NO,
    },
    power=power,
)
