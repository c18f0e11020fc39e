"""The command ``power simulatability``."""

from typing import Annotated

import typer

from analysis.power import options
from stimuli.errors import UserError

WORLD_PANEL = "How people predict"


def power(
    out: options.Out,
    participants: options.Participants = "24,72,144",
    items: options.Items = "32",
    effect: Annotated[
        str,
        typer.Option(
            metavar="CHANGE,CHANGE,...",
            help="What explanations add to Change, as a share (0.1: 10 points); 0 gives the rate "
            "of false alarms.",
        ),
    ] = "0.1,0",
    runs: options.Runs = 100,
    protocol: options.Protocol = None,
    arms: Annotated[
        int,
        typer.Option(min=2, help="Methods of one domain, the arm without explanations among them."),
    ] = 6,
    pre: Annotated[
        float,
        typer.Option(
            help="Share of right predictions before explanations.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.66,
    practice: Annotated[
        float,
        typer.Option(
            help="What predicting a second time adds in every arm.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.03,
    sd_participant: Annotated[
        str,
        typer.Option(
            metavar="SD,SD",
            help="SD between participants, log odds: intercept, phase.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = "0.5,0.3",
    sd_item: Annotated[
        str,
        typer.Option(
            metavar="SD,SD",
            help="SD between items, log odds: intercept, phase.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = "0.8,0.3",
    sd_pair: Annotated[
        float,
        typer.Option(
            min=0,
            help="SD of a participant’s own view of an item, log odds.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.5,
    seed: options.Seed = 1,
    workers: options.Processes = 0,
    scheduler: options.Scheduler = None,
    as_json: options.AsJson = False,
) -> None:
    """Find how many participants simulatability needs in one domain.

    The command simulates the study many times and analyses each simulated study as real data. It
    counts how often one method's Change differs from that of the arm without explanations. The
    number of participants is for all arms of the domain together; the number of items is for each
    test. The command writes report.html, results.json, power.csv and figures/*. After an
    interruption, type the same command again: it continues where it stopped.

    Example: python3 lab.py power simulatability --participants 72,144 --effect 0.1,0 --out power
    """
    from analysis.power.command import answer
    from analysis.power.grid import Grid
    from analysis.studies.simulatability.power.question import Ask, question_of
    from analysis.studies.simulatability.power.simulation_world import Gain, SimulationWorld
    from stimuli.protocol import load_protocol
    from stimuli.studies.simulatability.protocol import Simulatability

    rules = load_protocol("simulatability", protocol)
    assert isinstance(rules, Simulatability)
    if not 0 < pre < 1:
        raise UserError(f"--pre {pre:g}: must lie between 0 and 1")
    of_people = options.deviations("--sd-participant", sd_participant, 2)
    of_items = options.deviations("--sd-item", sd_item, 2)
    world = SimulationWorld(
        pre, practice, (of_people[0], of_people[1]), (of_items[0], of_items[1]), sd_pair
    )
    effects = options.effects("--effect", effect, -1, 1, "what explanations add")
    grid = Grid(
        options.numbers("--participants", participants, 2 * arms),
        options.numbers("--items", items, 4),
        tuple(Gain(value) for value in effects),
        runs,
    )
    answer(question_of(Ask(rules, grid, world, arms - 2, seed)), out, workers, scheduler,
           as_json=as_json)  # fmt: skip
