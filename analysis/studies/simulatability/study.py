"""What simulatability declares to this room."""

from typing import Final

from analysis.studies.simulatability.power.command import power
from analysis.study import Study, TableBeside
from stimuli.catalogue import Late

_PHASES: Final = {"before": "pre", "after": "post"}
_USES: Final = {
    "counterfactual simulation": "counterfactual",
    "forward simulation": "forward",
    "learn": "learning",
}
_DOMAINS: Final = {"table": "tabular", "tables": "tabular", "tab": "tabular"}

STUDY = Study(
    analyse=Late(f"{__package__}.results:analyse_simulatability"),
    report=Late(f"{__package__}.present:REPORT").imported,
    beside={"methods": TableBeside(("method",)), "people": TableBeside(("participant",))},
    # Without a prediction there is nothing to be right about.
    may_be_empty=frozenset({"correct"}),
    words={"phase": _PHASES, "use": _USES, "domain": _DOMAINS},
    power=power,
    registered=Late(f"{__package__}.registered:registered"),
)
