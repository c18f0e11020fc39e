"""What accept_reject declares for analysis, and its command ``power accept_reject``."""

from typing import TYPE_CHECKING, Final

from analysis.power.options import JobOptions
from analysis.studies.accept_reject.power import ControlWorld, MixedWorld, PlateSizes
from analysis.study import OwnRows, Study, TableBeside
from stimuli.errors import UserError
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.accept_reject.data import LeadData
    from stimuli.studies.accept_reject.protocol import AcceptReject

GENERATORS = ("robots", "model")

ONE_RUN: Final = "one_run"
"""The order of a session that assesses accuracy; plates come in two runs."""


@grouped
def power(sizes: PlateSizes, mixed: MixedWorld, controls: ControlWorld, job: JobOptions) -> None:
    """Find how many participants and items accept_reject needs.

    The command simulates the study many times and fits the preregistered model to each simulated
    study. It writes report.html, results.json, power.csv and figures/*. After an interruption the
    same command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power accept_reject --participants 10,20,40 --items 30,60
    --effect 0,0.1:0.5 --generator model --out power
    """
    if sizes.generator not in GENERATORS:
        raise UserError(f"--generator {sizes.generator!r}: not one of {', '.join(GENERATORS)}")
    from analysis.power.job import answer
    from analysis.power.question import grid_of
    from analysis.studies.accept_reject.power_question import Ask, question_of

    grid = grid_of(sizes, sizes.effects)
    rules = _rules(sizes)
    robot = sizes.robot if sizes.generator == "robots" else None
    pack = None if sizes.pack is None else sizes.pack.resolve()
    if robot is not None:
        _require_plates(sizes)
    ask = Ask(rules, grid, pack, robot, mixed, job.seed, controls=controls)
    answer(question_of(ask), job)


def _rules(sizes: PlateSizes) -> "AcceptReject":
    from participants.studies.accept_reject.robots.leads import ROBOTS
    from stimuli.pack import open_pack
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import of_plates

    if sizes.pack is not None and sizes.protocol is not None:
        raise UserError("--pack and --protocol: a pack brings its own protocol; give one")
    if sizes.pack is not None and sizes.generator != "robots":
        raise UserError("--pack goes with --generator robots; the model draws no plates")
    if sizes.robot not in ROBOTS:
        raise UserError(f"--robot {sizes.robot!r}: unknown; take one of {', '.join(ROBOTS)}")
    if sizes.pack is not None:
        return of_plates(open_pack(sizes.pack, "solutions").protocol, "power")
    return of_plates(load_protocol("accept_reject", sizes.protocol), "power")


def _require_plates(sizes: PlateSizes) -> None:
    from analysis.studies.accept_reject.simulated_worlds import plates_of

    most, items = plates_of(sizes.pack), max(sizes.items)
    if items > most:
        raise UserError(f"--items {items}: there are {most} plates to draw from; name fewer")


def inquiry() -> "Inquiry[LeadData]":
    """Return the questions of accept_reject, in the order of the page."""
    from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT

    return ACCEPT_REJECT


STUDY = Study(
    inquiry,
    beside={
        "items": TableBeside(("item",), "Item table, with --trials."),
        "arms": TableBeside(("solver",)),
    },
    own_rows={
        "trials": OwnRows("order", lambda order: order != ONE_RUN),
        "items": OwnRows("axis", lambda axis: axis.notna()),  # images have none
        "arms": OwnRows("method", lambda method: method.notna()),
    },
    power=power,
)
