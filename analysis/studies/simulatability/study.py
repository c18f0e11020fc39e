"""What simulatability declares for analysis, and its command ``power simulatability``."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from analysis.power.options import JobOptions, grid_of
from analysis.power.simulation import Difference, arms_of
from analysis.studies.simulatability.power import SimulationSizes, SimulationWorld
from analysis.study import Study, TableBeside
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.simulatability.data import SimulatabilityData


@grouped
def power(sizes: SimulationSizes, world: SimulationWorld, job: JobOptions) -> None:
    """Find how many participants simulatability needs in one domain.

    The command simulates the study many times and analyses each simulated study as real data. It
    counts, for each test, how often one method differs from the arm without explanations. The
    number of participants is for all arms of the domain together; the number of items is for each
    test. The command writes report.html, results.json, power.csv and figures/*. After an
    interruption, type the same command again: it continues where it stopped.

    Example: python3 lab.py power simulatability --participants 72,144 --effect 0.1,0 --out power
    """
    from analysis.power.job import answer
    from analysis.power.simulation import Ask
    from analysis.studies.simulatability.simulated import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.simulatability.protocol import Simulatability

    rules = load_protocol("simulatability", sizes.protocol)
    assert isinstance(rules, Simulatability)
    grid = grid_of(sizes, sizes.effect, 2 * sizes.arms)
    world = replace(world, arms=arms_of(sizes.arms, Difference(0.0)))
    answer(question_of(Ask(rules, grid, world, job.seed)), job)


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
    # Empty if there was no prediction.
    may_be_empty=frozenset({"correct"}),
    words={"phase": _PHASES, "use": _USES, "domain": _DOMAINS},
    power=power,
)
