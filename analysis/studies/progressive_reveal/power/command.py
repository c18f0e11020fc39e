"""The command ``power progressive_reveal``."""

from typing import Annotated

import typer

from analysis.power import options
from stimuli.errors import UserError


def power(
    out: options.Out,
    participants: options.Participants = "20,40",
    items: options.Items = "34",
    rounds: Annotated[
        int, typer.Option(min=0, help="Rounds that a participant completes. 0: all images.")
    ] = 0,
    ratio: Annotated[
        str,
        typer.Option(
            metavar="R,R,...",
            help="Odds ratio of recognition at a step, one method against the reference; 1 gives "
            "the rate of false alarms.",
        ),
    ] = "1.5",
    methods: Annotated[
        int, typer.Option(min=2, max=12, help="Methods; all pairs of them are compared.")
    ] = 4,
    runs: options.Runs = 100,
    test: Annotated[
        str,
        typer.Option(
            help="What is tested: the study's mixed model, or the bootstrap of its life tables "
            "(quicker)."
        ),
    ] = "model",
    protocol: options.Protocol = None,
    recognised: Annotated[
        float, typer.Option(help="Share that the reference has recognised by the last step.")
    ] = 0.81,
    sd_participant: Annotated[
        str,
        typer.Option(
            metavar="SD,SD",
            help="SDs between participants, in log odds: intercept, each method's own effect.",
        ),
    ] = "0.4,0.2",
    sd_item: Annotated[
        str, typer.Option(metavar="SD,SD", help="SDs between images, the same.")
    ] = "0.8,0.3",
    seed: options.Seed = 1,
    workers: options.Processes = 0,
    scheduler: options.Scheduler = None,
    as_json: options.AsJson = False,
) -> None:
    """Find how many participants and images progressive_reveal needs.

    The command simulates the study many times and analyses each simulated study as the real one:
    the discrete-time model, averaged contrasts between all pairs of methods, Holm's correction. It
    writes report.html, results.json, power.csv and figures/*. After an interruption the same
    command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power progressive_reveal --participants 20,40 --items 34 --ratio 1,1.5
    --test bootstrap --out power
    """
    from analysis.power.command import answer
    from analysis.power.grid import Grid
    from analysis.studies.progressive_reveal.power.hazard_world import HazardWorld
    from analysis.studies.progressive_reveal.power.question import FORMULAS, question_of
    from analysis.studies.progressive_reveal.power.simulated import Generator
    from stimuli.protocol import load_protocol
    from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

    if test not in FORMULAS:
        raise UserError(f"--test {test!r}: not one of {', '.join(FORMULAS)}")
    if not 0.01 <= recognised <= 0.99:
        raise UserError(f"--recognised {recognised:g}: must be between .01 and .99")
    rules = load_protocol("progressive_reveal", protocol)
    assert isinstance(rules, ProgressiveReveal)
    world = HazardWorld(
        methods=tuple(f"m{number + 1}" for number in range(methods)),
        steps=rules.reveal.steps,
        recognised=recognised,
        sd_participant=options.deviations("--sd-participant", sd_participant, 2),
        sd_item=options.deviations("--sd-item", sd_item, 2),
    )
    grid = Grid(
        options.numbers("--participants", participants, 2),
        options.numbers("--items", items, max(4, methods)),
        tuple(map(world.effect, options.effects("--ratio", ratio, 0.05, 20, "an odds ratio"))),
        runs,
    )
    question = question_of(grid, Generator(world, rounds, test, seed), rules.name)
    answer(question, out, workers, scheduler, as_json=as_json)
