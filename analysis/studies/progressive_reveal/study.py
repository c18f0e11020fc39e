"""What progressive_reveal declares for analysis, and its command ``power``."""

from dataclasses import replace
from typing import TYPE_CHECKING

from analysis.power.options import JobOptions, grid_of
from analysis.studies.progressive_reveal.power import HazardWorld, RevealSizes
from analysis.study import METRICS_HELP, Study, TableBeside
from stimuli.errors import UserError
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.progressive_reveal.data import RevealData


@grouped
def power(sizes: RevealSizes, world: HazardWorld, job: JobOptions) -> None:
    """Find how many participants and images progressive_reveal needs.

    The command simulates the study many times and analyses each simulated study as the real one:
    means over participants and images, the discrete-time model beside them, contrasts between all
    pairs of methods, Holm's correction. It writes report.html, results.json, power.csv and
    figures/*. After an interruption the same command continues. With more --runs or more
    combinations it adds to finished runs.

    Example: python3 lab.py power progressive_reveal --participants 20,40 --items 34 --ratio 1,1.5
    --test means --out power
    """
    from analysis.power.job import answer
    from analysis.power.simulation import Ask
    from analysis.studies.progressive_reveal.simulated import (
        FORMULAS,
        effect_of,
        question_of,
    )
    from stimuli.protocol import load_protocol
    from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

    if sizes.test not in FORMULAS:
        raise UserError(f"--test {sizes.test!r}: not one of {', '.join(FORMULAS)}")
    if not 0.01 <= world.recognised <= 0.99:
        raise UserError(f"--recognised {world.recognised:g}: must be between .01 and .99")
    rules = load_protocol("progressive_reveal", sizes.protocol)
    assert isinstance(rules, ProgressiveReveal)
    methods = tuple(f"m{number + 1}" for number in range(sizes.methods))
    world = replace(world, methods=methods, steps=rules.reveal.steps, test=sizes.test)
    effects = tuple(effect_of(world, ratio) for ratio in sizes.ratio)
    grid = grid_of(sizes, effects, least_items=max(4, sizes.methods))
    answer(question_of(Ask(rules, grid, world, job.seed)), job)


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
        "metrics": TableBeside(("item", "method"), METRICS_HELP),
        "people": TableBeside(("participant", "session")),
    },
    power=power,
    # Where a round ended without the right answer, the last step is meant.
    may_be_empty=frozenset({"step", "pixels"}),
)
