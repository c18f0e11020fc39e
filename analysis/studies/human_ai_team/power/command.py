"""The command ``power human_ai_team``."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.power import options
from stimuli.errors import UserError

WORLD_PANEL = "How labels are judged"


def power(
    out: options.Out,
    participants: options.Participants = "60,150,300",
    items: options.Items = "30",
    effect: Annotated[
        str,
        typer.Option(
            metavar="OVER:UNDER,...",
            help="What an arm adds to over- and to under-reliance; 0:0 gives the rate of false "
            "alarms.",
        ),
    ] = "0.1:0,0:0",
    runs: options.Runs = 100,
    protocol: Annotated[
        Path | None,
        typer.Option(help="Protocol file. Default: the study's.", show_default=False),
    ] = None,
    arms: Annotated[int, typer.Option(min=2, help="Arms, the reference among them.")] = 5,
    over_reliance: Annotated[
        float,
        typer.Option(
            help="Share of the AI's wrong labels that the reference arm accepts.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.40,
    under_reliance: Annotated[
        float,
        typer.Option(
            help="Share of the AI's right labels that the reference arm rejects.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.15,
    sd_participant: Annotated[
        str,
        typer.Option(
            metavar="SD,SD",
            help="SD between participants, log odds of being right: intercept, ai_correct.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = "0.4,0.8",
    sd_item: Annotated[
        float, typer.Option(min=0, help="SD between images.", rich_help_panel=WORLD_PANEL)
    ] = 1.0,
    sd_item_method: Annotated[
        float,
        typer.Option(
            min=0,
            help="SD between images of what an arm changes.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.4,
    seed: options.Seed = 1,
    workers: options.Processes = 0,
    scheduler: options.Scheduler = None,
    as_json: options.AsJson = False,
) -> None:
    """Find how many participants human_ai_team needs.

    The command simulates the study many times and analyses each simulated study as real data. It
    writes report.html, results.json, power.csv and figures/*. After an interruption the same
    command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power human_ai_team --participants 150,300 --effect 0.1:0,0:0
    --out power
    """
    from analysis.power.command import answer
    from analysis.power.grid import Grid
    from analysis.studies.human_ai_team.power.question import Ask, effects_of, question_of
    from analysis.studies.human_ai_team.power.team_world import TeamWorld
    from stimuli.protocol import load_protocol
    from stimuli.studies.human_ai_team.protocol import HumanAiTeam

    rules = load_protocol("human_ai_team", protocol)
    assert isinstance(rules, HumanAiTeam)
    spreads = options.reals("--sd-participant", sd_participant)
    if len(spreads) != 2 or min(spreads) < 0:
        raise UserError(f"--sd-participant {sd_participant}: must be two, 0 or more, as in 0.4,0.8")
    for option, value in (
        ("--over-reliance", over_reliance), ("--under-reliance", under_reliance),
    ):  # fmt: skip
        if not 0 < value < 1:
            raise UserError(f"{option} {value:g}: must be between 0 and 1")
    bins = rules.bins
    right = 3 * bins.per_bin / bins.images
    world = TeamWorld(
        over_reliance, under_reliance, right, (spreads[0], spreads[1]), sd_item, sd_item_method
    )
    grid = Grid(
        options.numbers("--participants", participants, 2 * arms),
        options.numbers("--items", items, 4),
        effects_of("--effect", effect),
        runs,
    )
    question = question_of(Ask(rules, grid, world, arms - 2, seed))
    answer(question, out, workers, scheduler, as_json=as_json)
