"""What accept_reject declares for analysis, and its command ``power accept_reject``."""

from typing import TYPE_CHECKING, Final

from analysis.power.options import JobOptions, grid_of
from analysis.studies.accept_reject.power import PlateSizes, PlateWorld
from analysis.study import METRICS_HELP, OwnRows, Study, TableBeside
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.accept_reject.data import LeadData

ONE_RUN: Final = "one_run"
"""The order of a session that assesses accuracy; plates come in two runs."""


@grouped
def power(sizes: PlateSizes, world: PlateWorld, job: JobOptions) -> None:
    """Find how many participants and items accept_reject needs.

    The command simulates the study many times and fits the preregistered model to each simulated
    study. It writes report.html, results.json, power.csv and figures/*. After an interruption the
    same command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power accept_reject --participants 10,20,40 --items 30,60
    --effect 0,0.1:0.5 --out power
    """
    from analysis.power.job import answer
    from analysis.power.simulation import Ask
    from analysis.studies.accept_reject.power_question import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject.assessment import of_plates

    rules = of_plates(load_protocol("accept_reject", sizes.protocol), "power")
    answer(question_of(Ask(rules, grid_of(sizes, sizes.effects), world, job.seed)), job)


def inquiry() -> "Inquiry[LeadData]":
    """Return the questions of accept_reject, in the order of the page."""
    from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT

    return ACCEPT_REJECT


STUDY = Study(
    inquiry,
    beside={
        "items": TableBeside(("item",), "Item table, with --trials."),
        "arms": TableBeside(("solver",)),
        "metrics": TableBeside(("item", "axis", "rung", "method"), METRICS_HELP),
    },
    own_rows={
        "trials": OwnRows("order", lambda order: order != ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.notna()),  # images have none
        "arms": OwnRows("method", lambda method: method.notna()),
    },
    power=power,
)
