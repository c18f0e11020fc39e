"""The command ``power progressive_reveal``."""

from dataclasses import replace

from analysis.power.options import JobOptions
from analysis.studies.progressive_reveal.power.asked import HazardWorld, RevealSizes
from stimuli.errors import UserError
from stimuli.options import grouped


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
    from analysis.power.question import grid_of
    from analysis.studies.progressive_reveal.power.hazard_world import effect_of
    from analysis.studies.progressive_reveal.power.question import FORMULAS, question_of
    from analysis.studies.progressive_reveal.power.simulated import Generator
    from stimuli.protocol import load_protocol
    from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

    if sizes.test not in FORMULAS:
        raise UserError(f"--test {sizes.test!r}: not one of {', '.join(FORMULAS)}")
    if not 0.01 <= world.recognised <= 0.99:
        raise UserError(f"--recognised {world.recognised:g}: must be between .01 and .99")
    rules = load_protocol("progressive_reveal", sizes.protocol)
    assert isinstance(rules, ProgressiveReveal)
    methods = tuple(f"m{number + 1}" for number in range(sizes.methods))
    world = replace(world, methods=methods, steps=rules.reveal.steps)
    effects = tuple(effect_of(world, ratio) for ratio in sizes.ratio)
    grid = grid_of(sizes, effects, least_items=max(4, sizes.methods))
    question = question_of(grid, Generator(world, sizes.rounds, sizes.test, job.seed), rules.name)
    answer(question, job)
