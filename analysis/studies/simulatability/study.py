"""What simulatability declares to this room."""

from typing import TYPE_CHECKING, Final

from analysis.studies.simulatability.power.command import power
from analysis.study import Study, TableBeside

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.simulatability.data import SimulatabilityData

_PHASES: Final = {"before": "pre", "after": "post"}
_USES: Final = {
    "counterfactual simulation": "counterfactual",
    "forward simulation": "forward",
    "learn": "learning",
}
_DOMAINS: Final = {"table": "tabular", "tables": "tabular", "tab": "tabular"}


def inquiry() -> "Inquiry[SimulatabilityData]":
    """Return the questions of simulatability, in the order of the page."""
    from analysis.studies.simulatability.inquiry import SIMULATABILITY

    return SIMULATABILITY


STUDY = Study(
    inquiry,
    beside={
        "explanations": TableBeside(("presentation", "method")),
        "methods": TableBeside(("method",)),
        "models": TableBeside(("domain",)),
        "people": TableBeside(("participant",)),
    },
    # Without a prediction there is nothing to be right about.
    may_be_empty=frozenset({"correct"}),
    words={"phase": _PHASES, "use": _USES, "domain": _DOMAINS},
    power=power,
)
