"""The command ``power accept_reject_accuracy``."""

from analysis.power.options import JobOptions
from analysis.studies.accept_reject_accuracy.power.asked import (
    AccuracySizes,
    LabelWorld,
    require_possible,
)
from stimuli.options import grouped


@grouped
def power(sizes: AccuracySizes, world: LabelWorld, job: JobOptions) -> None:
    """Find how many leads and images accept_reject_accuracy needs.

    The command simulates the study many times and analyses each simulated study as real data. It
    writes report.html, results.json, power.csv and figures/*. After an interruption the same
    command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power accept_reject_accuracy --participants 5,20 --items 200
    --effect=-0.05,0 --out power
    """
    from analysis.power.job import answer
    from analysis.power.question import grid_of
    from analysis.studies.accept_reject_accuracy.power.question import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

    rules = load_protocol("accept_reject_accuracy", sizes.protocol)
    assert isinstance(rules, AcceptRejectAccuracy)
    require_possible(world)
    grid = grid_of(sizes, sizes.effect)
    answer(question_of(rules, grid, world, job.seed), job)
